// A row as text that equal rows have in common, however their members are ordered and their numbers written.

import type { Value } from '../src/value/value.ts';

export function canonicalRow(row: Value): string {
  return JSON.stringify(row, (_name, value: Value) => {
    if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : String(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
