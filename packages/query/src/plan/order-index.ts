// Errors that ORDER BY has in the service for lack of an index (spec query 4, 6). Nothing is indexed here, and the order could be had
// all the same; an app is told before it meets the service.

import type { BoundBlock, BoundExpression } from '../bind/bound.ts';
import type { PreparedQuery } from '../query.ts';
import { refusedQuery } from '../query-error.ts';
import type { PathStep } from '../syntax/tree.ts';
import type { IndexPath } from './index-path.ts';
import { isOnIndexPath, parseIndexPath } from './index-path.ts';

/** The indexing policy of a container, as it is in its JSON. */
export type IndexingPolicyJson = Readonly<Record<string, unknown>>;

/** Throws where the policy has no index for the order of the query. */
export function checkOrderBy({ program }: PreparedQuery, policy: IndexingPolicyJson): void {
  const { block } = program.query;
  // Without an index every query is a scan, and the service refuses none for its paths.
  if (block.orderBy.length === 0 || policy['indexingMode'] === 'none') return;
  const order: OrderedPath[] = [];
  for (const { expression, isDescending } of block.orderBy) {
    const steps = documentSteps(block, program.query.documentSlot, expression);
    // Something that a block in FROM has made, or a distance: no index of paths has it.
    if (steps === undefined) return;
    order.push({ steps, isDescending });
  }
  const [first, ...others] = order;
  if (first === undefined) return;
  if (others.length === 0 && !isIndexed(policy, first.steps)) {
    throw refusedQuery('The index path corresponding to the specified order-by item is excluded.');
  }
  if (others.length > 0 && !compositeIndexesOf(policy).some((index) => serves(index, order))) {
    throw refusedQuery('The order by query does not have a corresponding composite index that it can be served from.');
  }
}

interface OrderedPath {
  readonly steps: readonly PathStep[];
  readonly isDescending: boolean;
}

/** Where in the documents it lies; undefined for what is not in them as it is. */
function documentSteps(
  { sources }: BoundBlock,
  documentSlot: number | undefined,
  expression: BoundExpression,
): readonly PathStep[] | undefined {
  if (expression.kind !== 'path') return undefined;
  if (expression.slot === documentSlot) return expression.steps;
  const source = sources.find(({ slot }) => slot === expression.slot);
  if (source === undefined || source.kind === 'container' || source.kind === 'block') return undefined;
  const { of } = source;
  if (of.kind !== 'path' || of.slot !== documentSlot) return undefined;
  // Any element stands for all of them.
  return source.kind === 'each' ? [...of.steps, 0, ...expression.steps] : [...of.steps, ...expression.steps];
}

/** The deepest path counts, and of two the one that is only of the value itself. */
function isIndexed(policy: IndexingPolicyJson, steps: readonly PathStep[]): boolean {
  if (steps.length === 1 && (steps[0] === 'id' || steps[0] === '_ts')) return true;
  const included = bestOf(policy['includedPaths'], steps);
  return included >= 0 && included >= bestOf(policy['excludedPaths'], steps);
}

/** The weight of the path among these that says most of the place; below zero where none says anything. */
function bestOf(entries: unknown, steps: readonly PathStep[]): number {
  const paths = listOf(entries)
    .map((entry) => indexPathOf(entry))
    .filter((path) => path !== undefined);
  const weights = paths
    .filter((path) => isOnIndexPath(path, steps))
    .map(({ segments, isSubtree }) => 2 * segments.length + (isSubtree ? 0 : 1));
  return Math.max(-1, ...weights);
}

interface CompositePath {
  readonly path: IndexPath | undefined;
  readonly isDescending: boolean;
}

function compositeIndexesOf(policy: IndexingPolicyJson): readonly (readonly CompositePath[])[] {
  return listOf(policy['compositeIndexes']).map((index) =>
    listOf(index).map((entry) => ({
      path: indexPathOf(entry),
      isDescending: String(memberOf(entry, 'order')).toLowerCase() === 'descending',
    })),
  );
}

/** All of its paths and no more, in their order, and each in its direction or each in the other one. */
function serves(index: readonly CompositePath[], order: readonly OrderedPath[]): boolean {
  if (index.length !== order.length) return false;
  const isReversed = index[0]?.isDescending !== order[0]?.isDescending;
  return index.every(({ path, isDescending }, at) => {
    const wanted = order[at];
    if (path === undefined || wanted === undefined) return false;
    return isOnIndexPath(path, wanted.steps) && (isDescending !== wanted.isDescending) === isReversed;
  });
}

function indexPathOf(entry: unknown): IndexPath | undefined {
  const path = memberOf(entry, 'path');
  return typeof path === 'string' ? parseIndexPath(path) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function memberOf(value: unknown, name: string): unknown {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
