import { expect, test } from 'vitest';
import { call } from '../../test/call-function.ts';
import type { Value } from '../value/value.ts';

test('[query 3.4] the current time is that of the call, and the static one that of the query', () => {
  expect(call('GetCurrentDateTime')).toBe('2020-09-13T12:26:40.0000000Z');
  expect(call('GetCurrentTicks')).toBe(16_000_000_000_000_000);
  expect(call('GetCurrentTimestamp')).toBe(1_600_000_000_000);
  expect(call('GetCurrentDateTimeStatic')).toBe('2017-07-14T02:40:00.0000000Z');
  expect(call('GetCurrentTicksStatic')).toBe(15_000_000_000_000_000);
  expect(call('GetCurrentTimestampStatic')).toBe(1_500_000_000_000);
});

test('[query 3.4] NOW may look ahead, and AGO looks back', () => {
  expect(call('NOW')).toBe('2020-09-13T12:26:40.0000000Z');
  expect(call('NOW', 'dd', 1)).toBe('2020-09-14T12:26:40.0000000Z');
  expect(call('NOW', 'hh', -1)).toBe('2020-09-13T11:26:40.0000000Z');
  expect(call('AGO', 'yy', 1)).toBe('2019-09-13T12:26:40.0000000Z');
  expect(call('AGO', 'mi', -5)).toBe('2020-09-13T12:31:40.0000000Z');
});

test('[query 3.4] NOW and AGO know no other parts and counts than DateTimeAdd', () => {
  expect(call('NOW', 'dd')).toBeUndefined();
  expect(call('NOW', 'week', 1)).toBeUndefined();
  expect(call('AGO', 'dd', 0.5)).toBeUndefined();
  expect(call('AGO', 1, 1)).toBeUndefined();
  expect(call('AGO', 'yyyy', 1000)).toBeUndefined();
});

test('[query 3.4] parts are added to a date', () => {
  const add = (part: string, count: number): Value => call('DateTimeAdd', part, count, '2020-07-03T00:00:00.0000000');

  expect(add('yyyy', 1)).toBe('2021-07-03T00:00:00.0000000Z');
  expect(add('mm', 1)).toBe('2020-08-03T00:00:00.0000000Z');
  expect(add('dd', -1)).toBe('2020-07-02T00:00:00.0000000Z');
  expect(add('hh', -1)).toBe('2020-07-02T23:00:00.0000000Z');
  expect(add('mi', 90)).toBe('2020-07-03T01:30:00.0000000Z');
  expect(add('mi', -90)).toBe('2020-07-02T22:30:00.0000000Z');
  expect(add('ss', -25)).toBe('2020-07-02T23:59:35.0000000Z');
  expect(add('ms', 5)).toBe('2020-07-03T00:00:00.0050000Z');
  expect(add('mcs', 5)).toBe('2020-07-03T00:00:00.0000050Z');
  expect(add('ns', 500)).toBe('2020-07-03T00:00:00.0000005Z');
});

test('[query 3.4] nanoseconds that make no whole tick are dropped in both directions', () => {
  expect(call('DateTimeAdd', 'ns', 199, '2020-07-03')).toBe('2020-07-03T00:00:00.0000001Z');
  expect(call('DateTimeAdd', 'ns', -99, '2020-07-03')).toBe('2020-07-03T00:00:00.0000000Z');
});

test('[query 3.4] the last days of a month stay in their month', () => {
  expect(call('DateTimeAdd', 'yyyy', 1, '2020-02-29')).toBe('2021-02-28T00:00:00.0000000Z');
  expect(call('DateTimeAdd', 'yyyy', 4, '2020-02-29')).toBe('2024-02-29T00:00:00.0000000Z');
  expect(call('DateTimeAdd', 'm', 1, '2020-01-31')).toBe('2020-02-29T00:00:00.0000000Z');
  expect(call('DateTimeAdd', 'm', -1, '2019-03-31')).toBe('2019-02-28T00:00:00.0000000Z');
  expect(call('DateTimeAdd', 'm', 3, '2020-01-31T10:20:30.1234567Z')).toBe('2020-04-30T10:20:30.1234567Z');
  expect(call('DateTimeAdd', 'm', -13, '2020-01-15')).toBe('2018-12-15T00:00:00.0000000Z');
  expect(call('DateTimeAdd', 'yyyy', 80, '2020-02-29')).toBe('2100-02-28T00:00:00.0000000Z');
  expect(call('DateTimeAdd', 'yyyy', -20, '2020-02-29')).toBe('2000-02-29T00:00:00.0000000Z');
});

