import type { PartitionKeyDefinition } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { allRows } from '../../test/all-pages.ts';
import { planParameters, planTable } from '../../test/plan-table.ts';
import { prepareQuery } from '../query.ts';
import { QueryError, wireMessage } from '../query-error.ts';
import type { Value } from '../value/value.ts';
import { isArray, memberOf } from '../value/value.ts';
import { clientPlan } from './client-plan.ts';
import type { PartitionedQueryExecutionInfo } from './query-info.ts';
import { plainQueryInfo } from './query-info.ts';
import { orderFilter } from './rewrite-order.ts';

/** As if the client had sent no list. */
const unlisted = '';

const definition: PartitionKeyDefinition = { paths: ['/key'], kind: 'Hash', version: 2 };
const every =
  'NonValueAggregate,Aggregate,Distinct,MultipleOrderBy,OffsetAndLimit,OrderBy,Top,CompositeAggregate,GroupBy,MultipleAggregates,NonStreamingOrderBy,ListAndSetAggregate,CountIf, DCount';
describe('[query 5.2] the plan of', () => {
  test.each(planTable.map((row) => [row.query, row] as const))('%s', (_, { query, info, rewritten = [] }) => {
    const { queryInfo } = planOf(query);

    expect(queryInfo).toEqual({ ...plainQueryInfo, ...info, rewrittenQuery: rewritten.join('\n') });
  });
});

describe('[query 5.3] what a range answers to the text of a plan', () => {
  const documents = [
    {
      id: '1',
      _rid: 'r1',
      key: 5,
      x: 3,
      y: true,
      b: 2,
      a: 'p',
      team: 't',
      name: 'n',
      d: true,
      list: [1, 2],
      v: [1, 2],
    },
    { id: '2', _rid: 'r2', key: 5, x: 1, y: false, team: 't', name: 'N', v: [2, 1] },
    { id: '3', _rid: 'r3', key: 6, y: true, b: 1, a: 'q', team: 'u', name: 'n', d: true },
  ];

  function rowsOf(query: string): readonly Value[] {
    const { rewrittenQuery } = planOf(query).queryInfo;
    return allRows({ query: rewrittenQuery.replace(orderFilter, 'true'), documents, parameters });
  }

  test.each(planTable.filter(({ rewritten }) => rewritten !== undefined).map(({ query }) => query))('%s', (query) => {
    const { queryInfo } = planOf(query);

    const rows = rowsOf(query);

    if (queryInfo.orderBy.length > 0) expect(rows.every(isOrderedRow)).toBe(true);
    else if (queryInfo.groupByExpressions.length > 0) expect(rows.every(isGroupedRow)).toBe(true);
    else if (queryInfo.groupByAliases.length > 0) expect(rows).toEqual([{ payload: expect.anything() }]);
    else if (queryInfo.aggregates.length > 0) expect(rows).toEqual([[expect.anything()]]);
    else expect(rows.length).toBeGreaterThan(0);
  });

  test('the keys of an order, of which one that is not there is an empty object', () => {
    expect(rowsOf('SELECT VALUE c.x FROM c ORDER BY c.b')).toEqual([
      { _rid: 'r2', orderByItems: [{}], payload: 1 },
      { _rid: 'r1', orderByItems: [{ item: 2 }], payload: 3 },
    ]);
  });

  test('aggregates, of which one that is undefined is left out', () => {
    expect(rowsOf('SELECT VALUE AVG(c.x) FROM c')).toEqual([[{ item: { sum: 4, count: 2 } }]]);
    expect(rowsOf('SELECT VALUE AVG(c.name) FROM c')).toEqual([[{ item: { count: 3 } }]]);
    expect(rowsOf('SELECT VALUE MIN(c.x) FROM c')).toEqual([[{ item: 1, item2: { min: 1, count: 2 } }]]);
    expect(rowsOf('SELECT VALUE MAX(c.none) FROM c')).toEqual([[{ item2: { count: 0 } }]]);
    expect(rowsOf('SELECT VALUE SUM(c.name) FROM c')).toEqual([[{}]]);
    expect(rowsOf('SELECT SUM(c.x) AS s, 1 FROM c')).toEqual([{ payload: { s: { item: 4 }, $1: 1 } }]);
  });

  test('groups', () => {
    expect(rowsOf('SELECT c.x, COUNT(1) AS n FROM c GROUP BY c.x')).toEqual([
      { groupByItems: [{}], payload: { n: { item: 1 } } },
      { groupByItems: [{ item: 1 }], payload: { x: 1, n: { item: 1 } } },
      { groupByItems: [{ item: 3 }], payload: { x: 3, n: { item: 1 } } },
    ]);
  });

  test.each([
    ['( c.b > 1 OR IS_STRING(c.b) OR IS_ARRAY(c.b) OR IS_OBJECT(c.b) )', ['r1']],
    ['( c.b >= 1 OR IS_STRING(c.b) OR IS_ARRAY(c.b) OR IS_OBJECT(c.b) )', ['r3', 'r1']],
    ['( c.b <= 1 OR NOT IS_DEFINED(c.b) OR IS_NULL(c.b) OR IS_BOOLEAN(c.b) )', ['r2', 'r3']],
    ['IS_DEFINED(c.b)', ['r3', 'r1']],
    ['NOT IS_DEFINED(c.b)', ['r2']],
    ['false', []],
    ['((c.b > 1)) OR ((c.b = 1) AND (c.id >= "3" OR IS_ARRAY(c.id) OR IS_OBJECT(c.id)))', ['r3', 'r1']],
  ])('[query 5.8] a client goes on behind a row with %s', (resumed, rids) => {
    const { rewrittenQuery } = planOf('SELECT * FROM c ORDER BY c.b').queryInfo;

    const rows = allRows({ query: rewrittenQuery.replace(orderFilter, resumed), documents });

    expect(rows.map((row) => (row as { readonly _rid: string })._rid)).toEqual(rids);
  });
});

