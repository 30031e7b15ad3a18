// ORDER BY for clients that merge sorted ranges (spec query 5.2, 5.3): each row brings its keys and its rid, and a place in the
// filter is left for where the client goes on.

import type { BoundBlock } from '../bind/bound.ts';
import { impliedAlias } from '../bind/scope.ts';
import type { Expression, OrderItem, Query, Source } from '../syntax/tree.ts';
import { columnsOf, selectedOf } from './select-list.ts';
import { arrayOf, bothOf, callOf, countOf, itemOf, memberOf, nameOf, nowhere, objectOf } from './tree-parts.ts';

/** What clients replace: by `true`, or by what says which rows they have not seen. */
export const orderFilter = '{documentdb-formattableorderbyquery-filter}';

/** `rowsMax`: how many rows of one range are enough; undefined for all. */
export function rewriteOrder(
  query: Query,
  block: BoundBlock,
  orderItems: readonly OrderItem[],
  rowsMax: RowsMax,
): Query {
  const { selection } = query;
  const alias = aliasOf(query.from);
  const keys = orderItems.map(({ expression }) => objectOf([['item', expression]]));
  const payload =
    selection.kind === 'star'
      ? nameOf(alias)
      : selection.kind === 'value'
        ? selection.expression
        : columnsOf(block.selection, selectedOf(selection));
  // It is printed as it is: a name in parentheses.
  const filter = nameOf(`(${orderFilter})`);
  const where = query.where === undefined ? filter : bothOf(query.where, filter);
  return {
    ...query,
    isDistinct: false,
    top: rowsMax.top === undefined ? undefined : countOf(rowsMax.top),
    selection: {
      kind: 'list',
      items: [
        itemOf(memberOf(nameOf(alias), '_rid')),
        itemOf(arrayOf(keys), 'orderByItems'),
        itemOf(payload, 'payload'),
      ],
      ...nowhere,
    },
    where: selection.kind === 'value' ? bothOf(where, isDefined(payload)) : where,
    offset: rowsMax.limit === undefined ? undefined : countOf(0),
    limit: rowsMax.limit === undefined ? undefined : countOf(rowsMax.limit),
  };
}

/** How many rows of one range are enough, and which clause says so. */
export interface RowsMax {
  readonly top: number | undefined;
  readonly limit: number | undefined;
}

/** A row that is undefined is none, and must not be there with its keys. */
function isDefined(expression: Expression): Expression {
  return callOf('IS_DEFINED', [expression]);
}

/** Of the first source: what is sorted by lies in it, so it can be named. */
function aliasOf(from: Source | undefined): string {
  let first = from;
  while (first?.kind === 'join') first = first.left;
  if (first === undefined) return '';
  if (first.alias !== undefined) return first.alias;
  const { collection } = first;
  return (collection.kind === 'path' ? impliedAlias(collection.root, collection.steps) : undefined) ?? '';
}
