import { expect, test } from 'vitest';
import { call } from '../../test/call-function.ts';
import type { Value } from '../value/value.ts';

const values: readonly Value[] = [true, null, 1, 'a', {}, [], undefined];

test('[query 3.7] each question is true of its type and false of all others and of undefined', () => {
  const answers = (name: string): Value[] => values.map((value) => call(name, value));

  expect(answers('IS_ARRAY')).toEqual([false, false, false, false, false, true, false]);
  expect(answers('IS_BOOL')).toEqual([true, false, false, false, false, false, false]);
  expect(answers('IS_DEFINED')).toEqual([true, true, true, true, true, true, false]);
  expect(answers('IS_NULL')).toEqual([false, true, false, false, false, false, false]);
  expect(answers('IS_NUMBER')).toEqual([false, false, true, false, false, false, false]);
  expect(answers('IS_OBJECT')).toEqual([false, false, false, false, true, false, false]);
  expect(answers('IS_PRIMITIVE')).toEqual([true, true, true, true, false, false, false]);
  expect(answers('IS_STRING')).toEqual([false, false, false, true, false, false, false]);
  expect(answers('IS_FINITE_NUMBER')).toEqual([false, false, true, false, false, false, false]);
  expect(answers('IS_INTEGER')).toEqual([false, false, true, false, false, false, false]);
  expect(answers('IS_DATETIME')).toEqual([false, false, false, false, false, false, false]);
});

test('[query 5.8] IS_BOOLEAN is another name of IS_BOOL', () => {
  expect(call('IS_BOOLEAN', true)).toBe(true);
  expect(call('IS_BOOLEAN', 1)).toBe(false);
});

test('[query 3.7] numbers that are not finite are numbers all the same', () => {
  for (const number of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    expect(call('IS_NUMBER', number)).toBe(true);
    expect(call('IS_FINITE_NUMBER', number)).toBe(false);
    expect(call('IS_INTEGER', number)).toBe(false);
  }
  expect(call('IS_FINITE_NUMBER', 1.5)).toBe(true);
});

test('[query 3.7] an integer has no fraction and 64 bits', () => {
  expect(call('IS_INTEGER', 5523432)).toBe(true);
  expect(call('IS_INTEGER', -0)).toBe(true);
  expect(call('IS_INTEGER', 3454.123)).toBe(false);
  expect(call('IS_INTEGER', -(2 ** 63))).toBe(true);
  expect(call('IS_INTEGER', Number('9223372036854775807'))).toBe(true);
  expect(call('IS_INTEGER', Number('18446744073709551615'))).toBe(false);
});

test('[query 3.7] a date is what the functions on dates understand', () => {
  expect(call('IS_DATETIME', '2024-12-12')).toBe(true);
  expect(call('IS_DATETIME', '2024-12-12Z')).toBe(true);
  expect(call('IS_DATETIME', '2024-12-12 20:21:25')).toBe(true);
  expect(call('IS_DATETIME', '2024-12-12T20:21:25Z')).toBe(true);
  expect(call('IS_DATETIME', '2024-12-12T20:21:25.123')).toBe(true);
  expect(call('IS_DATETIME', '2024-12-12 20:21:25.123Z')).toBe(true);
  expect(call('IS_DATETIME', '2024-12-12T20Z')).toBe(false);
  expect(call('IS_DATETIME', '2024-12-12 20:21:25.')).toBe(false);
});
