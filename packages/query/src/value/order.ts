// The order of values (wire 12), as compareJson has it, over what a query may make as well: numbers that JSON does not have. NaN comes
// before all other numbers, so that sorting, groups and distinct values know a place for it.

import { compareCodePoints, compareJson } from '@tidemark/model';
import type { Value } from './value.ts';
import { isArray, isObject } from './value.ts';

export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b);
  if (isArray(a) && isArray(b)) {
    const length = Math.min(a.length, b.length);
    for (let at = 0; at < length; at += 1) {
      const order = compareValues(a[at], b[at]);
      if (order !== 0) return order;
    }
    return a.length - b.length;
  }
  if (!isObject(a) || !isObject(b)) return compareJson(a, b);
  const namesOfB = Object.keys(b).sort(compareCodePoints);
  for (const [at, name] of Object.keys(a).sort(compareCodePoints).entries()) {
    const other = namesOfB[at];
    if (other === undefined) return 1;
    const order = compareCodePoints(name, other) || compareValues(a[name], b[name]);
    if (order !== 0) return order;
  }
  return Object.keys(a).length - namesOfB.length;
}

/** Rows by several keys, each in its direction. */
export function compareOrder(a: readonly Value[], b: readonly Value[], areDescending: readonly boolean[]): number {
  for (let at = 0; at < areDescending.length; at += 1) {
    const order = compareValues(a[at], b[at]);
    if (order !== 0) return areDescending[at] === true ? -order : order;
  }
  return 0;
}

function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : Number(Number.isNaN(b)) - Number(Number.isNaN(a));
}
