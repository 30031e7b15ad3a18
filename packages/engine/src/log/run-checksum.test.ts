// The checksum of a run is part of the format of a segment: it must be the same with every version of Node and everywhere.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runChecksum } from './run-checksum.ts';

const shortest = 32 * 1024;

test('has the values that are written in segments [engine 4]', () => {
  expect(runChecksum(Buffer.alloc(0))).toBe(0);
  expect(runChecksum(Buffer.from('123456789'))).toBe(0xcbf43926);
  expect(runChecksum(Buffer.alloc(shortest - 1))).toBe(0xcbe7d067);
  expect(runChecksum(Buffer.alloc(shortest))).toBe(0x5b1b748d5dd6);
  expect(runChecksum(Buffer.alloc(shortest, 'tidemark'))).toBe(0x3671bf488754);
});

test('is another one when any bit of a long run has flipped [engine 4]', () => {
  const bytes = Buffer.alloc(shortest + 1_000, 'a run of documents');
  const whole = runChecksum(bytes);
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 }), (at, bit) => {
      bytes[at] = (bytes[at] as number) ^ (1 << bit);
      const flipped = runChecksum(bytes);
      bytes[at] = (bytes[at] as number) ^ (1 << bit);
      expect(flipped).not.toBe(whole);
    }),
    { numRuns: 500 },
  );
  expect(runChecksum(bytes)).toBe(whole);
});
