import { expect, test } from 'vitest';
import { patternMax, valueDepthMax } from '../src/limits.ts';
import type { Value } from '../src/value/value.ts';
import { allRows } from './all-pages.ts';

const long = 'A'.repeat(1_000_000);
const list = Array.from({ length: 600 }, (_, at) => at);

function ask(
  query: string,
  parameters: Readonly<Record<string, Value>> = {},
  document: Value = { list },
): readonly Value[] {
  return allRows({
    query,
    parameters: Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value })),
    documents: [document],
  });
}

const tooMuch = /^The query makes values of more than 64 MiB for one document/;
const tooLarge = /^The query makes a value that is larger than 4 MiB/;
const tooLong = /^The query computes too much for one document/;

test('[wire 12] what functions, literals and subqueries make is counted before all of it is there', () => {
  const times = (part: string, count: number): string => Array.from({ length: count }, () => part).join(', ');
  const many = (part: string): string => times(part, 8000);
  const few = (part: string): string => times(part, 50);

  expect(() => ask(`SELECT VALUE ARRAY_LENGTH([${many('LOWER(@s)')}])`, { s: long })).toThrow(tooMuch);
  expect(() => ask(`SELECT VALUE ARRAY_LENGTH([${many('@s || "a"')}])`, { s: long })).toThrow(tooMuch);
  expect(() => ask(`SELECT VALUE LENGTH(CONCAT(${few('@s')}))`, { s: long })).toThrow(tooLarge);
  for (const rows of [
    'SELECT VALUE LOWER(@s)',
    'SELECT LOWER(@s) AS s',
    'SELECT VALUE {s: LOWER(@s)}',
    'SELECT VALUE [LOWER(@s)]',
  ]) {
    expect(() =>
      ask(`SELECT VALUE ARRAY_LENGTH(ARRAY(${rows} FROM a IN c.list JOIN b IN c.list)) FROM c`, { s: long }),
    ).toThrow(tooMuch);
  }
});

test('[wire 12] what subqueries sort, group and keep distinct is counted as well', () => {
  const rows = 'FROM a IN c.list JOIN b IN c.list';
  const kept = /^The query has more to keep than 64 MiB/;

  expect(() => ask(`SELECT VALUE COUNT(1) FROM c JOIN (SELECT a, b ${rows} GROUP BY a, b, a + b)`)).toThrow(kept);
  expect(() =>
    ask(`SELECT VALUE ARRAY_LENGTH(ARRAY(SELECT VALUE a ${rows} ORDER BY LOWER(@s))) FROM c`, { s: long }),
  ).toThrow(tooMuch);
  expect(() => ask(`SELECT VALUE COUNT(1) FROM c JOIN (SELECT DISTINCT VALUE [a, b, a, b, a, b] ${rows})`)).toThrow(
    /MiB/,
  );
  expect(() => ask(`SELECT VALUE (SELECT VALUE MAKELIST(LOWER(@s)) ${rows}) FROM c`, { s: long })).toThrow(/MiB/);
});

test('[wire 12] arrays are as large as one may be before they are put together, not after', () => {
  const array = Array.from({ length: 500_000 }, () => 1);
  const args = (count: number): string => Array.from({ length: count }, () => '@a').join(', ');

  expect(() => ask(`SELECT VALUE ARRAY_LENGTH(ARRAY_CONCAT(${args(20)}))`, { a: array })).toThrow(tooLarge);
  expect(() => ask(`SELECT VALUE ARRAY_LENGTH(ARRAY_CONCAT(${args(10_000)}))`, { a: array })).toThrow(tooLong);
});

test('[wire 12] what a condition or a number was made from is given back', () => {
  const texts = list.map((at) => ({ text: `A text of some forty characters, no ${at}` }));
  const from = 'FROM a IN c.list JOIN b IN c.list';

  expect(
    ask(
      `SELECT VALUE COUNT(1) FROM c JOIN (SELECT VALUE a ${from} WHERE LOWER(a.text) = LOWER(b.text))`,
      {},
      { list: texts },
    ),
  ).toEqual([600]);
  expect(ask(`SELECT VALUE (SELECT VALUE SUM(LENGTH(LOWER(a.text))) ${from}) > 0 FROM c`, {}, { list: texts })).toEqual(
    [true],
  );
});

test('[wire 12] a large array of a document is read once, however many rows go through it', () => {
  const document = { few: list, many: list.map((at) => ({ at, text: 'x'.repeat(90) })) };

  expect(ask('SELECT VALUE COUNT(1) FROM c JOIN a IN c.few JOIN b IN c.many', {}, document)).toEqual([360_000]);
});

