// The number of distinct values, `SELECT COUNT(1) FROM (SELECT DISTINCT VALUE c.x FROM c)` (spec query 5.6): ranges give their distinct
// rows, and the client counts them.

import type { BoundBlock } from '../bind/bound.ts';
import { aggregateOf } from '../bind/expression-binder.ts';
import { printQuery } from '../syntax/print.ts';
import type { Expression, Query } from '../syntax/tree.ts';
import { innerBlocksOf } from './container-block.ts';
import type { QueryInfo } from './query-info.ts';
import { plainQueryInfo } from './query-info.ts';
import { columnNamesOf, selectedOf } from './select-list.ts';

/** Undefined for every other query. */
export function distinctCountInfo(tree: Query, block: BoundBlock): QueryInfo | undefined {
  const [inner, ...others] = innerBlocksOf(block);
  const { from, selection } = tree;
  const [counted, ...more] = selectedOf(selection);
  if (inner === undefined || others.length > 0 || from?.kind !== 'collection' || from.collection.kind !== 'subquery')
    return undefined;
  if (counted === undefined || more.length > 0 || !countsEveryRow(counted, from.alias)) return undefined;
  if (tree.where !== undefined || tree.groupBy.length > 0 || tree.top !== undefined || tree.offset !== undefined)
    return undefined;
  if (!inner.isDistinct || inner.isGrouped || inner.top !== undefined || inner.offset !== undefined) return undefined;
  return {
    ...plainQueryInfo,
    distinctType: 'Unordered',
    hasSelectValue: selection.kind === 'value',
    dCountInfo: { dCountAlias: columnNamesOf(block.selection)[0] ?? '' },
    // Their order does not change their number.
    rewrittenQuery: printQuery({ ...from.collection.query, orderBy: undefined }),
  };
}

/** `COUNT(1)`, or the count of the rows themselves, of which none is undefined. */
function countsEveryRow(expression: Expression, alias: string | undefined): boolean {
  if (expression.kind !== 'call' || aggregateOf(expression) !== 'COUNT') return false;
  const [of] = expression.args;
  if (of?.kind === 'name') return of.name === alias;
  return of?.kind === 'number' || of?.kind === 'string' || (of?.kind === 'constant' && of.value !== undefined);
}
