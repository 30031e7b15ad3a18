// The plans of queries, a row each: what differs from a plain one, and the lines of the text that ranges are asked (spec query 5.2).
// tidy: table

import type { QueryInfo } from '../src/plan/query-info.ts';

const filter = '({documentdb-formattableorderbyquery-filter})';

export interface PlanRow {
  readonly query: string;
  readonly info: Partial<QueryInfo>;
  readonly rewritten?: readonly string[];
}

/** The rows of spec query 5.2, from baselines of the service. */
export const planTable: readonly PlanRow[] = [
  { query: 'SELECT * FROM c', info: {} },
  { query: 'SELECT * FROM c WHERE c.x > 1', info: {} },
  { query: 'SELECT VALUE c.x FROM c', info: { hasSelectValue: true } },
  { query: 'SELECT TOP 5 * FROM c', info: { top: 5 } },
  { query: 'SELECT TOP 5 * FROM c WHERE c.key = 5', info: { top: 5 } },
  { query: 'SELECT TOP @five * FROM c', info: { top: 5 } },
  { query: 'SELECT 5', info: {} },
  { query: 'SELECT TOP 2 5', info: {} },
  {
    query: 'SELECT * FROM c OFFSET 1 LIMIT 2',
    info: { offset: 1, limit: 2 },
    rewritten: ['SELECT *', 'FROM c', 'OFFSET 0 LIMIT 3'],
  },
  {
    query: "select c.x from Root as c where c.a='p' offset @one limit @five",
    info: { offset: 1, limit: 5 },
    rewritten: ['SELECT c.x', 'FROM Root AS c', 'WHERE (c.a = "p")', 'OFFSET 0 LIMIT 6'],
  },
  { query: 'SELECT * FROM c WHERE c.key = 5 OFFSET 1 LIMIT 2', info: {} },
  {
    query: 'SELECT * FROM c WHERE c.key IN (5, 6) OFFSET 1 LIMIT 2',
    info: { offset: 1, limit: 2 },
    rewritten: ['SELECT *', 'FROM c', 'WHERE (c.key IN (5, 6))', 'OFFSET 0 LIMIT 3'],
  },
  {
    query: 'SELECT * FROM Root r ORDER BY r.b',
    info: { orderBy: ['Ascending'], orderByExpressions: ['r.b'] },
    rewritten: [
      'SELECT r._rid, [{"item": r.b}] AS orderByItems, r AS payload',
      'FROM Root AS r',
      `WHERE ${filter}`,
      'ORDER BY r.b',
    ],
  },
  {
    query: "SELECT * FROM Root r WHERE r.key = 'key' ORDER BY r.b",
    info: { orderBy: ['Ascending'], orderByExpressions: ['r.b'] },
    rewritten: [
      'SELECT r._rid, [{"item": r.b}] AS orderByItems, r AS payload',
      'FROM Root AS r',
      `WHERE ((r.key = "key") AND ${filter})`,
      'ORDER BY r.b',
    ],
  },
  {
    query: 'SELECT VALUE r.a FROM Root r ORDER BY r.b',
    info: { orderBy: ['Ascending'], orderByExpressions: ['r.b'], hasSelectValue: true },
    rewritten: [
      'SELECT r._rid, [{"item": r.b}] AS orderByItems, r.a AS payload',
      'FROM Root AS r',
      `WHERE (${filter} AND IS_DEFINED(r.a))`,
      'ORDER BY r.b',
    ],
  },
  {
    query: 'SELECT VALUE r.a FROM Root r WHERE r.d = true ORDER BY r.b',
    info: { orderBy: ['Ascending'], orderByExpressions: ['r.b'], hasSelectValue: true },
    rewritten: [
      'SELECT r._rid, [{"item": r.b}] AS orderByItems, r.a AS payload',
      'FROM Root AS r',
      `WHERE (((r.d = true) AND ${filter}) AND IS_DEFINED(r.a))`,
      'ORDER BY r.b',
    ],
  },
  {
    query: 'SELECT c.x, c.y, c.x + 1 FROM c ORDER BY c.y DESC, c["a b"] ASC',
    info: { orderBy: ['Descending', 'Ascending'], orderByExpressions: ['c.y', 'c["a b"]'] },
    rewritten: [
      'SELECT c._rid, [{"item": c.y}, {"item": c["a b"]}] AS orderByItems, {"x": c.x, "y": c.y, "$1": (c.x + 1)} AS payload',
      'FROM c',
      `WHERE ${filter}`,
      'ORDER BY c.y DESC, c["a b"] ASC',
    ],
  },
  {
    query: 'SELECT TOP 10 * FROM c ORDER BY c.x',
    info: { top: 10, orderBy: ['Ascending'], orderByExpressions: ['c.x'] },
    rewritten: [
      'SELECT TOP 10 c._rid, [{"item": c.x}] AS orderByItems, c AS payload',
      'FROM c',
      `WHERE ${filter}`,
      'ORDER BY c.x',
    ],
  },
  {
    query: 'SELECT * FROM c WHERE c.key = 5 ORDER BY c.x OFFSET 5 LIMIT 7',
    info: { offset: 5, limit: 7, orderBy: ['Ascending'], orderByExpressions: ['c.x'] },
    rewritten: [
      'SELECT c._rid, [{"item": c.x}] AS orderByItems, c AS payload',
      'FROM c',
      `WHERE ((c.key = 5) AND ${filter})`,
      'ORDER BY c.x',
      'OFFSET 0 LIMIT 12',
    ],
  },
  {
    query: 'SELECT c.id, t FROM c JOIN t IN c.list ORDER BY c.x',
    info: { orderBy: ['Ascending'], orderByExpressions: ['c.x'] },
    rewritten: [
      'SELECT c._rid, [{"item": c.x}] AS orderByItems, {"id": c.id, "t": t} AS payload',
      'FROM c',
      'JOIN t IN c.list',
      `WHERE ${filter}`,
      'ORDER BY c.x',
    ],
  },
  {
    query: 'SELECT VALUE SUM(c.x) FROM c',
    info: { aggregates: ['Sum'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": SUM(c.x)}]', 'FROM c'],
  },
  {
    query: 'SELECT VALUE Count(1) FROM c',
    info: { aggregates: ['Count'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": Count(1)}]', 'FROM c'],
  },
  {
    query: 'SELECT VALUE COUNTIF(c.x > 1) FROM c',
    info: { aggregates: ['CountIf'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": COUNTIF((c.x > 1))}]', 'FROM c'],
  },
  {
    query: 'SELECT VALUE MAKELIST(c.x) FROM c',
    info: { aggregates: ['MakeList'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": MAKELIST(c.x)}]', 'FROM c'],
  },
  {
    query: 'SELECT VALUE MAKESET(c.x) FROM c',
    info: { aggregates: ['MakeSet'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": MAKESET(c.x)}]', 'FROM c'],
  },
  {
    query: 'SELECT VALUE AVG(c.x) FROM c',
    info: { aggregates: ['Average'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": {"sum": SUM(c.x), "count": COUNT(c.x)}}]', 'FROM c'],
  },
  {
    query: 'SELECT VALUE MIN(c.x) FROM c',
    info: { aggregates: ['Min'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": MIN(c.x), "item2": {"min": MIN(c.x), "count": COUNT(c.x)}}]', 'FROM c'],
  },
  {
    query: 'SELECT VALUE MAX(c.x) FROM c',
    info: { aggregates: ['Max'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": MAX(c.x), "item2": {"max": MAX(c.x), "count": COUNT(c.x)}}]', 'FROM c'],
  },
  {
    query: 'SELECT AVG(c.x) FROM c',
    info: { groupByAliases: ['$1'], groupByAliasToAggregateType: { $1: 'Average' } },
    rewritten: ['SELECT {"$1": {"item": {"sum": SUM(c.x), "count": COUNT(c.x)}}} AS payload', 'FROM c'],
  },
  {
    query: 'SELECT COUNT(1) AS n, 5, MAX(c.x) FROM c',
    info: {
      groupByAliases: ['n', '$1', '$2'],
      groupByAliasToAggregateType: { n: 'Count', $1: null, $2: 'Max' },
    },
    rewritten: [
      'SELECT {"n": {"item": COUNT(1)}, "$1": 5, "$2": {"item": MAX(c.x), "item2": {"max": MAX(c.x), "count": COUNT(c.x)}}} AS payload',
      'FROM c',
    ],
  },
  {
    query: 'SELECT TOP 5 VALUE AVG(c.x) FROM c',
    info: { top: 5, aggregates: ['Average'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": {"sum": SUM(c.x), "count": COUNT(c.x)}}]', 'FROM c'],
  },
  {
    query: 'SELECT VALUE COUNT(1) FROM c WHERE c.key = 5 OFFSET 0 LIMIT 1',
    info: { offset: 0, limit: 1, aggregates: ['Count'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": COUNT(1)}]', 'FROM c', 'WHERE (c.key = 5)'],
  },
  {
    query: 'SELECT VALUE COUNT(1) FROM c ORDER BY c.x ASC',
    info: { aggregates: ['Count'], hasSelectValue: true },
    rewritten: ['SELECT VALUE [{"item": COUNT(1)}]', 'FROM c', 'ORDER BY c.x ASC'],
  },
  {
    query: 'SELECT c.team, COUNT(1) AS count, c.name FROM c GROUP BY c.team, c.name',
    info: {
      groupByExpressions: ['c.team', 'c.name'],
      groupByAliases: ['team', 'count', 'name'],
      groupByAliasToAggregateType: { team: null, count: 'Count', name: null },
    },
    rewritten: [
      'SELECT [{"item": c.team}, {"item": c.name}] AS groupByItems, {"team": c.team, "count": {"item": COUNT(1)}, "name": c.name} AS payload',
      'FROM c',
      'GROUP BY c.team, c.name',
    ],
  },
  {
    query: 'SELECT UPPER(c.name) FROM c GROUP BY c.name',
    info: {
      groupByExpressions: ['c.name'],
      groupByAliases: ['$1'],
      groupByAliasToAggregateType: { $1: null },
    },
    rewritten: [
      'SELECT [{"item": c.name}] AS groupByItems, {"$1": UPPER(c.name)} AS payload',
      'FROM c',
      'GROUP BY c.name',
    ],
  },
  {
    query: 'SELECT VALUE c.x FROM c GROUP BY c.x',
    info: { groupByExpressions: ['c.x'], hasSelectValue: true },
    rewritten: ['SELECT [{"item": c.x}] AS groupByItems, c.x AS payload', 'FROM c', 'GROUP BY c.x'],
  },
  {
    query: 'SELECT VALUE COUNT(1) FROM c GROUP BY c.x',
    info: { groupByExpressions: ['c.x'], aggregates: ['Count'], hasSelectValue: true },
    rewritten: ['SELECT [{"item": c.x}] AS groupByItems, [{"item": COUNT(1)}] AS payload', 'FROM c', 'GROUP BY c.x'],
  },
  {
    query: 'SELECT TOP 3 c.x FROM c GROUP BY c.x',
    info: {
      top: 3,
      groupByExpressions: ['c.x'],
      groupByAliases: ['x'],
      groupByAliasToAggregateType: { x: null },
    },
    rewritten: ['SELECT [{"item": c.x}] AS groupByItems, {"x": c.x} AS payload', 'FROM c', 'GROUP BY c.x'],
  },
  {
    query: 'SELECT DISTINCT c.x FROM c GROUP BY c.x, c.y OFFSET 1 LIMIT 2',
    info: {
      distinctType: 'Unordered',
      offset: 1,
      limit: 2,
      groupByExpressions: ['c.x', 'c.y'],
      groupByAliases: ['x'],
      groupByAliasToAggregateType: { x: null },
    },
    rewritten: [
      'SELECT [{"item": c.x}, {"item": c.y}] AS groupByItems, {"x": c.x} AS payload',
      'FROM c',
      'GROUP BY c.x, c.y',
    ],
  },
  { query: 'SELECT DISTINCT c.x FROM c', info: { distinctType: 'Unordered' } },
  {
    query: 'SELECT DISTINCT VALUE c.x FROM c ORDER BY c.x',
    info: { distinctType: 'Ordered', orderBy: ['Ascending'], orderByExpressions: ['c.x'], hasSelectValue: true },
    rewritten: [
      'SELECT c._rid, [{"item": c.x}] AS orderByItems, c.x AS payload',
      'FROM c',
      `WHERE (${filter} AND IS_DEFINED(c.x))`,
      'ORDER BY c.x',
    ],
  },
  {
    query: 'SELECT DISTINCT TOP 2 c.x FROM c ORDER BY c.x DESC',
    info: { distinctType: 'Unordered', top: 2, orderBy: ['Descending'], orderByExpressions: ['c.x'] },
    rewritten: [
      'SELECT c._rid, [{"item": c.x}] AS orderByItems, {"x": c.x} AS payload',
      'FROM c',
      `WHERE ${filter}`,
      'ORDER BY c.x DESC',
    ],
  },
  {
    query: 'SELECT DISTINCT TOP 5 VALUE c.name FROM c',
    info: { distinctType: 'Unordered', top: 5, hasSelectValue: true },
    rewritten: ['SELECT DISTINCT VALUE c.name', 'FROM c'],
  },
  {
    query: 'SELECT DISTINCT VALUE c.name FROM c OFFSET 1 LIMIT 2',
    info: { distinctType: 'Unordered', offset: 1, limit: 2, hasSelectValue: true },
    rewritten: ['SELECT DISTINCT VALUE c.name', 'FROM c'],
  },
  {
    query: 'SELECT VALUE (SELECT DISTINCT VALUE COUNT(1) FROM t IN c.list GROUP BY t) FROM c',
    info: { hasSelectValue: true },
  },
  { query: "SELECT * FROM c WHERE c.x LIKE 'a%'", info: {} },
  { query: 'SELECT d.x FROM (SELECT VALUE c FROM c WHERE c.x > 1) AS d', info: {} },
  {
    query: 'SELECT TOP 3 c.id FROM c ORDER BY VectorDistance(c.v, [1, 2])',
    info: {
      top: 3,
      orderBy: ['Descending'],
      orderByExpressions: ['VectorDistance(c.v, [1, 2])'],
      hasNonStreamingOrderBy: true,
    },
    rewritten: [
      'SELECT TOP 3 c._rid, [{"item": VectorDistance(c.v, [1, 2])}] AS orderByItems, {"id": c.id} AS payload',
      'FROM c',
      `WHERE ${filter}`,
      'ORDER BY VectorDistance(c.v, [1, 2])',
    ],
  },
  {
    query: "SELECT TOP 3 c.id FROM c ORDER BY VectorDistance(c.v, [1, 2], false, {distanceFunction: 'Euclidean'})",
    info: {
      top: 3,
      orderBy: ['Ascending'],
      orderByExpressions: ['VectorDistance(c.v, [1, 2], false, {"distanceFunction": "Euclidean"})'],
      hasNonStreamingOrderBy: true,
    },
    rewritten: [
      'SELECT TOP 3 c._rid, [{"item": VectorDistance(c.v, [1, 2], false, {"distanceFunction": "Euclidean"})}] AS orderByItems, {"id": c.id} AS payload',
      'FROM c',
      `WHERE ${filter}`,
      'ORDER BY VectorDistance(c.v, [1, 2], false, {"distanceFunction": "Euclidean"})',
    ],
  },
  {
    query: 'SELECT COUNT(1) FROM (SELECT DISTINCT VALUE c.x FROM c)',
    info: { distinctType: 'Unordered', dCountInfo: { dCountAlias: '$1' } },
    rewritten: ['SELECT DISTINCT VALUE c.x', 'FROM c'],
  },
  {
    query: 'SELECT COUNT(d) AS n FROM (SELECT DISTINCT c.x FROM c ORDER BY c.x) AS d',
    info: { distinctType: 'Unordered', dCountInfo: { dCountAlias: 'n' } },
    rewritten: ['SELECT DISTINCT c.x', 'FROM c'],
  },
  {
    query: 'SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.x FROM c WHERE c.y)',
    info: { distinctType: 'Unordered', dCountInfo: { dCountAlias: '' }, hasSelectValue: true },
    rewritten: ['SELECT DISTINCT VALUE c.x', 'FROM c', 'WHERE c.y'],
  },
  { query: 'SELECT COUNT(1) FROM (SELECT DISTINCT VALUE c.x FROM c WHERE c.key = 1)', info: {} },
];

/** Of the queries of the table. */
export const planParameters: Readonly<Record<string, number>> = { '@five': 5, '@one': 1 };
