// Aggregates over all values of a group at once (query 2.6).

import type { Value } from '../../src/value/value.ts';
import { distinct, order } from './values.ts';

export const aggregateNames: ReadonlySet<string> = new Set([
  'AVG',
  'COUNT',
  'COUNTIF',
  'MAKELIST',
  'MAKESET',
  'MAX',
  'MIN',
  'SUM',
]);

export function resultOf(name: string, all: readonly Value[]): Value {
  const values = all.filter((value) => value !== undefined);
  const isCompound = values.some((value) => typeof value === 'object' && value !== null);
  const sorted = values.map((value, at) => ({ value, at })).sort((a, b) => order(a.value, b.value) || a.at - b.at);
  switch (name) {
    case 'COUNT':
      return values.length;
    case 'COUNTIF':
      return values.filter((value) => value === true).length;
    case 'SUM':
      return sum(values);
    case 'AVG': {
      const total = sum(values);
      return total === undefined || values.length === 0 ? undefined : total / values.length;
    }
    case 'MIN':
      return isCompound ? undefined : sorted[0]?.value;
    case 'MAX':
      return isCompound ? undefined : sorted.at(-1)?.value;
    case 'MAKELIST':
      return values;
    case 'MAKESET':
      return distinct(values);
    default:
      throw new Error(`${name} is no aggregate`);
  }
}

function sum(values: readonly Value[]): number | undefined {
  let total = 0;
  for (const value of values) {
    if (typeof value !== 'number') return undefined;
    total += value;
  }
  return total;
}
