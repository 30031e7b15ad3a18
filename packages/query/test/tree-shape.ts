// A tree without the places of its nodes in the text, as text: what stays the same however a query is written.

import type { Query } from '../src/syntax/tree.ts';

export function shapeOf(query: Query): string {
  return JSON.stringify(query, (name, value: unknown) => {
    if (name === 'start' || name === 'end') return undefined;
    if (value === undefined) return { undefined: true };
    return typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value;
  });
}
