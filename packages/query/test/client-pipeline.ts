// What SDKs do with a plan: they ask each range for its rows of the rewritten text, and put them together (spec query 5.2, 5.3).
// It knows the plan as JSON and nothing of the query; the language is only that of the ranges.

import type { KeyRange, PartitionKeyDefinition } from '@tidemark/model';
import {
  compareJson,
  effectiveKey,
  effectiveKeyHex,
  extractPartitionKey,
  keyRangeContains,
  parsePartitionKeyPath,
  sliceKeySpace,
} from '@tidemark/model';
import { clientPlan } from '../src/plan/client-plan.ts';
import type { PartitionedQueryExecutionInfo, QueryInfo } from '../src/plan/query-info.ts';
import { prepareQuery } from '../src/query.ts';
import type { Value } from '../src/value/value.ts';
import { isArray, memberOf } from '../src/value/value.ts';
import { ValueSet } from '../src/value/value-set.ts';
import type { Asked } from './all-pages.ts';
import { allRows } from './all-pages.ts';
import { mergeGroups } from './merge-groups.ts';
import { resumeFilter } from './resume-filter.ts';

/** Rows in pages of the ranges of `itemsMax`. `isResumed`: after each sorted row the client begins anew behind it. */
export interface Pipeline extends Asked {
  readonly rangeCount: number;
  readonly isResumed?: boolean;
}

export const allFeatures: string =
  'Aggregate, CompositeAggregate, CountIf, DCount, Distinct, GroupBy, ListAndSetAggregate, MultipleAggregates, ' +
  'MultipleOrderBy, NonStreamingOrderBy, NonValueAggregate, OffsetAndLimit, OrderBy, Top';

const definition: PartitionKeyDefinition = { paths: ['/id'], kind: 'Hash', version: 2 };
const filterPlace = '{documentdb-formattableorderbyquery-filter}';

export function pipelineRows(asked: Pipeline): readonly Value[] {
  const parameters = asked.parameters ?? [];
  const prepared = prepareQuery(
    asked.query,
    parameters.map(({ name }) => name),
  );
  const values = parameters.map(({ value }) => value);
  const plan = jsonOf(clientPlan(prepared, values, definition, allFeatures, asked.rangeCount === 1));
  const { queryInfo } = plan;
  const ranges = rangesOf(asked, plan);
  const rows =
    queryInfo.orderBy.length > 0 ? orderedRows(asked, queryInfo, ranges) : plainRows(asked, queryInfo, ranges);
  const isGrouped =
    queryInfo.aggregates.length + queryInfo.groupByExpressions.length + queryInfo.groupByAliases.length > 0;
  const merged = distinctRows(isGrouped ? mergeGroups(queryInfo, rows) : rows, queryInfo.distinctType);
  const { top, offset, limit, dCountInfo } = queryInfo;
  const cut = limit === null ? merged : merged.slice(offset ?? 0, (offset ?? 0) + limit);
  const all = top === null ? cut : cut.slice(0, top);
  if (dCountInfo === null) return all;
  return [dCountInfo.dCountAlias === '' ? all.length : { [dCountInfo.dCountAlias]: all.length }];
}

/** As it is on the wire. */
function jsonOf(plan: PartitionedQueryExecutionInfo): PartitionedQueryExecutionInfo {
  return JSON.parse(JSON.stringify(plan)) as PartitionedQueryExecutionInfo;
}

/** The documents of each range that the plan names. */
function rangesOf(
  { documents, rangeCount }: Pipeline,
  { queryRanges }: PartitionedQueryExecutionInfo,
): readonly (readonly Value[])[] {
  const paths = definition.paths.map(parsePartitionKeyPath);
  const asked = (range: KeyRange): boolean =>
    queryRanges.some(
      ({ min, max, isMaxInclusive }) => min < range.max && (isMaxInclusive ? max >= range.min : max > range.min),
    );
  return sliceKeySpace(definition, rangeCount)
    .filter(asked)
    .map((range) =>
      documents.filter((document) =>
        keyRangeContains(range, effectiveKeyHex(effectiveKey(definition, extractPartitionKey(document, paths)))),
      ),
    );
}

