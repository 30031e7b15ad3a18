// The parts of a date and time: what they are called, and what is counted in them (spec query 3.4). Years and months differ in
// length and go by the calendar; all others are so many nanoseconds.

import type { Value } from '../../value/value.ts';
import { daysOf, dividedDown, fieldsOf, instantFrom } from './instant.ts';

type CalendarPart = 'year' | 'month';
type ClockPart = 'day' | 'hour' | 'minute' | 'second' | 'millisecond' | 'microsecond' | 'nanosecond';
export type Part = CalendarPart | ClockPart;

/** By its name or one of its short forms, in any case; undefined for whatever is none. */
export function partOf(value: Value): Part | undefined {
  return typeof value === 'string' ? partsByName.get(value.toLowerCase()) : undefined;
}

/** Of the parts below the second each is all of the fraction: 130 ms, 130 161 µs and 130 161 700 ns are one fraction. */
export function countOf(part: Part, instant: bigint): number {
  const fields = fieldsOf(instant);
  switch (part) {
    case 'millisecond':
      return Math.floor(fields.fraction / 10_000);
    case 'microsecond':
      return Math.floor(fields.fraction / 10);
    case 'nanosecond':
      return fields.fraction * nanosecondsPerTick;
    default:
      return fields[part];
  }
}

/** The moment so many parts later; undefined where the calendar ends. The count is an integer. */
export function shifted(instant: bigint, part: Part, count: number): bigint | undefined {
  if (part === 'year' || part === 'month') return shiftedByMonths(instant, part === 'year' ? count * 12 : count);
  // What is less than a tick is dropped, in both directions.
  return instant + (BigInt(count) * nanosecondsOf[part]) / BigInt(nanosecondsPerTick);
}

/** How often the part changes on the way from one moment to another one; negative on the way back. */
export function boundariesBetween(part: Part, from: bigint, to: bigint): number {
  if (part === 'year' || part === 'month') {
    const [a, b] = [fieldsOf(from), fieldsOf(to)];
    return part === 'year' ? b.year - a.year : (b.year - a.year) * 12 + (b.month - a.month);
  }
  return Number(unitsSinceEpoch(part, to) - unitsSinceEpoch(part, from));
}

/**
 * The last of the moments, so many parts apart, that lie at or before this one; the origin is one of them. Undefined for years
 * and months, which cannot be laid one behind the other. The size is a positive integer.
 */
export function binned(instant: bigint, part: Part, size: number, origin: bigint): bigint | undefined {
  if (part === 'year' || part === 'month') return undefined;
  const perTick = BigInt(nanosecondsPerTick);
  const bin = BigInt(size) * nanosecondsOf[part];
  const start = dividedDown((instant - origin) * perTick, bin) * bin;
  return origin + dividedDown(start, perTick);
}

const nanosecondsPerTick = 100;

const partsByName: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['year', 'year'],
  ['yyyy', 'year'],
  ['yy', 'year'],
  ['month', 'month'],
  ['mm', 'month'],
  ['m', 'month'],
  ['day', 'day'],
  ['dd', 'day'],
  ['d', 'day'],
  ['hour', 'hour'],
  ['hh', 'hour'],
  ['minute', 'minute'],
  ['mi', 'minute'],
  ['n', 'minute'],
  ['second', 'second'],
  ['ss', 'second'],
  ['s', 'second'],
  ['millisecond', 'millisecond'],
  ['ms', 'millisecond'],
  ['microsecond', 'microsecond'],
  ['mcs', 'microsecond'],
  ['nanosecond', 'nanosecond'],
  ['ns', 'nanosecond'],
]);

const nanosecondsOf: Readonly<Record<ClockPart, bigint>> = {
  day: 86_400_000_000_000n,
  hour: 3_600_000_000_000n,
  minute: 60_000_000_000n,
  second: 1_000_000_000n,
  millisecond: 1_000_000n,
  microsecond: 1_000n,
  nanosecond: 1n,
};

/** The 31st becomes the last day of a shorter month, and the 29th of February the 28th in years without it. */
function shiftedByMonths(instant: bigint, count: number): bigint | undefined {
  const fields = fieldsOf(instant);
  const months = fields.year * 12 + (fields.month - 1) + count;
  const year = Math.floor(months / 12);
  const month = months - year * 12 + 1;
  return instantFrom({ ...fields, year, month, day: Math.min(fields.day, daysOf(year, month)) });
}

/** The epoch is the start of a day, so the boundaries of all these parts lie at multiples of their lengths from it. */
function unitsSinceEpoch(part: ClockPart, instant: bigint): bigint {
  return dividedDown(instant * BigInt(nanosecondsPerTick), nanosecondsOf[part]);
}
