// What the clients of other languages cannot do with the rows of several ranges, with the reason and where it is in their sources. They have
// the same with the service. Each case has to come out wrong, or it has no reason to be here.

import type { Setting } from './checks.ts';

/** Reason → names of queries and of cases of the corpus. */
type Reasons = Readonly<Record<string, readonly string[]>>;

/** azure-cosmos 4.17.1, by files of azure/cosmos/. */
const python: Reasons = {
  // _cosmos_client_connection.py, _GetQueryPlanThroughGateway: without GroupBy, NonValueAggregate, MultipleAggregates, ListAndSetAggregate.
  'it does not list the feature, so that it gets no plan': [
    'GROUP BY',
    'several aggregates',
    'agg-count-alias',
    'agg-unnamed',
    'agg-makeset',
    'group-count',
    'group-keys',
    'group-value',
    'group-value-agg',
    'group-value-undefined',
    'group-multi',
    'group-func',
    'group-undefined-vs-null',
    'group-empty-input',
    'group-all-aggs',
    'page-group-without-row',
    'top-group-without-row',
    'distinct-groups',
    'group-non-finite',
  ],
  // _execution_context/document_producer.py, _validate_orderby_items.
  'it does not sort values of several types, as it says itself': [
    'order-mixed-types',
    'order-mixed-desc',
    'order-mixed-all',
    'order-undefined-first',
  ],
  // _execution_context/endpoint_component.py, make_hash: a truth is a number there. document_producer.py, peek: null is no row.
  'it takes true for 1 where it looks for distinct rows, and loses rows that are null': ['distinct-types'],
  // _execution_context/aggregators.py: each begins with None, and ends with it.
  'it takes null for an aggregate that has no value yet': ['MAX of nothing', 'agg-max-undefined', 'agg-min-mixed'],
  // aggregators.py, _AverageAggregator; endpoint_component.py, _QueryExecutionAggregateEndpointComponent.
  'it takes no notice of a range in which the aggregate is undefined': ['agg-avg-mixed', 'agg-min-array'],
};

/** azure-cosmos 4.81.0, by classes of com.azure.cosmos.implementation. It always asks for a plan. */
const java: Reasons = {
  // RxDocumentServiceResponse, extractQueryResponseNodes: "Aggregate queries may return a nested array".
  'it takes a page whose only row is an array for the rows themselves': [
    'array-drops-undefined',
    'array-sub',
    'array-sub-empty',
    'array-sub-object',
    'sub-distinct',
    'array-ctor-of-subquery-top',
    'fn-array_concat',
    'fn-array_slice',
    'fn-array_slice-neg',
    'fn-array_slice-over',
    'fn-array_slice-neglen',
    'fn-array_slice-past',
    'fn-objecttoarray',
    'fn-objecttoarray-names',
    'fn-setintersect',
    'fn-setunion',
    'fn-setdifference',
    'fn-stringsplit',
    'fn-stringtoarray',
    'fn-is_array',
    'fn-is_null',
    'fn-is_number',
    'fn-is_string',
    'fn-is_primitive',
    'fn-is_defined',
    'fn-is_finite',
    'fn-is_datetime',
    'fn-year',
    'member-lone-surrogate',
  ],
  // query.SingleGroupAggregator, SelectValueAggregateValues.getResult.
  'it gives null for an aggregate that is undefined': [
    'MAX of nothing',
    'agg-avg-empty',
    'agg-min-empty',
    'agg-max-undefined',
  ],
  // query.aggregation.AverageAggregator, AverageInfo.add; query.aggregation.MinAggregator, aggregate.
  'it takes no notice of a range in which the aggregate is undefined': ['agg-avg-mixed', 'agg-min-array'],
  // query.QueryPlanRetriever, SUPPORTED_QUERY_FEATURES; query.SingleGroupAggregator, createAggregateValue, knows no more.
  'it does not list the feature, so that it gets no plan': ['agg-countif', 'agg-makeset'],
  // query.SingleGroupAggregator, SelectListAggregateValues.getResult.
  'it leaves out members of a group that are null': ['group-undefined-vs-null'],
  // query.GroupByDocumentQueryExecutionContext, RewrittenGroupByProjection.getPayload.
  'it fails at a group that has no row': ['group-value-undefined', 'page-group-without-row', 'top-group-without-row'],
  // query.PipelinedDocumentQueryExecutionContext, createPipelineComponentFunction.
  'it looks for distinct rows before it puts groups together': ['distinct-groups'],
  'a query in FROM that sees all documents cannot be put together by a client': [
    'nested-group-then-filter',
    'nested-order-top',
  ],
};

export function beyond({ language, planQueries }: Setting): Readonly<Record<string, string>> {
  const reasons = language === 'java' ? java : language === 'python' && planQueries ? python : {};
  return Object.fromEntries(Object.entries(reasons).flatMap(([reason, names]) => names.map((name) => [name, reason])));
}
