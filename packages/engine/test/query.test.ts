// Queries in this process: rows, pages, what they are told of, and what they leave alone.

import { expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import type { Database } from '../src/database.ts';
import { openDatabase } from '../src/database.ts';

async function shop(database: Database, ranges = 1): Promise<Container> {
  await database.createDatabaseIfNotExists('shop');
  const definition = { id: 'orders', partitionKey: { paths: ['/customer'], kind: 'Hash', version: 2 } };
  const orders = await database.createContainer('shop', definition, { ranges });
  for (let n = 0; n < 40; n += 1) await orders.create({ id: `${n}`, customer: `c${n % 5}`, total: n });
  return orders;
}

test('[M20] a query is iterated row by row, with parameters named with the sign or without', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database, 4);
  const totals: number[] = [];
  for await (const total of orders.query<number>('SELECT VALUE c.total FROM c WHERE c.total < @max', { max: 3 })) {
    totals.push(total);
  }
  expect(totals.sort()).toEqual([0, 1, 2]);
  expect(await orders.query('SELECT VALUE COUNT(1) FROM c WHERE c.total >= @min', { '@min': 30 }).toArray()).toEqual([
    10,
  ]);
});

test('[M20] a page goes on from its continuation, in another process as well, and only for the same query', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database, 4);
  const text = 'SELECT VALUE c.total FROM c ORDER BY c.total';
  const seen: unknown[] = [];
  let continuation: string | undefined;
  do {
    const options = { itemsMax: 7, ...(continuation === undefined ? {} : { continuation }) };
    const { value: page } = await orders.query(text, {}, options).pages().next();
    if (!page) break;
    seen.push(...page.items);
    ({ continuation } = page);
    expect(continuation?.length ?? 0).toBeLessThan(1024);
  } while (continuation !== undefined);
  expect(seen).toEqual(Array.from({ length: 40 }, (_, n) => n));

  const { value: first } = await orders.query(text, {}, { itemsMax: 7 }).pages().next();
  const other = { continuation: (first as { continuation: string }).continuation };
  await expect(orders.query('SELECT * FROM c', {}, other).toArray()).rejects.toMatchObject({
    code: 'invalid-continuation',
  });
});

test('[M20] a partition key narrows a query, and so does a filter that names it', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database, 4);
  const expected = [1, 6, 11, 16, 21, 26, 31, 36];
  expect(await orders.query('SELECT VALUE c.total FROM c', {}, { partitionKey: 'c1' }).toArray()).toEqual(expected);
  const text = "SELECT VALUE c.total FROM c WHERE c.customer = 'c1'";
  expect(await orders.query(text).toArray()).toEqual(expected);
  expect(orders.explain(text)).toMatchObject({ kind: 'streaming', reads: 'every document of one partition key' });
  expect(orders.explain('SELECT VALUE COUNT(1) FROM c').kind).toBe('blocking');
});

test('[M20] a filter that names an id reads the document with that, of one partition key and of all', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database, 4);
  const text = 'SELECT VALUE c.id FROM c WHERE c.id = @id AND c.total > 0';
  const prepared = orders.prepareQuery(text, ['@id']);
  for (const scope of [orders.scopeOfKey(['c2']), { keys: [{ min: '', max: 'FF' }] }]) {
    const request = { prepared, text, parameters: ['7'], scope, itemsMax: 100, bytesMax: 1e6 };
    let documents = 0;
    const rows: string[] = [];
    let continuation: string | undefined;
    do {
      const page = await orders.readQueryPage({ ...request, continuation });
      documents += page.work.documents;
      rows.push(...page.rows);
      continuation = page.continuation;
    } while (continuation !== undefined);

    expect(rows).toEqual(['"7"']);
    expect(documents).toBe(1);
  }
});

test('[M20] what is shown is the document as it is read, without its LSN', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database);
  const [row] = await orders.query("SELECT * FROM c WHERE c.id = '7'").toArray();
  expect(row).toEqual((await orders.read('7', 'c2'))?.value);
  expect(await orders.query('SELECT VALUE c._lsn FROM c').toArray()).toEqual([]);
});

test('[M20] mistakes are told: of the text, of an option, of a page', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database);
  await expect(orders.query('SELECT VALUE c.total FROM').toArray()).rejects.toMatchObject({ code: 'invalid-query' });
  await expect(orders.query('SELECT VALUE @x FROM c').toArray()).rejects.toThrow(/@x/);
  expect(() => orders.query('SELECT * FROM c', {}, { pageSize: 3 } as never)).toThrow(/pageSize/);
  expect(() => orders.query('SELECT * FROM c', {}, { itemsMax: 0 })).toThrow(/at least 1/);
});

test.each<[string, unknown[], RegExp]>([
  ['the form of the SDK', [{ query: 'SELECT * FROM c' }], /is a text.* member query/],
  ['no text', [undefined], /is a text.* undefined/],
  ['parameters of the SDK', ['SELECT VALUE @a', [{ name: '@a', value: 1 }]], /\{ '@x': 1 \}.* an array/],
  ['null for parameters', ['SELECT VALUE 1', null], /are an object.* null/],
  ['a name that no text can have', ['SELECT VALUE 1', { 'a b': 1 }], /not 'a b'/],
  ['one name twice', ['SELECT VALUE @a', { a: 1, '@a': 2 }], /@a was given twice/],
  ['a BigInt', ['SELECT VALUE @a', { a: 1n }], /@a has no JSON.*BigInt/],
  ['a BigInt inside of a value', ['SELECT VALUE @a', { a: [1n] }], /@a has no JSON.*BigInt/],
  ['a function', ['SELECT VALUE @a', { a: () => 1 }], /@a has no JSON.* a function/],
  ['what is deeper than a document', ['SELECT VALUE @a', { a: nested(129) }], /@a nests deeper than 128 levels/],
  [
    'what is deeper than the stack',
    ['SELECT VALUE @a', { a: nested(100_000) }],
    /@a (?:has no JSON.* too deep|nests deeper)/,
  ],
])('[M20] a query and its plan refuse %s, and say what to write', async (_, args, message) => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database);
  for (const call of ['query', 'explain'] as const) {
    const called = (): unknown => Reflect.apply(orders[call], orders, args);

    expect(called).toThrow(message);
    expect(called).toThrow(expect.objectContaining({ code: 'bad-request' }));
  }
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

test('[M20] a value of a parameter is what its JSON says', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database);
  const parameters = { a: new Date(0), b: undefined, c: { d: [1, () => 1] } };
  const [row] = await orders.query('SELECT VALUE [@a, IS_DEFINED(@b), @c]', parameters).toArray();
  expect(row).toEqual(['1970-01-01T00:00:00.000Z', false, { d: [1, null] }]);
});

test('[M20] options of a query are named, and its signal is one', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database);
  const text = 'SELECT * FROM c';
  expect(() => orders.query(text, {}, null as never)).toThrow(/are an object/);
  expect(() => orders.query(text, {}, { signal: new AbortController() as never })).toThrow(/controller\.signal/);
});

test('[M20] a query that nobody waits for any more ends', async () => {
  await using database = await openDatabase({ memory: true });
  const orders = await shop(database);
  const signal = AbortSignal.abort();
  await expect(orders.query('SELECT VALUE COUNT(1) FROM c', {}, { signal }).toArray()).rejects.toThrow(/Nobody waits/);
});
