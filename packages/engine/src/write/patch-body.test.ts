import { expect, test } from 'vitest';
import { parsePatchBody } from './patch-body.ts';

const operations = [
  { op: 'add', path: '/a', value: 1 },
  { op: 'move', path: '/b', from: '/a' },
  { op: 'remove', path: '/b' },
];

test('[wire 7] a patch comes as an object or as a bare array of operations', () => {
  expect(parsePatchBody({ operations })).toEqual({ operations });
  expect(parsePatchBody(operations)).toEqual({ operations });
  expect(parsePatchBody({ operations, condition: 'from c' })).toEqual({ operations, condition: 'from c' });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['text', 'x'],
  ['an object without operations', {}],
  ['inherited operations', Object.create({ operations })],
  ['no operations', []],
  ['eleven operations', Array(11).fill(operations[0])],
  ['an operation that is no object', [1]],
  ['an unknown operation', [{ op: 'test', path: '/a', value: 1 }]],
  ['an operation of Object.prototype', [{ op: 'toString', path: '/a', value: 1 }]],
  ['a path that is no string', [{ op: 'remove', path: ['a'] }]],
  ['a move without from', [{ op: 'move', path: '/a' }]],
  ['a set without value', [{ op: 'set', path: '/a' }]],
  ['an incr by text', [{ op: 'incr', path: '/a', value: '1' }]],
  ['a number that overflows', [{ op: 'set', path: '/a', value: JSON.parse('{"x":1e400}') }]],
  ['a BigInt', [{ op: 'set', path: '/a', value: 1n }]],
  ['a condition that is no string', { operations, condition: 1 }],
])('[wire 7] refuses a patch that is %s', (_title, body) => {
  expect(() => parsePatchBody(body)).toThrow(expect.objectContaining({ code: 'invalid-patch' }));
});

test('[wire 7] a value that nests without end is refused before it can hurt', () => {
  const value: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);

  expect(() => parsePatchBody([{ op: 'set', path: '/a', value }])).toThrow(
    expect.objectContaining({ code: 'document-too-deep' }),
  );
});