test('[query 3.4] a sum before 1601 or after 9999 is undefined', () => {
  expect(call('DateTimeAdd', 'ns', 0, '9999-12-31T23:59:59.9999999')).toBe('9999-12-31T23:59:59.9999999Z');
  expect(call('DateTimeAdd', 'ns', 100, '9999-12-31T23:59:59.9999999')).toBeUndefined();
  expect(call('DateTimeAdd', 'yyyy', 1, '9999-01-01')).toBeUndefined();
  expect(call('DateTimeAdd', 'dd', 0, '1601-01-01')).toBe('1601-01-01T00:00:00.0000000Z');
  expect(call('DateTimeAdd', 'ns', -100, '1601-01-01')).toBeUndefined();
  expect(call('DateTimeAdd', 'mm', -1, '1601-01-01')).toBeUndefined();
  for (const part of ['yyyy', 'mm', 'dd', 'ns']) {
    expect(call('DateTimeAdd', part, 1e300, '2020-01-01')).toBeUndefined();
    expect(call('DateTimeAdd', part, -Number.MAX_VALUE, '2020-01-01')).toBeUndefined();
  }
});

test('[query 3.4] a bad part, count or date makes every function undefined', () => {
  expect(call('DateTimeAdd', 'zz', 1, '2020-01-01')).toBeUndefined();
  expect(call('DateTimeAdd', 'dd', 0.5, '2020-01-01')).toBeUndefined();
  expect(call('DateTimeAdd', 'dd', Number.NaN, '2020-01-01')).toBeUndefined();
  expect(call('DateTimeAdd', 'dd', 1, '2020-02-30')).toBeUndefined();
  expect(call('DateTimeDiff', '', '2020-01-01', '2020-01-02')).toBeUndefined();
  expect(call('DateTimeDiff', 'dd', '2020-01-01', 'x')).toBeUndefined();
  expect(call('DateTimePart', 'dd', 'nope')).toBeUndefined();
  expect(call('DateTimePart', 'constructor', '2020-01-01')).toBeUndefined();
  expect(call('DateTimeToTicks', '2020-13-01')).toBeUndefined();
  expect(call('DateTimeToTimestamp', 0)).toBeUndefined();
  expect(call('DATETIMEFORMAT', '2020', 'yyyy')).toBeUndefined();
  expect(call('YEAR', 2020)).toBeUndefined();
});

test('[query 3.4] parts have short forms, in any case', () => {
  const forms: readonly [number, ...string[]][] = [
    [2016, 'year', 'yyyy', 'yy', 'YYYY'],
    [5, 'month', 'mm', 'm', 'MM'],
    [29, 'day', 'dd', 'd', 'Day'],
    [8, 'hour', 'hh', 'HH'],
    [31, 'minute', 'mi', 'n', 'N'],
    [7, 'second', 'ss', 's', 'Second'],
    [130, 'millisecond', 'ms'],
    [130161, 'microsecond', 'mcs'],
    [130161700, 'nanosecond', 'ns'],
  ];
  for (const [count, ...names] of forms) {
    for (const name of names) expect(call('DateTimePart', name, '2016-05-29T08:31:07.1301617'), name).toBe(count);
  }
});

test('[query 3.4] YEAR, MONTH and DAY are parts of a date', () => {
  expect([call('YEAR', '2024-01-10'), call('MONTH', '2024-01-10'), call('DAY', '2024-01-10')]).toEqual([2024, 1, 10]);
  expect(call('YEAR', '0001-01-01T00:00:00')).toBe(1);
  expect(call('DateTimePart', 'ms', '1969-12-31T23:59:59.9990000')).toBe(999);
});

