import type { PartitionKeyDefinition } from '@tidemark/model';
import { effectiveKey, effectiveKeyHex, effectiveKeyPrefixRange } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { filterKeysMax, filterStepsMax } from '../limits.ts';
import { prepareQuery } from '../query.ts';
import type { Value } from '../value/value.ts';
import type { QueryRange } from './partition-keys.ts';
import { keyRangesOf, scannedRanges } from './partition-keys.ts';

const one: PartitionKeyDefinition = { paths: ['/key'], kind: 'Hash', version: 2 };
const three: PartitionKeyDefinition = { paths: ['/a', '/b', '/c/d'], kind: 'MultiHash', version: 2 };

const everything = [{ min: '', max: 'FF', isMinInclusive: true, isMaxInclusive: false }];
const nothing = [{ min: '', max: '', isMinInclusive: true, isMaxInclusive: true }];

type Component = string | number | boolean | null | undefined;

describe('[query 5.7] what a filter says of the partition key', () => {
  test.each([
    'r.key > 1',
    'r.key BETWEEN 1 AND 1',
    'IS_NUMBER(r.key)',
    'IS_DEFINED(r.key)',
    "r.key LIKE 'a%'",
    'LENGTH(r.key) = 1',
    'r.key != 1',
    'r.key NOT IN (1)',
    'NOT (r.key = 1)',
    'r.key = 1 OR r.other = 2',
    'r.key = r.other',
    'r.key IN (1, r.other)',
    'r.key[0] = 1',
    'r.key.more = 1',
    'EXISTS(SELECT VALUE r WHERE r.key = 1)',
    'ARRAY_CONTAINS([1], r.key, r.other)',
    'ABS(r.other) = 1',
    'r["other"] = "key"',
  ])('%s can be true of any', (filter) => {
    expect(ranges(`SELECT * FROM Root r WHERE ${filter}`)).toEqual(everything);
  });

  test.each<[string, readonly Component[]]>([
    ['r.key = 5', [5]],
    ['5 = r.key', [5]],
    ['r["key"] = "x"', ['x']],
    ["r.key = ''", ['']],
    ['r.key = null', [null]],
    ['r.key = {}', [undefined]],
    ['r.key = []', [undefined]],
    ['r.key = -0', [0]],
    ['r.key = 1 + 1', [2]],
    ['r.key = @p', ['of p']],
    ['r.key IN (3, 1, 2, 1)', [1, 2, 3]],
    ['r.key = 1 OR r.key = 2 OR r.key = 1', [1, 2]],
    ['r.key = 1 AND r.other > 2', [1]],
    ['r.other > 2 AND (r.key = 1 OR r.key = 3)', [1, 3]],
    ['(r.key = 1 OR r.key = 2) AND r.key != 2 AND r.key IN (2, 3)', [2]],
    ['ARRAY_CONTAINS([1, "x", null], r.key)', [1, 'x', null]],
    ['ARRAY_CONTAINS(@list, r.key)', ['p', 'q']],
    ['ARRAY_CONTAINS([{a: 1}, 2], r.key, true)', [undefined, 2]],
    ['r.key', [true]],
    ['NOT r.key', [false]],
    ['IS_BOOL(r.key)', [true, false]],
    ['IS_NULL(r.key)', [null]],
    ['NOT IS_DEFINED(r.key)', [undefined]],
    ['NOT (r.key != 7)', [7]],
    ['NOT (r.key NOT IN (7, 8))', [7, 8]],
    ['NOT (r.key != 7 OR r.other = 1)', [7]],
    ['ABS(r.key) = 1', [-1, 1]],
    ["r.key LIKE 'a!%' ESCAPE '!'", ['a%']],
    ['(r.key = 1) ?? (r.key = 2)', [1, 2]],
    ['(r.key = 1 ? true : r.key = 2)', [1, 2]],
    ['r.key = 1 AND true', [1]],
  ])('%s', (filter, values) => {
    expect(ranges(`SELECT * FROM Root r WHERE ${filter}`)).toEqual(
      points(
        one,
        values.map((value) => [value]),
      ),
    );
  });

  test.each([
    'r.key = 1 AND r.key = 2',
    'false',
    '1 = 2',
    'r.key = undefined',
    'r.key = 0 / 0',
    'ABS(r.key) = -1',
    'r.other = 1 AND false',
  ])('%s is true of none', (filter) => {
    expect(ranges(`SELECT * FROM Root r WHERE ${filter}`)).toEqual(nothing);
  });
});

