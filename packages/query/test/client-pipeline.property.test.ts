import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Value } from '../src/value/value.ts';
import { contentKey } from '../src/value/value-set.ts';
import { allRows } from './all-pages.ts';
import { pipelineRows } from './client-pipeline.ts';

const value = fc.constantFrom<Value>(
  undefined,
  null,
  false,
  true,
  0,
  1,
  2.5,
  -3,
  '',
  'a',
  'b',
  '1',
  [1],
  [],
  { x: 1 },
  {},
);
const scalar = fc.constantFrom<Value>(undefined, null, false, true, 0, 1, 2.5, -3, '', 'a', 'b', '1');
const ordinary = fc.record({
  a: scalar,
  b: scalar,
  n: fc.integer({ min: 0, max: 3 }),
  list: fc.array(scalar, { maxLength: 3 }),
});
const odd = fc.record({ a: value, b: value, n: value, list: value });

const documents = fc
  .oneof(fc.array(ordinary, { maxLength: 12 }), fc.array(odd, { maxLength: 12 }))
  .map((list) => list.map((one, at) => ({ id: `${at}`, ...one })))
  // Undefined members are left out.
  .map((list) => JSON.parse(JSON.stringify(list)) as readonly Value[]);

const where = fc.constantFrom(
  '',
  ' WHERE c.n > 1',
  ' WHERE c.id IN ("1", "2", "3")',
  ' WHERE c.id = "1"',
  ' WHERE IS_DEFINED(c.a)',
);
const from = fc.constantFrom('FROM c', 'FROM c JOIN t IN c.list', 'FROM (SELECT VALUE c FROM c WHERE c.n != 1) AS c');
const aggregate = fc.constantFrom(
  'COUNT(1)',
  'COUNT(c.a)',
  'COUNTIF(c.n > 1)',
  'SUM(c.n)',
  'AVG(c.n)',
  'AVG(c.a)',
  'MIN(c.a)',
  'MAX(c.b)',
  'SUM(c.b)',
);
const key = fc.constantFrom('c.a', 'c.b', 'c.n');
const cut = fc.constantFrom('', ' OFFSET 0 LIMIT 3', ' OFFSET 2 LIMIT 4', ' OFFSET 50 LIMIT 1');
const top = fc.constantFrom('', 'TOP 2 ', 'TOP 100 ');
const direction = fc.constantFrom('', ' ASC', ' DESC');

const anyOrder = fc.oneof(
  fc
    .tuple(fc.constantFrom('c.id, c.a', 'VALUE c.a', 'c.a, c.b', 'DISTINCT c.a', 'DISTINCT VALUE c.b'), from, where)
    .map((parts) => `SELECT ${parts.join(' ')}`),
  fc.tuple(aggregate, from, where).map(([one, source, filter]) => `SELECT VALUE ${one} ${source}${filter}`),
  fc
    .tuple(fc.array(aggregate, { minLength: 1, maxLength: 3 }), from, where)
    .map(([some, source, filter]) => `SELECT ${some.join(', ')} ${source}${filter}`),
  fc
    .tuple(fc.constantFrom('', 'DISTINCT '), aggregate, key, from, where)
    .map(
      ([distinct, one, group, source, filter]) =>
        `SELECT ${distinct}${group} AS k, ${one} ${source}${filter} GROUP BY ${group}`,
    ),
  fc
    .tuple(fc.constantFrom('c.a', 'c.b', 'COUNT(1)', 'MAX(c.n)'), from, where)
    .map(([one, source, filter]) => `SELECT VALUE ${one} ${source}${filter} GROUP BY c.a, c.b`),
);

/** The last key is another one in each document. */
const sorted = fc.oneof(
  fc
    .tuple(top, fc.constantFrom('*', 'c.id, c.a', 'VALUE c.a', 'VALUE c.id'), where, key, direction)
    .map(
      ([most, selected, filter, first, way]) =>
        `SELECT ${most}${selected} FROM c${filter} ORDER BY ${first}${way}, c.id`,
    ),
  fc
    .tuple(fc.constantFrom('c.id, c.a', 'VALUE c'), where, key, direction, direction, cut)
    .map(
      ([selected, filter, first, way, otherWay, some]) =>
        `SELECT ${selected} FROM c${filter} ORDER BY ${first}${way}, c.id${otherWay}${some}`,
    ),
  fc
    .tuple(top, key, where, direction)
    .map(([most, one, filter, way]) => `SELECT DISTINCT ${most}VALUE ${one} FROM c${filter} ORDER BY ${one}${way}`),
);

const shape = { documents, rangeCount: fc.constantFrom(1, 2, 5), itemsMax: fc.constantFrom(1, 3, 100) };

test('[query 5.2] what a client puts together is what the server would answer, in some order', () => {
  fc.assert(
    fc.property(fc.record({ ...shape, query: anyOrder }), (asked) => {
      expect(inOrder(pipelineRows(asked))).toEqual(inOrder(allRows({ ...asked, itemsMax: 1000 })));
    }),
    { numRuns: 500 },
  );
});

test('[query 5.8] sorted rows are the same, also for a client that begins anew behind each of them', () => {
  fc.assert(
    fc.property(fc.record({ ...shape, query: sorted, isResumed: fc.boolean() }), (asked) => {
      expect(pipelineRows(asked)).toEqual(allRows({ ...asked, itemsMax: 1000 }));
    }),
    { numRuns: 500 },
  );
});

function inOrder(rows: readonly Value[]): readonly string[] {
  return rows.map((row) => String(contentKey(row))).sort();
}
