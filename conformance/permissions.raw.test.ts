// Users, permissions and resource tokens by plain requests: what no SDK shows, and what no SDK would try.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RawOptions, RawResponse } from './harness.ts';
import { rawFetch, World } from './harness.ts';

let database: Database;
let server: RunningServer;
let shiftMs = 0;
beforeAll(async () => {
  database = await openDatabase({ memory: true });
  server = await startServer({ database, nowMs: () => Date.now() + shiftMs });
  await database.createDatabase('db');
  await database.createDatabase('other');
  for (const id of ['c', 'd']) {
    const container = await database.createContainer('db', {
      id,
      partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 },
    });
    for (const pk of ['a', 'b']) await container.create({ id: `${pk}1`, pk });
  }
  const paths = ['/tenant', '/user'];
  const nested = await database.createContainer('db', {
    id: 'h',
    partitionKey: { paths, kind: 'MultiHash', version: 2 },
  });
  for (const tenant of ['t', 'u'])
    for (const user of ['x', 'y']) await nested.create({ id: `${tenant}${user}`, tenant, user });
});
afterAll(async () => {
  await server.close();
  await database.close();
});
let users = 0;
/** The path of the test's own user. */
let ownUser = '';
beforeEach(async () => {
  shiftMs = 0;
  users += 1;
  ownUser = `/dbs/db/users/u${users}`;
  expect((await send('POST', '/dbs/db/users', { body: { id: `u${users}` } })).status).toBe(201);
});

const send = (verb: string, path: string, options: RawOptions = {}): Promise<RawResponse> =>
  rawFetch(server.url, verb, path, options);
const permit = (permission: object, headers: Record<string, string> = {}): Promise<RawResponse> =>
  send('POST', `${ownUser}/permissions`, { body: permission, headers });
const pk = (...values: unknown[]): Record<string, string> => ({
  'x-ms-documentdb-partitionkey': JSON.stringify(values),
});

