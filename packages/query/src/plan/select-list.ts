// What a query selects: the expressions, and the names under which they come.

import type { BoundSelection } from '../bind/bound.ts';
import type { Expression, Selection } from '../syntax/tree.ts';
import { objectOf } from './tree-parts.ts';

/** None for `*`. */
export function selectedOf(selection: Selection): readonly Expression[] {
  switch (selection.kind) {
    case 'star':
      return [];
    case 'value':
      return [selection.expression];
    case 'list':
      return selection.items.map(({ expression }) => expression);
  }
}

/** In the order of the list; none for `*` and VALUE. */
export function columnNamesOf(selection: BoundSelection): readonly string[] {
  return selection.kind === 'list' ? selection.items.map(({ name }) => name) : [];
}

/** A list as one object. */
export function columnsOf(selection: BoundSelection, columns: readonly Expression[]): Expression {
  const names = columnNamesOf(selection);
  return objectOf(columns.map((column, at) => [names[at] ?? '', column]));
}
