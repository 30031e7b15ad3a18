import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IndexRangeOptions } from '../index/index-store.ts';
import { framesKey } from '../index/keys.ts';
import { memoryIndex } from '../index/memory-index.ts';
import type { Slice } from '../index/slices.ts';
import { decodeSlices, encodeSlices } from '../index/slices.ts';
import { slicesPerChunk } from '../limits.ts';
import type { LsnSpan } from './slice-swap.ts';
import { anyLsn, joinSpans, swapSlices } from './slice-swap.ts';

const range = 7;

/** One slice for each LSN, so many to a segment. */
function slicesOf(count: number, perSegment: number): Slice[] {
  return Array.from({ length: count }, (_, n) => sliceAt(n + 1, n + 1, Math.floor(n / perSegment) + 1));
}

function sliceAt(firstLsn: number, lastLsn: number, segment: number): Slice {
  const bodies = { tableBytes: 0, bodyOffset: 0, bodyBytes: 0, bodyChecksum: 0, firstOrdinal: 0, hasDeletes: false };
  return { firstLsn, lastLsn, segment, offset: 0, length: 0, records: 1, run: 0, ...bodies };
}

async function indexOf(slices: readonly Slice[], perChunk: number): Promise<ReturnType<typeof memoryIndex>> {
  const index = memoryIndex();
  for (let i = 0; i < slices.length; i += perChunk) {
    const part = slices.slice(i, i + perChunk);
    await index.apply([{ key: framesKey(range, (part[0] as Slice).firstLsn), value: encodeSlices(part) }]);
  }
  return index;
}

function all(index: ReturnType<typeof memoryIndex>): Slice[] {
  const bounds = { from: framesKey(range, 0), to: framesKey(range + 1, 0), limit: 100_000 };
  return index.range(bounds).flatMap(({ value }) => decodeSlices(value));
}

test('[engine 9] a swap leaves every slice of the other segments and those of the new one, in LSN order', async () => {
  const cases = fc.record({
    count: fc.integer({ min: 1, max: 60 }),
    perSegment: fc.integer({ min: 1, max: 20 }),
    perChunk: fc.integer({ min: 1, max: slicesPerChunk }),
    first: fc.nat(12),
    inputs: fc.integer({ min: 1, max: 4 }),
    kept: fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
    isResumed: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, perSegment, perChunk, first, inputs, kept, isResumed }) => {
      const slices = slicesOf(count, perSegment);
      const index = await indexOf(slices, perChunk);
      const retired = new Set(Array.from({ length: inputs }, (_, n) => first + n + 1));
      const lost = slices.filter(({ segment }) => retired.has(segment));
      const added = lost.filter((_, n) => kept[n]).map(({ firstLsn }) => sliceAt(firstLsn, firstLsn, 99));
      const span = isResumed ? anyLsn : lost.reduce<LsnSpan | undefined>(joinSpans, undefined);
      const spans = new Map(span === undefined ? [] : [[range, span]]);

      const swap = swapSlices(
        index,
        spans,
        retired,
        added.map((slice) => ({ range, slice })),
      );
      await index.apply(swap.changes);

      const expected = [...slices.filter(({ segment }) => !retired.has(segment)), ...added];
      expect(all(index)).toEqual(expected.sort((a, b) => a.firstLsn - b.firstLsn));
    }),
    { numRuns: 500 },
  );
});

test('[engine 11] a swap of one segment among a thousand looks at that part of the index alone', async () => {
  const slices = slicesOf(64_000, 64);
  const index = await indexOf(slices, slicesPerChunk);
  let looked = 0;
  const counting = {
    range: (options: IndexRangeOptions) => {
      const entries = index.range(options);
      looked += entries.length;
      return entries;
    },
  };
  const spans = new Map([[range, { firstLsn: 500 * 64 + 1, lastLsn: 501 * 64 }]]);
  const added = { range, slice: sliceAt(500 * 64 + 1, 501 * 64, 2_000) };

  const { changes } = swapSlices(counting, spans, new Set([501]), [added]);

  expect(looked).toBeLessThan(5);
  expect(changes.length).toBeLessThan(5);
  await index.apply(changes);
  expect(all(index)).toHaveLength(64_000 - 64 + 1);
});
