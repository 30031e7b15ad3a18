// What a query means for the ranges of a container: what is read, which are asked, what is put together afterwards and by whom, and what
// one page of it costs.

import type { CallOptions, RangeInfo } from '@tidemark/client';
import { isRestError } from '@tidemark/client';
import type { KeyRange, PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import { compareHex, effectiveKeyPrefixRange, intersectKeyRanges } from '@tidemark/model';
import { count, counted, shown, size } from '../terminal.ts';
import type { Question, RowPage, Target } from './ask.ts';
import { askPage, askPlan } from './ask.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Explanation {
  readonly plan: Json;
  /** What was given beside the query. */
  readonly partitionKey: PartitionKeyValues | undefined;
  /** Of a hierarchical key only its beginning was given. */
  readonly isPrefix: boolean;
  /** All of the container. */
  readonly ranges: readonly RangeInfo[];
  /** The ids of those that are asked. */
  readonly asked: readonly string[];
  /** Undefined where the account runs it only range by range. */
  readonly page: RowPage | undefined;
}

export async function explain(
  target: Target,
  definition: PartitionKeyDefinition,
  question: Question,
  options: CallOptions & { readonly itemsMax: number | undefined },
): Promise<Explanation> {
  const { itemsMax, ...call } = options;
  const plan = await askPlan(target, question, call);
  const ranges = await target.client.container(target.database, target.container).ranges(call);
  const { partitionKey } = target;
  const keys = partitionKey === undefined ? undefined : effectiveKeyPrefixRange(definition, partitionKey);
  const asked = ranges.filter((range) => (keys === undefined ? isAsked(range, plan) : holds(range, keys)));
  const isPrefix = partitionKey !== undefined && partitionKey.length < definition.paths.length;
  const page = await onePage(target, question, call, itemsMax);
  return { plan, partitionKey, isPrefix, ranges, asked: asked.map(({ id }) => id), page };
}

async function onePage(
  target: Target,
  question: Question,
  call: CallOptions,
  itemsMax: number | undefined,
): Promise<RowPage | undefined> {
  try {
    return await askPage(target, question, { ...call, itemsMax, continuation: undefined });
  } catch (error) {
    // Wire: the client is to follow the plan (wire 12).
    if (isRestError(error) && error.substatus === 1004) return undefined;
    throw error;
  }
}

/** For programs. */
export function explanationJson({ plan, ranges, asked, page }: Explanation): object {
  const figures =
    page === undefined
      ? null
      : {
          rows: page.rows.length,
          charge: page.charge,
          hasMore: page.continuation !== undefined,
          ...numbersOf(page.metrics),
        };
  return {
    ranges: ranges.map(({ id, min, max }) => ({ id, min, max, isAsked: asked.includes(id) })),
    plan,
    page: figures,
  };
}

/** For people. */
export function explanationText(explanation: Explanation): string {
  const { plan, ranges, asked, page } = explanation;
  return [
    ...field('Reads', [readsText(explanation)]),
    ...field('Ranges', [`${asked.length} of ${ranges.length}: ${asked.length === 0 ? 'none' : asked.join(', ')}`]),
    ...mergedText(explanation),
    // Where the account merges, nobody has to ask that.
    ...(page === undefined ? field('Each is asked', firstRequestText(plan)) : []),
    ...field(
      'One page',
      page === undefined ? ['this account gives none: it leaves the merging to its clients'] : pageText(page),
    ),
  ].join('');
}

function readsText({ plan, partitionKey, isPrefix }: Explanation): string {
  if (partitionKey !== undefined) {
    const key = shown(JSON.stringify(partitionKey.map((value) => (value === undefined ? {} : value))));
    return isPrefix ? `the partition keys that begin with ${key}` : `the partition key ${key}`;
  }
  const ranges: readonly Json[] = Array.isArray(plan['queryRanges']) ? plan['queryRanges'].map(Object) : [];
  if (ranges.length > 0 && ranges.every(({ min, max }) => typeof min === 'string' && min === max)) {
    return ranges.length === 1
      ? 'the one partition key that the query names'
      : `the ${count(ranges.length)} partition keys that the query names`;
  }
  const isPart = ranges.every(({ min, max }) => typeof min === 'string' && (min !== '' || max !== 'FF'));
  return isPart && ranges.length > 0 ? 'the partition keys that the query leaves' : 'all documents';
}

function mergedText({ plan, asked, page }: Explanation): string[] {
  const { queryInfo, hybridSearchQueryInfo } = plan;
  const isHybrid = hybridSearchQueryInfo !== undefined && hybridSearchQueryInfo !== null;
  const steps = isHybrid ? ['scores of several queries, which are put into one order'] : stepsOf(Object(queryInfo));
  if (page === undefined) return field('Merged', ['by the client', ...steps]);
  if (asked.length <= 1) {
    return [...field('Merged', ['nothing: no more than one range is asked']), ...field('Rows', steps)];
  }
  if (steps.length === 0) return field('Merged', ['nothing: one range gives its rows after the other']);
  return field('Merged', ['by the server', ...steps]);
}

