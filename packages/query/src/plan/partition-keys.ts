// The parts of a container that a query can find anything in: ranges of effective partition keys, and ids, from its filter
// (spec query 5.7).
//
// WHAT IS KNOWN OF THE KEY       RANGE
//   nothing                      "" to "FF"
//   every level                  a point: both ends are the key and belong to it
//   the first levels             P to P + "FF", the end not included
//   that there is none           the point "", which is no key's; also for a query without FROM, which has to run somewhere

import type { KeyRange, PartitionKeyComponent, PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import {
  compareHex,
  effectiveKey,
  effectiveKeyHex,
  effectiveKeyPrefixRange,
  keySpaceMax,
  keySpaceMin,
} from '@tidemark/model';
import { filterKeysMax, filterStepsMax } from '../limits.ts';
import type { PreparedQuery } from '../query.ts';
import type { Value } from '../value/value.ts';
import type { KeyBox } from './key-filter.ts';
import { keyBoxesOf } from './key-filter.ts';

/** As clients are told it. */
export interface QueryRange {
  readonly min: string;
  readonly max: string;
  readonly isMinInclusive: boolean;
  readonly isMaxInclusive: boolean;
}

/** Sorted, without overlap, and at least one. `parameters` in the order of the names that the query was prepared with. */
export function keyRangesOf(
  { program }: PreparedQuery,
  parameters: readonly Value[],
  definition: PartitionKeyDefinition,
  stepsMax: number = filterStepsMax,
): readonly QueryRange[] {
  const { query } = program;
  if (query.documentSlot === undefined) return [pointOf(keySpaceMin)];
  const ranges: QueryRange[] = [];
  for (const box of keyBoxesOf(query, parameters, definition.paths, stepsMax)) {
    const found = rangesOfBox(box, definition);
    if (found === undefined) return [everything];
    ranges.push(...found);
    if (ranges.length > filterKeysMax) return [everything];
  }
  return ranges.length === 0 ? [pointOf(keySpaceMin)] : withoutOverlap(ranges);
}

/** The values of the one partition key that a document can have that passes the filter; undefined: there are several, or none. */
export function oneKeyOf(
  { program }: PreparedQuery,
  parameters: readonly Value[],
  definition: PartitionKeyDefinition,
  stepsMax: number = filterStepsMax,
): PartitionKeyValues | undefined {
  const { query } = program;
  if (query.documentSlot === undefined) return undefined;
  const [box, ...others] = keyBoxesOf(query, parameters, definition.paths, stepsMax);
  if (box === undefined || others.length > 0) return undefined;
  const values: PartitionKeyComponent[] = [];
  for (const level of box) {
    if (level?.size !== 1) return undefined;
    values.push(...level);
  }
  return values;
}

/** The ids that a document can have that passes the filter; undefined: any. */
export function idsOf(
  { program }: PreparedQuery,
  parameters: readonly Value[],
  stepsMax: number = filterStepsMax,
): readonly string[] | undefined {
  const { query } = program;
  if (query.documentSlot === undefined) return undefined;
  const ids = new Set<string>();
  for (const [values] of keyBoxesOf(query, parameters, ['/id'], stepsMax)) {
    if (values === undefined || ids.size + values.size > filterKeysMax) return undefined;
    for (const value of values) if (typeof value === 'string') ids.add(value);
  }
  return [...ids];
}

/** The same as intervals for a scan; none where there is nothing to be found. */
export function scannedRanges(ranges: readonly QueryRange[]): readonly KeyRange[] {
  return ranges.flatMap(({ min, max, isMaxInclusive }) => {
    if (!isMaxInclusive) return [{ min, max }];
    return min === keySpaceMin ? [] : [{ min, max: behindPoint(max) }];
  });
}

/** Whether a scan of these intervals finds documents of one partition key, or nothing. */
export function areOneKey([first, ...others]: readonly KeyRange[]): boolean {
  return others.length === 0 && (first === undefined || first.max === behindPoint(first.min));
}

/** Whether all that can be found has one partition key, or there is nothing. */
export function isOnePoint(ranges: readonly QueryRange[]): boolean {
  return ranges.length === 1 && ranges[0]?.isMaxInclusive === true;
}

const everything: QueryRange = { min: keySpaceMin, max: keySpaceMax, isMinInclusive: true, isMaxInclusive: false };

/** The end of an interval with one key in it. */
function behindPoint(hex: string): string {
  return `${hex}00`;
}

function pointOf(hex: string): QueryRange {
  return { min: hex, max: hex, isMinInclusive: true, isMaxInclusive: true };
}

/** Undefined: everything. */
function rangesOfBox(box: KeyBox, definition: PartitionKeyDefinition): readonly QueryRange[] | undefined {
  let keys: readonly (readonly PartitionKeyComponent[])[] = [[]];
  for (const values of box) {
    if (values === undefined || keys.length * values.size > filterKeysMax) break;
    keys = keys.flatMap((key) => [...values].map((value) => [...key, value]));
  }
  const levels = keys[0]?.length ?? 0;
  if (levels === 0) return undefined;
  if (levels < box.length) {
    return keys.map((key) => ({
      ...effectiveKeyPrefixRange(definition, key),
      isMinInclusive: true,
      isMaxInclusive: false,
    }));
  }
  return keys.map((key) => pointOf(effectiveKeyHex(effectiveKey(definition, key))));
}

/** Two ranges are the same, apart, or one in the other: a prefix lies before all that begins with it. */
function withoutOverlap(ranges: readonly QueryRange[]): readonly QueryRange[] {
  const kept: QueryRange[] = [];
  for (const range of [...ranges].sort((a, b) => compareHex(a.min, b.min))) {
    const last = kept.at(-1);
    if (last !== undefined && (range.min === last.min || range.min < last.max)) continue;
    kept.push(range);
  }
  return kept;
}