test('[query 3.4] a difference counts the boundaries that lie between', () => {
  const diff = (part: string): Value =>
    call('DateTimeDiff', part, '2018-03-05T05:00:00.0000000', '2019-02-04T16:00:00.0000000');

  expect(['yyyy', 'mm', 'dd', 'hh', 'ss'].map(diff)).toEqual([1, 11, 336, 8075, 29070000]);
  expect(call('DateTimeDiff', 'hh', '2019-02-04T16:00:00', '2018-03-05T05:00:00')).toBe(-8075);
  expect(call('DateTimeDiff', 'yyyy', '2019-12-31', '2020-01-01')).toBe(1);
  expect(call('DateTimeDiff', 'mm', '2020-01-31', '2020-03-01')).toBe(2);
  expect(call('DateTimeDiff', 'mm', '2020-01-01', '2019-12-31')).toBe(-1);
  expect(call('DateTimeDiff', 'hh', '2020-01-01T00:59:59Z', '2020-01-01T01:00:00Z')).toBe(1);
  expect(call('DateTimeDiff', 'hh', '2020-01-01T01:00:00.1234527Z', '2020-01-01T01:59:59.1234567Z')).toBe(0);
  expect(call('DateTimeDiff', 'dd', '2020-01-03', '2020-01-01')).toBe(-2);
  expect(call('DateTimeDiff', 'ns', '2020-01-01T00:00:00.0000001', '2020-01-01T00:00:00.0000003')).toBe(200);
});

test('[query 3.4] boundaries before 1970 are counted like those after it', () => {
  expect(call('DateTimeDiff', 'dd', '1969-12-31T23:59:59.9999999', '1970-01-01')).toBe(1);
  expect(call('DateTimeDiff', 'dd', '1969-12-31T00:00:00', '1969-12-31T23:59:59')).toBe(0);
  expect(call('DateTimeDiff', 'dd', '1900-02-28', '1900-03-01')).toBe(1);
  expect(call('DateTimeDiff', 'dd', '0001-01-01', '9999-12-31')).toBe(3652058);
});

test('[query 3.4] a date is binned as the reference shows', () => {
  const bin = (...args: Value[]): Value => call('DateTimeBin', '2021-01-08T18:35:00.0000000', ...args);

  expect(bin('dd')).toBe('2021-01-08T00:00:00.0000000Z');
  expect(bin('hh')).toBe('2021-01-08T18:00:00.0000000Z');
  expect(bin('ss')).toBe('2021-01-08T18:35:00.0000000Z');
  expect(bin('hh', 5)).toBe('2021-01-08T15:00:00.0000000Z');
  expect(bin('dd', 7)).toBe('2021-01-07T00:00:00.0000000Z');
  expect(bin('dd', 7, '1601-01-01T00:00:00.0000000')).toBe('2021-01-04T00:00:00.0000000Z');
});

test('[query 3.4] bins are laid downwards, also before their origin', () => {
  expect(call('DateTimeBin', '1969-12-31T23:59:59.9999999', 'hh')).toBe('1969-12-31T23:00:00.0000000Z');
  expect(call('DateTimeBin', '2020-01-01', 'dd', 7, '2020-01-05')).toBe('2019-12-29T00:00:00.0000000Z');
  expect(call('DateTimeBin', '2020-01-01T00:00:00.1234567', 'ms')).toBe('2020-01-01T00:00:00.1230000Z');
  expect(call('DateTimeBin', '2020-01-01T00:00:00.1234567', 'mcs', 2)).toBe('2020-01-01T00:00:00.1234560Z');
  expect(call('DateTimeBin', '2020-01-01T00:00:00.1234567', 'ns')).toBe('2020-01-01T00:00:00.1234567Z');
});

test('[query 3.4] years and months, sizes that are not positive integers and early origins make no bins', () => {
  expect(call('DateTimeBin', '2020-01-01', 'yyyy')).toBeUndefined();
  expect(call('DateTimeBin', '2020-01-01', 'mm')).toBeUndefined();
  expect(call('DateTimeBin', '2020-01-01', 'week')).toBeUndefined();
  for (const size of [0, -1, 1.5, Number.NaN, '1']) {
    expect(call('DateTimeBin', '2020-01-01', 'dd', size)).toBeUndefined();
  }
  expect(call('DateTimeBin', '2020-01-01', 'dd', 1, '1600-12-31')).toBeUndefined();
  expect(call('DateTimeBin', '2020-01-01', 'dd', 1, 'x')).toBeUndefined();
  expect(call('DateTimeBin', 'x', 'dd')).toBeUndefined();
  expect(call('DateTimeBin', '1969-01-01', 'dd', 1e300)).toBeUndefined();
  expect(call('DateTimeBin', '2020-01-01', 'dd', 1e300)).toBe('1970-01-01T00:00:00.0000000Z');
});

