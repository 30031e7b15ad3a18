import { expect, test } from 'vitest';
import { compareCodePoints, compareJson, jsonTypeRank } from './order.ts';

const ascending: readonly unknown[] = [
  undefined,
  null,
  false,
  true,
  -1e308,
  -1,
  0,
  5e-324,
  2,
  '',
  'A',
  'a',
  'aa',
  'b',
  'é',
  '\ud800',
  '\ue000',
  '\uffff',
  '😀',
  [],
  [undefined],
  [null],
  [1],
  [1, 1],
  [2],
  {},
  { a: 1 },
  { a: 1, b: 1 },
  { a: 2 },
  { b: 0 },
];

test('values order by type, then by value, strings by code point [wire 12]', () => {
  for (const [i, a] of ascending.entries()) {
    for (const [j, b] of ascending.entries()) {
      expect(Math.sign(compareJson(a, b)), `${JSON.stringify(a)} and ${JSON.stringify(b)}`).toBe(Math.sign(i - j));
    }
  }
});

test('types have one rank each, booleans two [wire 12]', () => {
  expect([undefined, null, false, true, 0, '', [], {}].map(jsonTypeRank)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('-0 equals 0, and the order of properties does not matter', () => {
  expect(compareJson(-0, 0)).toBe(0);
  expect(compareJson({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(0);
});

test('only own properties that hold something count', () => {
  expect(compareJson(Object.create({ a: 1 }), {})).toBe(0);
  expect(compareJson({ a: undefined }, {})).toBe(0);
});

test('a pair of surrogates sorts above all of the basic plane, a lone one inside it', () => {
  expect(compareCodePoints('\ud83d\ude00', '\uffff')).toBeGreaterThan(0);
  expect(compareCodePoints('\ud83d', '\uffff')).toBeLessThan(0);
  expect(compareCodePoints('\ud83dx', '\ud83d\ude00')).toBeLessThan(0);
  expect(compareCodePoints('\ud83d\ue000', '\ud83d\ude00')).toBeLessThan(0);
});
