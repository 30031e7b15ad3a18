import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeyRange } from './key-range.ts';
import {
  intersectKeyRanges,
  keyRangeContains,
  keyRangesIntersect,
  keyRangesTile,
  middleOfKeyRange,
  sliceKeySpace,
} from './key-range.ts';

const space = fc.constantFrom(
  { kind: 'Hash', version: 1 } as const,
  { kind: 'Hash', version: 2 } as const,
  { kind: 'MultiHash', version: 2 } as const,
);
const hex = fc.string({ unit: fc.constantFrom(...'0123456789ABCDEF'), maxLength: 5 });
const range: fc.Arbitrary<KeyRange> = fc
  .tuple(hex, hex)
  .map(([a, b]) => (a < b ? { min: a, max: b } : { min: b, max: a }));

describe('key ranges', () => {
  test('made by slicing tile the space, whatever their number [wire 9] [wire 10]', () => {
    fc.assert(
      fc.property(space, fc.integer({ min: 1, max: 300 }), (definition, count) => {
        const slices = sliceKeySpace(definition, count);

        expect(slices).toHaveLength(count);
        expect(keyRangesTile(slices)).toBe(true);
      }),
    );
  });

  test('split again and again at their middle still tile the space [wire 10]', () => {
    const choices = fc.array(fc.nat(), { maxLength: 30 });
    fc.assert(
      fc.property(space, fc.integer({ min: 1, max: 5 }), choices, (definition, count, picks) => {
        const ranges = sliceKeySpace(definition, count);
        for (const pick of picks) {
          const index = pick % ranges.length;
          const parent = ranges[index] as KeyRange;
          const middle = middleOfKeyRange(parent, definition);
          expect(parent.min < middle && middle < parent.max).toBe(true);
          ranges.splice(index, 1, { min: parent.min, max: middle }, { min: middle, max: parent.max });
        }

        expect(keyRangesTile(ranges)).toBe(true);
      }),
    );
  });

  test('of a hierarchical key can be split below one first-level hash, down to the last level [wire 9]', () => {
    let range: KeyRange = { min: '', max: 'FF' };
    for (let depth = 0; depth < 3 * 126 - 3; depth += 1) {
      range = { min: range.min, max: middleOfKeyRange(range, { kind: 'MultiHash', version: 2 }) };
    }
    expect(range.max.length).toBe(3 * 32);
  });

  test('intersect exactly where both contain a key', () => {
    fc.assert(
      fc.property(range, range, hex, (a, b, key) => {
        const common = intersectKeyRanges(a, b);

        expect(keyRangesIntersect(a, b)).toBe(common !== undefined);
        expect(common !== undefined && keyRangeContains(common, key)).toBe(
          keyRangeContains(a, key) && keyRangeContains(b, key),
        );
      }),
    );
  });
});
