// Values of the language: those of JSON, and undefined, which is what is not there.

import type { JsonValue } from '@tidemark/model';
import { compareJson } from '@tidemark/model';

export type Value = JsonValue;
export type ObjectValue = { readonly [name: string]: Value };
export type ArrayValue = readonly Value[];

export function isArray(value: Value): value is ArrayValue {
  return Array.isArray(value);
}

export function isObject(value: Value): value is ObjectValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object; undefined for whatever is none. */
export function memberOf(value: Value, name: string): Value {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** An element of an array, by a number; undefined for whatever is none. */
export function elementOf(value: Value, place: Value): Value {
  return isArray(value) && typeof place === 'number' ? value[place] : undefined;
}

/** An object of these members. Of one name twice the last counts; one that is undefined is not there. */
export function objectOf(members: Iterable<readonly [string, Value]>): ObjectValue {
  const made: Record<string, Value> = {};
  for (const [name, value] of members) {
    if (value === undefined) delete made[name];
    // A plain assignment to this name would set the prototype.
    else if (name === '__proto__') {
      Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
    } else {
      made[name] = value;
    }
  }
  return made;
}

/** Of defined values: the same type and the same content; the order of members does not matter, that of elements does. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
    return a.every((element, at) => isEqual(element, b[at]));
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]));
}

/** `<` and its like know only two values of one type that has an order; undefined for all others. */
export function compareOrdered(a: Value, b: Value): number | undefined {
  switch (typeof a) {
    case 'number':
      if (typeof b !== 'number') return undefined;
      return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
    case 'string':
    case 'boolean':
      return typeof a === typeof b ? compareJson(a, b) : undefined;
    default:
      return a === null && b === null ? 0 : undefined;
  }
}
