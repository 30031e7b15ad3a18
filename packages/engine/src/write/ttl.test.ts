import { expect, test } from 'vitest';
import { expiryMs, isExpired } from './ttl.ts';

const secondMs = 1000;

test.each([
  { own: undefined, defaultTtl: undefined, expected: undefined, why: 'the container has no ttl' },
  { own: 5, defaultTtl: undefined, expected: undefined, why: 'an own ttl means nothing without a default' },
  { own: undefined, defaultTtl: -1, expected: undefined, why: 'the default is for ever' },
  { own: 5, defaultTtl: -1, expected: 15 * secondMs, why: 'the own ttl counts' },
  { own: undefined, defaultTtl: 3, expected: 13 * secondMs, why: 'the default counts' },
  { own: 7, defaultTtl: 3, expected: 17 * secondMs, why: 'the own ttl wins' },
  { own: -1, defaultTtl: 3, expected: undefined, why: 'the own ttl is for ever' },
])('[engine 9] [wire 6] a ttl of $own under a default of $defaultTtl: $why', ({ own, defaultTtl, expected }) => {
  expect(expiryMs({ timeMs: 10_999, ttl: own }, defaultTtl)).toBe(expected);
});

test('[engine 9] a document is absent from the first millisecond of its last second on', () => {
  const document = { timeMs: 10_999, ttl: 2 };

  expect(isExpired(document, -1, 11_999)).toBe(false);
  expect(isExpired(document, -1, 12_000)).toBe(true);
});

test('[wire 6] the longest ttl does not overflow', () => {
  expect(isExpired({ timeMs: 1_700_000_000_000, ttl: 2_147_483_647 }, -1, 1_800_000_000_000)).toBe(false);
});
