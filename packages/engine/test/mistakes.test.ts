// What a caller in plain JavaScript can get wrong, and no compiler says so.

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { OpenOptions } from '../src/database.ts';
import { openDatabase } from '../src/database.ts';
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