describe('[wire 12] a plan is refused', () => {
  test('where aggregates are composed, in the form of what the text is not wrong in', () => {
    const error = refusalOf('SELECT MIN(c.a) / 2 FROM c');

    expect(error).toBeInstanceOf(QueryError);
    expect(wireMessage((error as QueryError).problems)).toBe(
      '{"Errors":["Compositions of aggregates and other expressions are not allowed."]}',
    );
    expect(allRows({ query: 'SELECT MIN(c.a) / 2 FROM c', documents: [{ a: 4 }] })).toEqual([{ $1: 2 }]);
    expect(planOf('SELECT VALUE {a: COUNT(1)}').queryInfo.rewrittenQuery).toBe('');
  });

  test.each([
    'SELECT * FROM (SELECT c.team, COUNT(1) AS n FROM c GROUP BY c.team) AS d',
    'SELECT * FROM (SELECT DISTINCT c.x FROM c) AS d',
    'SELECT * FROM (SELECT TOP 1 c.x FROM c) AS d',
    'SELECT COUNT(d.x) FROM (SELECT DISTINCT c.x FROM c) AS d',
    'SELECT SUM(1) FROM (SELECT DISTINCT c.x FROM c) AS d',
    'SELECT TOP 1 COUNT(1) FROM (SELECT DISTINCT c.x FROM c) AS d',
    'SELECT COUNT(1) FROM (SELECT DISTINCT TOP 2 c.x FROM c) AS d',
    'SELECT COUNT(1) FROM (SELECT DISTINCT c.x FROM c) AS d WHERE d.x > 1',
  ])('where a block in FROM has to see all documents: %s', (query) => {
    expect(refusalOf(query).message).toContain('A query in FROM with');
    expect(planOf(query.replace('FROM c', 'FROM c WHERE c.key = 1')).queryInfo.rewrittenQuery).toBe('');
  });

  test('but not where one range has all documents', () => {
    const prepared = prepareQuery('SELECT * FROM (SELECT DISTINCT c.x FROM c) AS d', []);

    expect(clientPlan(prepared, [], definition, every, true).queryInfo).toEqual(plainQueryInfo);
  });

  test.each([
    ['SELECT VALUE COUNT(1) FROM c', 'Aggregate'],
    ['SELECT COUNT(1), MIN(c.x) FROM c', 'NonValueAggregate, MultipleAggregates'],
    ['SELECT COUNT(1), MIN(c.x), c.x FROM c GROUP BY c.x', 'GroupBy'],
    ['SELECT VALUE COUNTIF(c.x) FROM c', 'Aggregate, CountIf'],
    ['SELECT MAKESET(c.x) FROM c', 'NonValueAggregate, ListAndSetAggregate'],
    ['SELECT DISTINCT TOP 1 c.x FROM c', 'Distinct, Top'],
    ['SELECT * FROM c ORDER BY c.x, c.y OFFSET 1 LIMIT 2', 'OffsetAndLimit, OrderBy, MultipleOrderBy'],
    ['SELECT TOP 1 * FROM c ORDER BY VectorDistance(c.v, [1])', 'Top, OrderBy, NonStreamingOrderBy'],
    ['SELECT COUNT(1) FROM (SELECT DISTINCT c.x FROM c)', 'Distinct, DCount'],
  ])('to a client that does not list what it needs: %s', (query, names) => {
    const { message } = refusalOf(query, 'None, Other');

    expect(message).toContain('unsupported features');
    expect(message).toContain(`: ${names}. Upgrade your SDK`);
    expect(() => planOf(query, every)).not.toThrow();
  });

  test('to a client from before the list only for what none of them knew', () => {
    expect(planOf('SELECT COUNT(1), c.x FROM c GROUP BY c.x', unlisted).queryInfo.groupByExpressions).toEqual(['c.x']);
    expect(refusalOf('SELECT COUNT(1) FROM (SELECT DISTINCT c.x FROM c)', unlisted).message).toContain(': DCount.');
  });

  test('where a parameter is no count', () => {
    const prepared = prepareQuery('SELECT TOP @n * FROM c', ['@n']);

    expect(() => clientPlan(prepared, ['x'], definition, every)).toThrow('TOP clause must be an integer');
  });
});

