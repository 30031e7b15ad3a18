// Aggregates within other expressions, as `MAX(c.a) / 2`. One range can work them out, and this server can over all ranges; the
// service refuses them wherever clients would have to put ranges together (spec query 2.6).

import { aggregateOf, containsAggregate } from '../bind/expression-binder.ts';
import type { PreparedQuery } from '../query.ts';
import { refusedQuery } from '../query-error.ts';
import { selectedOf } from './select-list.ts';

/** For a query that is sent neither to one range nor to one partition key. */
export function checkComposition({ tree, program }: PreparedQuery): void {
  if (program.query.documentSlot === undefined) return;
  for (const expression of selectedOf(tree.selection)) {
    if (!containsAggregate(expression) || aggregateOf(expression) !== undefined) continue;
    throw refusedQuery('Compositions of aggregates and other expressions are not allowed.');
  }
}
