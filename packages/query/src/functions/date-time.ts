// Functions on dates and times (spec query 3.4). A date is a string; what a function does not understand as one makes the
// result undefined. Results keep to the years from 1601 to 9999 wherever something was counted or added.

import type { Value } from '../value/value.ts';
import { formatted } from './date-time/format.ts';
import { fieldsOf, instantAt, instantFrom, instantOf, isKept, msOf, textOf } from './date-time/instant.ts';
import type { Part } from './date-time/parts.ts';
import { binned, boundariesBetween, countOf, partOf, shifted } from './date-time/parts.ts';
import type { FunctionContext, QueryFunction } from './query-function.ts';

const definitions: readonly QueryFunction[] = [
  {
    name: 'AGO',
    takes: 'string, integer',
    meaning: 'The time of this moment less so many parts.',
    example: ["AGO('dd', 1) < NOW()", 'true'],
    call: ([part, count], { nowMs }) =>
      typeof count === 'number' ? moved(instantAt(nowMs()), part, -count) : undefined,
  },
  {
    name: 'DateTimeAdd',
    takes: 'string, integer, string',
    meaning: 'A date so many parts later, or earlier when the number is negative. The last days of a month stay in it.',
    example: ["DateTimeAdd('mm', 1, '2020-07-03')", '"2020-08-03T00:00:00.0000000Z"'],
    call: ([part, count, date]) => moved(instantOf(date), part, count),
  },
  {
    name: 'DateTimeBin',
    takes: 'string, string, integer?, string?',
    meaning:
      'A date rounded down to bins of so many parts, from days to nanoseconds; 1 when left out. The bins count from a date, ' +
      'which is 1970-01-01 when left out.',
    example: ["DateTimeBin('2021-01-08T18:35:00', 'hh', 5)", '"2021-01-08T15:00:00.0000000Z"'],
    call: binOf,
  },
  {
    name: 'DateTimeDiff',
    takes: 'string, string, string',
    meaning: 'How many boundaries of a part lie between two dates; negative when the second is the earlier one.',
    example: ["DateTimeDiff('yyyy', '2019-12-31', '2020-01-01')", '1'],
    call: ([name, from, to]) => {
      const [part, start, end] = [partOf(name), instantOf(from), instantOf(to)];
      if (part === undefined || start === undefined || end === undefined) return undefined;
      return boundariesBetween(part, start, end);
    },
  },
  {
    name: 'DATETIMEFORMAT',
    takes: 'string, string',
    meaning:
      'A date by a pattern of yyyy, MM, dd, HH, mm, ss, and f or F for digits of the fraction; \\ takes one as it is.',
    example: ["DATETIMEFORMAT('2024-10-10 14:40:20', 'dd.MM.yyyy')", '"10.10.2024"'],
    call: ([date, pattern], { work }) => {
      const { length } = pattern as string;
      work?.take(5 * length);
      work?.make(pieceBytes * length);
      const instant = instantOf(date);
      return instant === undefined || typeof pattern !== 'string' ? undefined : formatted(fieldsOf(instant), pattern);
    },
  },
  {
    name: 'DateTimeFromParts',
    takes: 'integer, integer, integer, integer?, integer?, integer?, integer?',
    meaning: 'The date of a year, month, day, hour, minute, second, and of a fraction in units of 100 nanoseconds.',
    example: ['DateTimeFromParts(2017, 4, 20, 13, 15)', '"2017-04-20T13:15:00.0000000Z"'],
    call: dateFromParts,
  },
  {
    name: 'DateTimePart',
    takes: 'string, string',
    meaning: 'The number of a part of a date; of those below the second, all of the fraction.',
    example: ["DateTimePart('mcs', '2016-05-29T08:30:00.1301617')", '130161'],
    call: ([name, date]) => {
      const [part, instant] = [partOf(name), instantOf(date)];
      return part === undefined || instant === undefined ? undefined : countOf(part, instant);
    },
  },
  {
    name: 'DateTimeToTicks',
    takes: 'string',
    meaning: 'The units of 100 nanoseconds from 1970-01-01 to a date. A number holds them exactly only until 1998.',
    example: ["DateTimeToTicks('1970-01-01T00:00:01Z')", '10000000'],
    call: ([date]) => counted(date, Number),
  },
  {
    name: 'DateTimeToTimestamp',
    takes: 'string',
    meaning: 'The milliseconds from 1970-01-01 to a date.',
    example: ["DateTimeToTimestamp('1970-01-02')", '86400000'],
    call: ([date]) => counted(date, msOf),
  },
  partFunction('DAY', 'day', 'The day of the month of a date.', ["DAY('2024-01-10')", '10']),
  current('GetCurrentDateTime', 'The time of this moment, as a date.', keptText, [
    'IS_DATETIME(GetCurrentDateTime())',
    'true',
  ]),
  currentStatic('GetCurrentDateTimeStatic', 'The time at which the query began, as a date.', keptText),
  current('GetCurrentTicks', 'The time of this moment, as DateTimeToTicks counts.', Number, [
    'IS_INTEGER(GetCurrentTicks())',
    'true',
  ]),
  currentStatic('GetCurrentTicksStatic', 'The time at which the query began, as DateTimeToTicks counts.', Number),
  current('GetCurrentTimestamp', 'The time of this moment, in milliseconds since 1970-01-01.', msOf, [
    'IS_INTEGER(GetCurrentTimestamp())',
    'true',
  ]),
  currentStatic(
    'GetCurrentTimestampStatic',
    'The time at which the query began, in milliseconds since 1970-01-01.',
    msOf,
  ),
  partFunction('MONTH', 'month', 'The month of a date.', ["MONTH('2024-01-10')", '1']),
  {
    name: 'NOW',
    takes: 'string?, integer?',
    meaning: 'The time of this moment, as a date; with a part and a number, so many parts later.',
    example: ["NOW('dd', 1) > NOW()", 'true'],
    call: (args, { nowMs }) => {
      const now = instantAt(nowMs());
      return args.length === 0 ? keptText(now) : moved(now, args[0], args[1]);
    },
  },
  {
    name: 'TicksToDateTime',
    takes: 'integer',
    meaning: 'The date that is so many units of 100 nanoseconds after 1970-01-01, or before it.',
    example: ['TicksToDateTime(0)', '"1970-01-01T00:00:00.0000000Z"'],
    call: ([ticks]) => (Number.isInteger(ticks) ? keptText(BigInt(Number(ticks))) : undefined),
  },
  {
    name: 'TimestampToDateTime',
    takes: 'integer',
    meaning: 'The date that is so many milliseconds after 1970-01-01, or before it.',
    example: ['TimestampToDateTime(1597360794300)', '"2020-08-13T23:19:54.3000000Z"'],
    call: ([ms]) => (Number.isInteger(ms) ? keptText(instantAt(Number(ms))) : undefined),
  },
  partFunction('YEAR', 'year', 'The year of a date.', ["YEAR('2024-01-10')", '2024']),
];

