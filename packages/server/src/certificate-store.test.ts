import { spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CertificateStore } from './certificate-store.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-tls-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
function newFolder(): string {
  folders += 1;
  return join(root, `${folders}`, 'tls');
}

const dayMs = 24 * 60 * 60 * 1000;

describe.each(['ec', 'rsa'] as const)('with a key of kind %s', (kind) => {
  test('the server certificate is signed by the authority, for every name under which the server is reached', () => {
    const hosts = ['db.example', '192.168.1.7', 'fe80::1', '::ffff:10.0.0.1', 'not a name', ''];
    const store = new CertificateStore(undefined, hosts);

    const { certificate, key } = store.serverPair(kind);

    const read = new X509Certificate(certificate);
    const authority = new X509Certificate(store.authority().pem);
    expect(read.verify(authority.publicKey)).toBe(true);
    expect(read.checkIssued(authority)).toBe(true);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect([authority.ca, read.ca]).toEqual([true, false]);
    expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true);
    for (const name of ['localhost', 'db.example']) expect(read.checkHost(name), name).toBe(name);
    for (const address of ['127.0.0.1', '::1', '192.168.1.7', 'fe80::1', '::ffff:10.0.0.1']) {
      expect(read.checkIP(address), address).toBe(address);
    }
    expect(read.checkHost('other.example')).toBeUndefined();
    expect(read.subjectAltName).not.toContain('not a name');
  });

  test('another implementation accepts it, strictly', () => {
    const folder = newFolder();
    const store = new CertificateStore(folder, []);
    const { path = '' } = store.authority();
    store.serverPair(kind);
    const leaf = join(folder, kind === 'ec' ? 'server.pem' : 'server-rsa.pem');

    const checks = ['-purpose', 'sslserver', '-verify_hostname', 'localhost', '-x509_strict', '-check_ss_sig'];
    const result = spawnSync('openssl', ['verify', ...checks, '-CAfile', path, leaf], { encoding: 'utf8' });

    expect(result.stderr).toBe('');
    expect(result.stdout).toBe(`${leaf}: OK\n`);
  });
});

test('what was made is kept: the authority and the certificate are the same after a restart', () => {
  const folder = newFolder();
  const first = new CertificateStore(folder, []);
  const pair = first.serverPair('ec');

  const second = new CertificateStore(folder, []);

  expect(second.serverPair('ec')).toEqual(pair);
  expect(second.authority()).toEqual(first.authority());
  expect(second.authority().path).toBe(join(folder, 'ca.pem'));
  expect(readFileSync(join(folder, 'ca.pem'), 'utf8')).toBe(first.authority().pem);
  expect(readdirSync(folder).sort()).toEqual(['ca-key.pem', 'ca.pem', 'server.pem']);
});

test('[SEC10] nobody else may read the keys', () => {
  const folder = newFolder();
  const store = new CertificateStore(folder, []);
  store.serverPair('ec');
  store.serverPair('rsa');

  const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);

  expect(Object.fromEntries(modes)).toEqual({
    'ca-key.pem': '600',
    'ca.pem': '644',
    'server.pem': '600',
    'server-rsa.pem': '600',
  });
});

test('a certificate is replaced before its end, and when the server has another name; the authority stays', () => {
  const folder = newFolder();
  let nowMs = Date.now();
  const store = new CertificateStore(folder, [], () => nowMs);
  const authority = store.authority();
  const first = store.serverPair('ec');

  nowMs = first.renewAtMs - 1;
  expect(store.serverPair('ec')).toEqual(first);
  nowMs = first.renewAtMs;
  const second = store.serverPair('ec');
  const renamed = new CertificateStore(folder, ['db.example'], () => nowMs).serverPair('ec');

  expect(second.renewAtMs).toBeGreaterThan(first.renewAtMs);
  expect(new X509Certificate(renamed.certificate).checkHost('db.example')).toBe('db.example');
  expect(store.authority()).toEqual(authority);
});

test('the authority itself is replaced before its end', () => {
  const folder = newFolder();
  const old = new CertificateStore(folder, []).authority();

  const later = new CertificateStore(folder, [], () => old.expiresMs - dayMs);

  expect(later.authority().fingerprint).not.toBe(old.fingerprint);
  expect(later.authority().expiresMs).toBeGreaterThan(old.expiresMs);
  const { certificate } = later.serverPair('ec');
  expect(new X509Certificate(certificate).checkIssued(new X509Certificate(later.authority().pem))).toBe(true);
});

test('of two processes that make an authority, one wins', () => {
  const folder = newFolder();
  const stores = [new CertificateStore(folder, []), new CertificateStore(folder, [])];

  const prints = stores.map((store) => store.authority().fingerprint);

  expect(new Set(prints).size).toBe(1);
});

test('a file that cannot be read is named, and not replaced', () => {
  const folder = newFolder();
  new CertificateStore(folder, []).authority();
  const path = join(folder, 'ca-key.pem');
  for (const text of ['', 'nonsense', readFileSync(path, 'utf8').replace(/MI/, 'XX')]) {
    writeFileSync(path, text);

    expect(() => new CertificateStore(folder, []).authority()).toThrow(path);

    expect(readFileSync(path, 'utf8')).toBe(text);
  }
});

test('a lost public file is written again', () => {
  const folder = newFolder();
  const { pem, path = '' } = new CertificateStore(folder, []).authority();
  rmSync(path);

  const again = new CertificateStore(folder, []).authority();

  expect(again.pem).toBe(pem);
  expect(readFileSync(path, 'utf8')).toBe(pem);
});
