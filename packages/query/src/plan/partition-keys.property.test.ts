import type { PartitionKeyDefinition } from '@tidemark/model';
import {
  effectiveKey,
  effectiveKeyHex,
  extractPartitionKey,
  keyRangeContains,
  parsePartitionKeyPath,
} from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allRows } from '../../test/all-pages.ts';
import { prepareQuery } from '../query.ts';
import type { Value } from '../value/value.ts';
import { idsOf, keyRangesOf, oneKeyOf, scannedRanges } from './partition-keys.ts';

const definitions: readonly PartitionKeyDefinition[] = [
  { paths: ['/a'], kind: 'Hash', version: 1 },
  { paths: ['/a'], kind: 'Hash', version: 2 },
  { paths: ['/b/x'], kind: 'Hash', version: 2 },
  { paths: ['/a', '/b/x'], kind: 'MultiHash', version: 2 },
  { paths: ['/a', '/b/x', '/c'], kind: 'MultiHash', version: 2 },
];

const value: fc.Arbitrary<Value> = fc.constantFrom<Value>(
  0,
  -0,
  1,
  -1,
  '',
  'a',
  '1',
  'a%',
  true,
  false,
  null,
  {},
  undefined,
);

const document = fc.record({ a: value, b: fc.oneof(value, fc.record({ x: value })), c: value });

const literal = value.map((one) => (one === undefined ? 'undefined' : Object.is(one, -0) ? '-0' : JSON.stringify(one)));
const path = fc.constantFrom('c.a', 'c.b.x', 'c.c', 'c["b"]["x"]', 'c.b');

const { filter } = fc.letrec<{ filter: string; leaf: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fc.tuple(tie('filter'), tie('filter')).map(([a, b]) => `(${a} AND ${b})`),
    fc.tuple(tie('filter'), tie('filter')).map(([a, b]) => `(${a} OR ${b})`),
    fc.tuple(tie('filter'), tie('filter')).map(([a, b]) => `(${a} ?? ${b})`),
    fc.tuple(tie('filter'), tie('filter'), tie('filter')).map(([a, b, d]) => `(${a} ? ${b} : ${d})`),
    tie('filter').map((a) => `(NOT ${a})`),
  ),
  leaf: fc.oneof(
    fc.tuple(path, fc.constantFrom('=', '!=', '<', '>='), literal).map((parts) => `(${parts.join(' ')})`),
    fc.tuple(literal, fc.constantFrom('=', '!='), path).map((parts) => `(${parts.join(' ')})`),
    fc.tuple(path, path).map(([a, b]) => `(${a} = ${b})`),
    fc
      .tuple(path, fc.constantFrom('IN', 'NOT IN'), fc.array(literal, { minLength: 1, maxLength: 4 }))
      .map(([a, word, list]) => `(${a} ${word} (${list.join(', ')}))`),
    fc
      .tuple(path, fc.constantFrom('LIKE', 'NOT LIKE'), fc.constantFrom("'a'", "'a%'", "'a!%' ESCAPE '!'", "''"))
      .map((parts) => `(${parts.join(' ')})`),
    fc
      .tuple(fc.array(literal, { maxLength: 3 }), path, fc.constantFrom('', ', true', ', false'))
      .map(([list, a, partial]) => `ARRAY_CONTAINS([${list.join(', ')}], ${a}${partial})`),
    fc
      .tuple(fc.constantFrom('IS_NULL', 'IS_BOOL', 'IS_DEFINED', 'IS_STRING', 'IS_OBJECT'), path)
      .map(([name, a]) => `${name}(${a})`),
    fc.tuple(path, fc.constantFrom('0', '1', '-1')).map(([a, number]) => `(ABS(${a}) = ${number})`),
    path,
    literal,
  ),
}));

test('[query 5.7] a document that passes the filter lies in the ranges, however few steps there are', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...definitions),
      filter,
      fc.array(document, { maxLength: 6 }),
      fc.constantFrom(0, 1, 2, 3, 5, 8, 13, 21, 34, 1000),
      (definition, where, documents, stepsMax) => {
        const query = `SELECT VALUE c FROM c WHERE ${where}`;
        const paths = definition.paths.map(parsePartitionKeyPath);
        const stored = documents
          .map((one) => JSON.parse(JSON.stringify(one)) as Value)
          .filter((one) => isKeyed(one, paths));

        const ranges = scannedRanges(keyRangesOf(prepareQuery(query, []), [], definition, stepsMax));
        const only = oneKeyOf(prepareQuery(query, []), [], definition, stepsMax);

        for (const passed of allRows({ query, documents: stored })) {
          const key = effectiveKeyHex(effectiveKey(definition, extractPartitionKey(passed, paths)));
          expect(ranges.some((range) => keyRangeContains(range, key))).toBe(true);
          if (only !== undefined) expect(key).toBe(effectiveKeyHex(effectiveKey(definition, only)));
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('[query 5.7] a document that passes the filter has one of the ids, however few steps there are', () => {
  const ids = ['', 'a', '1', 'a%'];
  fc.assert(
    fc.property(filter, fc.constantFrom(0, 1, 2, 3, 5, 8, 13, 21, 34, 1000), (where, stepsMax) => {
      const query = `SELECT VALUE c.id FROM c WHERE ${where.replaceAll('c.a', 'c.id')}`;
      const documents = ids.map((id) => ({ id, b: { x: 1 }, c: true }));

      const possible = idsOf(prepareQuery(query, []), [], stepsMax) ?? ids;

      for (const passed of allRows({ query, documents })) expect(possible).toContain(passed);
    }),
    { numRuns: 500 },
  );
});

/** What the engine would store. */
function isKeyed(document: Value, paths: readonly (readonly string[])[]): boolean {
  try {
    extractPartitionKey(document, paths);
    return true;
  } catch {
    return false;
  }
}