/** Moments are large integers, and some are written as text: about a microsecond. */
export const dateTimeFunctions: readonly QueryFunction[] = definitions.map((definition) => ({
  ...definition,
  steps: 100,
}));

/** A text that is added to one character at a time waits in pieces to be joined. */
const pieceBytes = 32;

function partFunction(name: string, part: Part, meaning: string, example: QueryFunction['example']): QueryFunction {
  return {
    name,
    takes: 'string',
    meaning,
    example,
    call: ([date]) => {
      const instant = instantOf(date);
      return instant === undefined ? undefined : countOf(part, instant);
    },
  };
}

function current(
  name: string,
  meaning: string,
  show: (instant: bigint) => Value,
  example: QueryFunction['example'],
): QueryFunction {
  return { name, takes: '', meaning, example, call: (_args, { nowMs }: FunctionContext) => show(instantAt(nowMs())) };
}

function currentStatic(name: string, meaning: string, show: (instant: bigint) => Value): QueryFunction {
  return {
    name,
    takes: '',
    meaning,
    example: [`${name}() = ${name}()`, 'true'],
    call: (_args, { startMs }) => show(instantAt(startMs)),
  };
}

function moved(instant: bigint | undefined, name: Value, count: Value): Value {
  const part = partOf(name);
  if (instant === undefined || part === undefined || typeof count !== 'number' || !Number.isInteger(count))
    return undefined;
  return keptText(shifted(instant, part, count));
}

function binOf([date, name, size = 1, from = '1970-01-01']: readonly Value[]): Value {
  const [instant, part, origin] = [instantOf(date), partOf(name), instantOf(from)];
  if (instant === undefined || part === undefined || origin === undefined || !isKept(origin)) return undefined;
  if (typeof size !== 'number' || !Number.isInteger(size) || size <= 0) return undefined;
  return keptText(binned(instant, part, size, origin));
}

/** Undefined for a part that is no integer, or in no calendar or clock. */
function dateFromParts(parts: readonly Value[]): Value {
  const numbers = parts.map((part) => (typeof part === 'number' ? part : Number.NaN));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction = 0] = numbers;
  const instant = instantFrom({ year, month, day, hour, minute, second, fraction });
  return instant === undefined ? undefined : textOf(instant);
}

function counted(date: Value, count: (instant: bigint) => number): Value {
  const instant = instantOf(date);
  return instant === undefined || !isKept(instant) ? undefined : count(instant);
}

function keptText(instant: bigint | undefined): Value {
  return instant === undefined || !isKept(instant) ? undefined : textOf(instant);
}
