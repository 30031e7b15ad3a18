// What a caller in plain JavaScript can get wrong, and no compiler says so.

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { OpenOptions } from '../src/database.ts';
import { openDatabase, restoreDatabase } from '../src/database.ts';
import type { FeedStart } from '../src/feed/change-feed.ts';
import { aContainer, aDocument, refusal } from './harness.ts';

test.each([
  [undefined, 'Give the folder'],
  [{}, 'Give the folder'],
  ['./data', 'Give the folder'],
  [{ folder: '' }, 'Give the folder'],
  [{ folder: './data', memory: true }, 'not both'],
  [{ memory: true, sync: 'ful' }, `not "ful"`],
  [{ memory: true, synch: 'os' }, 'There is no option "synch"; there are folder, memory, sync'],
  [{ memory: true, constructor: 'os' }, 'There is no option "constructor"'],
  [{ foldr: './data' }, 'There is no option "foldr"'],
])('a database is not opened with %j', async (options, words) => {
  const { code, message } = await refusal(openDatabase(options as OpenOptions));

  expect(code).toBe('bad-request');
  expect(message).toContain(words);
});

test.each([
  ['start'],
  [null],
  [new Date(0)],
  [{}],
  [{ time: new Date('no time') }],
  [{ time: '2026-01-01' }],
  [{ etag: undefined }],
])('a feed does not start from %j', async (from) => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);

  expect(() => container.changes({ from: from as FeedStart })).toThrow("'beginning', 'now'");
});

test.each([{ form: 'beginning' }, { mode: 'all-versions' }, { partitionKy: 'a' }])(
  'a feed has no options %j',
  async (options) => {
    await using database = await openDatabase({ memory: true });
    const container = await aContainer(database);

    expect(() => container.changes(options as object)).toThrow(`There is no option "${Object.keys(options)[0]}"`);
    expect(() => container.versions(options as object)).toThrow('there are from, itemsMax');
  },
);

test('a batch names the operations there are', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  const document = aDocument(1);

  const { code, message } = await refusal(container.batch(document.pk, [{ insert: document } as never]));

  expect(code).toBe('bad-request');
  expect(message).toContain('create, upsert, replace');
});

test.each([
  [undefined, 'this one is none'],
  [{}, 'this one is none'],
  [{ upsert: undefined }, 'this one is none'],
  [{ create: aDocument(1), delete: '1' }, '"create" and "delete" together'],
  [{ upsert: aDocument(1), ifmatch: '"1"' }, 'has no member "ifmatch"'],
  [{ create: aDocument(1), ifMatch: '"1"' }, '"create" of a batch has no member "ifMatch"'],
  [{ read: '1', ifMatch: '"1"' }, 'has no member "ifMatch"'],
  [{ delete: '1', operations: [] }, 'has no member "operations"'],
])('a batch has no operation %j, and nothing of it is written', async (operation, words) => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  const { pk } = aDocument(1);
  const document = { ...aDocument(2), pk };

  for (const other of [document, Buffer.from(JSON.stringify(document))]) {
    const { code, message } = await refusal(container.batch(pk, [{ upsert: other }, operation as never]));

    expect(code).toBe('bad-request');
    expect(message).toContain(words);
    expect(await container.read(document.id, pk)).toBeUndefined();
  }
});

test.each([[[]], [undefined], [{ upsert: aDocument(1) }]])('a batch is not made of %j', async (operations) => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);

  const { code, message } = await refusal(container.batch(aDocument(1).pk, operations as never));

  expect(code).toBe('bad-request');
  expect(message).toContain('a list of operations, at least one');
});

test.each([
  ['an operation', { insert: aDocument(1) }, 'bad-request'],
  ['a document without an id', { upsert: { pk: aDocument(1).pk } }, 'invalid-id'],
  ['the same as bytes', { upsert: Buffer.from(JSON.stringify({ pk: aDocument(1).pk })) }, 'invalid-id'],
  ['one of another partition', { upsert: Buffer.from('{"id":"1","pk":"another"}') }, 'partition-key-mismatch'],
  ['an id', { upsert: { ...aDocument(1), id: 'a/b' } }, 'invalid-id'],
])('a batch says which of its operations is wrong: %s', async (_, operation, expected) => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  const { pk } = aDocument(1);
  const right = { upsert: Buffer.from(JSON.stringify({ ...aDocument(2), pk })) };

  const { code, message } = await refusal(container.batch(pk, [right, right, operation as never]));

  expect(code).toBe(expected);
  expect(message).toMatch(/^operations\[2\]: /);
});

test('members of an operation that are undefined are not there', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  const document = aDocument(1);
  await container.create(document);

  const operation = { delete: document.id, upsert: undefined, read: undefined, ifMatch: undefined };
  const { outcomes } = await container.batch(document.pk, [operation as never]);

  expect(outcomes).toEqual([{ kind: 'deleted' }]);
});

test.each([new ArrayBuffer(16), new Uint16Array(8), new DataView(new ArrayBuffer(16))])(
  'bytes that are given in another way are not taken for an object: %s',
  async (bytes) => {
    await using database = await openDatabase({ memory: true });
    const container = await aContainer(database);

    const { code, message } = await refusal(container.upsert(bytes));

    expect(code).toBe('invalid-document');
    expect(message).toContain('Uint8Array');
  },
);

