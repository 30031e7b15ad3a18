// A moment in UTC, in ticks of 100 ns since the Unix epoch; before it they are negative. They are a bigint, since a double can
// count them only until 1998. The calendar is the Gregorian one, also for the time before there was one.
//
// As text (spec query 3.4), digits and places as given:
//
//   YYYY-MM-DD                                a day, at midnight
//   YYYY-MM-DD[T or space]HH:MM:SS[.f]        with 1 to 7 digits of a second's fraction
//
// and a Z may end both. There are no offsets, as everything is UTC, and no leap seconds. Years go from 0001, which is what .NET
// writes for a date that was never set; what the functions make ends at 1601 (`isKept`).

import type { Value } from '../../value/value.ts';

export interface DateTimeFields {
  readonly year: number;
  /** From 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Of a second, in ticks: from 0 to 9 999 999. */
  readonly fraction: number;
}

const ticksPerMs = 10_000n;
const ticksPerSecond = 10_000_000;

/** Undefined for whatever is no text of a moment. */
export function instantOf(value: Value): bigint | undefined {
  const found = typeof value === 'string' ? form.exec(value) : null;
  if (found === null) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = ''] = found;
  return instantFrom({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction: Number(fraction.padEnd(7, '0')),
  });
}

/** Undefined when there is no such day or time. */
export function instantFrom(fields: DateTimeFields): bigint | undefined {
  const { year, month, day, hour, minute, second, fraction } = fields;
  const isDay = within(year, 1, 9999) && within(month, 1, 12) && within(day, 1, daysOf(year, month));
  const isTime = within(hour, 0, 23) && within(minute, 0, 59) && within(second, 0, 59);
  if (!isDay || !isTime || !within(fraction, 0, ticksPerSecond - 1)) return undefined;
  // Date.UTC takes the years before 100 for those of the last century.
  const midnightMs = new Date(0).setUTCFullYear(year, month - 1, day);
  return instantAt(midnightMs + ((hour * 60 + minute) * 60 + second) * 1000) + BigInt(fraction);
}

/** The moment of a clock that counts milliseconds, perhaps with a fraction. */
export function instantAt(ms: number): bigint {
  const wholeMs = Math.floor(ms);
  return BigInt(wholeMs) * ticksPerMs + BigInt(Math.floor((ms - wholeMs) * Number(ticksPerMs)));
}

/** The millisecond in which a moment is. */
export function msOf(instant: bigint): number {
  return Number(dividedDown(instant, ticksPerMs));
}

export function fieldsOf(instant: bigint): DateTimeFields {
  const date = new Date(msOf(instant));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    fraction: Number(remainderDown(instant, BigInt(ticksPerSecond))),
  };
}

/** The text in the one form in which the functions give it. */
export function textOf(instant: bigint): string {
  const ticks = String(remainderDown(instant, ticksPerMs)).padStart(4, '0');
  return `${new Date(msOf(instant)).toISOString().slice(0, -1)}${ticks}Z`;
}

// 1601-01-01, from which Windows counts, and the last tick of 9999.
const keptMin = -116_444_736_000_000_000n;
const keptMax = 2_534_023_007_999_999_999n;

/** Whether a moment is in the years to which the functions that count and add keep. */
export function isKept(instant: bigint): boolean {
  return instant >= keptMin && instant <= keptMax;
}

export function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Division of bigints drops the fraction; before the epoch that would round up. The divisor is positive. */
export function dividedDown(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

const form = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?)?Z?$/;

function remainderDown(dividend: bigint, divisor: bigint): bigint {
  return dividend - dividedDown(dividend, divisor) * divisor;
}

function within(count: number, min: number, max: number): boolean {
  return Number.isInteger(count) && count >= min && count <= max;
}
