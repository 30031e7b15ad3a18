// Every route of the route table, and every path of the admin API, against everybody who may ask: no row, no route.
//
// What is allowed only has to get past the authorization, so requests are made such that they change nothing: writes carry a
// body that is no JSON and an etag that is nobody's.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { ResourceKind } from '@tidemark/model';
import { formatResourcePath } from '@tidemark/model';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminRoutes } from '../packages/server/src/admin/admin-route.ts';
import { routes } from '../packages/server/src/route.ts';
import { rawFetch } from './harness.ts';

type Route = (typeof routes)[number];

/** What a resource token has to be for. */
type Reach =
  /** Any token will do. */
  | 'anything'
  /** No token will do: only keys. */
  | 'keys'
  /** Reading is for every token of something in the container; writing for one of all of it. */
  | 'container'
  /** A token of the whole container. */
  | 'inside'
  /** The same, or of one partition key that the request names. */
  | 'documents'
  /** The same, or of the document. */
  | 'document';

const reachOf: Readonly<Record<string, Reach>> = {
  account: 'anything',
  'query-databases': 'keys',
  'create-database': 'keys',
  'list-databases': 'keys',
  'read-database': 'keys',
  'delete-database': 'keys',
  'query-containers': 'keys',
  'create-container': 'keys',
  'list-containers': 'keys',
  'read-container': 'container',
  'replace-container': 'container',
  'delete-container': 'container',
  'delete-partition': 'documents',
  'query-users': 'keys',
  'create-user': 'keys',
  'list-users': 'keys',
  'read-user': 'keys',
  'replace-user': 'keys',
  'delete-user': 'keys',
  'query-permissions': 'keys',
  'create-permission': 'keys',
  'list-permissions': 'keys',
  'read-permission': 'keys',
  'replace-permission': 'keys',
  'delete-permission': 'keys',
  'create-client-encryption-key': 'keys',
  'list-client-encryption-keys': 'keys',
  'query-client-encryption-keys': 'keys',
  'read-client-encryption-key': 'keys',
  'replace-client-encryption-key': 'keys',
  'query-conflicts': 'inside',
  'list-conflicts': 'inside',
  'read-conflict': 'inside',
  'delete-conflict': 'inside',
  'query-stored-procedures': 'inside',
  'create-stored-procedure': 'inside',
  'list-stored-procedures': 'inside',
  'read-stored-procedure': 'inside',
  'replace-stored-procedure': 'inside',
  'delete-stored-procedure': 'inside',
  'execute-stored-procedure': 'inside',
  'query-triggers': 'inside',
  'create-trigger': 'inside',
  'list-triggers': 'inside',
  'read-trigger': 'inside',
  'replace-trigger': 'inside',
  'delete-trigger': 'inside',
  'query-user-defined-functions': 'inside',
  'create-user-defined-function': 'inside',
  'list-user-defined-functions': 'inside',
  'read-user-defined-function': 'inside',
  'replace-user-defined-function': 'inside',
  'delete-user-defined-function': 'inside',
  'query-offers': 'keys',
  'list-offers': 'keys',
  'read-offer': 'keys',
  'replace-offer': 'keys',
  ranges: 'container',
  range: 'container',
  'query-plan': 'documents',
  query: 'documents',
  batch: 'documents',
  bulk: 'documents',
  upsert: 'documents',
  create: 'documents',
  stream: 'documents',
  feed: 'documents',
  list: 'documents',
  read: 'document',
  replace: 'document',
  patch: 'document',
  delete: 'document',
};

