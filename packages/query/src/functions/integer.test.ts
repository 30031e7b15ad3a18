import { expect, test } from 'vitest';
import { call } from '../../test/call-function.ts';
import type { Value } from '../value/value.ts';
import { integerFunctions } from './integer.ts';

const int64Min = -(2 ** 63);
/** As a double the largest integer is the one above it. */
const int64Max = 2 ** 63;

test('[query 3.5] integers are computed as the reference shows', () => {
  expect(call('IntAdd', 20, 10)).toBe(30);
  expect(call('IntSub', 25, 50)).toBe(-25);
  expect(call('IntMul', -5, -2)).toBe(10);
  expect(call('IntBitAnd', 15, 25)).toBe(9);
  expect(call('IntBitOr', 56, 100)).toBe(124);
  expect(call('IntBitXor', 56, 100)).toBe(92);
  expect(call('IntBitNot', 65)).toBe(-66);
  expect(call('IntBitNot', -1)).toBe(0);
});

test('[query 3.5] a quotient loses its fraction, and a remainder has the sign of the dividend', () => {
  expect(call('IntDiv', 7, -2)).toBe(-3);
  expect(call('IntDiv', -7, 2)).toBe(-3);
  expect(call('IntMod', -12, 5)).toBe(-2);
  expect(call('IntMod', -12, -5)).toBe(-2);
  expect(call('IntMod', 12, -5)).toBe(2);
  expect(call('IntMod', -10, 5)).toBe(0);
});

test('[query 3.5] a division by 0 is undefined', () => {
  expect(call('IntDiv', 1, 0)).toBeUndefined();
  expect(call('IntMod', 1, 0)).toBeUndefined();
  expect(call('IntDiv', 1, -0)).toBeUndefined();
});

test('[query 3.5] what is no integer of 64 bits makes the result undefined', () => {
  const others: Value[] = [
    0.1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1',
    null,
    true,
    undefined,
    [1],
    2 ** 64,
    -(2 ** 64),
  ];
  for (const { name } of integerFunctions) {
    for (const other of others) {
      if (name === 'IntBitNot') {
        expect(call(name, other), name).toBeUndefined();
      } else {
        expect(call(name, 20, other), name).toBeUndefined();
        expect(call(name, other, 20), name).toBeUndefined();
      }
    }
  }
});

test('[query 3.5] what is too large wraps around', () => {
  expect(call('IntAdd', int64Max, 1)).toBe(int64Min);
  expect(call('IntAdd', int64Max, 0)).toBe(int64Max);
  expect(call('IntSub', int64Min, 1)).toBe(int64Max);
  expect(call('IntMul', 2 ** 62, 4)).toBe(0);
  expect(call('IntMul', 2 ** 62, 2)).toBe(int64Min);
  expect(call('IntDiv', int64Min, -1)).toBe(int64Min);
  expect(call('IntMod', int64Min, -1)).toBe(0);
});

test('[query 3.5] products that no double holds are exact before they wrap', () => {
  // 3037000500 squared is 9223372037000250000, which is 145474193 beyond the largest integer.
  expect(call('IntMul', 3037000500, 3037000500)).toBe(Number(9223372037000250000n - 2n ** 64n));
  expect(call('IntBitAnd', 2 ** 53 + 2, 3)).toBe(2);
});

test('[query 3.5] shifts work on 64 bits, keep the sign to the right, and count from 0 to 63', () => {
  expect(call('IntBitLeftShift', 16, 4)).toBe(256);
  expect(call('IntBitLeftShift', 1, 40)).toBe(2 ** 40);
  expect(call('IntBitLeftShift', 1, 63)).toBe(int64Min);
  expect(call('IntBitLeftShift', 2, 63)).toBe(0);
  expect(call('IntBitRightShift', 16, 4)).toBe(1);
  expect(call('IntBitRightShift', -16, 2)).toBe(-4);
  expect(call('IntBitRightShift', int64Min, 63)).toBe(-1);
  expect(call('IntBitLeftShift', 5, 64)).toBe(5);
  expect(call('IntBitLeftShift', 1, -1)).toBe(int64Min);
  expect(call('IntBitLeftShift', 16, 0.4)).toBeUndefined();
});

test('[query 3.5] the functions on bits are known by both names', () => {
  expect(call('IntBitwiseAnd', 12, 10)).toBe(8);
  expect(call('IntBitwiseOr', 12, 10)).toBe(14);
  expect(call('IntBitwiseXor', 12, 10)).toBe(6);
  expect(call('IntBitwiseNot', 0)).toBe(-1);
  expect(call('IntBitwiseLeftShift', 1, 2)).toBe(4);
  expect(call('IntBitwiseRightShift', 4, 2)).toBe(1);
});
