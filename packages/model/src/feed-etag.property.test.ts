import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FeedPart } from './feed-etag.ts';
import {
  feedPartsTile,
  formatFeedEtag,
  narrowFeedParts,
  parseFeedEtag,
  setFeedParts,
  uniformFeedParts,
} from './feed-etag.ts';
import type { KeyRange } from './key-range.ts';
import { keyRangeContains } from './key-range.ts';

const hex = fc.string({ unit: fc.constantFrom(...'0123456789ABCDE'), maxLength: 4 });
const bound = fc.oneof(hex, fc.constant('FF'));
const range: fc.Arbitrary<KeyRange> = fc
  .tuple(bound, bound)
  .map(([a, b]) => (a < b ? { min: a, max: b } : { min: b, max: a }));
const step = fc.record({ range, lsn: fc.integer({ min: 0, max: 3 }) });
const steps = fc.array(step, { maxLength: 8 });

function lsnAt(parts: readonly FeedPart[], key: string): number | undefined {
  return parts.find((part) => key < part.max)?.lsn;
}

function apply(history: readonly { range: KeyRange; lsn: number }[]): readonly FeedPart[] {
  return history.reduce((parts, { range, lsn }) => setFeedParts(parts, range, lsn), uniformFeedParts(0));
}

describe('composite feed positions', () => {
  test('always tile the key space, have no two equal neighbours, and survive their text [wire 11.3]', () => {
    fc.assert(
      fc.property(steps, (history) => {
        const parts = apply(history);

        expect(feedPartsTile(parts)).toBe(true);
        expect(parts.every((part, index) => part.lsn !== parts[index + 1]?.lsn)).toBe(true);
        expect(parseFeedEtag(formatFeedEtag({ kind: 'composite', parts }))).toEqual({ kind: 'composite', parts });
      }),
    );
  });

  test('hold for every key the last position set for it, whatever the ranges were [wire 11.3]', () => {
    fc.assert(
      fc.property(steps, hex, (history, key) => {
        const last = history.findLast((step) => keyRangeContains(step.range, key));

        expect(lsnAt(apply(history), key)).toBe(last?.lsn ?? 0);
      }),
      { numRuns: 500 },
    );
  });

  test('narrowed to a range cover it without gap, with the same positions', () => {
    fc.assert(
      fc.property(steps, range, hex, (history, wanted, key) => {
        fc.pre(wanted.min < wanted.max);
        const parts = apply(history);

        const slices = narrowFeedParts(parts, wanted);

        expect(slices[0]?.min).toBe(wanted.min);
        expect(slices.at(-1)?.max).toBe(wanted.max);
        expect(slices.every((slice, index) => index === 0 || slices[index - 1]?.max === slice.min)).toBe(true);
        const found = slices.find((slice) => keyRangeContains(slice, key));
        expect(found?.lsn).toBe(keyRangeContains(wanted, key) ? lsnAt(parts, key) : undefined);
      }),
      { numRuns: 500 },
    );
  });
});