/** What tells routes of one verb and path apart. */
function headersOf({ operation }: Route): Record<string, string> {
  if (operation === 'query-plan') return { 'x-ms-cosmos-is-query-plan-request': 'True' };
  if (operation.startsWith('query')) return { 'content-type': 'application/query+json' };
  // From nowhere, because it would not end.
  if (operation === 'stream') return { accept: 'text/event-stream', 'if-none-match': 'nowhere' };
  if (operation === 'feed') return { 'a-im': 'Incremental Feed' };
  if (operation === 'upsert') return { 'x-ms-documentdb-is-upsert': 'true' };
  if (operation !== 'batch' && operation !== 'bulk') return {};
  return { 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': String(operation === 'batch') };
}

const key = (byte: number): string => Buffer.alloc(64, byte).toString('base64');
const keys = { primary: key(1), secondary: key(2), readOnlyPrimary: key(3), readOnlySecondary: key(4) };

/** Nobody gets as far as to write to it. */
const backupFolder = join(tmpdir(), 'tidemark-no-backups');

let database: Database;
let server: RunningServer;
let shiftMs = 0;
let offerRid = '';
const tokens: Record<string, string> = {};
beforeAll(async () => {
  database = await openDatabase({ memory: true });
  server = await startServer({ database, keys, chaos: true, backupFolder, nowMs: () => Date.now() + shiftMs });
  const sign = { key: keys.primary };
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const { status, json } = await rawFetch(server.url, 'POST', path, { sign, body, headers });
    expect(status).toBe(201);
    return json;
  };
  await post('/dbs', { id: 'db' });
  for (const id of ['c', 'other']) {
    await post('/dbs/db/colls', { id, partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } });
  }
  await post('/dbs/db/colls/c/docs', { id: 'd', pk: 'a' }, pkHeader);
  [{ _rid: offerRid }] = (await rawFetch(server.url, 'GET', '/offers', { sign })).json.Offers;
  const wrapped = { encryptionAlgorithm: 'x', keyWrapMetadata: {}, wrappedDataEncryptionKey: 'eA==' };
  await post('/dbs/db/clientencryptionkeys', { id: 'k', ...wrapped });
  const grants = {
    all: { permissionMode: 'All', resource: 'dbs/db/colls/c' },
    read: { permissionMode: 'Read', resource: 'dbs/db/colls/c' },
    elsewhere: { permissionMode: 'All', resource: 'dbs/db/colls/other' },
    document: { permissionMode: 'All', resource: 'dbs/db/colls/c/docs/d' },
    otherDocument: { permissionMode: 'All', resource: 'dbs/db/colls/c/docs/e' },
    partition: { permissionMode: 'All', resource: 'dbs/db/colls/c', resourcePartitionKey: ['a'] },
    otherPartition: { permissionMode: 'All', resource: 'dbs/db/colls/c', resourcePartitionKey: ['b'] },
  };
  for (const [id, permission] of Object.entries(grants)) {
    await post('/dbs/db/users', { id });
    tokens[id] = (await post(`/dbs/db/users/${id}/permissions`, { id: 'p', ...permission }))._token;
  }
  const brief = { 'x-ms-documentdb-expiry-seconds': '10' };
  await post('/dbs/db/users', { id: 'brief' });
  tokens['expired'] = (await post('/dbs/db/users/brief/permissions', { id: 'p', ...grants.all }, brief))._token;
});
afterAll(async () => {
  await server.close();
  await database.close();
});

const pkHeader = { 'x-ms-documentdb-partitionkey': '["a"]' };

const idsOf: Readonly<Partial<Record<ResourceKind, readonly string[]>>> = {
  account: [],
  database: ['db'],
  container: ['db', 'c'],
  document: ['db', 'c', 'd'],
  user: ['db', 'all'],
  permission: ['db', 'all', 'p'],
  'client-encryption-key': ['db', 'k'],
};

function pathOf({ kind, isFeed, operation }: Route): string {
  const ids = kind === 'offer' ? [offerRid] : (idsOf[kind] ?? ['db', 'c', 'x']);
  const tail = operation === 'delete-partition' ? 'partitionkeydelete' : undefined;
  return formatResourcePath({ kind, isFeed, ids: isFeed ? ids.slice(0, -1) : ids, operation: tail });
}

interface Credentials {
  readonly key?: string;
  readonly token?: string;
  readonly date?: string;
}

/** The status, or 'allowed' when the authorization let it through. */
async function ask(route: Route, { key: signing, token, date }: Credentials): Promise<number | 'allowed'> {
  const path = pathOf(route);
  const segments = path.split('/').filter((segment) => segment !== '');
  const isPurge = route.operation === 'delete-partition';
  const sign = {
    key: signing ?? keys.primary,
    ...(date === undefined ? {} : { date }),
    ...(isPurge ? { type: 'colls', link: segments.slice(0, 4).join('/') } : {}),
    ...(route.kind === 'offer' && !route.isFeed ? { link: offerRid.toLowerCase() } : {}),
  };
  const hasBody = route.verb !== 'GET' && route.verb !== 'DELETE' && !isPurge;
  const headers = {
    ...headersOf(route),
    ...pkHeader,
    // A feed takes it for where to begin.
    ...(route.isRead ? {} : { 'if-match': '"nobody"' }),
    ...(isPurge ? { 'x-ms-documentdb-partitionkey': '["a","too many"]' } : {}),
    ...(token === undefined ? {} : { authorization: encodeURIComponent(token) }),
    ...(token === '' ? { authorization: '' } : {}),
  };
  const { status } = await rawFetch(server.url, route.verb, path, { sign, headers, ...(hasBody ? { body: '{' } : {}) });
  return status === 401 || status === 403 ? status : 'allowed';
}

