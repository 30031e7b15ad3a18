import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

const policy = { firstMs: 100, factor: 2, maxMs: 1000, jitter: 0 };

test('pauses grow with failures up to their maximum', () => {
  expect([0, 1, 2, 3, 4, 5, 50].map((failures) => backoffMs(policy, failures, () => 0.5))).toEqual([
    0, 100, 200, 400, 800, 1000, 1000,
  ]);
});

test('a part of each pause is left to chance', () => {
  expect(backoffMs({ ...policy, jitter: 0.5 }, 1, () => 0)).toBe(50);
  expect(backoffMs({ ...policy, jitter: 0.5 }, 1, () => 1)).toBe(100);
});
