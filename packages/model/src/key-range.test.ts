import { describe, expect, test } from 'vitest';
import {
  intersectKeyRanges,
  keyRangeContains,
  keyRangesIntersect,
  keyRangesTile,
  middleOfKeyRange,
  sliceKeySpace,
} from './key-range.ts';

const v1 = { kind: 'Hash', version: 1 } as const;
const v2 = { kind: 'Hash', version: 2 } as const;
const multi = { kind: 'MultiHash', version: 2 } as const;

describe('slices of the key space', () => {
  test('of version 1 have the bounds of the service [wire 9]', () => {
    expect(sliceKeySpace(v1, 4)).toEqual([
      { min: '', max: '05C1CFFFFFFFF8' },
      { min: '05C1CFFFFFFFF8', max: '05C1DFFFFFFFFC' },
      { min: '05C1DFFFFFFFFC', max: '05C1E7FFFFFFFE' },
      { min: '05C1E7FFFFFFFE', max: 'FF' },
    ]);
  });

  test.each([v2, multi])('of $kind version 2 have the bounds of the service [wire 9]', (definition) => {
    expect(sliceKeySpace(definition, 4).map((range) => range.max)).toEqual([
      `0${'F'.repeat(31)}`,
      `1${'F'.repeat(31)}`,
      `2${'F'.repeat(31)}`,
      'FF',
    ]);
  });

  test('of one range are the whole space [wire 10]', () => {
    expect(sliceKeySpace(v2, 1)).toEqual([{ min: '', max: 'FF' }]);
  });
});

describe('the middle of a range', () => {
  test('of the whole space is in the middle of the keys, not of the hex [wire 9]', () => {
    expect(middleOfKeyRange({ min: '', max: 'FF' }, v2)).toBe(`2${'0'.repeat(31)}`);
    expect(middleOfKeyRange({ min: '', max: 'FF' }, v1)).toBe('05C1E0');
  });

  test('of one first-level hash lies on the second level of a hierarchical key [wire 9]', () => {
    const prefix = '3D01E4E92759C445D3386C5E4C22ED93';

    expect(middleOfKeyRange({ min: prefix, max: `${prefix}FF` }, multi)).toBe(`${prefix}2${'0'.repeat(31)}`);
  });

  test('does not exist where there is only one key', () => {
    const key = '3D01E4E92759C445D3386C5E4C22ED93';

    expect(() => middleOfKeyRange({ min: key, max: `${key}FF` }, v2)).toThrow('too narrow');
    expect(() => middleOfKeyRange({ min: `3${'F'.repeat(31)}`, max: 'FF' }, v2)).toThrow('too narrow');
    expect(() => middleOfKeyRange({ min: '05C1E0', max: '05C1E000' }, v1)).toThrow('too narrow');
  });
});

describe('ranges', () => {
  test('include their min and exclude their max [wire 10]', () => {
    const range = { min: '10', max: '20' };

    expect(['0F', '10', '10FF', '1F', '20'].map((hex) => keyRangeContains(range, hex))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  test('that only touch do not intersect', () => {
    expect(keyRangesIntersect({ min: '', max: '10' }, { min: '10', max: 'FF' })).toBe(false);
    expect(intersectKeyRanges({ min: '', max: '10' }, { min: '10', max: 'FF' })).toBeUndefined();
    expect(intersectKeyRanges({ min: '', max: '20' }, { min: '10', max: 'FF' })).toEqual({ min: '10', max: '20' });
  });

  test.each([
    ['nothing', [], false],
    ['a gap', [['', '10'], ['20', 'FF']], false], // biome-ignore format: a table row.
    ['an overlap', [['', '20'], ['10', 'FF']], false], // biome-ignore format: a table row.
    ['an empty range', [['', '10'], ['10', '10'], ['10', 'FF']], false], // biome-ignore format: a table row.
    ['a missing end', [['', '10']], false],
    ['any order', [['10', 'FF'], ['', '10']], true], // biome-ignore format: a table row.
  ] as const)('with %s tile the space: %j → %s [wire 10]', (_, bounds, expected) => {
    expect(keyRangesTile(bounds.map(([min, max]) => ({ min, max })))).toBe(expected);
  });
});
