import { expect, test } from 'vitest';
import { uniqueDigestBytes } from '../log/frame.ts';
import { noDigests, parseUniqueKey, uniqueDigestAt, uniqueDigests } from './unique.ts';

function digest(value: Record<string, unknown>, ...paths: string[]): string {
  return uniqueDigests(value, [parseUniqueKey(paths)]).toString('hex');
}

test('[wire 6] a container without unique keys has no digests', () => {
  expect(uniqueDigests({ id: '1' }, [])).toBe(noDigests);
});

test('[wire 6] each key has its own sixteen bytes, in the order of the policy', () => {
  const keys = [parseUniqueKey(['/a']), parseUniqueKey(['/b', '/c/d'])];

  const digests = uniqueDigests({ a: 1, b: 2, c: { d: 3 } }, keys);

  expect(digests).toHaveLength(2 * uniqueDigestBytes);
  expect(uniqueDigestAt(digests, 1).toString('hex')).toBe(digest({ b: 2, c: { d: 3 } }, '/b', '/c/d'));
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['a missing value and null', {}, { a: null }],
  ['a missing parent and null', {}, { a: null, b: null }],
  ['0 and -0', { a: 0 }, { a: -0 }],
  ['objects whose properties stand in another order', { a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }],
  ['an inherited value and a missing one', Object.create({ a: 1 }), {}],
])('[wire 6] %s are the same to a unique key', (_title, one, other) => {
  expect(digest(one, '/a', '/b')).toBe(digest(other, '/a', '/b'));
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['1 and "1"', { a: 1 }, { a: '1' }],
  ['letters in another case', { a: 'Gaby' }, { a: 'gaby' }],
  ['null and false', { a: null }, { a: false }],
  ['values that only together are equal', { a: 'xy', b: 'z' }, { a: 'x', b: 'yz' }],
  ['values that changed places', { a: 1, b: 2 }, { a: 2, b: 1 }],
  ['an array and its element', { a: [1] }, { a: 1 }],
])('[wire 6] %s are different to a unique key', (_title, one, other) => {
  expect(digest(one, '/a', '/b')).not.toBe(digest(other, '/a', '/b'));
});

test('[wire 6] paths do not lead into arrays', () => {
  expect(digest({ a: [{ b: 1 }] }, '/a/0/b')).toBe(digest({}, '/a/0/b'));
});

test('[wire 6] a quoted path names a property with a slash in it', () => {
  expect(digest({ 'a/b': 1 }, '/"a/b"')).toBe(digest({ x: 1 }, '/x'));
});

test.each(['', 'a', '/', '/a/', '/a/*', '/a b', '//a'])("[wire 6] refuses the unique key path '%s'", (path) => {
  expect(() => parseUniqueKey([path])).toThrow(/unique key path/);
});
