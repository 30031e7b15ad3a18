// Pages of a query between which ranges are split and merged, documents deleted, and queries given up.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { contentKeyOf } from '../../query/src/value/value-set.ts';
import type { Container } from '../src/container.ts';
import type { Database } from '../src/database.ts';
import { openDatabase } from '../src/database.ts';

async function things(database: Database, count: number): Promise<Container> {
  await database.createDatabaseIfNotExists('db');
  const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 };
  const container = await database.createContainer('db', { id: 'things', partitionKey });
  for (let n = 0; n < count; n += 1)
    await container.create({ id: `s${n}`, pk: `p${n}`, n, list: [n, n + 0.5], same: 1 });
  return container;
}

test.each([
  ['a row a document', 'SELECT VALUE c.n FROM c', 8, [0, 1, 2, 3, 4, 5, 6, 7]],
  ['two rows a document', 'SELECT VALUE x FROM x IN c.list', 6, Array.from({ length: 12 }, (_, n) => n / 2)],
  ['after an offset', 'SELECT VALUE c.n FROM c OFFSET 1 LIMIT 100', 8, [1, 2, 3, 4, 5, 6, 7]],
])(
  '[M20] no row comes twice and none is missing when the range is split wherever a page ends: %s',
  async (_, text, count, all) => {
    for (const itemsMax of [1, 2, 3, 4, 5]) {
      for (const key of ['1000', '2000', '3000']) {
        await using database = await openDatabase({ memory: true });
        const container = await things(database, count);
        const seen: unknown[] = [];
        let pages = 0;
        for await (const { items } of container.query(text, {}, { itemsMax }).pages()) {
          seen.push(...items);
          pages += 1;
          if (pages === 1) await container.split(container.ranges[0]?.id ?? '', key.padEnd(32, '0'));
          if (pages === 3) await container.merge(container.ranges[0]?.id ?? '', container.ranges[1]?.id ?? '');
        }

        expect(
          seen.toSorted((a, b) => Number(a) - Number(b)),
          `pages of ${itemsMax}, split at ${key}`,
        ).toEqual(all);
      }
    }
  },
);

test('[M20] sorted and distinct pages go on behind the last row, whatever is deleted before it', async () => {
  for (const text of [
    'SELECT DISTINCT VALUE c.n FROM c ORDER BY c.n',
    'SELECT VALUE c.n FROM c ORDER BY c.n',
    'SELECT DISTINCT VALUE c.n FROM c',
    'SELECT VALUE c.n FROM c GROUP BY c.n',
    'SELECT VALUE s.n FROM (SELECT DISTINCT c.n FROM c) AS s ORDER BY s.n',
    'SELECT VALUE s.n FROM (SELECT VALUE c FROM c) AS s ORDER BY s.same',
    `SELECT VALUE s.n FROM (SELECT c.n, CONCAT(REPLICATE('x', 2000), ToString(c.n + 100)) AS k FROM c) AS s ORDER BY s.k`,
  ]) {
    await using database = await openDatabase({ memory: true });
    const container = await things(database, 12);
    const seen: unknown[] = [];
    for await (const { items } of container.query(text, {}, { itemsMax: 3 }).pages()) {
      seen.push(...items);
      const { n } = { n: items[0] as number };
      await container.delete(`s${n}`, `p${n}`);
    }

    expect(seen, text).toEqual(Array.from({ length: 12 }, (_, n) => n));
  }
});

test('[M20] rows whose sort keys begin alike are paged without those of the pages before, one behind the other and in groups', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 0);
  const count = 900;
  const k = 'k'.repeat(600);
  const pad = 'x'.repeat(50_000);
  for (let from = 0; from < count; from += 300) {
    const creates = Array.from({ length: 300 }, (_, n) =>
      container.create({ id: `${from + n}`, pk: `${n}`, k: `${k}${from + n}` }),
    );
    await Promise.all(creates);
  }
  // All rows together are more than a query may keep.
  for (const text of [
    'SELECT c.id, @pad AS pad FROM c ORDER BY c.k',
    'SELECT c.k AS id, LENGTH(MAX(CONCAT(c.k, @pad))) AS length FROM c GROUP BY c.k',
  ]) {
    const seen = new Set<string>();
    for await (const { items } of container.query<{ id: string }>(text, { '@pad': pad }, { itemsMax: 400 }).pages()) {
      for (const { id } of items) seen.add(id);
    }

    expect(seen.size, text).toBe(count);
  }
});

test.each(['SELECT VALUE c.k FROM c GROUP BY c.k', 'SELECT DISTINCT VALUE c.k FROM c'])(
  '[M20] pages go on behind a group whose first document has gone meanwhile: %s',
  async (text) => {
    await using database = await openDatabase({ memory: true });
    const container = await things(database, 0);
    const k = 'k'.repeat(600);
    for (const copy of ['a', 'b']) {
      for (let n = 0; n < 60; n += 1) await container.create({ id: `${copy}${n}`, pk: 'p', k: `${k}${n + 100}` });
    }
    const seen: unknown[] = [];
    const sizes: number[] = [];
    for await (const { items } of container.query<string>(text, {}, { itemsMax: 10 }).pages()) {
      seen.push(...items);
      sizes.push(items.length);
      await container.delete(`a${10 * sizes.length - 1}`, 'p');
    }

    expect(sizes).toEqual([10, 10, 10, 10, 10, 10]);
    expect(new Set(seen).size).toBe(60);
  },
);

