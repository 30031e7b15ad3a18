// Comparisons, with the steps that they take: of most values none, of large ones more the larger they are.

import type { Value } from '../value/value.ts';
import { compareOrdered, isEqual } from '../value/value.ts';
import { sizeOf } from '../value/value-size.ts';
import type { Work } from '../value/work.ts';

export function isSame(a: Value, b: Value, work: Work): boolean {
  if (a === b && typeof a !== 'string') return true;
  const steps = sharedSteps(a, b);
  if (steps > 0) work.take(steps);
  return isEqual(a, b);
}

export function comparedInOrder(a: Value, b: Value, work: Work): number | undefined {
  const steps = sharedSteps(a, b);
  if (steps > 0) work.take(steps);
  return compareOrdered(a, b);
}

/** To compare two rows by their keys. */
export function orderSteps(a: readonly Value[], b: readonly Value[]): number {
  let steps = 1;
  for (let at = 0; at < a.length; at += 1) steps += 2 + sharedSteps(a[at], b[at]);
  return steps;
}

/** To find the key by which equal values are found. */
export function keySteps(value: Value): number {
  if (typeof value === 'string') return value.length / 8;
  return typeof value === 'object' && value !== null ? 2 * sizeOf(value) : 0;
}

/** A comparison goes on as long as they are the same, at most to the end of the smaller one. */
function sharedSteps(a: Value, b: Value): number {
  if (typeof a === 'string') return typeof b === 'string' ? Math.min(a.length, b.length) / 4 : 0;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return 0;
  return 2 * Math.min(sizeOf(a), sizeOf(b));
}
