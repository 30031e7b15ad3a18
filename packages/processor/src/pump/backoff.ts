// Pauses between attempts, as numbers.

import type { RetryPolicy } from '../failure-policy.ts';

/** Before the next attempt, when `failures` have gone before it one after the other. */
export function backoffMs(policy: Omit<RetryPolicy, 'attemptsMax'>, failures: number, random: () => number): number {
  if (failures <= 0) return 0;
  const wholeMs = Math.min(policy.maxMs, policy.firstMs * policy.factor ** (failures - 1));
  return wholeMs * (1 - policy.jitter) + wholeMs * policy.jitter * random();
}