test('[query 5.1] a plan has the ranges of its filter', () => {
  expect(planOf('SELECT * FROM c')).toEqual({
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: plainQueryInfo,
    queryRanges: [{ min: '', max: 'FF', isMinInclusive: true, isMaxInclusive: false }],
  });
  expect(planOf('SELECT 5').queryRanges).toEqual([{ min: '', max: '', isMinInclusive: true, isMaxInclusive: true }]);
  expect(planOf('SELECT * FROM c WHERE c.key = 1').queryRanges).toEqual([
    {
      min: '20CD98B339BA78A5D0CF6953B87070B0',
      max: '20CD98B339BA78A5D0CF6953B87070B0',
      isMinInclusive: true,
      isMaxInclusive: true,
    },
  ]);
});

const parameters = Object.entries(planParameters).map(([name, value]) => ({ name, value }));

function planOf(query: string, features: string = every): PartitionedQueryExecutionInfo {
  const prepared = prepareQuery(query, Object.keys(planParameters));
  return clientPlan(prepared, Object.values(planParameters), definition, features === unlisted ? undefined : features);
}

function refusalOf(query: string, features: string = every): Error {
  try {
    planOf(query, features);
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was planned');
}

function isOrderedRow(row: Value): boolean {
  return (
    typeof memberOf(row, '_rid') === 'string' &&
    isArray(memberOf(row, 'orderByItems')) &&
    memberOf(row, 'payload') !== undefined
  );
}

function isGroupedRow(row: Value): boolean {
  return isArray(memberOf(row, 'groupByItems'));
}
