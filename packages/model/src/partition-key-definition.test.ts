import { describe, expect, test } from 'vitest';
import { parsePartitionKeyPath, validatePartitionKeyDefinition } from './partition-key-definition.ts';

describe('a partition key definition', () => {
  test.each([
    [{ paths: ['/_partitionKey'] }, { paths: ['/_partitionKey'], kind: 'Hash', version: 1 }],
    [
      { paths: ['/pk'], kind: 'Hash', version: 2 },
      { paths: ['/pk'], kind: 'Hash', version: 2 },
    ],
    [
      { paths: ['/a', '/b'], kind: 'MultiHash', version: 2 },
      { paths: ['/a', '/b'], kind: 'MultiHash', version: 2 },
    ],
    [
      { paths: ['/_partitionKey'], kind: 'Hash', systemKey: true },
      { paths: ['/_partitionKey'], kind: 'Hash', version: 1, systemKey: true },
    ],
  ])('%j gets its defaults [wire 6]', (input, expected) => {
    expect(validatePartitionKeyDefinition(input)).toEqual(expected);
  });

  test.each([
    [undefined, 'must be an object'],
    [['/a'], 'must be an object'],
    [{}, 'array of strings'],
    [{ paths: '/a' }, 'array of strings'],
    [{ paths: [1] }, 'array of strings'],
    [{ paths: [] }, 'exactly one path'],
    [{ paths: ['/a', '/b'] }, 'exactly one path'],
    [{ paths: ['/a'], version: 3 }, '1 or 2'],
    [{ paths: ['/a'], kind: 'Range' }, '"Hash" or "MultiHash"'],
    [{ paths: ['/a'], systemKey: 'yes' }, 'true or false'],
    [{ paths: ['/a', '/b'], kind: 'MultiHash' }, 'needs "version": 2'],
    [{ paths: ['/a', '/b'], kind: 'MultiHash', version: 1 }, 'needs "version": 2'],
    [{ paths: ['/a', '/b', '/c', '/d'], kind: 'MultiHash', version: 2 }, '1 to 3 paths'],
    [{ paths: ['/a', '/a'], kind: 'MultiHash', version: 2 }, 'must differ'],
  ])('%j is refused because: %s [wire 6]', (input, message) => {
    expect(() => validatePartitionKeyDefinition(input)).toThrow(message);
    expect(() => validatePartitionKeyDefinition(input)).toThrow(
      expect.objectContaining({ code: 'invalid-definition' }),
    );
  });

  test.each([
    '',
    '/',
    'a',
    '/a/',
    '/a b',
    '/a/*',
    '/a?',
    '/a//b',
    '/""',
    '/"a',
    '/"a"b',
    '/a"b',
    '/ a',
    '/[]',
    '/\ud800',
  ])('refuses the path %j with the sentence of the service [wire 6]', (path) => {
    expect(() => validatePartitionKeyDefinition({ paths: [path] })).toThrow(
      'Partition key paths must contain only valid characters and not contain a trailing slash or wildcard character',
    );
  });
});

test.each([
  ['id', 0],
  ['/a b', 2],
  ['/a/', 3],
  ['/a/"b', 3],
])('the path %j is named with the place where it goes wrong, as the service does it [wire 6]', (path, position) => {
  expect(() => validatePartitionKeyDefinition({ paths: [path] })).toThrow(
    `The partition key component definition path '${path}' could not be accepted, failed near position '${position}'.`,
  );
});

describe('a partition key path', () => {
  test.each([
    ['/pk', ['pk']],
    ['/a/b-c/_d', ['a', 'b-c', '_d']],
    ['/"a b"/c', ['a b', 'c']],
    ["/'a/b'", ['a/b']],
    ['/"a\\"b\\\\"', ['a"b\\']],
    ['/straße', ['straße']],
  ])('%s has the segments %j', (path, expected) => {
    expect(parsePartitionKeyPath(path)).toEqual(expected);
  });
});
