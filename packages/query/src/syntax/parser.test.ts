import { describe, expect, test } from 'vitest';
import { readCorpus } from '../../test/corpus.ts';
import { depthMax } from '../limits.ts';
import { QueryError, wireMessage } from '../query-error.ts';
import { parseQuery } from './parser.ts';
import { printQuery } from './print.ts';

function problemOf(text: string): QueryError {
  try {
    parseQuery(text);
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
  throw new Error(`${text} is accepted`);
}

/** The tree without places, and with what JSON does not have by name. */
function shapeOf(text: string): string {
  return JSON.stringify(parseQuery(text), (name, value: unknown) => {
    if (name === 'start' || name === 'end') return undefined;
    if (value === undefined) return 'undefined';
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  });
}

describe('[wire 12] what is wrong has the code and the place that the service gives', () => {
  test.each([
    ['SELECT * FROM c WHERE', 'SC1002', 'Syntax error, unexpected end-of-file.', 21, 21],
    ['selectttt * from c', 'SC1001', "Syntax error, incorrect syntax near 'selectttt'.", 0, 9],
    ['SELECT c.value FROM c', 'SC1001', "Syntax error, incorrect syntax near 'value'.", 9, 14],
    ['SELECT TOP -1 * FROM c', 'SC1001', "Syntax error, incorrect syntax near '-'.", 11, 12],
    ['SELECT * FROM c;', 'SC1010', "Syntax error, invalid token ';'.", 15, 16],
    ['SELECT VALUE "a', 'SC1012', "Syntax error, invalid string literal token '\"a'.", 13, 15],
    ["SELECT VALUE 'it''s'", 'SC1001', "Syntax error, incorrect syntax near ''s''.", 17, 20],
    ['SELECT VALUE 1x', 'SC1011', "Syntax error, invalid numeric value token '1x'.", 13, 15],
    ['SELECT /* no */ 1', 'SC1001', "Syntax error, incorrect syntax near '/'.", 7, 8],
    ['SELECT COUNT(*) FROM c', 'SC1001', "Syntax error, incorrect syntax near '*'.", 13, 14],
    ['SELECT * FROM c WHERE c.a == 1', 'SC1001', "Syntax error, incorrect syntax near '='.", 27, 28],
    ['SELECT * FROM c LIMIT 1', 'SC1001', "Syntax error, incorrect syntax near 'LIMIT'.", 16, 21],
  ])('%s', (text, code, message, start, end) => {
    expect(problemOf(text).problems).toEqual([{ code, message, span: { start, end } }]);
  });

  test('as JSON text for the wire, and as a sentence for people', () => {
    const error = problemOf('SELECT * FROM c WHERE');

    expect(JSON.parse(wireMessage(error.problems))).toEqual({
      errors: [
        {
          severity: 'Error',
          location: { start: 21, end: 21 },
          code: 'SC1002',
          message: 'Syntax error, unexpected end-of-file.',
        },
      ],
    });
    expect(error.message).toBe('Syntax error, unexpected end-of-file. (SC1002, at 21)');
  });
});

describe('[wire 12] operators bind as the service has it', () => {
  test.each([
    ['1 & 2 = 2', '(1 & (2 = 2))'],
    ['NOT c.a = 1', '((NOT c.a) = 1)'],
    ['a OR b AND c ?? d', '((a OR (b AND c)) ?? d)'],
    ['a ? b ?? c : d ? e : f', '(a ? (b ?? c) : d ? e : f)'],
    ['a || b | c ^ d & e', '(a || (b | (c ^ (d & e))))'],
    ['1 + 2 * 3 - 4', '((1 + (2 * 3)) - 4)'],
    ['1 << 2 + 3 < 4', '((1 << (2 + 3)) < 4)'],
    ['a + 1 BETWEEN 1 AND 2 AND b', '(((a + 1) BETWEEN 1 AND 2) AND b)'],
    ["a NOT LIKE 'x%' ESCAPE '!' OR b NOT IN (1, 2)", '((a NOT LIKE "x%" ESCAPE "!") OR (b NOT IN (1, 2)))'],
    ['- - ~a[0].b["c d"]', '(-(-(~a[0].b["c d"])))'],
    ['a <> b', '(a != b)'],
    ['(1).a[2]', '(1).a[2]'],
  ])('%s', (text, canonical) => {
    expect(printQuery(parseQuery(`SELECT VALUE ${text}`))).toBe(`SELECT VALUE ${canonical}`);
  });

  test.each(['a LIKE b LIKE c', 'a IN (1) = true', 'a BETWEEN 1 AND 2 BETWEEN 3 AND 4'])('%s is none', (text) => {
    expect(problemOf(`SELECT VALUE ${text}`).problems[0]?.code).toBe('SC1001');
  });
});

test('[wire 12] what is printed is the same query, and printed again the same text', () => {
  for (const { query } of readCorpus()) {
    let shape: string;
    try {
      shape = shapeOf(query);
    } catch {
      // A case of something that is wrong.
      continue;
    }
    const text = printQuery(parseQuery(query));

    expect(shapeOf(text)).toBe(shape);
    expect(printQuery(parseQuery(text))).toBe(text);
  }
});

test('[wire 12] names that became keywords late are members, and others only in brackets', () => {
  expect(printQuery(parseQuery('SELECT c.rank, c.limit, c["order"] FROM c'))).toBe(
    'SELECT c.rank, c.limit, c["order"]\nFROM c',
  );
});

describe('[wire 12] nesting is bounded, whatever it is made of', () => {
  const nests: readonly (readonly [string, (levels: number) => string])[] = [
    ['parentheses', (n) => `${'('.repeat(n)}1${')'.repeat(n)}`],
    ['arrays', (n) => `${'['.repeat(n)}1${']'.repeat(n)}`],
    ['objects', (n) => `${'{a:'.repeat(n)}1${'}'.repeat(n)}`],
    ['calls', (n) => `${'ABS('.repeat(n)}1${')'.repeat(n)}`],
    ['signs', (n) => `${'- '.repeat(n)}1`],
    ['sums', (n) => `${'1 + '.repeat(n)}1`],
    ['conditions', (n) => `${'true ? 1 : '.repeat(n)}1`],
    ['subqueries', (n) => `${'(SELECT VALUE '.repeat(n / 13)}1${')'.repeat(n / 13)}`],
    ['what LINQ writes', (n) => `${'('.repeat(n)}a${' OR b)'.repeat(n)}`],
  ];

  test.each(nests)('%s', (_, nest) => {
    const deep = depthMax - 30;

    expect(printQuery(parseQuery(printQuery(parseQuery(`SELECT VALUE ${nest(deep)}`))))).not.toBe('');
    expect(problemOf(`SELECT VALUE ${nest(20_000)}`).message).toContain('nested deeper');
  });

  test('a long chain of conditions is not deep', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => `c.a = ${i}`).join(' OR ');

    expect(parseQuery(`SELECT * FROM c WHERE ${chain}`).where?.kind).toBe('chain');
  });
});
