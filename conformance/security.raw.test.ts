// What docs/security.md claims and no other test shows.

import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RestClient } from '@tidemark/client';
import { openDatabase, restoreDatabase } from '@tidemark/engine';
import { startServer } from '@tidemark/server';
import { expect, test } from 'vitest';
import { rawFetch } from './harness.ts';
import { RawClient } from './socket.ts';

const ownKey = Buffer.alloc(64, 7).toString('base64');

test('[SEC6] with the well-known key a name that a web page could have is refused, whatever is asked', async () => {
  await using server = await startServer({ memory: true, publicUrl: 'http://db.example:8081' });
  using client = await RawClient.connect(server.port);
  const ask = async (host: string, path = '/dbs', headers: Record<string, string> = {}) =>
    (await client.ask('GET', path, { host, ...headers }).answer()).status;

  for (const host of [
    'localhost',
    'localhost:8081',
    'LOCALHOST:1',
    'a.localhost',
    '127.0.0.1:8081',
    '10.0.0.7',
    '[::1]:8081',
    'buildbox',
  ]) {
    expect(await ask(host), host).toBe(200);
  }
  expect(await ask('db.example:8081'), 'the public name').toBe(200);
  for (const host of [
    'evil.example',
    'evil.example:8081',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.example.',
    '1.evil',
  ]) {
    expect(await ask(host), host).toBe(403);
    expect(await ask(host, '/_tidemark/health'), host).toBe(403);
    expect(await ask(host, '/', { origin: `http://${host}` }), host).toBe(403);
  }
  // Nothing was remembered of what was refused, and nothing forgotten of what was not.
  expect([await ask('localhost'), await ask('evil.example')]).toEqual([200, 403]);
});

test('[SEC6] with keys of its own, or where the well-known one was allowed in so many words, any name will do', async () => {
  await using keyed = await startServer({ memory: true, key: ownKey });
  await using allowed = await startServer({ memory: true, insecureDefaultKey: true });
  for (const { port } of [keyed, allowed]) {
    using client = await RawClient.connect(port);
    const { status } = await client.ask('GET', '/_tidemark/health', { host: 'db.example', authorization: '' }).answer();
    expect(status).not.toBe(403);
  }
});

test('[SEC14] log, index and backup cannot be read by other users of the machine', async (context) => {
  if (process.platform === 'win32') return context.skip('there are no modes');
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-security-'));
  const othersOf = async (...path: string[]): Promise<number> => (await stat(join(folder, ...path))).mode & 0o077;
  const database = await openDatabase({ folder: join(folder, 'data') });
  await database.createDatabase('db');
  await database.backup(join(folder, 'backup'));
  await database.close();
  await restoreDatabase({ backup: join(folder, 'backup'), folder: join(folder, 'restored') });

  expect(await othersOf('data', 'segments')).toBe(0);
  expect(await othersOf('data', 'index')).toBe(0);
  expect(await othersOf('backup', 'segments')).toBe(0);
  expect(await othersOf('restored', 'segments')).toBe(0);
  await rm(folder, { recursive: true });
});

test('[SEC17] who has no key learns nothing of what is there, and a token nothing beyond its reach', async () => {
  await using server = await startServer({ memory: true, key: ownKey });
  const sign = { key: ownKey };
  const post = async (path: string, body: object) => (await rawFetch(server.url, 'POST', path, { sign, body })).json;
  await post('/dbs', { id: 'db' });
  for (const id of ['mine', 'other']) await post('/dbs/db/colls', { id, partitionKey: { paths: ['/pk'] } });
  await post('/dbs/db/users', { id: 'u' });
  const permission = { id: 'p', permissionMode: 'All', resource: 'dbs/db/colls/mine' };
  const { _token: token } = await post('/dbs/db/users/u/permissions', permission);
  const get = async (path: string, authorization: string) => {
    const { status, json } = await rawFetch(server.url, 'GET', path, { headers: { authorization } });
    return [status, json.code, json.message];
  };

  for (const path of [
    '/dbs/db',
    '/dbs/none',
    '/dbs/db/colls/mine',
    '/dbs/db/colls/none',
    '/dbs/db/colls/mine/docs/1',
  ]) {
    const [status, code] = await get(path, 'type%3Dmaster%26ver%3D1.0%26sig%3DAAAA');
    expect([status, code], path).toEqual([401, 'Unauthorized']);
  }
  const asked = encodeURIComponent(token);
  expect(await get('/dbs/db/colls/other', asked)).toEqual(await get('/dbs/db/colls/none', asked));
  expect(await get('/dbs/db/colls/other/docs/1', asked)).toEqual(await get('/dbs/none/colls/none/docs/1', asked));
  expect((await get('/dbs/db/colls/other', asked))[0]).toBe(403);
});

test('[SEC18] names that mean something to JavaScript are members of documents like any others', async () => {
  await using server = await startServer({ memory: true });
  const docs = '/dbs/db/colls/c/docs';
  const headers = { 'x-ms-documentdb-partitionkey': '["a"]' };
  await rawFetch(server.url, 'POST', '/dbs', { body: { id: 'db' } });
  const definition = { id: 'c', partitionKey: { paths: ['/__proto__/pk'] } };
  await rawFetch(server.url, 'POST', '/dbs/db/colls', { body: definition });
  const body = '{"id":"1","__proto__":{"pk":"a","polluted":true},"constructor":{"prototype":{"polluted":true}}}';

  const made = await rawFetch(server.url, 'POST', docs, { headers, body });
  const patches = [
    { op: 'add', path: '/__proto__/polluted', value: 'yes' },
    { op: 'set', path: '/constructor/prototype/polluted', value: 'yes' },
  ];
  const patched = await rawFetch(server.url, 'PATCH', `${docs}/1`, { headers, body: patches });
  const read = await rawFetch(server.url, 'GET', `${docs}/1`, { headers });

  // The server runs in this process: what it did to objects, it did to ours.
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect([made.status, patched.status, read.status]).toEqual([201, 200, 200]);
  expect(read.text).toContain('"__proto__":{"pk":"a","polluted":"yes"}');
});

test('[SEC19] a signature is not carried to where an answer points', async () => {
  const seen: (string | undefined)[] = [];
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  const sending = createServer((_, response) => {
    const { port } = elsewhere.address() as AddressInfo; // Of a server on TCP it is an object.
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(elsewhere, 'listening'), once(sending, 'listening')]);
  const { port } = sending.address() as AddressInfo;
  const client = new RestClient({ endpoint: `http://127.0.0.1:${port}`, credential: { key: ownKey } });

  await expect(client.account()).rejects.toThrow('307');

  expect(seen).toEqual([]);
  elsewhere.close();
  sending.close();
});