test('[M20] a continuation tells nothing of documents outside of its partition key', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 0);
  const k = 'k'.repeat(600);
  await container.create({ id: 'x', pk: 'theirs', k: `${k}5` });
  for (let n = 0; n < 10; n += 1) await container.create({ id: `${n}`, pk: 'mine', k: `${k}${n}` });
  const text = 'SELECT VALUE c.k FROM c ORDER BY c.k';
  const page = async (partitionKey: string, continuation?: string) => {
    const options = { partitionKey, itemsMax: 1, ...(continuation === undefined ? {} : { continuation }) };
    const { value } = await container.query(text, {}, options).pages().next();
    return value as { items: unknown[]; continuation: string };
  };
  // What a page looks like that ended with their document, with and without a document that can be seen.
  const first = await page('mine');
  const { position, ...place } = JSON.parse(first.continuation);
  const digest = createHash('sha256')
    .update(`1 1 ${String(contentKeyOf([`${k}5`]))}`, 'utf16le')
    .digest('base64url');
  const after = { ...position.after, digest: digest.slice(0, 16), of: { rid: 1, row: 1 } };

  const asked = await page('mine', JSON.stringify({ ...place, position: { ...position, after } }));

  expect(position.after.of.rid).toBeGreaterThan(1);
  expect(asked.items).toEqual([`${k}0`]);
});

test('[wire 12] a continuation is less than 1 KB whatever the sort keys, also with all that it may have to say', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 0);
  // Rids have fifteen digits after some splits.
  for (let n = 0; n < 12; n += 1) {
    const { id, min, max } = container.ranges.at(-1) as { id: string; min: string; max: string };
    await container.split(id, middleOf(min, max));
  }
  const long = [
    '"'.repeat(600),
    '日'.repeat(600),
    '\ud800'.repeat(700),
    { a: ['\u0001'.repeat(900)] },
    [...new Array(300).fill(1e-300)],
  ];
  for (let n = 0; n < 60; n += 1)
    await container.create({ id: `${n}`, pk: `p${n}`, k: long[n % long.length], m: `${'x'.repeat(500)}${n}` });
  const longest = { length: 0, text: '' };
  for (const text of [
    'SELECT VALUE c.id FROM c ORDER BY c.k OFFSET 999999 LIMIT 99999999',
    'SELECT VALUE c.id FROM c ORDER BY c.m OFFSET 3 LIMIT 99999999',
    'SELECT VALUE c.id FROM c ORDER BY c.k DESC OFFSET 3 LIMIT 99999999',
    'SELECT c.k, c.m FROM c GROUP BY c.k, c.m OFFSET 3 LIMIT 99999999',
    'SELECT DISTINCT c.k, c.m FROM c OFFSET 3 LIMIT 99999999',
  ]) {
    for await (const { continuation } of container.query(text, {}, { itemsMax: 7 }).pages()) {
      const { length } = continuation ?? '';
      if (length > longest.length) Object.assign(longest, { length, text });
    }
  }

  expect(longest.length, longest.text).toBeLessThan(1_024);
  expect(longest.length, longest.text).toBeGreaterThan(700);
});

/** Of hex, about. */
function middleOf(min: string, max: string): string {
  const [low, high] = [min, max].map((key) => Number.parseInt(key.padEnd(4, '0').slice(0, 4), 16)) as [number, number];
  return Math.floor((low + high) / 2)
    .toString(16)
    .toUpperCase()
    .padStart(4, '0')
    .padEnd(32, '0');
}

test('[M20] few distinct values of many documents are sorted without all of them being kept', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 0);
  const text = 'x'.repeat(5_000);
  for (let from = 0; from < 20_000; from += 1_000) {
    await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        container.create({ id: `${from + n}`, pk: `${n}`, kind: `${text}${n % 2}` }),
      ),
    );
  }

  const [rows] = await Promise.all([
    container.query('SELECT DISTINCT VALUE RIGHT(c.kind, 1) FROM c ORDER BY c.kind').toArray(),
  ]);

  expect(rows).toEqual(['0', '1']);
});

test('[M20] a continuation is good for its partition key and to the letter', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 0);
  for (let n = 0; n < 12; n += 1) await container.create({ id: `${n}`, pk: n % 2 === 0 ? 'a' : 'b', n });
  const text = 'SELECT VALUE c.n FROM c ORDER BY c.n DESC';
  const page = async (partitionKey: string, continuation?: string) => {
    const options = { partitionKey, itemsMax: 2, ...(continuation === undefined ? {} : { continuation }) };
    const { value } = await container.query(text, {}, options).pages().next();
    return value as { items: unknown[]; continuation: string };
  };
  const { continuation } = await page('b');

  expect((await page('b', continuation)).items).toEqual([7, 5]);
  const wrong = [
    continuation.replace('"after"', '"afterr"'),
    continuation.replace('"rid"', '"ri"'),
    `${continuation} `,
  ];
  await expect(page('a', continuation)).rejects.toMatchObject({ code: 'invalid-continuation' });
  for (const each of wrong) await expect(page('b', each), each).rejects.toMatchObject({ code: 'invalid-continuation' });
});

test('[M20] a query that is given up while it waits, works or makes its page ends, and its place is free', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await things(database, 400);
  const heavy =
    'SELECT VALUE COUNT(1) FROM c JOIN a IN c.list JOIN b IN c.list JOIN d IN c.list WHERE LENGTH(REPLICATE("x", 9000)) > a';
  const leaving = Array.from({ length: 40 }, () => new AbortController());
  const asked = leaving.map(({ signal }) => container.query(heavy, {}, { signal }).toArray());
  const outcomes = Promise.allSettled(asked);
  for (const each of leaving) each.abort();

  expect(new Set((await outcomes).map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(await container.query('SELECT VALUE COUNT(1) FROM c').toArray()).toEqual([400]);
});