describe('[M18] [wire 3] [SEC1] every route', () => {
  test('has a row here, and every row a route', () => {
    expect(Object.keys(reachOf).sort()).toEqual([...new Set(routes.map(({ operation }) => operation))].sort());
  });

  test.each(routes)('$operation: keys', async (route) => {
    expect(await ask(route, { token: '' }), 'no key').toBe(401);
    expect(await ask(route, { key: key(9) }), 'a wrong key').toBe(401);
    expect(await ask(route, { key: keys.primary }), 'the primary key').toBe('allowed');
    expect(await ask(route, { key: keys.secondary }), 'the secondary key').toBe('allowed');
    const isForReaders = route.isRead && route.kind !== 'permission';
    for (const reading of [keys.readOnlyPrimary, keys.readOnlySecondary]) {
      expect(await ask(route, { key: reading }), 'a read-only key').toBe(isForReaders ? 'allowed' : 403);
    }
    for (const minutes of [-16, 16]) {
      const date = new Date(Date.now() + minutes * 60_000).toUTCString();
      expect(await ask(route, { date }), `a clock off by ${minutes} minutes`).toBe(403);
    }
  });

  test.each(routes)('$operation: resource tokens', async (route) => {
    const reach = reachOf[route.operation];
    const { isRead } = route;
    const isAnything = reach === 'anything';
    const isOfDocuments = reach === 'documents' || reach === 'document';
    const inContainer = reach === 'container' || reach === 'inside' || isOfDocuments;
    const seesContainer = reach === 'container' && isRead;
    const expected: Readonly<Record<string, boolean>> = {
      all: isAnything || inContainer,
      read: isAnything || (inContainer && isRead),
      elsewhere: isAnything,
      document: isAnything || seesContainer || reach === 'document',
      otherDocument: isAnything || seesContainer,
      partition: isAnything || seesContainer || isOfDocuments,
      // A plan says nothing about documents, and what a bulk is about is in its body.
      otherPartition: isAnything || seesContainer || route.operation === 'query-plan' || route.operation === 'bulk',
    };
    for (const [name, isAllowed] of Object.entries(expected)) {
      const token = tokens[name] ?? '';
      // Named in the header with one component too many: what it is granted for cannot be told.
      if (route.operation === 'delete-partition' && name.toLowerCase().includes('partition')) continue;
      expect(await ask(route, { token }), name).toBe(isAllowed ? 'allowed' : 403);
    }
    shiftMs = 11_000;
    const late = await ask(route, { token: tokens['expired'] ?? '' });
    shiftMs = 0;
    expect(late, 'expired').toBe(403);
    expect(await ask(route, { token: `${tokens['all']}`.replace('sig=', 'sig=A') }), 'forged').toBe(401);
  });

  test('and none of it has changed anything', async () => {
    const container = database.container('db', 'c');
    expect((await container.read('d', 'a'))?.value).toMatchObject({ id: 'd', pk: 'a' });
    expect(database.databases().length).toBe(1);
    expect(database.containers('db').map(({ id }) => id)).toEqual(['c', 'other']);
    expect(database.resources.list('user').length).toBe(8);
  });
});

describe('[M18] [SEC2] every path of the admin API', () => {
  /** The status, or 'allowed' when the authorization let it through. */
  async function askAdmin(verb: string, pattern: string, credentials: Credentials & { readonly bearer?: string }) {
    const path = pattern
      .replace('{db}', 'db')
      .replace('{container}', 'c')
      .replaceAll(/\{\w+\}/g, '0');
    const { key: signing = keys.primary, token, date, bearer } = credentials;
    const given = bearer === undefined ? token : `Bearer ${bearer}`;
    const { status } = await rawFetch(server.url, verb, path, {
      sign: { key: signing, type: '', link: path.slice(1), ...(date === undefined ? {} : { date }) },
      headers: given === undefined ? {} : { authorization: bearer === undefined ? encodeURIComponent(given) : given },
      ...(verb === 'POST' ? { body: '{' } : {}),
    });
    return status === 401 || status === 403 ? status : 'allowed';
  }

  test.each(adminRoutes)('$verb $path', async ({ verb, path, isOpen }) => {
    const without = await fetch(new URL(path.replaceAll(/\{\w+\}/g, '0'), server.url), { method: verb });
    expect(without.status, 'no key').toBe(isOpen === true ? 200 : 401);
    if (isOpen === true) expect(await without.json()).toEqual({ status: 'ok' });
    expect(await askAdmin(verb, path, { token: '' }), 'an empty header').toBe(401);
    expect(await askAdmin(verb, path, { key: key(9) }), 'a wrong key').toBe(401);
    expect(await askAdmin(verb, path, { bearer: key(9) }), 'a wrong key as bearer').toBe(401);
    for (const writing of [keys.primary, keys.secondary]) {
      expect(await askAdmin(verb, path, { key: writing }), 'a key that writes').toBe('allowed');
      expect(await askAdmin(verb, path, { bearer: writing }), 'the same as bearer').toBe('allowed');
    }
    for (const reading of [keys.readOnlyPrimary, keys.readOnlySecondary]) {
      const expected = verb === 'GET' ? 'allowed' : 403;
      expect(await askAdmin(verb, path, { key: reading }), 'a read-only key').toBe(expected);
      expect(await askAdmin(verb, path, { bearer: reading }), 'the same as bearer').toBe(expected);
    }
    const old = new Date(Date.now() - 16 * 60_000).toUTCString();
    expect(await askAdmin(verb, path, { date: old }), 'an old signature').toBe(403);
    for (const name of ['all', 'read', 'expired']) {
      expect(await askAdmin(verb, path, { token: tokens[name] ?? '' }), `a resource token: ${name}`).toBe(401);
    }
  });

  test('a path that there is not is told to nobody without a key', async () => {
    expect((await fetch(new URL('/_tidemark/nothing', server.url))).status).toBe(401);
    expect((await fetch(new URL('/_tidemark/jobs', server.url), { method: 'DELETE' })).status).toBe(401);
  });
});
