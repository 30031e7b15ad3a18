// What a page of a query may take: time, bytes, documents looked at, memory. A page that only filters ends there and goes on; a query that
// has to see everything first fails with a sentence.

import { expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import type { Database } from '../src/database.ts';
import { openDatabase } from '../src/database.ts';
import { systemEnvironment } from '../src/internal.ts';
import type { QueryRows } from '../src/query/query.ts';

const definition = { id: 'things', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };

async function things(database: Database, count: number, of: (n: number) => object = () => ({})): Promise<Container> {
  await database.createDatabaseIfNotExists('db');
  const container = await database.createContainer('db', definition);
  const atOnce = 500;
  for (let from = 0; from < count; from += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - from) }, (_, n) => from + n);
    await Promise.all(numbers.map((n) => container.create({ id: `${n}`, pk: `${n % 7}`, n, ...of(n) })));
  }
  return container;
}

async function pagesOf(container: Container, text: string, itemsMax: number): Promise<QueryRows<unknown>[]> {
  const pages: QueryRows<unknown>[] = [];
  for await (const page of container.query(text, {}, { itemsMax }).pages()) pages.push(page);
  return pages;
}

/** Its time goes on by so much whenever somebody looks at it. */
function slowClock() {
  const environment = systemEnvironment();
  const slow = { stepMs: 0, passedMs: 0 };
  const monotonicMs = (): number => {
    slow.passedMs += slow.stepMs;
    return environment.clock.monotonicMs() + slow.passedMs;
  };
  return { slow, environment: { ...environment, clock: { ...environment.clock, monotonicMs } } };
}

test('[M20] a page that only filters ends after a second, with what it has by then, and the next one goes on there', async () => {
  const { slow, environment } = slowClock();
  await using database = await openDatabase({ memory: true, environment });
  // They come from the scan in one batch.
  const container = await things(database, 200);
  slow.stepMs = 20;

  const pages = await pagesOf(container, 'SELECT VALUE c.n FROM c WHERE c.n % 100 = 99', 1_000);

  expect(pages.flatMap(({ items }) => items)).toEqual([99, 199]);
  expect(pages.length).toBeGreaterThan(3);
  expect(pages.filter(({ items }) => items.length === 0).length).toBeGreaterThan(0);
});

test('[M20] a query that nobody waits for any more ends with the slice that it is in', async () => {
  const { slow, environment } = slowClock();
  await using database = await openDatabase({ memory: true, environment });
  const container = await things(database, 200);
  const leaving = new AbortController();
  slow.stepMs = 1;
  const beganMs = slow.passedMs;

  const asked = container.query('SELECT VALUE COUNT(1) FROM c', {}, { signal: leaving.signal }).toArray();
  setImmediate(() => leaving.abort());

  await expect(asked).rejects.toThrow(/Nobody waits/);
  expect(slow.passedMs - beganMs).toBeLessThan(100);
});

test('[M20] a query that has to see all documents first fails after 30 seconds, and says what helps', async () => {
  const { slow, environment } = slowClock();
  await using database = await openDatabase({ memory: true, environment });
  const container = await things(database, 2_000);
  slow.stepMs = 20;

  const asked = container.query('SELECT VALUE COUNT(1) FROM c').toArray();

  await expect(asked).rejects.toThrow(/had not seen them after 30 seconds\. Let its filter name a partition key/);
});

test('[M20] a page looks at 20,000 documents and no more', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 20_600);

  const pages = await pagesOf(container, 'SELECT VALUE c.n FROM c WHERE c.n = 20550', 10);
  const [counted] = await pagesOf(container, 'SELECT VALUE COUNT(1) FROM c', 10);

  expect(pages.map(({ items }) => items)).toEqual([[], [20_550]]);
  expect(counted?.items).toEqual([20_600]);
});

