// The order of rows by several keys, each in its direction.

import { compareJson } from '@tidemark/model';
import type { Value } from './value.ts';

export function compareOrder(a: readonly Value[], b: readonly Value[], areDescending: readonly boolean[]): number {
  for (let at = 0; at < areDescending.length; at += 1) {
    const order = compareJson(a[at], b[at]);
    if (order !== 0) return areDescending[at] === true ? -order : order;
  }
  return 0;
}