test('[query 5.7] a query without a filter looks everywhere, and one without FROM nowhere', () => {
  expect(ranges('SELECT * FROM c')).toEqual(everything);
  expect(ranges('SELECT 5')).toEqual(nothing);
});

test('[query 5.7] what is filtered is the container: not what is joined, nor what a block around it makes', () => {
  const five = points(one, [[5]]);

  expect(ranges('SELECT VALUE t FROM c JOIN t IN c.list WHERE t.key = 5')).toEqual(everything);
  expect(ranges('SELECT VALUE t FROM t IN c.list WHERE t.key = 5')).toEqual(everything);
  expect(ranges('SELECT * FROM (SELECT VALUE c FROM c) AS d WHERE d.key = 5')).toEqual(everything);
  expect(ranges('SELECT * FROM (SELECT VALUE c FROM c WHERE c.key = 5) AS d WHERE d.x = 1')).toEqual(five);
  expect(ranges('SELECT COUNT(1) FROM c JOIN t IN c.list WHERE c.key = 5 AND t = 1')).toEqual(five);
});

describe('[query 5.7] of a hierarchical key', () => {
  test('every level together is a point, in any order', () => {
    expect(ranges("SELECT * FROM c WHERE c.c.d = 1 AND c.b = null AND c.a = 'x'", three)).toEqual(
      points(three, [['x', null, 1]]),
    );
    expect(ranges("SELECT * FROM c WHERE c.a = 'x' AND c.b IN (1, 2) AND c.c.d = 3", three)).toEqual(
      points(three, [
        ['x', 1, 3],
        ['x', 2, 3],
      ]),
    );
  });

  test('the first levels are a range', () => {
    expect(ranges("SELECT * FROM c WHERE c.a = 'x'", three)).toEqual([prefix('x')]);
    expect(ranges("SELECT * FROM c WHERE c.a = 'x' AND c.c.d = 1", three)).toEqual([prefix('x')]);
    expect(ranges("SELECT * FROM c WHERE c.a = 'x' AND c.b = 1", three)).toEqual([prefix('x', 1)]);
  });

  test('a range has the points and ranges in it already', () => {
    expect(ranges("SELECT * FROM c WHERE (c.a = 'x' AND c.b = 1 AND c.c.d = 2) OR c.a = 'x'", three)).toEqual([
      prefix('x'),
    ]);
  });

  test('the later levels alone say nothing', () => {
    expect(ranges('SELECT * FROM c WHERE c.b = 1 AND c.c.d = 2', three)).toEqual(everything);
    expect(ranges("SELECT * FROM c WHERE c.a = 'x' OR c.b = 1", three)).toEqual(everything);
  });
});

test('[query 5.7] many alternatives on two levels end as ranges of the first', () => {
  const list = Array.from({ length: 1000 }, (_, at) => at).join(', ');

  const found = ranges(`SELECT * FROM c WHERE c.a IN (${list}) AND c.b IN (${list})`, three);

  expect(found).toHaveLength(1000);
  expect(found.every(({ isMaxInclusive }) => !isMaxInclusive)).toBe(true);
});

test('[query 5.7] more keys than are looked up are any key', () => {
  const listed = (count: number): string => Array.from({ length: count }, (_, at) => at).join(', ');

  expect(ranges(`SELECT * FROM c WHERE c.key IN (${listed(filterKeysMax)})`)).toHaveLength(filterKeysMax);
  expect(ranges(`SELECT * FROM c WHERE c.key IN (${listed(filterKeysMax + 1)})`)).toEqual(everything);
  expect(ranges(`SELECT * FROM c WHERE ARRAY_CONTAINS([${listed(filterKeysMax + 1)}], c.key)`)).toEqual(everything);
  expect(ranges(`SELECT * FROM c WHERE c.key = -1 AND c.key IN (${listed(filterKeysMax + 1)})`)).toEqual(
    points(one, [[-1]]),
  );
  const equals = Array.from({ length: filterKeysMax + 1 }, (_, at) => `c.key = ${at}`);
  expect(ranges(`SELECT * FROM c WHERE ${equals.join(' OR ')}`)).toEqual(everything);
  const pairs = Array.from({ length: filterKeysMax + 1 }, (_, at) => `(c.a = ${at} AND c.b = 1)`);
  expect(ranges(`SELECT * FROM c WHERE ${pairs.join(' OR ')}`, three)).toEqual(everything);
});

