// Computed properties, and the measure of a vector policy: what the definition of a container adds to its queries.

import { expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import type { Database } from '../src/database.ts';
import { openDatabase } from '../src/database.ts';

const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 };
const computedProperties = [
  { name: 'lower', query: 'SELECT VALUE LOWER(c.name) FROM c' },
  { name: 'box', query: 'SELECT VALUE {"area": r.w * r.h, "sides": [r.w, r.h]} FROM root r' },
];

async function make(database: Database, more: object): Promise<Container> {
  await database.createDatabaseIfNotExists('db');
  return database.createContainer('db', { id: 'things', partitionKey, ...more });
}

test('[query 4] a computed property is selected, filtered, sorted and grouped by, and is no part of the document', async () => {
  await using database = await openDatabase({ memory: true });
  const things = await make(database, { computedProperties });
  for (const [n, name] of ['Beta', 'ALPHA', 'beta', 'Gamma'].entries()) {
    await things.create({ id: `${n}`, pk: 'a', name, w: n + 1, h: 2 });
  }
  const rows = (text: string): Promise<unknown[]> => things.query(text).toArray();

  expect(await rows("SELECT VALUE c.id FROM c WHERE c.lower = 'beta'")).toEqual(['0', '2']);
  expect(await rows('SELECT VALUE c.lower FROM c ORDER BY c.lower')).toEqual(['alpha', 'beta', 'beta', 'gamma']);
  expect(await rows('SELECT c.lower, COUNT(1) AS n FROM c GROUP BY c.lower')).toEqual([
    { lower: 'alpha', n: 1 },
    { lower: 'beta', n: 2 },
    { lower: 'gamma', n: 1 },
  ]);
  expect(await rows("SELECT VALUE c['box'].area FROM c WHERE c.box.sides[0] > 2")).toEqual([6, 8]);
  expect(await rows('SELECT VALUE s FROM c JOIN s IN c.box.sides WHERE c.id = "3"')).toEqual([4, 2]);
  const [whole] = (await rows("SELECT * FROM c WHERE c.id = '0'")) as object[];
  expect(whole).not.toHaveProperty('lower');
});

test('[query 4] a new definition counts for the next query', async () => {
  await using database = await openDatabase({ memory: true });
  const things = await make(database, { computedProperties });
  await things.create({ id: '1', pk: 'a', name: 'Beta' });
  const text = 'SELECT VALUE c.lower FROM c';
  expect(await things.query(text).toArray()).toEqual(['beta']);
  await database.replaceContainer('db', { id: 'things', partitionKey });
  expect(await things.query(text).toArray()).toEqual([]);
});

test.each([
  ['a reserved name', { name: '_ts', query: 'SELECT VALUE 1 FROM c' }],
  ['a query that cannot be understood', { name: 'x', query: 'SELECT VALUE FROM c' }],
  ['a filter', { name: 'x', query: 'SELECT VALUE c.a FROM c WHERE c.a > 1' }],
  ['no VALUE', { name: 'x', query: 'SELECT c.a FROM c' }],
  ['a subquery', { name: 'x', query: 'SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags) FROM c' }],
  ['itself', { name: 'x', query: 'SELECT VALUE c.x + 1 FROM c' }],
  ['no query', { name: 'x' }],
])('[query 4] a computed property with %s is refused', async (_, property) => {
  await using database = await openDatabase({ memory: true });
  const made = make(database, { computedProperties: [property] });
  await expect(made).rejects.toMatchObject({ code: 'invalid-definition' });
});

test.each([
  [
    'a function that there is not',
    'SELECT VALUE LOWR(c.x) FROM c',
    'invalid-definition',
    /'sum'.*'LOWR'.*SC2005, at 13/,
  ],
  ['an argument too many', 'SELECT VALUE LOWER(c.x, 1) FROM c', 'invalid-definition', /'sum'.*LOWER.*SC2050/],
  ['a name that stands for nothing', 'SELECT VALUE d.x FROM c', 'invalid-definition', /'sum'.*'d'.*SC2001/],
  ['an aggregate', 'SELECT VALUE COUNT(1) FROM c', 'invalid-definition', /'sum'.*aggregate/],
  ['what is not there yet', 'SELECT VALUE udf.tax(c.x) FROM c', 'not-supported', /'sum'.*udf\.tax/],
])('[query 4] a computed property with %s is refused by name, made or replaced', async (_, query, code, message) => {
  await using database = await openDatabase({ memory: true });
  const more = { computedProperties: [...computedProperties, { name: 'sum', query }] };
  const refusal = expect.objectContaining({ code, message: expect.stringMatching(message) });

  await expect(make(database, more)).rejects.toEqual(refusal);
  await make(database, { computedProperties });
  const replaced = database.replaceContainer('db', { id: 'things', partitionKey, ...more });
  await expect(replaced).rejects.toEqual(refusal);
});

test('[query 3.10] vectors are compared as the policy of the container says, unless the query does', async () => {
  await using database = await openDatabase({ memory: true });
  const vectorEmbeddings = [{ path: '/v', dataType: 'float32', distanceFunction: 'euclidean', dimensions: 2 }];
  const things = await make(database, { vectorEmbeddingPolicy: { vectorEmbeddings } });
  await things.create({ id: 'far', pk: 'a', v: [30, 40] });
  await things.create({ id: 'near', pk: 'a', v: [3, 5] });

  const byPolicy = 'SELECT VALUE VectorDistance(c.v, [0, 0]) FROM c WHERE c.id = "far"';
  expect(await things.query(byPolicy).toArray()).toEqual([50]);
  const chosen =
    'SELECT VALUE VectorDistance(c.v, [1, 0], false, {distanceFunction: "dotproduct"}) FROM c WHERE c.id = "far"';
  expect(await things.query(chosen).toArray()).toEqual([30]);
  const nearest = 'SELECT TOP 2 VALUE c.id FROM c ORDER BY VectorDistance(c.v, [0, 0])';
  expect(await things.query(nearest).toArray()).toEqual(['near', 'far']);
});
