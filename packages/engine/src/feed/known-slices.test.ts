import { expect, test } from 'vitest';
import type { IndexStore } from '../index/index-store.ts';
import { framesKey } from '../index/keys.ts';
import { memoryIndex } from '../index/memory-index.ts';
import type { Slice } from '../index/slices.ts';
import { encodeSlices } from '../index/slices.ts';
import { knownChunksMax } from '../limits.ts';
import { knownSlicesOf } from './known-slices.ts';

const range = 7;

function slice(firstLsn: number, lastLsn: number, segment = 1): Slice {
  const frame = { offset: 64, length: 128, records: lastLsn - firstLsn + 1, run: 0, tableBytes: 32, bodyOffset: 64 };
  return { firstLsn, lastLsn, segment, ...frame, bodyBytes: 64, bodyChecksum: 1, firstOrdinal: 0, hasDeletes: false };
}

function chunk(slices: readonly Slice[]): { key: Buffer; value: Buffer } {
  return { key: framesKey(range, (slices[0] as Slice).firstLsn), value: encodeSlices(slices) };
}

/** The index, and how often it was looked into. */
function watched(): { readonly index: IndexStore; readonly looks: () => number } {
  const index = memoryIndex();
  let looks = 0;
  const { range: look } = index;
  index.range = (options) => {
    looks += 1;
    return look.call(index, options);
  };
  return { index, looks: () => looks };
}

test('what was asked for last is known, from wherever in the chunk', async () => {
  const { index, looks } = watched();
  const slices = [slice(1, 10), slice(11, 20), slice(21, 30)];
  await index.apply([chunk(slices), chunk([slice(31, 40)])]);
  const known = knownSlicesOf(index);
  expect(known.after(range, 0)).toEqual(slices);
  const before = looks();

  for (let after = 0; after < 30; after += 1) {
    expect(known.after(range, after), `after ${after}`).toEqual(slices.filter(({ lastLsn }) => lastLsn > after));
  }

  expect(looks()).toBe(before);
  expect(known.after(range, 30)).toEqual([slice(31, 40)]);
  expect(known.after(range, 40)).toEqual([]);
  expect(known.after(range + 1, 0)).toEqual([]);
});

test('what has changed in the index is seen at once', async () => {
  const { index } = watched();
  await index.apply([chunk([slice(1, 10)])]);
  const known = knownSlicesOf(index);
  expect(known.after(range, 0)).toEqual([slice(1, 10)]);

  await index.apply([chunk([slice(1, 10, 2), slice(11, 20)])]);

  expect(known.after(range, 0)).toEqual([slice(1, 10, 2), slice(11, 20)]);
});

test('more chunks than may be known cost a look each, and are right', async () => {
  const { index } = watched();
  const chunks = Array.from({ length: knownChunksMax + 5 }, (_, n) => [slice(n * 10 + 1, n * 10 + 10)]);
  await index.apply(chunks.map(chunk));
  const known = knownSlicesOf(index);

  for (const round of [1, 2]) {
    for (const [n, slices] of chunks.entries()) expect(known.after(range, n * 10 + round)).toEqual(slices);
  }
});

test('[engine 7] of far more ranges than there are chunks it is known where they begin', async () => {
  const { index, looks } = watched();
  const ranges = Array.from({ length: knownChunksMax * 4 }, (_, n) => n + 1);
  await index.apply(
    ranges.map((number) => ({
      key: framesKey(number, 1_000 + number),
      value: encodeSlices([slice(1_000 + number, 2_000)]),
    })),
  );
  const known = knownSlicesOf(index);
  for (const number of ranges) expect(known.firstLsnAfter(number, 10)).toBeUndefined();
  for (const number of ranges) known.after(number, 10);
  known.after(ranges.length + 1, 10);
  const before = looks();

  for (const number of ranges) {
    expect(known.firstLsnAfter(number, 10)).toBe(1_000 + number);
    expect(known.firstLsnAfter(number, 999 + number)).toBe(1_000 + number);
    // Nobody has asked what is before, and what is behind is another question.
    expect(known.firstLsnAfter(number, 9)).toBeUndefined();
    expect(known.firstLsnAfter(number, 1_000 + number)).toBeUndefined();
  }
  expect(known.firstLsnAfter(ranges.length + 1, 10)).toBe(Number.POSITIVE_INFINITY);
  expect(looks()).toBe(before);

  await index.apply([{ key: framesKey(1, 500), value: encodeSlices([slice(500, 600)]) }]);
  for (const number of ranges) expect(known.firstLsnAfter(number, 10)).toBeUndefined();
  expect(known.after(1, 10)).toEqual([slice(500, 600)]);
  expect(known.firstLsnAfter(1, 10)).toBe(500);
});
