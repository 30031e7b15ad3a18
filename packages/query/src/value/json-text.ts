// Values as JSON text. Numbers that JSON does not have become strings of their names, as in the service, which does not
// allow them in results (spec query 2.3).

import type { Value } from './value.ts';

export function jsonText(value: Exclude<Value, undefined>): string {
  const text = JSON.stringify(value, nameNonFinite);
  return text;
}

function nameNonFinite(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