test('[M20] a page has 4 MiB of rows at most, whatever the query does with them', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 12, () => ({ text: 'x'.repeat(1_000_000) }));

  for (const text of ['SELECT * FROM c', 'SELECT * FROM c ORDER BY c.n', 'SELECT DISTINCT c.n, c.text FROM c']) {
    const pages = await pagesOf(container, text, 1_000);
    const lengths = pages.map(({ items }) => items.length);
    const most = Math.max(...pages.map(({ items }) => JSON.stringify(items).length));

    expect(
      lengths.reduce((sum, each) => sum + each, 0),
      text,
    ).toBe(12);
    expect(most, text).toBeLessThanOrEqual(5 * 1024 * 1024);
    expect(pages.length, text).toBeGreaterThan(2);
    expect(pages.every(({ continuation }) => (continuation?.length ?? 0) < 1_024)).toBe(true);
  }
});

test.each([
  ['distinct rows', 'SELECT DISTINCT VALUE $large FROM c'],
  ['groups', 'SELECT $large AS large, COUNT(1) AS n FROM c GROUP BY $large'],
  ['a list', 'SELECT VALUE MAKELIST($large) FROM c'],
])('[M20] %s beyond the bound of memory fail with a sentence, and the next query is answered', async (_, text) => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 80);
  const large = `CONCAT(c.id, ${Array.from({ length: 100 }, () => 'REPLICATE("x", 10000)').join(', ')})`;

  const asked = container.query(text.replaceAll('$large', large)).toArray();

  await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/bad-request|invalid-query/) });
  await expect(asked).rejects.toThrow(/MiB|memory|large/);
  expect(await container.query('SELECT VALUE COUNT(1) FROM c').toArray()).toEqual([80]);
});

test('[M20] others are answered while a query sorts, joins and counts', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 3_000, (n) => ({ list: Array.from({ length: 12 }, (_, m) => n * m) }));
  let isOver = false;
  const asked = container
    .query('SELECT VALUE COUNT(1) FROM c JOIN a IN c.list JOIN b IN c.list JOIN d IN c.list')
    .toArray()
    .finally(() => {
      isOver = true;
    });

  let reads = 0;
  for (; !isOver; reads += 1) {
    expect((await container.read('7', '0'))?.value).toMatchObject({ n: 7 });
    await new Promise((resolve) => setImmediate(resolve));
  }

  expect(await asked).toEqual([3_000 * 12 ** 3]);
  expect(reads).toBeGreaterThan(20);
});

test('[M20] every acknowledged write is seen by the next query, and no document of a page twice', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 300);
  const seen: unknown[] = [];
  let at = 0;
  for await (const { items } of container
    .query('SELECT VALUE c.n FROM c WHERE c.n < 300', {}, { itemsMax: 17 })
    .pages()) {
    seen.push(...items);
    // Those that were given are written again, and would come again if the order were that of writes.
    await container.upsert({ id: `${at}`, pk: `${at % 7}`, n: at, again: true });
    await container.create({ id: `new${at}`, pk: 'new', n: 300 + at });
    expect(await container.query('SELECT VALUE COUNT(1) FROM c WHERE c.pk = "new"').toArray()).toEqual([at + 1]);
    at += 1;
  }

  expect(seen).toEqual(Array.from({ length: 300 }, (_, n) => n));
});

test('[M20] sorted pages go on through a split and a merge', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 200, (n) => ({ kind: n % 5 }));
  const text = 'SELECT VALUE [c.kind, c.n] FROM c ORDER BY c.kind DESC';
  const expected = await container.query(text).toArray();
  const seen: unknown[] = [];
  let pages = 0;
  for await (const { items } of container.query(text, {}, { itemsMax: 30 }).pages()) {
    seen.push(...items);
    pages += 1;
    if (pages === 2) await container.split(container.ranges[0]?.id ?? '');
    if (pages === 4) await container.merge(container.ranges[0]?.id ?? '', container.ranges[1]?.id ?? '');
  }

  expect(container.ranges).toHaveLength(1);
  expect(seen).toEqual(expected);
});
