import { describe, expect, it } from 'vitest';
import { enter, settle, TokenBucket } from './token-bucket.ts';

/** Runs a request that costs `charge`, if it is admitted. */
function run(buckets: readonly TokenBucket[], charge: number, nowMs: number): number | undefined {
  const waitMs = enter(buckets, nowMs);
  if (waitMs === undefined) settle(buckets, charge, nowMs);
  return waitMs;
}

describe('a token bucket', () => {
  it('[M16] gives what comes in one second at once, and no more', () => {
    const buckets = [new TokenBucket(400, 0)];
    let admitted = 0;
    while (run(buckets, 1, 10_000) === undefined) admitted += 1;
    expect(admitted).toBe(400);
  });

  it('[M16] carries what a request cost beyond what there was, and says truly when it is paid', () => {
    const buckets = [new TokenBucket(400, 0)];
    expect(run(buckets, 1_000, 0)).toBeUndefined();
    const waitMs = enter(buckets, 0) as number;
    expect(waitMs).toBe(1_501);
    expect(enter(buckets, waitMs - 1)).toBeDefined();
    expect(enter(buckets, waitMs)).toBeUndefined();
  });

  it('[M16] gives back what was taken from a request that cost nothing', () => {
    const buckets = [new TokenBucket(2, 0)];
    for (let times = 0; times < 100; times += 1) expect(run(buckets, 0, 0)).toBeUndefined();
  });

  it('[M16] admits everybody who comes back when told, within nine tries', () => {
    const buckets = [new TokenBucket(400, 0)];
    const crowd = Array.from({ length: 500 }, () => ({ atMs: 0, tries: 0, isDone: false }));
    let lastMs = 0;
    for (;;) {
      const [next] = crowd.filter((each) => !each.isDone).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      lastMs = next.atMs;
      const waitMs = run(buckets, 5, next.atMs);
      next.isDone = waitMs === undefined;
      if (waitMs !== undefined) next.atMs += waitMs;
      next.tries += 1;
      expect(next.tries).toBeLessThanOrEqual(10);
    }
    // 500 requests of 5 at 400 a second, less the first second's worth: they neither go faster nor much slower.
    expect(lastMs).toBeGreaterThan(5_000);
    expect(lastMs).toBeLessThan(6_000);
  });

  it('[M16] lets nobody who ignores it spoil the time of the others', () => {
    const buckets = [new TokenBucket(400, 0)];
    run(buckets, 410, 0);
    for (let times = 0; times < 100_000; times += 1) enter(buckets, 0);
    expect(enter(buckets, 0)).toBeLessThan(11_000);
    expect(enter(buckets, 26)).toBeUndefined();
  });

  it('[M16] divides what concerns several ranges over all of them', () => {
    const buckets = [new TokenBucket(100, 0), new TokenBucket(100, 0)];
    expect(run(buckets, 300, 0)).toBeUndefined();
    expect(buckets.map((bucket) => bucket.level(0))).toEqual([-50, -50]);
    expect(enter(buckets, 0)).toBe(501);
  });

  it('[M16] follows a change of rate, without a burst and without forgetting debts', () => {
    const bucket = new TokenBucket(1_000, 0);
    bucket.setRate(100, 0);
    expect(bucket.level(0)).toBe(100);
    bucket.take(300, 0);
    bucket.setRate(1_000, 0);
    expect([bucket.level(0), bucket.level(200), bucket.level(5_000)]).toEqual([-200, 0, 1_000]);
  });

  it('[M16] survives a clock that goes back', () => {
    const bucket = new TokenBucket(100, 1_000);
    bucket.take(50, 1_000);
    expect([bucket.level(0), bucket.level(1_000), bucket.level(1_100)]).toEqual([50, 50, 60]);
  });

  it('[M16] is as new when it is full again and owes nobody a moment', () => {
    const buckets = [new TokenBucket(100, 0)];
    const [bucket] = buckets as [TokenBucket];
    run(buckets, 150, 0);
    enter(buckets, 0);
    expect([bucket.isFresh(0), bucket.isFresh(1_499), bucket.isFresh(1_500)]).toEqual([false, false, true]);
  });
});
