import { expect, test } from 'vitest';
import { stepsPerDocumentMax } from '../src/limits.ts';
import type { Value } from '../src/value/value.ts';
import { allRows } from './all-pages.ts';

const words = 'ab'.repeat(500);

test('[wire 12] what functions compute for one document is counted together', () => {
  const documents = [{ list: Array.from({ length: 100 }, () => words) }];
  const of = (pattern: string): string =>
    `SELECT VALUE COUNT(1) FROM c JOIN a IN c.list JOIN b IN c.list WHERE RegexMatch(a, ${pattern})`;

  expect(allRows({ query: of("'^c'"), documents })).toEqual([0]);
  expect(() => allRows({ query: of("'(a|b){100}c'"), documents })).toThrow(/^RegexMatch: the expression is too large/);
});

test('[wire 12] a pattern of LIKE that stretches over a long text is counted too', () => {
  const documents = [{ text: 'a'.repeat(100_000) }];
  const like = (length: number): string => `SELECT VALUE c.text LIKE "%${'a'.repeat(length)}b" FROM c`;

  expect(allRows({ query: like(100), documents })).toEqual([false]);
  expect(() => allRows({ query: like(1000), documents })).toThrow(/^LIKE: the pattern is too long/);
});

test('[wire 12] shapes of one document are counted together', () => {
  const corners = Array.from({ length: 4000 }, (_, at) => [Math.cos(at / 637), Math.sin(at / 637)]);
  const ring = { type: 'Polygon', coordinates: [[...corners, corners[0] ?? []]] };
  const point = { type: 'Point', coordinates: [0, 0] };
  const documents = [{ points: Array.from({ length: 8000 }, () => point) }];
  const query = 'SELECT VALUE COUNT(1) FROM c JOIN p IN c.points WHERE ST_WITHIN(p, @ring)';

  expect(() => allRows({ query, parameters: [{ name: '@ring', value: ring }], documents })).toThrow(/^ST_WITHIN: /);
});

test('[wire 12] each document and each group has all of it', () => {
  const text = 'ab'.repeat(stepsPerDocumentMax / 1000);
  const documents: Value[] = Array.from({ length: 3 }, (_, at) => ({ at, text }));
  const matches = "RegexMatch(c.text, '(a|b){50}c')";

  expect(allRows({ query: `SELECT VALUE c.at FROM c WHERE NOT ${matches}`, documents })).toEqual([0, 1, 2]);
  expect(allRows({ query: `SELECT VALUE ${matches} FROM c GROUP BY c.at, c.text`, documents })).toEqual([
    false,
    false,
    false,
  ]);
});