test.each([
  ['ARRAY_CONTAINS(@a, r.key)', 'AND', 4_000],
  ['ARRAY_CONTAINS(@a, r.key)', 'OR', 4_000],
  ['ARRAY_CONTAINS(@a, r.key)', 'AND', 20_000],
  ['ARRAY_CONTAINS(@a, r.key, true)', 'AND', 4_000],
  ['r.key = [@a]', 'OR', 4_000],
  ['@a = @b', 'AND', 4_000],
  ['@a != @b', 'OR', 20_000],
])(
  '[query 5.7] a parameter is looked at a bounded number of times, however often it is named: %s %s of %i',
  (part, word, length) => {
    const looks = { count: 0 };
    const list = (): Value =>
      counted(
        Array.from({ length }, (_, at) => at),
        looks,
      );
    const query = `SELECT * FROM r WHERE r.key = 0 AND (${Array.from({ length: 2_000 }, () => part).join(` ${word} `)})`;

    const found = keyRangesOf(prepareQuery(query, ['@a', '@b']), [list(), list()], one);

    expect(found).toEqual(points(one, [[0]]));
    expect(looks.count).toBeLessThan(4 * filterStepsMax);
  },
);

test('[query 5.7] a key that is longer than one may be is any key', () => {
  const long = 'x'.repeat(5_000);

  expect(ranges(`SELECT * FROM c WHERE c.key = "${long}"`)).toEqual(everything);
  expect(ranges(`SELECT * FROM c WHERE c.key = "${long}" AND c.key = 1`)).toEqual(points(one, [[1]]));
});

test('[query 5.7] what would be too large a value is not worked out before there is a document', () => {
  const large = Array.from({ length: 500 }, () => 'x'.repeat(10_000));
  const prepared = prepareQuery('SELECT * FROM c WHERE c.key = 5 AND c.other = [@large, @large]', ['@large']);

  expect(keyRangesOf(prepared, [large], one)).toEqual(points(one, [[5]]));
});

test('[query 5.7] for a scan a point is an interval with one key in it, and none is no interval', () => {
  const [point] = points(one, [[5]]);

  expect(scannedRanges(ranges('SELECT * FROM c WHERE c.key = 5'))).toEqual([
    { min: point?.min, max: `${point?.min}00` },
  ]);
  expect(scannedRanges(everything)).toEqual([{ min: '', max: 'FF' }]);
  expect(scannedRanges(nothing)).toEqual([]);
});

const parameters: Readonly<Record<string, Value>> = { '@p': 'of p', '@list': ['p', 'q'] };

function ranges(query: string, definition: PartitionKeyDefinition = one): readonly QueryRange[] {
  return keyRangesOf(prepareQuery(query, Object.keys(parameters)), Object.values(parameters), definition);
}

/** Counts how often it is looked into. */
function counted(list: readonly Value[], looks: { count: number }): Value {
  return new Proxy(list, {
    get: (target, name, receiver) => {
      looks.count += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

function points(definition: PartitionKeyDefinition, keys: readonly (readonly Component[])[]): readonly QueryRange[] {
  return keys
    .map((key) => effectiveKeyHex(effectiveKey(definition, key)))
    .sort()
    .map((hex) => ({ min: hex, max: hex, isMinInclusive: true, isMaxInclusive: true }));
}

function prefix(...values: readonly Component[]): QueryRange {
  return { ...effectiveKeyPrefixRange(three, values), isMinInclusive: true, isMaxInclusive: false };
}
