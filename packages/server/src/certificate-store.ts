// The certificates of one server: an authority made once and kept, and what it signs for the names under which the server is
// reached. A person trusts the authority once; the server's own certificate is made anew whenever its names change or its end
// comes near, and nobody has to do anything.
//
// IN THE FOLDER
//   ca.pem             the authority's certificate, to be given out
//   ca-key.pem         its key and its certificate in one file, so that they cannot part; nobody else may read it
//   server.pem         key and certificate of the server, elliptic curve; nobody else may read it
//   server-rsa.pem     the same with RSA, for clients that know nothing newer; only where they are let in
// Every file is complete or absent: it is written under another name first. Of two processes that make an authority at the
// same time, the one whose file is there first wins, and the other uses it.

import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseError } from '@tidemark/model';
import type { Issuer, Validity } from './certificate.ts';
import { authorityCertificate, isNameable, serverCertificate } from './certificate.ts';
import { authorityDays, renewalDays, serverCertificateDays } from './limits.ts';

/** What a person has to trust. */
export interface CertificateAuthority {
  readonly pem: string;
  /** SHA-256, as browsers and `openssl x509 -fingerprint` show it. */
  readonly fingerprint: string;
  readonly expiresMs: number;
  /** Of the file that programs are pointed to; undefined where nothing is kept. */
  readonly path: string | undefined;
}

/** PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

export type KeyKind = 'ec' | 'rsa';

export class CertificateStore {
  readonly #folder: string | undefined;
  readonly #hosts: readonly string[];
  readonly #nowMs: () => number;
  #authority: KeyAndCertificate | undefined;

  /** Without a folder everything is made anew. */
  constructor(folder: string | undefined, hosts: readonly string[], nowMs: () => number = Date.now) {
    this.#folder = folder;
    // Its own are not looked at: what tells an address of IPv6 is compiled when it is first asked, for 5 ms of a start.
    const nameable = [hostname(), ...hosts].filter(isNameable);
    this.#hosts = [...new Set(['localhost', '127.0.0.1', '::1', ...nameable])];
    this.#nowMs = nowMs;
  }

  authority(): CertificateAuthority {
    const { certificate } = this.#authorityPair();
    const read = new X509Certificate(certificate);
    const path = this.#folder === undefined ? undefined : join(this.#folder, 'ca.pem');
    return { pem: certificate, fingerprint: read.fingerprint256, expiresMs: Date.parse(read.validTo), path };
  }

  /** Valid for at least as long as `renewAtMs` says, and for all names of the server. */
  serverPair(kind: KeyKind): KeyAndCertificate & { readonly renewAtMs: number } {
    const authority = this.#authorityPair();
    const name = kind === 'ec' ? 'server.pem' : 'server-rsa.pem';
    const kept = this.#read(name);
    if (kept !== undefined && this.#isGood(kept, authority)) return withRenewal(kept);
    const key = newKey(kind);
    const issuer = issuerOf(authority);
    const certificate = serverCertificate(
      issuer,
      createPrivateKey(key),
      this.#hosts,
      this.#days(serverCertificateDays),
    );
    const made = { key, certificate };
    this.#replace(name, together(made), ownerOnly);
    return withRenewal(made);
  }

  #authorityPair(): KeyAndCertificate {
    if (this.#authority !== undefined && !this.#isNearEnd(this.#authority)) return this.#authority;
    this.#authority = this.#keptAuthority() ?? this.#newAuthority();
    return this.#authority;
  }

  #keptAuthority(): KeyAndCertificate | undefined {
    const kept = this.#read('ca-key.pem');
    if (kept === undefined || this.#isNearEnd(kept)) return undefined;
    // Absent when somebody deleted it, or when a process died between the two files.
    if (this.#text('ca.pem') !== kept.certificate) this.#replace('ca.pem', kept.certificate, everybody);
    return kept;
  }

  #newAuthority(): KeyAndCertificate {
    const key = newKey('ec');
    const name = `Tidemark local authority ${randomBytes(4).toString('hex')}`;
    const made = {
      key,
      certificate: authorityCertificate({ name, key: createPrivateKey(key) }, this.#days(authorityDays)),
    };
    if (this.#folder === undefined) return made;
    const isRenewal = this.#text('ca-key.pem') !== undefined;
    if (isRenewal) this.#replace('ca-key.pem', together(made), ownerOnly);
    else this.#create('ca-key.pem', together(made));
    return this.#keptAuthority() ?? made;
  }

  #isGood(pair: KeyAndCertificate, authority: KeyAndCertificate): boolean {
    const read = new X509Certificate(pair.certificate);
    const names = this.#hosts.every((host) => isNamedBy(read, host));
    return names && !this.#isNearEnd(pair) && read.checkIssued(new X509Certificate(authority.certificate));
  }

  #isNearEnd(pair: KeyAndCertificate): boolean {
    return withRenewal(pair).renewAtMs <= this.#nowMs();
  }

  /** From a day ago, because the clock of a client may be behind. */
  #days(days: number): Validity {
    return { fromMs: this.#nowMs() - dayMs, toMs: this.#nowMs() + days * dayMs };
  }

  #read(name: string): KeyAndCertificate | undefined {
    const text = this.#text(name);
    if (text === undefined) return undefined;
    const [key] = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----\n?/.exec(text) ?? [];
    const [certificate] = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n?/.exec(text) ?? [];
    try {
      if (key !== undefined && certificate !== undefined) {
        const pair = { key, certificate };
        if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return pair;
      }
    } catch (error) {
      throw this.#unreadable(name, error);
    }
    throw this.#unreadable(name, undefined);
  }

  /** It is not simply made anew: an authority that people trust would silently be another one. */
  #unreadable(name: string, cause: unknown): DatabaseError {
    const path = join(this.#folder ?? '', name);
    const message = `${path} does not hold a key and its certificate. Delete it to have a new one made, or put it back.`;
    return new DatabaseError('bad-request', message, { cause });
  }

  #text(name: string): string | undefined {
    if (this.#folder === undefined) return undefined;
    try {
      return readFileSync(join(this.#folder, name), 'utf8');
    } catch (error) {
      // The file system throws nothing else.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #replace(name: string, text: string, mode: number): void {
    if (this.#folder === undefined) return;
    renameSync(this.#writeBeside(this.#folder, name, text, mode), join(this.#folder, name));
  }

  /** Leaves a file that is there already as it is. */
  #create(name: string, text: string): void {
    if (this.#folder === undefined) return;
    const path = join(this.#folder, name);
    const temporary = this.#writeBeside(this.#folder, name, text, ownerOnly);
    try {
      linkSync(temporary, path);
    } catch (error) {
      // Where there are no hard links, the last one wins instead of the first.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        renameSync(temporary, path);
        return;
      }
    }
    unlinkSync(temporary);
  }

  #writeBeside(folder: string, name: string, text: string, mode: number): string {
    mkdirSync(folder, { recursive: true });
    const temporary = join(folder, `.${name}.${process.pid}.${randomBytes(4).toString('hex')}`);
    writeFileSync(temporary, text, { mode, flag: 'wx', flush: true });
    return temporary;
  }
}

const dayMs = 24 * 60 * 60 * 1000;
const ownerOnly = 0o600;
const everybody = 0o644;

function newKey(kind: KeyKind): string {
  const { privateKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function isNamedBy(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

function issuerOf({ key, certificate }: KeyAndCertificate): Issuer {
  const [, name = ''] = /^CN=(.*)$/m.exec(new X509Certificate(certificate).subject) ?? [];
  return { name, key: createPrivateKey(key) };
}

function together({ key, certificate }: KeyAndCertificate): string {
  return `${key}${certificate}`;
}

function withRenewal(pair: KeyAndCertificate): KeyAndCertificate & { readonly renewAtMs: number } {
  return { ...pair, renewAtMs: Date.parse(new X509Certificate(pair.certificate).validTo) - renewalDays * dayMs };
}
