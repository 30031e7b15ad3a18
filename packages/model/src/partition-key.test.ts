import { describe, expect, test } from 'vitest';
import {
  checkPartitionKeySize,
  decodePartitionKeyBytes,
  encodePartitionKeyBytes,
  extractPartitionKey,
  formatPartitionKeyHeader,
  parsePartitionKeyHeader,
  partitionKeyEquals,
} from './partition-key.ts';
import type { PartitionKeyDefinition } from './partition-key-definition.ts';

const single: PartitionKeyDefinition = { paths: ['/pk'], kind: 'Hash', version: 2 };
const old: PartitionKeyDefinition = { paths: ['/pk'], kind: 'Hash', version: 1 };
const multi: PartitionKeyDefinition = { paths: ['/a', '/b'], kind: 'MultiHash', version: 2 };
const system: PartitionKeyDefinition = { paths: ['/_partitionKey'], kind: 'Hash', version: 1, systemKey: true };

const invalid = expect.objectContaining({ code: 'invalid-partition-key' });

describe('a partition key taken from a document', () => {
  test.each([
    [{ a: 'x' }, 'x'],
    [{ a: -0 }, 0],
    [{ a: null }, null],
    [{ a: false }, false],
    [{}, undefined],
    ['text', undefined],
    [null, undefined],
    [Object.create({ a: 'inherited' }), undefined],
  ])('%j is %j', (document, expected) => {
    expect(extractPartitionKey(document, [['a']])).toEqual([expected]);
  });

  test('follows nested paths, but neither into arrays nor through what is missing', () => {
    const paths = [['a', 'b'], ['x', '0'], ['x', 'length'], ['y', 'z'], ['constructor']];

    expect(extractPartitionKey({ a: { b: 1 }, x: ['v'] }, paths)).toEqual([
      1,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('is absent when it is {} [wire 7]', () => {
    expect(extractPartitionKey({ a: {}, b: { c: {} } }, [['a'], ['b', 'c']])).toEqual([undefined, undefined]);
  });

  test.each([[[]], [{ x: 1 }], [['a']]])('is refused when it is %j', (value) => {
    expect(() => extractPartitionKey({ a: value }, [['a']])).toThrow(invalid);
  });
});

describe('a partition key header', () => {
  test.each([
    ['["a"]', single, ['a']],
    ['["\\u00e9"]', single, ['é']],
    ['[null]', single, [null]],
    ['[1]', single, [1]],
    ['[-0]', single, [0]],
    ['[true]', single, [true]],
    ['[{}]', single, [undefined]],
    ['["a",{}]', multi, ['a', undefined]],
    ['["a",1]', multi, ['a', 1]],
    ['[]', system, [undefined]],
    ['[{}]', system, [undefined]],
    ['[]', { paths: ['/_partitionKey'], kind: 'Hash', version: 1 }, [undefined]],
  ] as const)('%s is read as the clients mean it [wire 7]', (text, definition, expected) => {
    const values = parsePartitionKeyHeader(text, definition);

    expect(values).toEqual(expected);
    expect(values.some((value) => Object.is(value, -0))).toBe(false);
  });

  test.each([
    ['', single],
    ['a', single],
    ['"a"', single],
    ['{}', single],
    ['["a"', single],
    ['[]', single],
    ['["a","b"]', single],
    ['["a"]', multi],
    ['["a","b","c"]', multi],
    ['[["a"]]', single],
    ['[{"x":1}]', single],
    ['[1e999]', single],
  ] as const)('%s is refused [wire 7]', (text, definition) => {
    expect(() => parsePartitionKeyHeader(text, definition)).toThrow(invalid);
  });

  test('that an SDK made of an object is refused by a message that says what to give instead', () => {
    expect(() => parsePartitionKeyHeader('[{"pk":"a"}]', single)).toThrow(/not an object\. Give the value alone/);
    expect(() => parsePartitionKeyHeader('[]', single)).toThrow(/An SDK leaves out what is an object or an array/);
    expect(() => parsePartitionKeyHeader('["a","b"]', single)).toThrow(/1 path\(s\): \/\w+\.$/);
  });

  test('may be a prefix where that is allowed [wire 11.3]', () => {
    expect(parsePartitionKeyHeader('["a"]', multi, { prefix: true })).toEqual(['a']);
    expect(parsePartitionKeyHeader('[]', multi, { prefix: true })).toEqual([]);
    expect(() => parsePartitionKeyHeader('[1,2,3]', multi, { prefix: true })).toThrow(invalid);
  });

  test('is written in ASCII, as the clients do [wire 7]', () => {
    expect(formatPartitionKeyHeader(['é😀\u007f', undefined, null, 1, true])).toBe(
      '["\\u00e9\\ud83d\\ude00\\u007f",{},null,1,true]',
    );
  });

  test('may have 2,048 bytes and no more, whatever its version [wire 7]', () => {
    expect(() => checkPartitionKeySize(['x'.repeat(2048)])).not.toThrow();
    expect(() => checkPartitionKeySize(['é'.repeat(1025)])).toThrow('2050 bytes; at most 2048 are allowed');
    for (const definition of [single, old]) {
      expect(() => parsePartitionKeyHeader(JSON.stringify(['x'.repeat(2049)]), definition)).toThrow('2049 bytes');
      expect(parsePartitionKeyHeader(JSON.stringify(['x'.repeat(2048)]), definition)).toHaveLength(1);
    }
  });
});

test('keys are equal when all their values are', () => {
  expect(partitionKeyEquals(['a', undefined], ['a', undefined])).toBe(true);
  expect(partitionKeyEquals(['a', undefined], ['a', null])).toBe(false);
  expect(partitionKeyEquals(['a'], ['a', undefined])).toBe(false);
});

test('bytes that hold an array are no partition key', () => {
  expect(decodePartitionKeyBytes(encodePartitionKeyBytes([]))).toEqual([]);
  expect(() => decodePartitionKeyBytes(Uint8Array.of(7, 0))).toThrow(expect.objectContaining({ code: 'corrupt' }));
});