test('[wire 12] values that are compared, read and written for each of many rows take steps', () => {
  const document = { list, text: long, other: `${long}b`, many: Array.from({ length: 100_000 }, () => 1) };
  const rows = 'FROM c JOIN a IN c.list JOIN b IN c.list';

  for (const condition of [
    'c.text = @s',
    'c.text < @s',
    'c.many = @a',
    'c.text IN (@s, "b")',
    'c.text BETWEEN @s AND @s',
    'c.text LIKE "%b"',
  ]) {
    expect(
      () => ask(`SELECT VALUE COUNT(1) ${rows} WHERE ${condition}`, { s: `${long}`, a: document.many }, document),
      condition,
    ).toThrow(/ too (much|long) for /);
  }
  expect(() =>
    ask(`SELECT VALUE ARRAY(SELECT VALUE b ${rows.replace('c JOIN ', '')} ORDER BY @s, b)[0] FROM c`, { s: long }),
  ).toThrow(tooLong);
});

test('[wire 12] an expression that is large takes steps for its parts', () => {
  const sum = (depth: number): string => (depth === 0 ? 'a' : `(${sum(depth - 1)} + ${sum(depth - 1)})`);

  expect(() => ask(`SELECT VALUE COUNT(1) FROM c JOIN a IN c.list JOIN b IN c.list WHERE ${sum(12)} > 0`)).toThrow(
    tooLong,
  );
});

test('[wire 12] a pattern of LIKE is not longer than one of RegexMatch', () => {
  const like = 'SELECT VALUE "abc" LIKE @p';

  expect(ask(like, { p: `%${'_'.repeat(patternMax - 1)}` })).toEqual([false]);
  expect(() => ask(like, { p: '%'.repeat(patternMax + 1) })).toThrow(/^LIKE: a pattern has 32768 characters at most/);
  expect(() => ask(`SELECT VALUE "abc" LIKE "%${'a'.repeat(patternMax)}"`)).toThrow(/^LIKE: a pattern has/);
});

test('[wire 12] an expression of RegexMatch takes steps for what it is compiled to', () => {
  const match = 'SELECT VALUE RegexMatch("abc", @p)';

  expect(ask(match, { p: 'a{1000}'.repeat(10) })).toEqual([false]);
  expect(() => ask(match, { p: 'a{1000}'.repeat(4000) })).toThrow(/^RegexMatch: the expression is too large/);
  expect(() => ask(match, { p: '((a{50}){20}|b)'.repeat(2000) })).toThrow(/^RegexMatch: the expression is too large/);
});

test('[wire 12] a letter with a great many marks, which to bring in order takes their number times itself, takes steps', () => {
  const marked = `a${'\u0300\u0316'.repeat(100_000)}`;

  expect(() => ask('SELECT VALUE FullTextContains(@s, "a")', { s: marked })).toThrow(tooLong);
});

test('[wire 12] strings become no value that nests deeper than a document', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const deep = /^A string whose JSON nests more than 128 levels deep/;

  expect(ask('SELECT VALUE ToString(StringToArray(@s))', { s: nested(128) })).toEqual([nested(128)]);
  expect(() => ask('SELECT VALUE StringToArray(@s)', { s: nested(129) })).toThrow(deep);
  expect(() => ask('SELECT VALUE StringToArray(@s)', { s: nested(500_000) })).toThrow(deep);
  expect(() => ask('SELECT VALUE StringToObject(@s)', { s: `{"a":${nested(500_000)}}` })).toThrow(deep);
  expect(ask('SELECT VALUE StringToNumber(@s)', { s: nested(500_000) })).toEqual([]);
  expect(ask('SELECT VALUE StringToArray(@s)', { s: `["${'['.repeat(1000)}\\"["]` })).toEqual([
    [`${'['.repeat(1000)}"[`],
  ]);
});

test('[wire 12] values that a query puts into each other end before the stack does', () => {
  const wrapped = (name: string, depth: number): string => '['.repeat(depth) + name + ']'.repeat(depth);
  const joined = (joins: number, depth: number): string =>
    Array.from({ length: joins }, (_, at) => `JOIN (SELECT VALUE ${wrapped(`j${at}`, depth)}) AS j${at + 1}`).join(' ');
  const of = (value: string, joins: number, depth: number): string =>
    `SELECT VALUE ${value} FROM c JOIN (SELECT VALUE [1]) AS j0 ${joined(joins, depth)}`;

  for (const value of [
    'j2',
    'j2 = j2',
    '[j2]',
    'ToString(j2)',
    'ARRAY(SELECT DISTINCT VALUE j2)',
    'SetUnion([j2], [j2])',
  ]) {
    expect(ask(of(value, 2, 490)).length, value).toBe(1);
  }
  expect(() => ask(of('j9', 9, 500))).toThrow(`nests more than ${valueDepthMax} levels deep`);
  expect(ask(`SELECT j2, COUNT(1) AS n FROM (${of('j2', 2, 490)}) AS j2 GROUP BY j2`).length).toBe(1);
  expect(ask(`SELECT DISTINCT VALUE j2 FROM (${of('j2', 2, 490)}) AS j2`).length).toBe(1);
});
