// A set of values by their content, in the order in which they came. Scalars are found as such; arrays and objects by a
// text that equal ones have in common.

import type { Value } from './value.ts';
import { isArray, isObject } from './value.ts';

export class ValueSet implements Iterable<Value> {
  readonly #values = new Map<unknown, Value>();

  get size(): number {
    return this.#values.size;
  }

  /** Whether it was not there. Undefined is never there. */
  add(value: Value): boolean {
    if (value === undefined) return false;
    const key = contentKey(value);
    if (this.#values.has(key)) return false;
    this.#values.set(key, value);
    return true;
  }

  delete(value: Value): void {
    this.#values.delete(contentKey(value));
  }

  has(value: Value): boolean {
    return this.#values.has(contentKey(value));
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#values.values();
  }
}

/** Equal values have the same key. That of an array or object is a text that no string value has. */
export function contentKey(value: Value): unknown {
  if (typeof value === 'string') return `"${value}`;
  if (typeof value === 'number') return value === 0 ? 0 : value;
  return typeof value === 'object' && value !== null ? textOf(value) : value;
}

/** The same for several values, of which each may be undefined. */
export function contentKeyOf(values: readonly Value[]): unknown {
  const [first] = values;
  if (values.length === 1) return contentKey(first);
  return values.map((value) => (value === undefined ? '-' : textOf(value))).join(',');
}

/** JSON with the members of objects in the order of their names. */
function textOf(value: Value): string {
  if (isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((name) => `${JSON.stringify(name)}:${textOf(value[name])}`).join(',')}}`;
  }
  // JSON has no text for these, and calls them all null.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value === 0 ? '0' : JSON.stringify(value);
}
