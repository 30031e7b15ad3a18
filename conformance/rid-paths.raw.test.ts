// Paths by rid, as `_self` says them: signed over the lower-case rid alone, with slashes in every place where clients put them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { rawFetch, World } from './harness.ts';

let world: World;
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects.
const made: Record<string, any> = {};
beforeAll(async () => {
  world = await World.open();
  const post = async (path: string, body: unknown, headers = {}) =>
    (await world.fetch('POST', path, { body, headers })).json;
  made['database'] = await post('/dbs', { id: 'db' });
  made['container'] = await post('/dbs/db/colls', {
    id: 'c',
    partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 },
  });
  made['document'] = await post(
    '/dbs/db/colls/c/docs',
    { id: 'd', pk: 'a' },
    { 'x-ms-documentdb-partitionkey': '["a"]' },
  );
  made['user'] = await post('/dbs/db/users', { id: 'u' });
  const permission = { id: 'p', permissionMode: 'Read', resource: 'dbs/db/colls/c' };
  made['permission'] = await post('/dbs/db/users/u/permissions', permission);
  made['key'] = await post('/dbs/db/clientencryptionkeys', {
    id: 'k',
    encryptionAlgorithm: 'x',
    keyWrapMetadata: {},
    wrappedDataEncryptionKey: 'eA==',
  });
  [made['offer']] = (await world.fetch('GET', '/offers')).json.Offers;
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** The same path in the spellings that occur. */
function spellings(self: string): string[] {
  const bare = self.replace(/\/$/, '');
  return [`/${bare}`, `/${bare}/`, `//${bare}/`, `/${bare.replaceAll('/', '//')}//`];
}

function send(verb: string, path: string, type: string, rid: string, options = {}): Promise<RawResponse> {
  return rawFetch(world.url, verb, `${world.url}${path}`, { sign: { type, link: rid.toLowerCase() }, ...options });
}

const kinds = [
  ['database', 'dbs'],
  ['container', 'colls'],
  ['document', 'docs'],
  ['user', 'users'],
  ['permission', 'permissions'],
  ['key', 'clientencryptionkeys'],
  ['offer', 'offers'],
] as const;

describe('[wire 17.21] [wire 1] by rid', () => {
  test.each(kinds)('a %s is read, however its slashes stand', async (kind, type) => {
    const { _self: self, _rid: rid } = made[kind];
    for (const path of spellings(self)) {
      const { status, json } = await send('GET', path, type, rid);
      expect([status, json._rid], path).toEqual([200, rid]);
    }
    // The rid is signed in lower case; as it stands it is another text.
    if (rid !== rid.toLowerCase()) {
      const asItIs = await rawFetch(world.url, 'GET', `/${self}`, { sign: { type, link: rid } });
      expect(asItIs.status).toBe(401);
    }
  });

  test.each([
    ['database', 'colls', 'DocumentCollections'],
    ['database', 'users', 'Users'],
    ['database', 'clientencryptionkeys', 'ClientEncryptionKeys'],
    ['container', 'docs', 'Documents'],
    ['container', 'pkranges', 'PartitionKeyRanges'],
    ['container', 'conflicts', 'Conflicts'],
    ['container', 'sprocs', 'StoredProcedures'],
    ['user', 'permissions', 'Permissions'],
  ])('of a %s the %s are listed', async (kind, type, array) => {
    const { _self: self, _rid: rid } = made[kind];
    for (const path of spellings(`${self}${type}`)) {
      const { status, json } = await send('GET', path, type, rid);
      expect([status, json._rid, Array.isArray(json[array])], path).toEqual([200, rid, true]);
    }
  });

  test('everything is created, replaced and deleted', async () => {
    const { database, container } = made;
    const inDatabase = (type: string, body: unknown) =>
      send('POST', `/${database._self}${type}`, type, database._rid, { body });
    const coll = await inDatabase('colls', { id: 'c2', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } });
    const user = await inDatabase('users', { id: 'u2' });
    expect([coll.status, user.status]).toEqual([201, 201]);
    const pk = { 'x-ms-documentdb-partitionkey': '["a"]' };
    const docs = `/${coll.json._self}docs/`;
    const body = { id: 'd', pk: 'a' };
    const document = await send('POST', docs, 'docs', coll.json._rid, { body, headers: pk });
    expect(document.status).toBe(201);
    const permission = { id: 'p', permissionMode: 'All', resource: coll.json._self };
    const permitted = await send('POST', `/${user.json._self}permissions`, 'permissions', user.json._rid, {
      body: permission,
    });
    expect(permitted.status).toBe(201);
    const authorization = encodeURIComponent(permitted.json._token);
    const byToken = await fetch(`${world.url}/${document.json._self}`, { headers: { authorization } });
    expect(byToken.status).toBe(200);
    for (const [resource, type, change] of [
      [document.json, 'docs', { ...body, n: 1 }],
      [permitted.json, 'permissions', { ...permission, permissionMode: 'Read' }],
      [user.json, 'users', { id: 'u3' }],
      [coll.json, 'colls', { ...coll.json, defaultTtl: -1 }],
    ] as const) {
      const replaced = await send('PUT', `/${resource._self}`, type, resource._rid, { body: change });
      expect([replaced.status, replaced.json._rid], type).toEqual([200, resource._rid]);
    }
    const patch = { operations: [{ op: 'incr', path: '/n', value: 1 }] };
    const patched = await send('PATCH', `/${document.json._self}`, 'docs', document.json._rid, { body: patch });
    expect(patched.json.n).toBe(2);
    const purge = `/${coll.json._self}operations/partitionkeydelete`;
    expect((await send('POST', purge, 'colls', coll.json._rid, { headers: pk })).status).toBe(200);
    expect((await send('POST', purge, 'partitionkey', coll.json._rid, { headers: pk })).status).toBe(200);
    expect((await send('GET', docs, 'docs', coll.json._rid)).json._count).toBe(0);
    for (const [resource, type] of [
      [permitted.json, 'permissions'],
      [user.json, 'users'],
      [coll.json, 'colls'],
    ] as const) {
      expect((await send('DELETE', `/${resource._self}`, type, resource._rid)).status, type).toBe(204);
      expect((await send('GET', `/${resource._self}`, type, resource._rid)).status, type).toBe(404);
    }
    expect((await send('GET', `/${container._self}`, 'colls', container._rid)).status).toBe(200);
  });

  test('a resource is found inside its own parent only', async () => {
    const { database, container, user } = made;
    const { json: other } = await world.fetch('POST', '/dbs', { body: { id: 'other' } });
    const foreign = `/dbs/${other._rid}/colls/${container._rid}`;
    expect((await send('GET', foreign, 'colls', container._rid)).status).toBe(401);
    const byName = { sign: { type: 'colls', link: foreign.slice(1) } };
    expect((await world.fetch('GET', foreign, byName)).status).toBe(404);
    // Named like the rid of another database, which it hides.
    await world.fetch('POST', '/dbs', { body: { id: database._rid } });
    const hidden = `/dbs/${database._rid}/colls/${container._rid}`;
    expect((await send('GET', hidden, 'colls', container._rid)).status).toBe(404);
    expect((await send('GET', `/dbs/${database._rid}/users/${user._rid}`, 'users', user._rid)).status).toBe(404);
    await world.fetch('DELETE', `/dbs/${database._rid}`);
    expect((await send('GET', hidden, 'colls', container._rid)).status).toBe(200);
  });
});
