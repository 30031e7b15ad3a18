// Aggregates and GROUP BY for clients that put the groups of ranges together (spec query 5.2, 5.3). An aggregate is sent in a form
// that can be added to another: an average as sum and count, a least or greatest with the number of values that it is of.

import type { BoundBlock } from '../bind/bound.ts';
import { aggregateOf } from '../bind/expression-binder.ts';
import type { Expression, Query, Selection } from '../syntax/tree.ts';
import { columnsOf, selectedOf } from './select-list.ts';
import { arrayOf, callOf, itemOf, nowhere, objectOf } from './tree-parts.ts';

export function rewriteGroups(query: Query, block: BoundBlock): Query {
  return {
    ...query,
    isDistinct: false,
    top: undefined,
    offset: undefined,
    limit: undefined,
    selection: rewriteSelection(query, block),
  };
}

function rewriteSelection({ selection, groupBy }: Query, block: BoundBlock): Selection {
  const columns = selectedOf(selection).map((expression) => mergeable(expression));
  const [first] = columns;
  const payload =
    selection.kind !== 'value' || first === undefined
      ? columnsOf(block.selection, columns)
      : aggregateOf(selection.expression) === undefined
        ? first
        : arrayOf([first]);
  if (groupBy.length === 0 && selection.kind === 'value') return { kind: 'value', expression: payload, ...nowhere };
  const keys = arrayOf(groupBy.map((key) => objectOf([['item', key]])));
  const keyItems = groupBy.length === 0 ? [] : [itemOf(keys, 'groupByItems')];
  return { kind: 'list', items: [...keyItems, itemOf(payload, 'payload')], ...nowhere };
}

function mergeable(expression: Expression): Expression {
  const kind = aggregateOf(expression);
  const args = expression.kind === 'call' ? expression.args : [];
  const count = callOf('COUNT', args);
  switch (kind) {
    case undefined:
      return expression;
    case 'AVG':
      return objectOf([
        [
          'item',
          objectOf([
            ['sum', callOf('SUM', args)],
            ['count', count],
          ]),
        ],
      ]);
    case 'MIN':
    case 'MAX': {
      const extreme = callOf(kind, args);
      return objectOf([
        ['item', extreme],
        [
          'item2',
          objectOf([
            [kind.toLowerCase(), extreme],
            ['count', count],
          ]),
        ],
      ]);
    }
    default:
      return objectOf([['item', expression]]);
  }
}
