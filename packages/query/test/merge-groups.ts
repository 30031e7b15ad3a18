// Groups of several ranges as one, as SDKs put them together (spec query 5.3): an aggregate of each range is added to those of the
// others, whatever is none is that of the first.

import { compareJson } from '@tidemark/model';
import type { AggregateName, QueryInfo } from '../src/plan/query-info.ts';
import type { Value } from '../src/value/value.ts';
import { isArray, isObject, memberOf, objectOf } from '../src/value/value.ts';
import { contentKey, ValueSet } from '../src/value/value-set.ts';

export function mergeGroups(queryInfo: QueryInfo, rows: readonly Value[]): readonly Value[] {
  const groups = new Map<unknown, Value[]>();
  for (const row of rows) {
    const items = memberOf(row, 'groupByItems');
    const isAlone = queryInfo.groupByExpressions.length === 0 && queryInfo.hasSelectValue;
    const key = items === undefined ? '' : contentKey(items);
    const payloads = groups.get(key) ?? [];
    payloads.push(isAlone ? row : memberOf(row, 'payload'));
    groups.set(key, payloads);
  }
  return [...groups.values()].map((payloads) => mergePayloads(queryInfo, payloads)).filter((row) => row !== undefined);
}

function mergePayloads(queryInfo: QueryInfo, payloads: readonly Value[]): Value {
  if (!queryInfo.hasSelectValue) {
    const types = Object.entries(queryInfo.groupByAliasToAggregateType);
    return objectOf(
      types.map(([alias, type]) => [
        alias,
        mergeOne(
          type,
          payloads.map((one) => memberOf(one, alias)),
        ),
      ]),
    );
  }
  const [type] = queryInfo.aggregates;
  return type === undefined
    ? payloads[0]
    : mergeOne(
        type,
        payloads.map((one) => (isArray(one) ? one[0] : undefined)),
      );
}

function mergeOne(type: AggregateName | null, parts: readonly Value[]): Value {
  if (type === null) return parts[0];
  const items = parts.map((part) => memberOf(part, 'item2') ?? memberOf(part, 'item'));
  switch (type) {
    case 'Count':
    case 'CountIf':
    case 'Sum':
      return sumOf(items);
    case 'Average': {
      const some = items.filter((item) => memberOf(item, 'count') !== 0);
      const sum = sumOf(some.map((item) => memberOf(item, 'sum')));
      const count = sumOf(some.map((item) => memberOf(item, 'count')));
      return sum === undefined || count === undefined || count === 0 ? undefined : sum / count;
    }
    case 'Min':
    case 'Max':
      return extremeOf(items, type);
    case 'MakeList':
      return items.flatMap((item) => (isArray(item) ? item : []));
    case 'MakeSet': {
      const set = new ValueSet();
      for (const item of items) if (isArray(item)) for (const value of item) set.add(value);
      return [...set];
    }
  }
}

/** Undefined as soon as that of one range is. */
function sumOf(values: readonly Value[]): number | undefined {
  return values.reduce<number | undefined>(
    (sum, value) => (sum === undefined || typeof value !== 'number' ? undefined : sum + value),
    0,
  );
}

/** Ranges without any value have none to compare. */
function extremeOf(items: readonly Value[], type: 'Min' | 'Max'): Value {
  const name = type.toLowerCase();
  const counted = items.filter((item) => isObject(item) && item['count'] !== 0).map((item) => memberOf(item, name));
  if (counted.includes(undefined)) return undefined;
  const sorted = counted.sort(compareJson);
  return type === 'Min' ? sorted[0] : sorted.at(-1);
}
