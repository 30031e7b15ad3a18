// What a client has to know for a plan, by the names that it lists in its request (spec query 5.1). One that lacks something
// gets no plan that it would misread.

import { DatabaseError } from '@tidemark/model';
import type { AggregateName, QueryInfo } from './query-info.ts';

/**
 * `offered` is the list as it was sent. Clients from before there was one send none and are not refused, except what none of
 * them could know.
 */
export function checkFeatures(queryInfo: QueryInfo, offered: string | undefined): void {
  const known = offered?.split(',').map((name) => name.trim());
  const missing = neededFeatures(queryInfo).filter((name) =>
    known === undefined ? name === 'DCount' : !known.includes(name),
  );
  if (missing.length === 0) return;
  throw new DatabaseError(
    'bad-request',
    `The query needs unsupported features, which the client does not list: ${missing.join(', ')}. Upgrade your SDK, or name a partition key.`,
  );
}

function neededFeatures(queryInfo: QueryInfo): readonly string[] {
  const { distinctType, top, limit, orderBy, groupByExpressions, aggregates, dCountInfo } = queryInfo;
  const named = Object.values(queryInfo.groupByAliasToAggregateType).filter((name) => name !== null);
  const all: readonly AggregateName[] = [...aggregates, ...named];
  const isGroupBy = groupByExpressions.length > 0;
  const needs: readonly (readonly [string, boolean])[] = [
    ['Aggregate', aggregates.length > 0 && !isGroupBy],
    ['NonValueAggregate', named.length > 0 && !isGroupBy],
    ['MultipleAggregates', all.length > 1 && !isGroupBy],
    ['GroupBy', isGroupBy],
    ['CountIf', all.includes('CountIf')],
    ['ListAndSetAggregate', all.includes('MakeList') || all.includes('MakeSet')],
    ['Distinct', distinctType !== 'None'],
    ['DCount', dCountInfo !== null],
    ['Top', top !== null],
    ['OffsetAndLimit', limit !== null],
    ['OrderBy', orderBy.length > 0],
    ['MultipleOrderBy', orderBy.length > 1],
    ['NonStreamingOrderBy', queryInfo.hasNonStreamingOrderBy],
  ];
  return needs.filter(([, isNeeded]) => isNeeded).map(([name]) => name);
}