function rowsOfRange(
  asked: Pipeline,
  { rewrittenQuery }: QueryInfo,
  documents: readonly Value[],
  filter: string,
): readonly Value[] {
  const query = rewrittenQuery === '' ? asked.query : rewrittenQuery.replace(filterPlace, () => filter);
  return allRows({ ...asked, query, documents });
}

function plainRows(asked: Pipeline, queryInfo: QueryInfo, ranges: readonly (readonly Value[])[]): readonly Value[] {
  return ranges.flatMap((documents) => rowsOfRange(asked, queryInfo, documents, 'true'));
}

interface SortedRow {
  readonly keys: readonly Value[];
  readonly payload: Value;
}

/** The least of the first rows of all ranges, again and again. Of equal ones that of the first range. */
function orderedRows(asked: Pipeline, queryInfo: QueryInfo, ranges: readonly (readonly Value[])[]): readonly Value[] {
  const merged: SortedRow[] = [];
  let last: Taken | undefined;
  let waiting = waitingRows(asked, queryInfo, ranges, undefined);
  for (;;) {
    let least: number | undefined;
    for (const [at, [first]] of waiting.entries()) {
      const best = least === undefined ? undefined : waiting[least]?.[0];
      if (first !== undefined && (best === undefined || compareKeys(first, best, queryInfo) < 0)) least = at;
    }
    const row = least === undefined ? undefined : waiting[least]?.shift();
    if (least === undefined || row === undefined) return merged.map(({ payload }) => payload);
    merged.push(row);
    const isSame = last?.range === least && compareKeys(last.row, row, queryInfo) === 0;
    last = { range: least, row, skipped: isSame ? (last?.skipped ?? 0) + 1 : 1 };
    if (asked.isResumed === true && row.keys.every((key) => typeof key !== 'object' || key === null)) {
      waiting = waitingRows(asked, queryInfo, ranges, last);
    }
  }
}

/** Where a client was: how many rows of the same keys it has had of the same range. */
interface Taken {
  readonly range: number;
  readonly row: SortedRow;
  readonly skipped: number;
}

function waitingRows(
  asked: Pipeline,
  queryInfo: QueryInfo,
  ranges: readonly (readonly Value[])[],
  last: Taken | undefined,
): SortedRow[][] {
  return ranges.map((documents, at) => {
    // Ranges before that of the last row have given all rows that equal it.
    const filter = last === undefined ? 'true' : resumeFilter(queryInfo, last.row.keys, at >= last.range);
    const rows = rowsOfRange(asked, queryInfo, documents, filter).map(sortedRow);
    return at === last?.range ? rows.slice(last.skipped) : rows;
  });
}

function sortedRow(row: Value): SortedRow {
  const items = memberOf(row, 'orderByItems');
  if (!isArray(items)) throw new Error('a row has no keys');
  return { keys: items.map((item) => memberOf(item, 'item')), payload: memberOf(row, 'payload') };
}

function compareKeys(a: SortedRow, b: SortedRow, { orderBy }: QueryInfo): number {
  for (const [at, direction] of orderBy.entries()) {
    const order = compareJson(a.keys[at], b.keys[at]);
    if (order !== 0) return direction === 'Descending' ? -order : order;
  }
  return 0;
}

/** Of rows in order only neighbours are compared. */
function distinctRows(rows: readonly Value[], distinctType: QueryInfo['distinctType']): readonly Value[] {
  if (distinctType === 'None') return rows;
  if (distinctType === 'Ordered') return rows.filter((row, at) => at === 0 || compareJson(row, rows[at - 1]) !== 0);
  const seen = new ValueSet();
  return rows.filter((row) => seen.add(row));
}
