// The plan of a query for clients that ask each range by itself and put the rows together (spec query 5.2).

import type { PartitionKeyDefinition } from '@tidemark/model';
import type { BoundBlock } from '../bind/bound.ts';
import { aggregateOf } from '../bind/expression-binder.ts';
import { isVectorDistance } from '../bind/vector-order.ts';
import { countMax } from '../limits.ts';
import type { PreparedQuery } from '../query.ts';
import { refusedQuery } from '../query-error.ts';
import type { Counts } from '../run/limits-of-block.ts';
import { countsOf } from '../run/limits-of-block.ts';
import { printExpression, printQuery } from '../syntax/print.ts';
import type { OrderItem, Query } from '../syntax/tree.ts';
import type { Value } from '../value/value.ts';
import { checkComposition } from './composition.ts';
import { innerBlocksOf, isPlain } from './container-block.ts';
import { distinctCountInfo } from './distinct-count.ts';
import { checkFeatures } from './features.ts';
import { isOnePoint, keyRangesOf } from './partition-keys.ts';
import type { PartitionedQueryExecutionInfo, QueryInfo } from './query-info.ts';
import { aggregateNames, plainQueryInfo } from './query-info.ts';
import { rewriteGroups } from './rewrite-groups.ts';
import type { RowsMax } from './rewrite-order.ts';
import { rewriteOrder } from './rewrite-order.ts';
import { columnNamesOf, selectedOf } from './select-list.ts';
import { countOf } from './tree-parts.ts';

/**
 * `features`: what the client lists as known to it, undefined where it lists nothing. `isOneRange`: the container has no other.
 * Throws where the client could not do what the plan says, or nobody can who gets the ranges one by one.
 */
export function clientPlan(
  prepared: PreparedQuery,
  parameters: readonly Value[],
  definition: PartitionKeyDefinition,
  features: string | undefined,
  isOneRange: boolean = false,
): PartitionedQueryExecutionInfo {
  checkComposition(prepared);
  const queryRanges = keyRangesOf(prepared, parameters, definition);
  const queryInfo = queryInfoOf(prepared, parameters, { isOneKey: isOnePoint(queryRanges), isOneRange });
  checkFeatures(queryInfo, features);
  return { partitionedQueryExecutionInfoVersion: 2, queryInfo, queryRanges };
}

/** Where the documents are that a query can find. */
interface Spread {
  readonly isOneKey: boolean;
  readonly isOneRange: boolean;
}

function queryInfoOf(
  { tree, program }: PreparedQuery,
  parameters: readonly Value[],
  { isOneKey, isOneRange }: Spread,
): QueryInfo {
  const { query } = program;
  const { block } = query;
  const info = { ...plainQueryInfo, hasSelectValue: tree.selection.kind === 'value' };
  // One row, that one range makes alone.
  if (query.documentSlot === undefined) return info;
  if (!innerBlocksOf(block).every(isPlain)) return isOneKey || isOneRange ? info : innerInfo(tree, block);
  const counts = countsOf(block, query.parameterPlaces, parameters);
  if (block.isGrouped) return groupedInfo(tree, block, withCounts(info, counts));
  if (tree.orderBy !== undefined) return orderedInfo(tree, block, tree.orderBy.items, withCounts(info, counts));
  return block.isDistinct ? distinctInfo(tree, withCounts(info, counts)) : plainInfo(tree, info, counts, isOneKey);
}

function withCounts(info: QueryInfo, { top, offset, limit }: Counts): QueryInfo {
  return { ...info, top: top ?? null, offset: offset ?? null, limit: limit ?? null };
}

/** Rows of all ranges as they come. */
function plainInfo(tree: Query, info: QueryInfo, counts: Counts, isOneKey: boolean): QueryInfo {
  // All rows are in one range, which leaves out and cuts off by itself.
  if (isOneKey && counts.limit !== undefined) return info;
  const planned = withCounts(info, counts);
  const rowsMax = enoughRows(planned);
  if (rowsMax.limit === undefined) return planned;
  const cut = { ...tree, offset: countOf(0), limit: countOf(rowsMax.limit) };
  return { ...planned, rewrittenQuery: printQuery(cut) };
}

/** The rows that OFFSET leaves out may all be those of one range. */
function enoughRows({ top, offset, limit }: QueryInfo): RowsMax {
  return {
    top: top ?? undefined,
    limit: offset === null || limit === null ? undefined : Math.min(offset + limit, countMax),
  };
}

function distinctInfo(tree: Query, info: QueryInfo): QueryInfo {
  const planned: QueryInfo = { ...info, distinctType: 'Unordered' };
  if (planned.top === null && planned.limit === null) return planned;
  const uncut = { ...tree, top: undefined, offset: undefined, limit: undefined };
  return { ...planned, rewrittenQuery: printQuery(uncut) };
}

function orderedInfo(tree: Query, block: BoundBlock, items: readonly OrderItem[], info: QueryInfo): QueryInfo {
  const orderByExpressions = items.map(({ expression }) => printExpression(expression));
  const distinctType = tree.isDistinct ? (isOrderedBy(tree, orderByExpressions) ? 'Ordered' : 'Unordered') : 'None';
  // Rows of one range that are the same as those of another do not count.
  const rowsMax = tree.isDistinct ? { top: undefined, limit: undefined } : enoughRows(info);
  return {
    ...info,
    distinctType,
    orderBy: block.orderBy.map(({ isDescending }) => (isDescending ? 'Descending' : 'Ascending')),
    orderByExpressions,
    hasNonStreamingOrderBy: block.orderBy.some(({ expression }) => isVectorDistance(expression)),
    rewrittenQuery: printQuery(rewriteOrder(tree, block, items, rowsMax)),
  };
}

/** Equal rows follow each other where the rows are the keys. */
function isOrderedBy({ selection }: Query, orderByExpressions: readonly string[]): boolean {
  return (
    selection.kind === 'value' &&
    orderByExpressions.length === 1 &&
    printExpression(selection.expression) === orderByExpressions[0]
  );
}

function groupedInfo(tree: Query, block: BoundBlock, info: QueryInfo): QueryInfo {
  const names = columnNamesOf(block.selection);
  const types = selectedOf(tree.selection).map((expression) => {
    const kind = aggregateOf(expression);
    return kind === undefined ? null : aggregateNames[kind];
  });
  return {
    ...info,
    distinctType: tree.isDistinct ? 'Unordered' : 'None',
    groupByExpressions: tree.groupBy.map(printExpression),
    groupByAliases: names,
    groupByAliasToAggregateType: Object.fromEntries(names.map((name, at) => [name, types[at] ?? null])),
    aggregates: info.hasSelectValue ? types.filter((type) => type !== null) : [],
    rewrittenQuery: printQuery(rewriteGroups(tree, block)),
  };
}

/** A block in FROM that has to see all documents: each range would give its own rows of it. */
function innerInfo(tree: Query, block: BoundBlock): QueryInfo {
  const counted = distinctCountInfo(tree, block);
  if (counted !== undefined) return counted;
  throw refusedQuery(
    'A query in FROM with aggregates, GROUP BY, DISTINCT, ORDER BY, TOP or OFFSET cannot be put together from ranges by the ' +
      'client. Name a partition key, or send the query without a range, and the server runs it over all of them.',
  );
}
