// Rows of large values that are grouped, counted once and sorted: what that takes is counted, and ends with a sentence.

import { expect, test } from 'vitest';
import { allRows } from './all-pages.ts';

const documents = [{ id: '1', list: Array.from({ length: 700 }, (_, n) => n) }];
const parameters = [{ name: '@s', value: 'x'.repeat(1_000_000) }];

test.each([
  'SELECT VALUE COUNT(1) FROM c JOIN a IN c.list JOIN b IN c.list GROUP BY @s',
  'SELECT DISTINCT VALUE @s FROM c JOIN a IN c.list JOIN b IN c.list',
  'SELECT VALUE MAX(@s) FROM c JOIN a IN c.list JOIN b IN c.list',
  'SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE @s FROM c JOIN a IN c.list JOIN b IN c.list) AS s',
])('[SEC15] %s', (query) => {
  expect(() => allRows({ query, documents, parameters })).toThrow(/computes too much for one document|more than/);
});

test('[SEC15] a page of groups is cut before all of them are made', () => {
  const large = 'CONCAT(ToString(a), REPLICATE("x", 10000), REPLICATE("y", 10000))';
  const query = `SELECT a, ${large} AS text FROM c JOIN a IN c.list GROUP BY a`;

  const rows = allRows({ query, documents, parameters: [], bytesMax: 100_000 });

  expect(rows).toHaveLength(700);
});

test('[SEC15] what MAX keeps of many groups is counted', () => {
  const query = 'SELECT a, MAX(CONCAT(@s, ToString(a))) AS most FROM c JOIN a IN c.list GROUP BY a';
  const many = Array.from({ length: 3 }, (_, n) => ({ id: `${n}`, list: [3 * n, 3 * n + 1, 3 * n + 2] }));
  const all = Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, list: [3 * n, 3 * n + 1, 3 * n + 2] }));

  expect(allRows({ query, documents: many, parameters })).toHaveLength(9);
  expect(() => allRows({ query, documents: all, parameters })).toThrow(/more to keep than 64 MiB/);
});
