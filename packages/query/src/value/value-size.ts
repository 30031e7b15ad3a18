// How large values are that a query makes, so that none becomes larger than one may be, nor deeper: whoever compares values, or
// writes them, recurses. An array can have itself as element many times over, by way of an alias, so measures of what was made are
// kept and added, not counted again.

import { DatabaseError } from '@tidemark/model';
import { valueDepthMax, valueSizeMax } from '../limits.ts';
import type { ArrayValue, ObjectValue, Value } from './value.ts';
import { isArray } from './value.ts';

/** About the bytes of its JSON. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length + 2;
  return typeof value === 'object' && value !== null ? measureOf(value).size : 8;
}

/** The value, where it is small enough. */
export function bounded<T extends Value>(value: T): T {
  if (typeof value === 'string') checkSize(value.length);
  if (typeof value !== 'object' || value === null) return value;
  const { size, depth } = measureOf(value);
  checkSize(size);
  if (depth > valueDepthMax) throw tooDeep();
  return value;
}

/** Throws before a value of that size is made. */
export function checkSize(size: number): void {
  if (size > valueSizeMax) throw tooLarge();
}

/** What values take in memory, as the work of a document counts it: a string, and what an array or object needs beside its parts. */
export function textBytes(length: number): number {
  return 16 + 2 * length;
}

export function arrayBytes(length: number): number {
  return 32 + 16 * length;
}

export function objectBytes(members: number): number {
  return 32 + 40 * members;
}

interface Measure {
  readonly size: number;
  /** 1 where it has no array or object in it. */
  readonly depth: number;
}

const measures = new WeakMap<object, Measure>();

function measureOf(value: ArrayValue | ObjectValue): Measure {
  const known = measures.get(value);
  if (known !== undefined) return known;
  const measure = isArray(value) ? measureOfArray(value) : measureOfObject(value);
  measures.set(value, measure);
  return measure;
}

function measureOfArray(array: ArrayValue): Measure {
  let size = 2 + array.length;
  let depth = 0;
  for (const element of array) {
    size += sizeOf(element);
    if (typeof element === 'object' && element !== null) depth = Math.max(depth, measureOf(element).depth);
  }
  return { size, depth: depth + 1 };
}

function measureOfObject(object: ObjectValue): Measure {
  let size = 2;
  let depth = 0;
  for (const name of Object.keys(object)) {
    const member = object[name];
    size += name.length + 4 + sizeOf(member);
    if (typeof member === 'object' && member !== null) depth = Math.max(depth, measureOf(member).depth);
  }
  return { size, depth: depth + 1 };
}

function tooLarge(): DatabaseError {
  return new DatabaseError(
    'bad-request',
    `The query makes a value that is larger than ${valueSizeMax / 1024 / 1024} MiB. Select the parts, and put them together in the client.`,
  );
}

function tooDeep(): DatabaseError {
  return new DatabaseError('bad-request', `The query makes a value that nests more than ${valueDepthMax} levels deep.`);
}