function firstRequestText({ queryInfo }: Json): string[] {
  const { rewrittenQuery }: Json = Object(queryInfo);
  if (typeof rewrittenQuery !== 'string' || rewrittenQuery === '') return ['the query as it is'];
  // Wire: a client puts in its place where it goes on, which is nowhere yet (query 5.3).
  const first = rewrittenQuery.replaceAll('{documentdb-formattableorderbyquery-filter}', 'true');
  return first.split('\n').map((line) => shown(line));
}

function isAsked(range: KeyRange, plan: Json): boolean {
  const { queryRanges } = plan;
  if (!Array.isArray(queryRanges)) return true;
  return queryRanges.some((each) => {
    const { min, max, isMaxInclusive }: Json = Object(each);
    // Another form than that of gateways: nobody can tell.
    if (typeof min !== 'string' || typeof max !== 'string') return true;
    if (compareHex(min, range.max) >= 0) return false;
    const order = compareHex(max, range.min);
    return order > 0 || (order === 0 && isMaxInclusive === true);
  });
}

function holds(range: KeyRange, keys: KeyRange): boolean {
  return intersectKeyRanges(range, keys) !== undefined;
}

function stepsOf(info: Json): string[] {
  const orders = textsIn(info['orderBy']);
  const sorted = textsIn(info['orderByExpressions']).map(
    (path, at) => `${shown(path)} ${(orders[at] ?? '').toLowerCase()}`,
  );
  const groups = textsIn(info['groupByExpressions']).map(shown);
  const named = Object.entries(Object(info['groupByAliasToAggregateType'])).filter(
    ([, kind]) => typeof kind === 'string',
  );
  const aggregates =
    named.length > 0 ? named.map(([name, kind]) => `${shown(name)}: ${kind}`) : textsIn(info['aggregates']);
  const { distinctType, dCountInfo, top, offset, limit } = info;
  const numbered = (word: string, value: unknown): string[] => (typeof value === 'number' ? [`${word} ${value}`] : []);
  return [
    ...(sorted.length > 0 ? [`sorted by ${sorted.join(', ')}`] : []),
    ...(groups.length > 0 ? [`grouped by ${groups.join(', ')}`] : []),
    ...(aggregates.length > 0 ? [`added up: ${aggregates.join(', ')}`] : []),
    ...(dCountInfo ? ['distinct values counted'] : []),
    ...(distinctType === 'Ordered' || distinctType === 'Unordered' ? ['each different row once'] : []),
    ...numbered('OFFSET', offset),
    ...numbered('LIMIT', limit),
    ...numbered('TOP', top),
  ];
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function pageText({ rows, charge, metrics, continuation }: RowPage): string[] {
  const figures = numbersOf(metrics);
  const figure = (name: string): number => figures[name] ?? 0;
  const first = `${counted(rows.length, 'rows')}, ${count(charge)} RU`;
  const more = continuation === undefined ? [] : ['more pages follow'];
  if (metrics.size === 0) return [`${first}; this account tells no more`, ...more];
  const looked = counted(figure('retrievedDocumentCount'), 'documents');
  return [`${first}, ${looked} looked at (${size(figure('retrievedDocumentSize'))})`, timesText(figure), ...more];
}

/** What was not measured is left out. */
function timesText(figure: (name: string) => number): string {
  const all = figure('totalExecutionTimeInMs');
  const [compile, run] = [figure('queryCompileTimeInMs'), figure('VMExecutionTimeInMs')];
  const [lookUp, load, write] = [
    figure('indexLookupTimeInMs'),
    figure('documentLoadTimeInMs'),
    figure('writeOutputTimeInMs'),
  ];
  const parts: readonly (readonly [number, string])[] = [
    [compile, 'understanding'],
    [lookUp, 'in the index'],
    [load, 'loading'],
    // Wire: with those three in it.
    [run - lookUp - load - write, 'running'],
    [write, 'writing'],
    [all - compile - run, 'the rest'],
  ];
  const told = parts
    .map(([ms, what]) => [Math.round(ms * 100) / 100, what] as const)
    .filter(([ms]) => ms > 0)
    .map(([ms, what]) => `${ms} ms ${what}`);
  return `${all} ms in all${told.length === 0 ? '' : `: ${told.join(', ')}`}`;
}

function numbersOf(metrics: ReadonlyMap<string, string>): Readonly<Record<string, number>> {
  return Object.fromEntries([...metrics].map(([name, value]) => [name, Number(value)]));
}

function field(name: string, lines: readonly string[]): string[] {
  return lines.map((line, at) => `${(at === 0 ? name : '').padEnd(15)}${line}\n`);
}
