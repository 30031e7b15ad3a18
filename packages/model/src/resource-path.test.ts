import { describe, expect, test } from 'vitest';
import { containerRid, databaseRid, documentRid, offerRid, permissionRid, userRid } from './resource-id.ts';
import { formatResourcePath, parseResourcePath } from './resource-path.ts';

describe('resource paths', () => {
  test.each([
    ['/', 'account', false, [], '', ''],
    ['', 'account', false, [], '', ''],
    ['/dbs', 'database', true, [], 'dbs', ''],
    ['//dbs/', 'database', true, [], 'dbs', ''],
    ['/dbs/My', 'database', false, ['My'], 'dbs', 'dbs/My'],
    ['/dbs/d/colls', 'container', true, ['d'], 'colls', 'dbs/d'],
    ['/dbs/d/colls/c', 'container', false, ['d', 'c'], 'colls', 'dbs/d/colls/c'],
    ['/dbs/d/colls/c/docs', 'document', true, ['d', 'c'], 'docs', 'dbs/d/colls/c'],
    ['//dbs/d/colls/c/docs/x/', 'document', false, ['d', 'c', 'x'], 'docs', 'dbs/d/colls/c/docs/x'],
    ['/dbs/d/colls/c/docs/x/attachments', 'attachment', true, ['d', 'c', 'x'], 'attachments', 'dbs/d/colls/c/docs/x'],
    ['/dbs/d/colls/c/sprocs/s', 'stored-procedure', false, ['d', 'c', 's'], 'sprocs', 'dbs/d/colls/c/sprocs/s'],
    ['/dbs/d/colls/c/triggers', 'trigger', true, ['d', 'c'], 'triggers', 'dbs/d/colls/c'],
    ['/dbs/d/colls/c/udfs', 'user-defined-function', true, ['d', 'c'], 'udfs', 'dbs/d/colls/c'],
    ['/dbs/d/colls/c/conflicts', 'conflict', true, ['d', 'c'], 'conflicts', 'dbs/d/colls/c'],
    ['/dbs/d/colls/c/pkranges', 'partition-key-range', true, ['d', 'c'], 'pkranges', 'dbs/d/colls/c'],
    ['/dbs/d/users/u', 'user', false, ['d', 'u'], 'users', 'dbs/d/users/u'],
    [
      '/dbs/d/users/u/permissions/p',
      'permission',
      false,
      ['d', 'u', 'p'],
      'permissions',
      'dbs/d/users/u/permissions/p',
    ],
    ['/dbs/d/clientencryptionkeys', 'client-encryption-key', true, ['d'], 'clientencryptionkeys', 'dbs/d'],
    ['/offers', 'offer', true, [], 'offers', ''],
    ['/media/m', 'media', false, ['m'], 'media', 'media/m'],
    ['/addresses/', 'address', true, [], 'addresses', ''],
  ] as const)(
    '%s is a %s (feed: %s) and is signed by its name [wire 3]',
    (path, kind, isFeed, ids, resourceType, link) => {
      expect(parseResourcePath(path)).toMatchObject({ kind, isFeed, ids, resourceType, link, operation: undefined });
    },
  );

  test('are decoded once, segment by segment, and "+" stays [wire 4]', () => {
    const path = parseResourcePath('/dbs/a%20b/colls/100%25/docs/%C3%A9+%2541%2F');

    expect(path).toMatchObject({ ids: ['a b', '100%', 'é+%41/'], link: 'dbs/a b/colls/100%/docs/é+%41/' });
  });

  test('know their types in any case, but keep the case of names [wire 3]', () => {
    expect(parseResourcePath('/DBS/Db/Colls/Coll')).toMatchObject({ resourceType: 'colls', link: 'DBS/Db/Colls/Coll' });
  });

  test('of an operation on a container are signed as the container [wire 3]', () => {
    expect(parseResourcePath('/dbs/d/colls/c/operations/partitionkeydelete')).toEqual({
      kind: 'container',
      isFeed: false,
      ids: ['d', 'c'],
      resourceType: 'colls',
      link: 'dbs/d/colls/c',
      ridLink: undefined,
      operation: 'partitionkeydelete',
    });
  });

  test.each([
    '/x',
    '/docs',
    '/dbs/d/docs',
    '/dbs/d/colls/c/docs/x/docs',
    '/dbs/d/colls/c/operations',
    '/dbs/d/colls/c/operations/x/y',
    '/dbs/d/toString/x',
    '/dbs/d/__proto__/x',
    '/offers/o/docs',
  ])('do not include %s', (path) => {
    expect(parseResourcePath(path)).toBeUndefined();
  });

  test('with a broken escape are a bad request', () => {
    expect(() => parseResourcePath('/dbs/%E0%A4%A')).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });
});

describe('resource paths by rid', () => {
  const [db, coll, doc] = [databaseRid(7), containerRid(7, 9), documentRid(7, 9, 11)];
  const [user, permission] = [userRid(7, 3), permissionRid(7, 3, 5)];

  test.each([
    [`/dbs/${db}/`, db],
    [`/dbs/${db}/colls`, db],
    [`/dbs/${db}/colls/${coll}/`, coll],
    [`/dbs/${db}/colls/${coll}/docs`, coll],
    [`/dbs/${db}/colls/${coll}/docs/${encodeURIComponent(doc)}/`, doc],
    [`/dbs/${db}/users/${user}/permissions/${permission}`, permission],
    [`/offers/${offerRid(77)}`, offerRid(77)],
    ['/offers', ''],
    ['/', ''],
  ])('%s is signed by the rid in lower case [wire 3]', (path, rid) => {
    expect(parseResourcePath(path)?.ridLink).toBe(rid.toLowerCase());
  });

  test.each([
    '/dbs/orders',
    `/dbs/orders/colls/${coll}`,
    `/dbs/${db}/colls/c`,
    `/dbs/${db}/colls/${containerRid(8, 9)}`,
    `/dbs/${db}/colls/${user}`,
    `/dbs/${db}/colls/${coll}/sprocs/${doc}`,
    `/dbs/${db}/clientencryptionkeys/${coll}`,
  ])('%s cannot be by rid: something in it is only a name', (path) => {
    expect(parseResourcePath(path)?.ridLink).toBeUndefined();
  });
});

test('a path is written with its names encoded', () => {
  const path = { kind: 'document', isFeed: false, ids: ['a b', 'c', 'é?'], operation: undefined } as const;

  expect(formatResourcePath(path)).toBe('/dbs/a%20b/colls/c/docs/%C3%A9%3F');
  expect(formatResourcePath({ kind: 'account', isFeed: false, ids: [], operation: undefined })).toBe('/');
});
