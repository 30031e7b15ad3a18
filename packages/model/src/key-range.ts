// Intervals of effective partition keys, in the form of the wire: upper-case hex, `min` inclusive, `max` exclusive, the whole
// space being "" to "FF". Bounds compare as plain strings and may be shorter or longer than any key (a prefix ends in
// "…FF").

import { effectiveKeyHex, encodeNumberV1 } from './effective-key.ts';
import { assert, DatabaseError } from './errors.ts';
import type { PartitionKeyDefinition } from './partition-key-definition.ts';

export interface KeyRange {
  readonly min: string;
  readonly max: string;
}

/** What decides how keys are spread over the space. */
export type KeySpace = Pick<PartitionKeyDefinition, 'kind' | 'version'>;

export const keySpaceMin = '';
export const keySpaceMax = 'FF';

export function compareHex(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function keyRangeContains(range: KeyRange, hex: string): boolean {
  return range.min <= hex && hex < range.max;
}

export function keyRangesIntersect(a: KeyRange, b: KeyRange): boolean {
  return a.min < b.max && b.min < a.max && a.min < a.max && b.min < b.max;
}

export function intersectKeyRanges(a: KeyRange, b: KeyRange): KeyRange | undefined {
  const min = compareHex(a.min, b.min) > 0 ? a.min : b.min;
  const max = compareHex(a.max, b.max) < 0 ? a.max : b.max;
  return min < max ? { min, max } : undefined;
}

/** Whether the ranges, in any order, cover the whole space without gap or overlap. */
export function keyRangesTile(ranges: readonly KeyRange[]): boolean {
  const sorted = [...ranges].sort((a, b) => compareHex(a.min, b.min));
  let end = keySpaceMin;
  for (const range of sorted) {
    if (range.min !== end || range.min >= range.max) return false;
    end = range.max;
  }
  return end === keySpaceMax;
}

/**
 * The ranges of a new container.
 *
 * Wire: the bounds are those of the service: i/count of the 32-bit hashes for version 1, of the 126-bit ones for version 2
 * (wire 9).
 */
export function sliceKeySpace(definition: KeySpace, count: number): KeyRange[] {
  assert(Number.isSafeInteger(count) && count >= 1, 'a container has at least one range');
  const ranges: KeyRange[] = [];
  let min = keySpaceMin;
  for (let index = 1; index <= count; index += 1) {
    const max = index === count ? keySpaceMax : sliceBound(definition, index, count);
    ranges.push({ min, max });
    min = max;
  }
  return ranges;
}

/** A point strictly inside the range that halves the hashes it can hold. Fails where it holds at most one. */
export function middleOfKeyRange(range: KeyRange, definition: KeySpace): string {
  assert(range.min < range.max, 'a range to be split is not empty');
  const middle =
    definition.version === 1 ? middleV1(range) : middleV2(range, definition.kind === 'MultiHash' ? levelsMax : 1);
  if (middle !== undefined) {
    assert(range.min < middle && middle < range.max, 'the middle lies inside');
    return middle;
  }
  throw new DatabaseError('bad-request', `The range "${range.min}" to "${range.max}" is too narrow to be split.`);
}

const hashCountV1 = 2 ** 32;
const hashDigits = 32;
const hashCountV2: bigint = 1n << 126n;
const levelsMax = 3;

function sliceBound(definition: KeySpace, index: number, count: number): string {
  if (definition.version === 1) return boundV1(Number((BigInt(index) * BigInt(hashCountV1 - 1)) / BigInt(count)));
  return hexOfHash((BigInt(index) * (hashCountV2 - 1n)) / BigInt(count));
}

function boundV1(hash: number): string {
  return effectiveKeyHex(encodeNumberV1(hash));
}

function hexOfHash(hash: bigint): string {
  return hash.toString(16).toUpperCase().padStart(hashDigits, '0');
}

/** Number encoding keeps the order, so both ends are found by bisection; a bound need not be an encoded hash itself. */
function middleV1(range: KeyRange): string | undefined {
  const first = firstHash((hex) => hex > range.min);
  const end = firstHash((hex) => hex >= range.max);
  return first < end ? boundV1(first + Math.floor((end - first) / 2)) : undefined;
}

function firstHash(accepts: (hex: string) => boolean): number {
  let low = 0;
  let high = hashCountV1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (accepts(boundV1(middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Halves the first level if it has room; a hierarchical range inside one first-level hash is halved on the next level. */
function middleV2(range: KeyRange, levels: number): string | undefined {
  const low = firstLevel(range.min);
  const high = range.max === keySpaceMax ? hashCountV2 : firstLevel(range.max);
  const cap = high > hashCountV2 && low < hashCountV2 ? hashCountV2 : high;
  if (cap - low >= 2n) return hexOfHash((low + cap) / 2n);
  if (cap - low === 1n && high < hashCountV2 && range.max > hexOfHash(high)) return hexOfHash(high);
  if (levels === 1) return undefined;

  const prefix = hexOfHash(low);
  const min = range.min.slice(hashDigits);
  const max = high === low ? range.max.slice(hashDigits) : keySpaceMax;
  const middle = min < max ? middleV2({ min, max }, levels - 1) : undefined;
  return middle === undefined ? undefined : prefix + middle;
}

function firstLevel(hex: string): bigint {
  return BigInt(`0x${hex.slice(0, hashDigits).padEnd(hashDigits, '0')}`);
}
