// A query plan as clients get it (spec query 5.1): what they have to do with the rows of the ranges, and the text that they send
// to each of them.

import type { AggregateKind } from '../value/aggregate.ts';
import type { QueryRange } from './partition-keys.ts';

export interface PartitionedQueryExecutionInfo {
  readonly partitionedQueryExecutionInfoVersion: 2;
  readonly queryInfo: QueryInfo;
  readonly queryRanges: readonly QueryRange[];
}

export interface QueryInfo {
  readonly distinctType: 'None' | 'Unordered' | 'Ordered';
  readonly top: number | null;
  readonly offset: number | null;
  readonly limit: number | null;
  readonly orderBy: readonly ('Ascending' | 'Descending')[];
  readonly orderByExpressions: readonly string[];
  readonly groupByExpressions: readonly string[];
  readonly groupByAliases: readonly string[];
  readonly aggregates: readonly AggregateName[];
  /** Null for what is no aggregate. */
  readonly groupByAliasToAggregateType: Readonly<Record<string, AggregateName | null>>;
  /** Empty: the text as it was sent. */
  readonly rewrittenQuery: string;
  readonly hasSelectValue: boolean;
  readonly dCountInfo: { readonly dCountAlias: string } | null;
  readonly hasNonStreamingOrderBy: boolean;
}

export type AggregateName = 'Average' | 'Count' | 'CountIf' | 'MakeList' | 'MakeSet' | 'Max' | 'Min' | 'Sum';

/** Of a query whose ranges give their rows one after the other. */
export const plainQueryInfo: QueryInfo = {
  distinctType: 'None',
  top: null,
  offset: null,
  limit: null,
  orderBy: [],
  orderByExpressions: [],
  groupByExpressions: [],
  groupByAliases: [],
  aggregates: [],
  groupByAliasToAggregateType: {},
  rewrittenQuery: '',
  hasSelectValue: false,
  dCountInfo: null,
  hasNonStreamingOrderBy: false,
};

export const aggregateNames: Readonly<Record<AggregateKind, AggregateName>> = {
  AVG: 'Average',
  COUNT: 'Count',
  COUNTIF: 'CountIf',
  MAKELIST: 'MakeList',
  MAKESET: 'MakeSet',
  MAX: 'Max',
  MIN: 'Min',
  SUM: 'Sum',
};
