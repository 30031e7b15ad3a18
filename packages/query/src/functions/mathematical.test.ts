import { expect, test } from 'vitest';
import { call } from '../../test/call-function.ts';
import type { Value } from '../value/value.ts';
import { mathematicalFunctions } from './mathematical.ts';

test('[query 3.5] the functions of one number give what the reference shows', () => {
  expect(call('ABS', -2.5)).toBe(2.5);
  expect(call('ACOS', 1)).toBe(0);
  expect(call('ASIN', 0)).toBe(0);
  expect(call('ATAN', 0)).toBe(0);
  expect(call('CEILING', -45.72)).toBe(-45);
  expect(call('COS', 0)).toBe(1);
  expect(call('EXP', 1)).toBe(Math.E);
  expect(call('FLOOR', -45.72)).toBe(-46);
  expect(call('SIN', 0)).toBe(0);
  expect(call('SQRT', 9)).toBe(3);
  expect(call('SQUARE', -3)).toBe(9);
  expect(call('TAN', 0)).toBe(0);
  expect(call('TRUNC', -2.78)).toBe(-2);
  expect(call('TRUNC', 2.78)).toBe(2);
});

test('[query 3.5] degrees and radians are exact for half a turn', () => {
  expect(call('DEGREES', Math.PI)).toBe(180);
  expect(call('RADIANS', 180)).toBe(Math.PI);
  expect(call('PI')).toBe(Math.PI);
});

test('[query 3.5] the tangent of a right angle is large and not infinite, and the cotangent is its inverse', () => {
  expect(call('TAN', Math.PI / 2)).toBe(16331239353195370);
  expect(call('COT', Math.PI / 4)).toBeCloseTo(1, 12);
  expect(call('COT', 0)).toBe(Number.POSITIVE_INFINITY);
});

test('[query 3.5] the first argument of ATN2 is y', () => {
  expect(call('ATN2', 0, 1)).toBe(0);
  expect(call('ATN2', 1, 0)).toBe(Math.PI / 2);
  expect(call('ATN2', 35.175643, 129.44)).toBe(Math.atan2(35.175643, 129.44));
});

test('[query 3.5] outside of its domain a function is NaN, which is a value', () => {
  expect(call('ACOS', 2)).toBeNaN();
  expect(call('ASIN', -2)).toBeNaN();
  expect(call('SQRT', -1)).toBeNaN();
  expect(call('LOG', -1)).toBeNaN();
  expect(call('LOG', 0)).toBe(Number.NEGATIVE_INFINITY);
  expect(call('POWER', 10, 400)).toBe(Number.POSITIVE_INFINITY);
});

test('[query 3.5] whatever is no number makes the result undefined', () => {
  const others: Value[] = [undefined, null, true, '1', [1], { a: 1 }];
  const names = mathematicalFunctions.filter((entry) => entry.takes.startsWith('number')).map((entry) => entry.name);
  for (const other of others) {
    for (const name of names) {
      const args = ['ATN2', 'POWER'].includes(name) ? [other, 1] : [other];
      expect(call(name, ...args), name).toBeUndefined();
    }
    expect(call('POWER', 1, other)).toBeUndefined();
    expect(call('LOG', 1, other)).toBeUndefined();
    expect(call('ROUND', 1, other)).toBeUndefined();
    expect(call('NumberBin', 1, other)).toBeUndefined();
  }
});

test('[query 3.5] a logarithm may have a base, and powers of 2 and 10 are exact', () => {
  expect(call('LOG', 1)).toBe(0);
  expect(call('LOG', Math.E)).toBe(1);
  expect(call('LOG', 8, 2)).toBe(3);
  expect(call('LOG', 1000, 10)).toBe(3);
  expect(call('LOG', 81, 3)).toBeCloseTo(4, 12);
  expect(call('LOG10', 100)).toBe(2);
});

test('[query 3.5] a power is that of the second number', () => {
  expect(call('POWER', 2, 10)).toBe(1024);
  expect(call('POWER', 4, 0.5)).toBe(2);
});

test('[query 3.5] a half is rounded away from zero', () => {
  expect([0.5, 1.5, 2.5, 6.5].map((x) => call('ROUND', x))).toEqual([1, 2, 3, 7]);
  expect([-0.5, -1.5, -2.5, -6.5].map((x) => call('ROUND', x))).toEqual([-1, -2, -3, -7]);
  expect([2.4, 2.6, -2.4, -2.6].map((x) => call('ROUND', x))).toEqual([2, 3, -2, -3]);
});

test('[query 3.5] rounding does not stumble over what adding a half does', () => {
  expect(call('ROUND', 0.49999999999999994)).toBe(0);
  expect(call('ROUND', 4.84090499760142e15)).toBe(4.84090499760142e15);
  expect(call('ROUND', 4503599627370497)).toBe(4503599627370497);
  expect(call('ROUND', Number.NaN)).toBeNaN();
  expect(call('ROUND', Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY);
});

test('[query 3.5] rounding to digits goes by the digits that are written', () => {
  expect(call('ROUND', 8.76543, 2)).toBe(8.77);
  expect(call('ROUND', 1.005, 2)).toBe(1.01);
  expect(call('ROUND', -2.675, 2)).toBe(-2.68);
  expect(call('ROUND', 9.995, 2)).toBe(10);
  expect(call('ROUND', 1.5e-7, 7)).toBe(2e-7);
  expect(call('ROUND', 0.3, 20)).toBe(0.3);
  expect(call('ROUND', 2.5, 0)).toBe(3);
  expect(call('ROUND', 0.49999999999999994, 0)).toBe(0);
});

test('[query 3.5] rounding to a negative number of digits is rounding to tens and hundreds', () => {
  expect(call('ROUND', 1234.5, -2)).toBe(1200);
  expect(call('ROUND', -1250, -2)).toBe(-1300);
  expect(call('ROUND', 7, -1)).toBe(10);
  expect(call('ROUND', 4, -1)).toBe(0);
  expect(call('ROUND', 7, -2)).toBe(0);
  expect(call('ROUND', 1e300, -300)).toBe(1e300);
});

test('[query 3.5] the number of digits may be any integer, and nothing else', () => {
  expect(call('ROUND', 1.5, 1e300)).toBe(1.5);
  expect(call('ROUND', 1.5, -1e300)).toBe(0);
  expect(call('ROUND', 0, -1)).toBe(0);
  expect(call('ROUND', Number.POSITIVE_INFINITY, 2)).toBe(Number.POSITIVE_INFINITY);
  expect(call('ROUND', 1.5, 0.5)).toBeUndefined();
});

test('[query 3.5] a sign is one of three numbers', () => {
  expect([-7, 0, 0.1].map((x) => call('SIGN', x))).toEqual([-1, 0, 1]);
});

test('[query 3.5] a number is binned downwards, with a negative size upwards, and never with the size 0', () => {
  expect(call('NumberBin', 37.752)).toBe(37);
  expect(call('NumberBin', 37.752, 10)).toBe(30);
  expect(call('NumberBin', -37.752, 10)).toBe(-40);
  expect(call('NumberBin', 37.752, -100)).toBe(100);
  expect(call('NumberBin', 37.752, 0.1)).toBe(37.7);
  expect(call('NumberBin', 37.752, 0.01)).toBe(37.75);
  expect(call('NumberBin', 155.23478, 0.01)).toBe(155.23);
  expect(call('NumberBin', 5, 0)).toBeUndefined();
});

test('[query 3.5] a random number is that of the context', () => {
  expect(call('RAND')).toBe(0.25);
});
