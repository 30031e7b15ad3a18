// The account's keys: which of them may do what, and how they are exchanged while the server runs.

import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, rawFetch } from './harness.ts';

const key = (byte: number): string => Buffer.alloc(64, byte).toString('base64');
const keys = { primary: key(1), secondary: key(2), readOnlyPrimary: key(3), readOnlySecondary: key(4) };

let database: Database;
let server: RunningServer;
beforeAll(async () => {
  database = await openDatabase({ memory: true });
  server = await startServer({ database, keys });
  await database.createDatabase('db');
  const container = await database.createContainer('db', { id: 'c', partitionKey: { paths: ['/pk'], kind: 'Hash' } });
  await container.create({ id: '1', pk: 'a' });
});
afterAll(async () => {
  await server.close();
  await database.close();
});

const docs = '/dbs/db/colls/c/docs';
const pk = { 'x-ms-documentdb-partitionkey': '["a"]' };
const query = {
  headers: {
    'content-type': 'application/query+json',
    'x-ms-documentdb-isquery': 'True',
    'x-ms-documentdb-query-enablecrosspartition': 'True',
  },
  body: { query: 'SELECT * FROM c' },
};

describe('[M18] [SEC3] four keys', () => {
  test('the primary and the secondary one write', async () => {
    for (const [index, signing] of [keys.primary, keys.secondary].entries()) {
      const body = { id: `w${index}`, pk: 'a' };
      const made = await rawFetch(server.url, 'POST', docs, { sign: { key: signing }, headers: pk, body });
      expect(made.status).toBe(201);
    }
  });

  test('the read-only ones read, list, query and follow the feed, and are refused every write with 403', async () => {
    for (const signing of [keys.readOnlyPrimary, keys.readOnlySecondary]) {
      const sign = { key: signing };
      expect((await rawFetch(server.url, 'GET', '/', { sign })).status).toBe(200);
      expect((await rawFetch(server.url, 'GET', '/dbs', { sign })).status).toBe(200);
      expect((await rawFetch(server.url, 'GET', `${docs}/1`, { sign, headers: pk })).status).toBe(200);
      const feed = await rawFetch(server.url, 'GET', docs, { sign, headers: { 'a-im': 'Incremental Feed' } });
      expect(feed.status).toBe(200);
      expect((await rawFetch(server.url, 'POST', docs, { sign, ...query })).status).toBe(200);
      const plan = { ...query, headers: { 'x-ms-cosmos-is-query-plan-request': 'True' } };
      expect((await rawFetch(server.url, 'POST', docs, { sign, ...plan })).status).toBe(200);

      const writes: readonly (readonly [string, string, object])[] = [
        ['POST', '/dbs', { body: { id: 'x' } }],
        ['DELETE', '/dbs/db', {}],
        ['POST', '/dbs/db/colls', { body: { id: 'x' } }],
        ['PUT', '/dbs/db/colls/c', { body: { id: 'c' } }],
        ['DELETE', '/dbs/db/colls/c', {}],
        ['POST', docs, { headers: pk, body: { id: 'x', pk: 'a' } }],
        ['PUT', `${docs}/1`, { headers: pk, body: { id: '1', pk: 'a' } }],
        ['PATCH', `${docs}/1`, { headers: pk, body: [{ op: 'set', path: '/x', value: 1 }] }],
        ['DELETE', `${docs}/1`, { headers: pk }],
      ];
      for (const [verb, path, options] of writes) {
        const { status, json } = await rawFetch(server.url, verb, path, { sign, ...options });
        expect([status, json.code, json.message], `${verb} ${path}`).toEqual([
          403,
          'Forbidden',
          expect.stringContaining('read-only'),
        ]);
      }
    }
    expect(database.findContainer('db', 'c')).toBeDefined();
    expect(database.databases().length).toBe(1);
  });

  test('the SDK writes with one and is refused with the other', async () => {
    const reader = clientOf(server.url, keys.readOnlyPrimary);
    const container = reader.database('db').container('c');
    expect((await container.item('1', 'a').read()).resource.id).toBe('1');
    await expect(container.items.create({ id: 'sdk', pk: 'a' })).rejects.toMatchObject({ code: 403 });
    reader.dispose();
  });

  test('with a read-only key the admin API can be asked and not be told', async () => {
    const admin = (signing: string, verb: string, path: string) =>
      rawFetch(server.url, verb, path, { sign: { key: signing, type: '', link: path.slice(1) } });
    expect((await admin(keys.readOnlyPrimary, 'GET', '/_tidemark/jobs')).status).toBe(200);
    expect((await admin(keys.readOnlyPrimary, 'GET', '/_tidemark/metrics')).status).toBe(200);
    expect((await admin(keys.readOnlyPrimary, 'POST', '/_tidemark/check')).status).toBe(403);
    expect((await admin(keys.secondary, 'POST', '/_tidemark/check')).status).toBe(202);
    expect((await admin(key(9), 'GET', '/_tidemark/jobs')).status).toBe(401);
  });
});

describe('[M18] [SEC8] rotation', () => {
  test('new keys count from the next request on, on open connections too, and what is wrong leaves the old ones', async () => {
    const status = async (signing: string) =>
      (await rawFetch(server.url, 'GET', '/dbs', { sign: { key: signing } })).status;
    expect([await status(keys.primary), await status(key(5))]).toEqual([200, 401]);
    server.setKeys({ ...keys, primary: keys.secondary, secondary: key(5) });
    expect([await status(keys.primary), await status(keys.secondary), await status(key(5))]).toEqual([401, 200, 200]);
    expect(() => server.setKeys({ primary: 'x' })).toThrow('primary');
    expect(await status(key(5))).toBe(200);
    server.setKeys(keys);
    expect([await status(keys.primary), await status(key(5))]).toEqual([200, 401]);
  });

  test('a request that waits for changes goes on with a key that stays, and ends with one that does not', async () => {
    const wait = { 'a-im': 'Incremental Feed', 'if-none-match': '*', prefer: 'wait=60' };
    const waiting = [keys.primary, keys.secondary].map((signing) =>
      rawFetch(server.url, 'GET', docs, { sign: { key: signing }, headers: wait }),
    );
    await expect.poll(() => database.figures.waiters, { timeout: 120_000 }).toBe(2);
    server.setKeys({ ...keys, secondary: key(5) });
    await database.container('db', 'c').upsert({ id: 'late', pk: 'a' });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 401]);
    server.setKeys(keys);
  });

  test('[SEC6] a server that others can reach takes the well-known key neither at the start nor later', async () => {
    await expect(startServer({ database, host: '0.0.0.0' })).rejects.toThrow('well-known key');
    await expect(
      startServer({ database, host: '0.0.0.0', keys: { ...keys, secondary: wellKnownKey } }),
    ).rejects.toThrow('well-known key');
    await expect(startServer({ database, key: key(1), keys })).rejects.toThrow('not both');
    const open = await startServer({ database, host: '0.0.0.0', keys });
    expect(() => open.setKeys({ primary: wellKnownKey })).toThrow('well-known key');
    await open.close();
  });
});
