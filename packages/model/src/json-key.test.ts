import { expect, test } from 'vitest';
import { decodeJsonKey, decodeJsonKeys, encodeJsonKey } from './json-key.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

test.each([
  [undefined, bytes(1)],
  [null, bytes(2)],
  [false, bytes(3)],
  [true, bytes(4)],
  [0, bytes(5, 0x80, 0, 0, 0, 0, 0, 0, 0)],
  [-0, bytes(5, 0x80, 0, 0, 0, 0, 0, 0, 0)],
  [1, bytes(5, 0xbf, 0xf0, 0, 0, 0, 0, 0, 0)],
  [-1, bytes(5, 0x40, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
  ['', bytes(6, 0)],
  ['a\0', bytes(6, 0x62, 0x01, 0)],
  ['é', bytes(6, 0xc4, 0xaa, 0)],
  ['\ud800', bytes(6, 0xee, 0xa1, 0x81, 0)],
  [[null, 'a'], bytes(7, 2, 6, 0x62, 0, 0)],
  [{ b: true, a: null }, bytes(8, 6, 0x62, 0, 2, 6, 0x63, 0, 4, 0)],
])('the key of %j has the bytes of the table', (value, expected) => {
  expect(encodeJsonKey(value)).toEqual(expected);
});

test('a long string survives, and so does what is encoded after it', () => {
  const long = 'é'.repeat(200_000);

  expect(decodeJsonKey(encodeJsonKey(long))).toBe(long);
  expect(decodeJsonKey(encodeJsonKey('short'))).toBe('short');
});

test('"__proto__" is an ordinary property', () => {
  const value: unknown = JSON.parse('{"__proto__":{"x":1}}');

  expect(JSON.stringify(decodeJsonKey(encodeJsonKey(value)))).toBe('{"__proto__":{"x":1}}');
});

test.each([
  ['nothing', bytes()],
  ['two values', bytes(1, 1)],
  ['an unknown tag', bytes(9)],
  ['half a number', bytes(5, 0x80)],
  ['a string without end', bytes(6, 0x62)],
  ['a string that is not UTF-8', bytes(6, 0xc4, 0x62, 0)],
  ['an array without end', bytes(7, 1)],
  ['a property without name', bytes(8, 1, 1, 0)],
])('%s is corrupt', (_, damaged) => {
  expect(() => decodeJsonKey(damaged)).toThrow(expect.objectContaining({ code: 'corrupt' }));
});

test('no bytes are no values', () => {
  expect(decodeJsonKeys(bytes())).toEqual([]);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 0])('%s is refused as a defect of the caller', (value) => {
  expect(() => encodeJsonKey(value)).toThrow('JSON value');
});