test('whatever is asked of a closed database, it is the database that is closed', async () => {
  const database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  await container.create(aDocument(1));
  await database.close();

  const read = await refusal(container.read('1', 'a'));
  const write = await refusal(container.create(aDocument(2)));

  expect([read.code, write.code]).toEqual(['closed', 'closed']);
  expect(read.message).toBe(write.message);
});

test('a document shows what it holds when it is printed or written as JSON', async () => {
  await using database = await openDatabase({ memory: true });
  await database.createDatabase('d');
  const container = await database.createContainer('d', { id: 'c', partitionKey: { paths: ['/pk'] } });

  const { document } = await container.create({ id: '1', pk: 'a' });

  expect(inspect(document)).toContain("id: '1'");
  expect(JSON.parse(JSON.stringify(document))).toMatchObject({ id: '1', pk: 'a', _etag: `"${document.etag}"` });
});

test('a condition that is misspelt is not a write without one', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  const document = aDocument(1);
  await container.create(document);
  const before = await container.read(document.id, document.pk);
  const options = { ifmatch: '"another"' };

  for (const write of [
    container.create(aDocument(2), options as never),
    container.upsert(document, options as never),
    container.replace(document, options as never),
    container.patch(document.id, document.pk, [{ op: 'set', path: '/a', value: 1 }], options as never),
    container.delete(document.id, document.pk, options as never),
  ]) {
    const { code, message } = await refusal(write);
    expect(code).toBe('bad-request');
    expect(message).toContain('There is no option "ifmatch"');
  }
  expect((await container.read(document.id, document.pk))?.etag).toBe(before?.etag);
  expect(await container.read('d2', 'p2')).toBeUndefined();
});

test('a container is not made with options that there are not', async () => {
  await using database = await openDatabase({ memory: true });
  await database.createDatabaseIfNotExists('d');
  const definition = { id: 'c', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };

  const { code, message } = await refusal(database.createContainer('d', definition, { range: 4 } as never));

  expect(code).toBe('bad-request');
  expect(message).toContain('There is no option "range"');
});

test('a partition key with its name finds nothing, and is told', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  const { id, pk } = aDocument(1);
  const named = { pk } as never;

  for (const call of [
    () => container.read(id, named),
    () => container.delete(id, named),
    () => container.readMany([[id, named]]),
    () => container.batch(named, [{ delete: id }]),
    () => container.deletePartition(named),
    async () => container.changes({ partitionKey: named }),
  ]) {
    const { code, message } = await refusal(call());
    expect(code).toBe('invalid-partition-key');
    expect(message).toContain('Give the value alone, without its name');
  }
});

test('calls with too few levels of a partition key reject, and name the paths', async () => {
  await using database = await openDatabase({ memory: true });
  await database.createDatabaseIfNotExists('d');
  const definition = { id: 'c', partitionKey: { paths: ['/a', '/b'], kind: 'MultiHash', version: 2 } };
  const container = await database.createContainer('d', definition);

  for (const call of [
    container.read('1', 'a'),
    container.deletePartition('a'),
    container.batch('a', [{ delete: '1' }]),
  ]) {
    const { code, message } = await refusal(call);
    expect(code).toBe('invalid-partition-key');
    expect(message).toContain("given has 1 component(s); the container's has 2: /a, /b");
  }
});

test('a batch of more operations than there may be is an error', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);

  const { code, message } = await refusal(container.batch('p1', new Array(101).fill({ delete: 'd1' })));

  expect(code).toBe('batch-too-large');
  expect(message).toContain('this one has 101');
});

test.each([{ delete: 3 }, { read: 3 }, { patch: 3, operations: [{ op: 'set', path: '/a', value: 1 }] }])(
  '%j has no id',
  async (operation) => {
    await using database = await openDatabase({ memory: true });
    const container = await aContainer(database);

    expect((await refusal(container.batch('p1', [operation as never]))).code).toBe('invalid-id');
  },
);

test.each([{ from: '00', to: '80' }, { min: 'zz', max: 'q' }, { min: '00' }, 'FF', null])(
  'a feed has no keys %j',
  async (keys) => {
    await using database = await openDatabase({ memory: true });
    const container = await aContainer(database);

    expect(() => container.changes({ keys: keys as never })).toThrow('Keys are { min, max }');
  },
);

test('what is read together is pairs', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);

  expect(await refusal(container.readMany(['d1', 'p1'] as never))).toMatchObject({ code: 'bad-request' });
});

test('a restore says which folders it wants', async () => {
  for (const options of [undefined, { from: './backup', folder: './restored' }, { backup: './backup' }]) {
    const { code, message } = await refusal(restoreDatabase(options as never));
    expect(code).toBe('bad-request');
    expect(message).toContain("backup: './backup'");
  }
});

test.each([null, 7, {}])('an etag is not %j', async (etag) => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  const document = aDocument(1);
  const { id, pk } = document;
  await container.create(document);
  const options = { ifMatch: etag } as never;

  for (const write of [
    container.upsert(document, options),
    container.upsert(document, { ifNoneMatch: etag } as never),
    container.replace(document, options),
    container.patch(id, pk, [{ op: 'set', path: '/a', value: 1 }], options),
    container.delete(id, pk, options),
    container.batch(pk, [{ upsert: document, ifMatch: etag } as never]),
    container.batch(pk, [{ delete: id, ifMatch: etag } as never]),
  ]) {
    const { code, message } = await refusal(write);
    expect(code).toBe('bad-request');
    expect(message).toContain('is an etag');
  }
  expect(await container.read(id, pk)).toBeDefined();
});