/** With a token in the place of a signature, and without a date. */
async function withToken(
  token: string,
  verb: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<{ status: number; text: string }> {
  const response = await fetch(new URL(path, server.url), {
    method: verb,
    headers: { authorization: encodeURIComponent(token), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function tokenFor(permission: Record<string, unknown>, headers: Record<string, string> = {}): Promise<string> {
  const { status, json } = await permit({ id: 'p', permissionMode: 'All', ...permission }, headers);
  expect(status).toBe(201);
  return json._token;
}

describe('[wire 14] users', () => {
  test('create, read, list, rename, upsert, delete, with their etags', async () => {
    const created = await send('GET', ownUser);
    const { json: user } = created;
    expect(user).toEqual({
      id: `u${users}`,
      _rid: expect.stringMatching(/^[\w+-]{10}[=A-Za-z]{2}$/),
      _self: expect.stringMatching(/^dbs\/.+\/users\/.+\/$/),
      _etag: created.headers.get('etag'),
      _permissions: 'permissions/',
      _ts: expect.any(Number),
    });
    expect((await send('POST', '/dbs/db/users', { body: { id: user.id } })).status).toBe(409);
    expect((await send('POST', '/dbs/db/users', { body: {} })).status).toBe(400);
    expect((await send('POST', '/dbs/db/users', { body: { id: 'a/b' } })).status).toBe(400);
    expect((await send('POST', '/dbs/none/users', { body: { id: 'x' } })).status).toBe(404);
    const upsert = { headers: { 'x-ms-documentdb-is-upsert': 'True' }, body: { id: user.id } };
    expect((await send('POST', '/dbs/db/users', upsert)).status).toBe(200);
    const stale = { headers: { 'if-match': user._etag }, body: { id: 'renamed' } };
    expect((await send('PUT', ownUser, stale)).status).toBe(412);
    const renamed = await send('PUT', ownUser, { body: { id: `${user.id}-renamed` } });
    expect([renamed.status, renamed.json._rid]).toEqual([200, user._rid]);
    expect((await send('GET', ownUser)).status).toBe(404);
    const { json: list } = await send('GET', '/dbs/db/users');
    expect(list.Users.map(({ id }: { id: string }) => id)).toContain(`${user.id}-renamed`);
    expect(list._count).toBe(list.Users.length);
    expect((await send('DELETE', `${ownUser}-renamed`)).status).toBe(204);
    expect((await send('DELETE', `${ownUser}-renamed`)).status).toBe(404);
  });

  test('[wire 17.21] a user and a permission by rid', async () => {
    const { json: user } = await send('GET', ownUser);
    const { json: permission } = await permit({ id: 'p', permissionMode: 'Read', resource: 'dbs/db/colls/c' });
    const byRid = (verb: string, path: string, rid: string, body?: unknown) =>
      send(verb, `/${path}`, { sign: { link: rid.toLowerCase() }, ...(body === undefined ? {} : { body }) });
    expect((await byRid('GET', user._self, user._rid)).json.id).toBe(user.id);
    expect((await byRid('GET', `${user._self}permissions/`, user._rid)).json._count).toBe(1);
    expect((await byRid('GET', permission._self, permission._rid)).json.id).toBe('p');
    const all = { id: 'p', permissionMode: 'All', resource: 'dbs/db/colls/c' };
    expect((await byRid('PUT', permission._self, permission._rid, all)).json.permissionMode).toBe('All');
    expect((await byRid('DELETE', permission._self, permission._rid)).status).toBe(204);
    expect((await byRid('DELETE', user._self, user._rid)).status).toBe(204);
  });
});

describe('[wire 14] permissions', () => {
  test('create, read, list, replace, delete; every read gives a token', async () => {
    const body = { id: 'p', permissionMode: 'Read', resource: 'dbs/db/colls/c', resourcePartitionKey: ['a'] };
    const { status, json: created } = await permit(body);
    expect(status).toBe(201);
    expect(created).toEqual({
      ...body,
      _rid: expect.any(String),
      _self: expect.stringMatching(/^dbs\/.+\/users\/.+\/permissions\/.+\/$/),
      _etag: expect.any(String),
      _ts: expect.any(Number),
      _token: expect.stringMatching(/^type=resource&ver=1\.0&sig=[\w-]+;[\w-]+;$/),
    });
    const { json: list } = await send('GET', `${ownUser}/permissions`);
    expect(list.Permissions).toEqual([{ ...created, _token: expect.stringContaining('type=resource') }]);
    const replaced = await send('PUT', `${ownUser}/permissions/p`, {
      body: { ...body, id: 'q', permissionMode: 'All' },
    });
    expect([replaced.status, replaced.json.id, replaced.json._rid]).toEqual([200, 'q', created._rid]);
    const stale = { headers: { 'if-match': created._etag } };
    expect((await send('DELETE', `${ownUser}/permissions/q`, stale)).status).toBe(412);
    expect((await send('DELETE', `${ownUser}/permissions/q`)).status).toBe(204);
    expect((await send('GET', `${ownUser}/permissions/q`)).status).toBe(404);
    expect((await send('GET', '/dbs/db/users/nobody/permissions')).status).toBe(404);
  });

  test('a second one for the same resource and key is 409; another key is another permission', async () => {
    const body = { permissionMode: 'Read', resource: 'dbs/db/colls/c' };
    expect((await permit({ id: 'p', ...body })).status).toBe(201);
    expect((await permit({ id: 'q', ...body, permissionMode: 'All' })).status).toBe(409);
    expect((await permit({ id: 'p', ...body, resource: 'dbs/db/colls/d' })).status).toBe(409);
    expect((await permit({ id: 'q', ...body, resourcePartitionKey: ['a'] })).status).toBe(201);
    expect((await permit({ id: 'r', ...body, resourcePartitionKey: ['b'] })).status).toBe(201);
    const upsert = { 'x-ms-documentdb-is-upsert': 'true' };
    expect((await permit({ id: 'p', ...body, permissionMode: 'All' }, upsert)).status).toBe(200);
  });

  test('what is not a permission is 400 and says why', async () => {
    const good = { id: 'p', permissionMode: 'Read', resource: 'dbs/db/colls/c' };
    for (const [change, message] of [
      [{ permissionMode: 'Write' }, 'permissionMode'],
      [{ permissionMode: 7 }, 'permissionMode'],
      [{ resource: 'dbs/db' }, 'resource'],
      [{ resource: 'dbs/db/colls' }, 'resource'],
      [{ resource: '' }, 'resource'],
      [{ resource: undefined }, 'resource'],
      [{ resource: 'dbs/db/users/u' }, 'resource'],
      [{ resource: 'dbs/other/colls/c' }, '"other"'],
      [{ resourcePartitionKey: 'a' }, 'resourcePartitionKey'],
      [{ resourcePartitionKey: [['a']] }, 'resourcePartitionKey'],
      [{ id: 7 }, 'id'],
    ] as const) {
      const { status, json } = await permit({ ...good, ...change });
      expect([status, json.message], JSON.stringify(change)).toEqual([400, expect.stringContaining(message)]);
    }
    for (const seconds of ['9', '18001', '-1', '1e3', 'x', '60.5']) {
      expect((await permit(good, { 'x-ms-documentdb-expiry-seconds': seconds })).status, seconds).toBe(400);
    }
    expect((await send('GET', `${ownUser}/permissions`)).json._count).toBe(0);
    expect((await permit(good, { 'x-ms-documentdb-expiry-seconds': '18000' })).status).toBe(201);
  });
});

describe('[M18] [SEC4] resource tokens', () => {
  test('of a container that may write: everything inside, and the container itself; nothing outside', async () => {
    const token = await tokenFor({ resource: 'dbs/db/colls/c' });
    for (const [verb, path, headers, body, status] of [
      ['GET', '/', {}, undefined, 200],
      ['GET', '/dbs/db/colls/c', {}, undefined, 200],
      ['GET', '/dbs/db/colls/c/pkranges', {}, undefined, 200],
      ['GET', '/dbs/db/colls/c/docs', {}, undefined, 200],
      ['GET', '/dbs/db/colls/c/docs', { 'a-im': 'Incremental Feed' }, undefined, 200],
      ['GET', '/dbs/db/colls/c/docs/a1', pk('a'), undefined, 200],
      ['POST', '/dbs/db/colls/c/docs', { ...pk('z'), 'x-ms-documentdb-is-upsert': 'true' }, { id: 'z1', pk: 'z' }, 201],
      ['DELETE', '/dbs/db/colls/c/docs/z1', pk('z'), undefined, 204],
      ['GET', '/dbs', {}, undefined, 403],
      ['GET', '/dbs/db', {}, undefined, 403],
      ['GET', '/dbs/db/colls', {}, undefined, 403],
      ['GET', '/dbs/db/colls/d', {}, undefined, 403],
      ['GET', '/dbs/db/colls/none', {}, undefined, 403],
      ['GET', '/dbs/db/colls/d/docs/a1', pk('a'), undefined, 403],
      ['GET', '/dbs/db/users', {}, undefined, 403],
      ['GET', `${ownUser}/permissions/p`, {}, undefined, 403],
      ['GET', '/offers', {}, undefined, 403],
      ['POST', '/dbs', {}, { id: 'x' }, 403],
    ] as const) {
      expect((await withToken(token, verb, path, headers, body)).status, `${verb} ${path}`).toBe(status);
    }
    expect((await withToken(token, 'GET', '/_tidemark/ranges')).status).toBe(401);
  });

  test('of a container that may read: 403 on every write', async () => {
    const token = await tokenFor({ resource: '/dbs/db/colls/c/', permissionMode: 'read' });
    expect((await withToken(token, 'GET', '/dbs/db/colls/c/docs/a1', pk('a'))).status).toBe(200);
    const query = { 'content-type': 'application/query+json', ...pk('a') };
    const all = { query: 'SELECT * FROM c' };
    expect((await withToken(token, 'POST', '/dbs/db/colls/c/docs', query, all)).status).toBe(200);
    for (const [verb, path, body] of [
      ['POST', '/dbs/db/colls/c/docs', { id: 'n', pk: 'a' }],
      ['PUT', '/dbs/db/colls/c/docs/a1', { id: 'a1', pk: 'a' }],
      ['DELETE', '/dbs/db/colls/c/docs/a1', undefined],
      ['DELETE', '/dbs/db/colls/c', undefined],
      ['POST', '/dbs/db/colls/c/operations/partitionkeydelete', undefined],
    ] as const) {
      expect((await withToken(token, verb, path, pk('a'), body)).status, `${verb} ${path}`).toBe(403);
    }
  });

  test('of a document: it, and to read the container and its ranges; by rid as well', async () => {
    const token = await tokenFor({ resource: 'dbs/db/colls/c/docs/a1' });
    const { json: document } = await send('GET', '/dbs/db/colls/c/docs/a1', { headers: pk('a') });
    const { json: other } = await send('GET', '/dbs/db/colls/c/docs/b1', { headers: pk('b') });
    const status = async (verb: string, path: string, headers: Record<string, string> = pk('a')) =>
      (await withToken(token, verb, path, headers)).status;
    expect(await status('GET', '/dbs/db/colls/c/docs/a1')).toBe(200);
    expect(await status('GET', `/${document._self}`)).toBe(200);
    expect(await status('GET', '/dbs/db/colls/c', {})).toBe(200);
    expect(await status('GET', '/dbs/db/colls/c/pkranges', {})).toBe(200);
    expect(await status('GET', '/dbs/db/colls/c/docs/b1', pk('b'))).toBe(403);
    expect(await status('GET', `/${other._self}`, pk('b'))).toBe(403);
    expect(await status('GET', '/dbs/db/colls/c/docs')).toBe(403);
    expect(await status('DELETE', '/dbs/db/colls/c')).toBe(403);
    const byRid = await permit({ id: 'r', permissionMode: 'Read', resource: document._self });
    expect((await withToken(byRid.json._token, 'GET', '/dbs/db/colls/c/docs/a1', pk('a'))).status).toBe(200);
    expect((await withToken(byRid.json._token, 'GET', '/dbs/db/colls/c/docs/b1', pk('b'))).status).toBe(403);
  });

  test('of a partition key: the key has to be named, on every operation on documents', async () => {
    const token = await tokenFor({ resource: 'dbs/db/colls/c', resourcePartitionKey: ['a'] });
    const docs = '/dbs/db/colls/c/docs';
    const status = async (verb: string, path: string, headers: Record<string, string>, body?: unknown) =>
      (await withToken(token, verb, path, headers, body)).status;
    const feed = { 'a-im': 'Incremental Feed' };
    const query = { 'content-type': 'application/query+json', 'x-ms-documentdb-query-enablecrosspartition': 'true' };
    const all = { query: 'SELECT * FROM c' };
    const batch = { 'x-ms-cosmos-is-batch-request': 'True', 'x-ms-cosmos-batch-atomic': 'True' };
    const bulk = { 'x-ms-cosmos-is-batch-request': 'True', 'x-ms-cosmos-batch-atomic': 'False' };
    const upsert = (key: string, id = `${key}9`) => ({
      operationType: 'Upsert',
      partitionKey: JSON.stringify([key]),
      resourceBody: { id, pk: key },
    });
    const upsertHeader = { 'x-ms-documentdb-is-upsert': 'true' };

    expect(await status('GET', `${docs}/a1`, pk('a'))).toBe(200);
    expect(await status('GET', `${docs}/b1`, pk('b'))).toBe(403);
    expect(await status('GET', docs, pk('a'))).toBe(200);
    expect(await status('GET', docs, {})).toBe(403);
    expect(await status('GET', docs, { 'x-ms-documentdb-partitionkeyrangeid': '0' })).toBe(403);
    expect(await status('GET', docs, { ...feed, ...pk('a') })).toBe(200);
    expect(await status('GET', docs, { ...feed, ...pk('b') })).toBe(403);
    expect(await status('GET', docs, feed)).toBe(403);
    expect(await status('GET', docs, { ...feed, 'x-ms-documentdb-partitionkeyrangeid': '0' })).toBe(403);
    expect(await status('GET', docs, { ...feed, 'x-ms-start-epk': '', 'x-ms-end-epk': 'FF' })).toBe(403);
    expect(await status('POST', docs, { ...query, ...pk('a') }, all)).toBe(200);
    expect(await status('POST', docs, query, all)).toBe(403);
    expect(await status('POST', docs, { ...upsertHeader, ...pk('a') }, { id: 'a2', pk: 'a' })).toBe(201);
    expect(await status('POST', docs, { ...upsertHeader, ...pk('b') }, { id: 'b2', pk: 'b' })).toBe(403);
    // Named as granted, but the document is of another key.
    expect(await status('POST', docs, { ...upsertHeader, ...pk('a') }, { id: 'b2', pk: 'b' })).toBe(400);
    expect(await status('POST', docs, { ...batch, ...pk('a') }, [upsert('a')])).toBe(200);
    expect(await status('POST', docs, { ...batch, ...pk('b') }, [upsert('b')])).toBe(403);
    expect(await status('POST', docs, bulk, [upsert('a')])).toBe(200);
    expect(await status('POST', docs, bulk, [upsert('a', 'no'), upsert('b')])).toBe(403);
    expect(await status('POST', '/dbs/db/colls/c/operations/partitionkeydelete', pk('b'))).toBe(403);
    expect(await status('DELETE', '/dbs/db/colls/c', pk('a'))).toBe(403);
    expect(await status('PUT', '/dbs/db/colls/c', pk('a'), { id: 'c' })).toBe(403);
    expect(await status('GET', '/dbs/db/colls/c', {})).toBe(200);
    const { json: other } = await send('GET', `${docs}/b1`, { headers: pk('b') });
    expect(await status('GET', `/${other._self}`, {})).toBe(403);
    expect(await status('GET', `/${other._self}`, pk('a'))).toBe(404);

    const { json: left } = await send('GET', docs);
    const ids = left.Documents.map(({ id }: { id: string }) => id).sort();
    expect(ids).toEqual(['a1', 'a2', 'a9', 'b1']);
    expect(await status('POST', '/dbs/db/colls/c/operations/partitionkeydelete', pk('a'))).toBe(200);
    const { json: rest } = await send('GET', docs);
    expect(rest.Documents.map(({ id }: { id: string }) => id)).toEqual(['b1']);
    await database.container('db', 'c').create({ id: 'a1', pk: 'a' });
  });

  test('of the first values of a hierarchical key: they and all below, by value or by hash', async () => {
    const token = await tokenFor({ resource: 'dbs/db/colls/h', resourcePartitionKey: ['t'] });
    const docs = '/dbs/db/colls/h/docs';
    const read = (headers: Record<string, string>, path = docs) => withToken(token, 'GET', path, headers);
    expect((await read(pk('t', 'x'), `${docs}/tx`)).status).toBe(200);
    expect((await read(pk('u', 'x'), `${docs}/ux`)).status).toBe(403);
    const feed = { 'a-im': 'Incremental Feed' };
    const prefix = await read({ ...feed, ...pk('t') });
    expect(
      JSON.parse(prefix.text)
        .Documents.map(({ id }: { id: string }) => id)
        .sort(),
    ).toEqual(['tx', 'ty']);
    expect((await read({ ...feed, ...pk('u') })).status).toBe(403);
    expect((await read({ ...feed, ...pk() })).status).toBe(403);
    const [{ min = '' } = {}, last] = ['t', 'u'].map((tenant) => {
      const container = database.container('db', 'h');
      const { epk } = container.partitionKey([tenant, 'x']);
      const half = epk.toString('hex').toUpperCase().slice(0, epk.length);
      return { min: half, max: `${half}FF` };
    });
    const byHash = (keys: { min: string; max: string }) =>
      read({
        ...feed,
        'x-ms-start-epk': keys.min,
        'x-ms-end-epk': keys.max,
        'x-ms-documentdb-partitionkeyrangeid': '0',
      });
    expect((await byHash({ min, max: `${min}FF` })).status).toBe(200);
    expect((await byHash(last ?? { min: '', max: '' })).status).toBe(403);
    expect((await byHash({ min, max: 'FF' })).status).toBe(403);
    expect((await byHash({ min: '', max: `${min}FF` })).status).toBe(403);
  });

  test('expire by the server’s clock', async () => {
    const token = await tokenFor({ resource: 'dbs/db/colls/c' }, { 'x-ms-documentdb-expiry-seconds': '10' });
    const status = async () => (await withToken(token, 'GET', '/dbs/db/colls/c')).status;
    expect(await status()).toBe(200);
    shiftMs = 8_000;
    expect(await status()).toBe(200);
    shiftMs = 11_000;
    expect(await status()).toBe(403);
    expect((await withToken(token, 'GET', '/')).status).toBe(403);
  });

  test('end when the permission is replaced or deleted, and when the user or the container goes', async () => {
    const permission = { id: 'p', permissionMode: 'All', resource: 'dbs/db/colls/c' };
    const status = async (token: string, path = '/dbs/db/colls/c') => (await withToken(token, 'GET', path)).status;
    const first = (await permit(permission)).json._token;
    const second = (await send('PUT', `${ownUser}/permissions/p`, { body: { ...permission, permissionMode: 'Read' } }))
      .json._token;
    expect([await status(first), await status(second)]).toEqual([401, 200]);
    expect((await send('DELETE', `${ownUser}/permissions/p`)).status).toBe(204);
    expect(await status(second)).toBe(401);
    const third = (await permit(permission)).json._token;
    expect(await status(third)).toBe(200);
    expect((await send('DELETE', ownUser)).status).toBe(204);
    expect(await status(third)).toBe(401);

    await send('POST', '/dbs/db/users', { body: { id: `u${users}` } });
    const early = (await permit({ id: 'e', permissionMode: 'All', resource: 'dbs/db/colls/later' })).json._token;
    const make = () => database.createContainer('db', { id: 'later', partitionKey: { paths: ['/pk'], kind: 'Hash' } });
    await make();
    expect(await status(early, '/dbs/db/colls/later')).toBe(403);
    const fourth = (await send('GET', `${ownUser}/permissions/e`)).json._token;
    expect(await status(fourth, '/dbs/db/colls/later')).toBe(200);
    await database.deleteContainer('db', 'later');
    await make();
    expect(await status(fourth, '/dbs/db/colls/later')).toBe(403);
    await database.deleteContainer('db', 'later');
  });

  test('that end, or whose container is another by then, while the body of a request comes in write nothing', async () => {
    const definition = { id: 'slow', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };
    const body = JSON.stringify({ id: '1', pk: 'a' });
    const renew = async (): Promise<void> => {
      if (database.findContainer('db', 'slow') !== undefined) await database.deleteContainer('db', 'slow');
      await database.createContainer('db', definition);
    };
    const revoke = async (): Promise<void> => {
      expect((await send('DELETE', `${ownUser}/permissions/p`)).status).toBe(204);
    };
    for (const [happens, status] of [
      [renew, 403],
      [revoke, 401],
    ] as const) {
      await renew();
      await send('DELETE', `${ownUser}/permissions/p`);
      const token = await tokenFor({ resource: 'dbs/db/colls/slow' });
      const headers = {
        authorization: encodeURIComponent(token),
        'content-length': body.length,
        expect: '100-continue',
        ...pk('a'),
      };
      const outgoing = request(new URL('/dbs/db/colls/slow/docs', server.url), {
        method: 'POST',
        headers,
        agent: false,
      });
      outgoing.flushHeaders();
      // It has been let in.
      await once(outgoing, 'continue');
      await happens();
      outgoing.end(body);
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      answer.resume();

      expect([answer.statusCode, answer.headers['x-ms-session-token']]).toEqual([status, undefined]);
      expect(await database.container('db', 'slow').read('1', 'a')).toBeUndefined();
    }
  });

  test('that end while a request waits for changes get none', async () => {
    const token = await tokenFor({ resource: 'dbs/db/colls/d', permissionMode: 'Read' });
    const before = database.figures.waiters;
    const wait = { 'a-im': 'Incremental Feed', 'if-none-match': '*', prefer: 'wait=60' };
    const waiting = withToken(token, 'GET', '/dbs/db/colls/d/docs', wait);
    await expect.poll(() => database.figures.waiters, { timeout: 120_000 }).toBe(before + 1);
    await send('DELETE', `${ownUser}/permissions/p`);
    await database.container('db', 'd').upsert({ id: 'late', pk: 'a' });
    expect((await waiting).status).toBe(401);
  });

  test('that were made up, cut or changed are 401', async () => {
    const token = await tokenFor({ resource: 'dbs/db/colls/c', permissionMode: 'Read' });
    const [start = '', text = ''] = token.split(';');
    const claims = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const longer = Buffer.from(JSON.stringify([claims[0], claims[1], claims[2] + 1, ...claims.slice(3)]));
    for (const forged of [
      `${start};${longer.toString('base64url')};`,
      `${start};;`,
      start,
      `type=resource&ver=1.0&sig=;${text};`,
      `type=resource&ver=1.0&sig=${'A'.repeat(43)};${text};`,
      'type=resource&ver=1.0&sig=x',
      'type=resource&ver=1.0&sig=%;%;',
    ]) {
      expect((await withToken(forged, 'GET', '/dbs/db/colls/c')).status, forged).toBe(401);
    }
    const raw = await fetch(new URL('/dbs/db/colls/c', server.url), { headers: { authorization: token } });
    expect(raw.status).toBe(200);
  });

  test('[SEC3] a read-only key reads users and no permissions, because tokens come with them', async () => {
    const key = Buffer.alloc(64, 3).toString('base64');
    const own = await startServer({
      database,
      keys: { primary: Buffer.alloc(64, 1).toString('base64'), readOnlyPrimary: key },
    });
    await permit({ id: 'p', permissionMode: 'All', resource: 'dbs/db/colls/c' });
    const read = async (path: string) => (await rawFetch(own.url, 'GET', path, { sign: { key } })).status;
    expect([await read(ownUser), await read(`${ownUser}/permissions`), await read(`${ownUser}/permissions/p`)]).toEqual(
      [200, 403, 403],
    );
    await own.close();
  });

  test('survive a restart, and end when they are revoked', async () => {
    const world = await World.open();
    try {
      const { id } = await world.container();
      const resource = `dbs/db/colls/${id}`;
      await world.fetch('POST', '/dbs/db/users', { body: { id: 'u' } });
      const permission = { id: 'p', permissionMode: 'Read', resource };
      const { json } = await world.fetch('POST', '/dbs/db/users/u/permissions', { body: permission });
      const status = async () => {
        const headers = { authorization: encodeURIComponent(json._token) };
        return (await fetch(new URL(`/${resource}`, world.url), { headers })).status;
      };
      expect(await status()).toBe(200);
      await world.restart();
      expect(await status()).toBe(200);
      await world.revokeTokens();
      expect(await status()).toBe(401);
      await world.restart();
      expect(await status()).toBe(401);
    } finally {
      await world[Symbol.asyncDispose]();
    }
  });
});
