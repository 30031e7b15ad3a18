// Slices: they come out of an index value as they went in.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Slice } from './slices.ts';
import { decodeSlices, encodeSlices } from './slices.ts';

const lsn = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const aSlice: fc.Arbitrary<Slice> = fc.record({
  firstLsn: lsn,
  lastLsn: lsn,
  segment: number,
  offset: number,
  length: number,
  records: number,
  run: fc.integer({ min: 0, max: 2 ** 16 - 1 }),
  tableBytes: number,
  bodyOffset: number,
  bodyBytes: number,
  bodyChecksum: lsn,
  firstOrdinal: number,
  hasDeletes: fc.boolean(),
});

test('a chunk of slices reads back as it was written [engine 5]', () => {
  fc.assert(
    fc.property(fc.array(aSlice, { maxLength: 64 }), (slices) => {
      expect(decodeSlices(encodeSlices(slices))).toEqual(slices);
    }),
  );
});
