// What a query does, for people: what it reads, what it keeps, and what it has to see before there is a row.

import type { PartitionKeyDefinition } from '@tidemark/model';
import type { BoundBlock } from '../bind/bound.ts';
import { aggregateOf } from '../bind/expression-binder.ts';
import type { PreparedQuery } from '../query.ts';
import { QueryError } from '../query-error.ts';
import type { Counts } from '../run/limits-of-block.ts';
import { countsOf } from '../run/limits-of-block.ts';
import { printExpression, printQuery } from '../syntax/print.ts';
import type { Expression, OrderBy, Query } from '../syntax/tree.ts';
import { childrenOf } from '../syntax/tree.ts';
import type { Value } from '../value/value.ts';
import { containerSubquery, innerBlocksOf, isPlain, isStreaming } from './container-block.ts';
import type { IndexingPolicyJson } from './order-index.ts';
import { checkOrderBy } from './order-index.ts';
import type { QueryRange } from './partition-keys.ts';
import { idsOf, keyRangesOf, scannedRanges } from './partition-keys.ts';
import { selectedOf } from './select-list.ts';

export interface ExplainedQuery extends ExplainedBlock {
  /** The canonical text. */
  readonly text: string;
  /** Blocking: every document has to be seen before there is a row. */
  readonly kind: 'streaming' | 'blocking';
  /** How documents are found. There is no index yet. */
  readonly access: { readonly kind: 'scan' };
  readonly reads: string;
  readonly ranges: readonly QueryRange[];
  /** What the query is refused with, for lack of an index that the service would need. */
  readonly refusal: string | undefined;
}

/** The clauses of one block; what is not there is undefined. */
export interface ExplainedBlock {
  readonly filter: string | undefined;
  readonly groups: readonly string[] | undefined;
  readonly aggregates: readonly string[] | undefined;
  readonly sort: readonly string[] | undefined;
  readonly isDistinct: boolean;
  readonly limits: Counts | undefined;
  /** The block in FROM that it reads from, instead of the container itself. */
  readonly from: ExplainedBlock | undefined;
}

/** `parameters` in the order of the names that the query was prepared with. */
export function explainQuery(
  prepared: PreparedQuery,
  parameters: readonly Value[],
  definition: PartitionKeyDefinition,
  policy: IndexingPolicyJson,
): ExplainedQuery {
  const { tree, program } = prepared;
  const { block, parameterPlaces, documentSlot } = program.query;
  const ranges = keyRangesOf(prepared, parameters, definition);
  const isBlocking = !isStreaming(block) || !innerBlocksOf(block).every(isPlain);
  return {
    text: printQuery(tree),
    kind: isBlocking ? 'blocking' : 'streaming',
    access: { kind: 'scan' },
    reads: documentSlot === undefined ? 'no document' : whatIsRead(ranges, idsOf(prepared, parameters)),
    ranges,
    ...explainBlock(tree, block, (one) => countsOf(one, parameterPlaces, parameters)),
    refusal: refusalOf(() => checkOrderBy(prepared, policy)),
  };
}

function whatIsRead(ranges: readonly QueryRange[], ids: readonly string[] | undefined): string {
  const scanned = scannedRanges(ranges);
  if (scanned.length === 0 || ids?.length === 0) return 'no document, since the filter is true of none';
  const documents = ids === undefined ? 'every document' : `documents with ${countOf(ids.length, 'id')}`;
  if (ranges.some(({ min }) => min === '')) return `${documents} of the container`;
  if (ranges.every(({ isMaxInclusive }) => isMaxInclusive)) {
    return `${documents} of ${countOf(ranges.length, 'partition key')}`;
  }
  return `${documents} whose partition key has ${countOf(ranges.length, 'beginning')}`;
}

function countOf(count: number, noun: string): string {
  return count === 1 ? `one ${noun}` : `${count} ${noun}s`;
}

function explainBlock(tree: Query, block: BoundBlock, countsOfBlock: (block: BoundBlock) => Counts): ExplainedBlock {
  const limits = countsOfBlock(block);
  const inner = containerSubquery(tree, block);
  return {
    filter: tree.where && printExpression(tree.where),
    groups: someOf(tree.groupBy.map(printExpression)),
    aggregates: someOf(selectedOf(tree.selection).flatMap(aggregatesIn)),
    sort: block.orderBy.length === 0 ? undefined : tree.orderBy && sortOf(tree.orderBy, block),
    isDistinct: tree.isDistinct,
    limits: Object.values(limits).every((count) => count === undefined) ? undefined : limits,
    from: inner && explainBlock(inner.tree, inner.block, countsOfBlock),
  };
}

function sortOf({ items }: OrderBy, { orderBy }: BoundBlock): readonly string[] {
  return items.map(
    ({ expression }, at) => `${printExpression(expression)} ${orderBy[at]?.isDescending === true ? 'DESC' : 'ASC'}`,
  );
}

function aggregatesIn(expression: Expression): readonly string[] {
  if (aggregateOf(expression) !== undefined) return [printExpression(expression)];
  return childrenOf(expression).flatMap(aggregatesIn);
}

function someOf(texts: readonly string[]): readonly string[] | undefined {
  return texts.length === 0 ? undefined : texts;
}

function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof QueryError) return error.message;
    throw error;
  }
}
