// What a query means for the ranges of a container: which are asked, what is put together afterwards, what each of them is asked, and
// what one page of it costs.

import type { CallOptions, RangeInfo } from '@tidemark/client';
import { isRestError } from '@tidemark/client';
import type { KeyRange, PartitionKeyDefinition } from '@tidemark/model';
import { compareHex, effectiveKeyPrefixRange, intersectKeyRanges } from '@tidemark/model';
import { count, shown, size } from '../terminal.ts';
import type { Question, RowPage, Target } from './ask.ts';
import { askPage, askPlan } from './ask.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Explanation {
  readonly plan: Json;
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
  return { plan, ranges, asked: asked.map(({ id }) => id), page: await onePage(target, question, call, itemsMax) };
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
    page === undefined ? null : { rows: page.rows.length, charge: page.charge, ...numbersOf(page.metrics) };
  return {
    ranges: ranges.map(({ id, min, max }) => ({ id, min, max, isAsked: asked.includes(id) })),
    plan,
    page: figures,
  };
}

/** For people. */
export function explanationText({ plan, ranges, asked, page }: Explanation): string {
  const { queryInfo, hybridSearchQueryInfo } = plan;
  const info: Json = Object(queryInfo);
  const isHybrid = hybridSearchQueryInfo !== undefined && hybridSearchQueryInfo !== null;
  const steps = isHybrid ? ['scores of several queries, which are put into one order'] : stepsOf(info);
  const rewritten = typeof info['rewrittenQuery'] === 'string' ? info['rewrittenQuery'] : '';
  const nothing = ['nothing: one range gives its rows after the other'];
  return [
    ...field('Ranges', [`${asked.length} of ${ranges.length}: ${asked.length === 0 ? 'none' : asked.join(', ')}`]),
    ...field('Merged', steps.length === 0 ? nothing : steps),
    ...field(
      'Each is asked',
      rewritten === '' ? ['the query as it is'] : rewritten.split('\n').map((line) => shown(line)),
    ),
    ...field(
      'One page',
      page === undefined ? ['this account gives none: it leaves the merging to its clients'] : pageText(page),
    ),
  ].join('');
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

function pageText({ rows, charge, metrics }: RowPage): string[] {
  const figures = numbersOf(metrics);
  const figure = (name: string): number => figures[name] ?? 0;
  const ms = (name: string): string => `${figure(name)} ms`;
  const first = `${count(rows.length)} rows, ${count(charge)} RU`;
  if (metrics.size === 0) return [`${first}; this account tells no more`];
  return [
    `${first}, ${count(figure('retrievedDocumentCount'))} documents looked at (${size(figure('retrievedDocumentSize'))})`,
    `${ms('totalExecutionTimeInMs')} in all: ${ms('queryCompileTimeInMs')} understanding, ${ms('indexLookupTimeInMs')} in the index, ` +
      `${ms('documentLoadTimeInMs')} loading, ${ms('VMExecutionTimeInMs')} running`,
  ];
}

function numbersOf(metrics: ReadonlyMap<string, string>): Readonly<Record<string, number>> {
  return Object.fromEntries([...metrics].map(([name, value]) => [name, Number(value)]));
}

function field(name: string, lines: readonly string[]): string[] {
  return lines.map((line, at) => `${(at === 0 ? name : '').padEnd(15)}${line}\n`);
}
