import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { pageContext } from '../test/all-pages.ts';
import { conditionHolds, prepareCondition } from './condition.ts';
import { PreparedQueries } from './prepared-queries.ts';
import { QueryError } from './query-error.ts';

const bytes = Buffer.from(JSON.stringify({ id: '1', stock: 2, tags: ['a', 'b'] }));

function holds(text: string): boolean {
  return conditionHolds(prepareCondition(text, new PreparedQueries()), bytes, bytes.length - 1, pageContext);
}

function placeOfMistake(text: string): unknown {
  try {
    prepareCondition(text, new PreparedQueries());
  } catch (error) {
    if (error instanceof QueryError) return error.problems[0]?.span;
    throw error;
  }
  throw new Error('it was understood');
}

test.each<[string, boolean]>([
  ['FROM c WHERE c.stock > 1', true],
  ['FROM c WHERE c.stock > 2', false],
  ['  from root WHERE root.id = "1" -- the first one', true],
  ['-- the first one\nFROM c', true],
  ['FROM c JOIN t IN c.tags WHERE t = "b"', true],
  ['FROM t IN c.tags WHERE t = "c"', false],
  ['FROM (SELECT VALUE c.stock FROM c WHERE c.stock = 2) AS s WHERE s = 2', true],
  ['FROM (SELECT VALUE c.stock FROM c WHERE c.stock = 3) AS s', false],
  ['FROM c WHERE (SELECT VALUE COUNT(1) FROM t IN c.tags) = 2', true],
  ['FROM c WHERE EXISTS(SELECT DISTINCT VALUE t FROM t IN c.tags ORDER BY t)', true],
  ['FROM c JOIN (SELECT COUNT(1) AS n FROM t IN c.tags) AS s WHERE s.n = 2', true],
])('[wire 7] the condition of a patch %s is %s', (text, expected) => {
  expect(holds(text)).toBe(expected);
});

test.each([
  'FROM (SELECT COUNT(1) AS k FROM c) AS s WHERE s.k = 1',
  'FROM (SELECT c.stock FROM c GROUP BY c.stock) AS s WHERE s.stock = 2',
  'FROM (SELECT DISTINCT c.stock FROM c) AS s WHERE s.stock = 2',
  'FROM (SELECT TOP 1 c.stock FROM c) AS s WHERE s.stock = 2',
  'FROM (SELECT c.stock FROM c OFFSET 0 LIMIT 1) AS s',
  'FROM (SELECT c.stock FROM c ORDER BY c.stock) AS s',
  'FROM (SELECT s.k FROM (SELECT MAX(c.stock) AS k FROM c) AS s) AS t WHERE t.k = 2',
])('[wire 7] a condition that would need all documents is refused: %s', (text) => {
  expect(() => holds(text)).toThrow(/^The condition of a patch is about one document/);
});

test.each<[string, number, number]>([
  ['= false FROM c', 0, 1],
  ['IN (false) FROM c', 0, 2],
  ['  AND false FROM c WHERE c.stock > 0', 2, 5],
  ['.x FROM c', 0, 1],
  [', 1 FROM c', 0, 1],
  ['SELECT * FROM c', 0, 6],
  ['c.stock > 0', 0, 1],
  ['WHERE c.stock > 0', 0, 5],
  ['', 0, 0],
  ['FROM c ORDER BY c.stock', 5, 6],
  ['FROM c WHERE d.stock > 0', 13, 14],
  ['FROM c WHERE c.stock >', 22, 22],
])('[wire 7] what is no condition is refused with its place: %s', (text, start, end) => {
  expect(placeOfMistake(text)).toEqual({ start, end });
});