test('[query 3.4] a date is made of three to seven parts', () => {
  expect(call('DateTimeFromParts', 2017, 4, 20)).toBe('2017-04-20T00:00:00.0000000Z');
  expect(call('DateTimeFromParts', 2017, 4, 20, 13, 15)).toBe('2017-04-20T13:15:00.0000000Z');
  expect(call('DateTimeFromParts', 2017, 4, 20, 13, 15, 20, 3456789)).toBe('2017-04-20T13:15:20.3456789Z');
  expect(call('DateTimeFromParts', 2024, 2, 29, 0, 0, 0, 1)).toBe('2024-02-29T00:00:00.0000001Z');
  expect(call('DateTimeFromParts', 1, 1, 1)).toBe('0001-01-01T00:00:00.0000000Z');
});

test('[query 3.4] parts of no date make none', () => {
  const bad: readonly (readonly Value[])[] = [
    [-2000, -1, -1],
    [2017, 13, 1],
    [2017, 0, 1],
    [2017, 1, 0],
    [2023, 2, 29],
    [1900, 2, 29],
    [0, 1, 1],
    [10000, 1, 1],
    [2017, 1, 1, 24],
    [2017, 1, 1, 0, 60],
    [2017, 1, 1, 0, 0, 60],
    [2017, 1, 1, 0, 0, 0, 10_000_000],
    [2017, 1, 1, 0, 0, 0, -1],
    [2017, 1.5, 1],
    ['2017', 1, 1],
    [1e300, 1, 1],
  ];
  for (const parts of bad) expect(call('DateTimeFromParts', ...parts), String(parts)).toBeUndefined();
});

test('[query 3.4] ticks and timestamps count from 1970, negative before it, back to 1601', () => {
  expect(call('DateTimeToTicks', '1970-01-01T00:00:01Z')).toBe(10_000_000);
  expect(call('DateTimeToTicks', '2015-05-19T12:00:00.0000000')).toBe(14_320_368_000_000_000);
  expect(call('DateTimeToTicks', '1969-12-31T23:59:59.9999999')).toBe(-1);
  expect(call('DateTimeToTicks', '1601-01-01')).toBe(-116_444_736_000_000_000);
  expect(call('DateTimeToTicks', '1600-12-31T23:59:59.9999999')).toBeUndefined();
  expect(call('DateTimeToTicks', '9999-12-31T23:59:59.9999999')).toBe(2_534_023_008_000_000_000);
  expect(call('DateTimeToTimestamp', '1970-01-02')).toBe(86_400_000);
  expect(call('DateTimeToTimestamp', '1601-01-01')).toBe(-11_644_473_600_000);
  expect(call('DateTimeToTimestamp', '1969-12-31T23:59:59.9999999')).toBe(-1);
  expect(call('DateTimeToTimestamp', '2020-08-13T23:19:54.3009999')).toBe(1_597_360_794_300);
});

test('[query 3.4] ticks and timestamps become dates, within the same years', () => {
  expect(call('TicksToDateTime', 0)).toBe('1970-01-01T00:00:00.0000000Z');
  expect(call('TicksToDateTime', -1)).toBe('1969-12-31T23:59:59.9999999Z');
  expect(call('TicksToDateTime', 15973607943002652)).toBe('2020-08-13T23:19:54.3002652Z');
  expect(call('TicksToDateTime', -116_444_736_000_000_000)).toBe('1601-01-01T00:00:00.0000000Z');
  expect(call('TicksToDateTime', -116_444_736_000_000_000 - 16)).toBeUndefined();
  expect(call('TicksToDateTime', 2_534_023_008_000_000_000)).toBeUndefined();
  expect(call('TimestampToDateTime', 1597360794300)).toBe('2020-08-13T23:19:54.3000000Z');
  expect(call('TimestampToDateTime', -11_644_473_600_000)).toBe('1601-01-01T00:00:00.0000000Z');
  expect(call('TimestampToDateTime', -11_644_473_600_001)).toBeUndefined();
  expect(call('TimestampToDateTime', 253_402_300_799_999)).toBe('9999-12-31T23:59:59.9990000Z');
  expect(call('TimestampToDateTime', 253_402_300_800_000)).toBeUndefined();
  for (const bad of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '1', null]) {
    expect(call('TicksToDateTime', bad)).toBeUndefined();
    expect(call('TimestampToDateTime', bad)).toBeUndefined();
  }
});
