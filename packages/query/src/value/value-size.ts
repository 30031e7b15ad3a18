// How large values are that a query makes, so that none becomes larger than one may be. An array can have itself as element
// many times over, by way of an alias, so sizes of what was made are kept and added, not counted again.

import { DatabaseError } from '@tidemark/model';
import { valueSizeMax } from '../limits.ts';
import type { Value } from './value.ts';
import { isArray, isObject } from './value.ts';

/** About the bytes of its JSON. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 2;
  if (isArray(value)) {
    for (const element of value) size += 1 + sizeOf(element);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) size += name.length + 4 + sizeOf(value[name]);
  }
  sizes.set(value, size);
  return size;
}

/** The value, where it is small enough. */
export function bounded<T extends Value>(value: T): T {
  if (sizeOf(value) > valueSizeMax) throw tooLarge();
  return value;
}

/** Throws before a value of that size is made. */
export function checkSize(size: number): void {
  if (size > valueSizeMax) throw tooLarge();
}

const sizes = new WeakMap<object, number>();

function tooLarge(): DatabaseError {
  return new DatabaseError(
    'bad-request',
    `The query makes a value that is larger than ${valueSizeMax / 1024 / 1024} MiB. Select the parts, and put them together in the client.`,
  );
}
