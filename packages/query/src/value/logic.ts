// Logic with three values: true, false and undefined, which is also what every value that is no boolean counts as
// (spec query 2.1).

import type { Value } from './value.ts';

export type Truth = boolean | undefined;

/** False as soon as one is false; true when all are true. */
export function truthAll<T>(items: readonly T[], truthOf: (item: T) => Value): Truth {
  let truth: Truth = true;
  for (const item of items) {
    const one = truthOf(item);
    if (one === false) return false;
    if (one !== true) truth = undefined;
  }
  return truth;
}

/** True as soon as one is true; false when all are false. */
export function truthAny<T>(items: readonly T[], truthOf: (item: T) => Value): Truth {
  let truth: Truth = false;
  for (const item of items) {
    const one = truthOf(item);
    if (one === true) return true;
    if (one !== false) truth = undefined;
  }
  return truth;
}

export function truthNot(value: Value): Truth {
  return typeof value === 'boolean' ? !value : undefined;
}
