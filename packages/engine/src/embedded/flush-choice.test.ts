import { expect, test } from 'vitest';
import {
  atOnceFlushBytesMax,
  atOnceFlushMsMax,
  atOnceFlushSlowShare,
  crowdFlushBytesMax,
  crowdFlushMsMax,
} from '../limits.ts';
import { FlushChoice } from './flush-choice.ts';

class HandClock {
  ms = 0;
  idle = 0;
  nowMs = (): number => this.ms;
  monotonicMs = (): number => this.ms;
  idleMs = (): number => this.idle;
  sleep = (): Promise<void> => Promise.resolve();
  nextTurn = (): Promise<void> => Promise.resolve();
}

const quickMs = atOnceFlushMsMax / 4;

interface Flush {
  readonly units?: number;
  readonly bytes?: number;
  readonly tookMs?: number;
  readonly idleShare?: number;
  /** Everybody who writes is in the group. */
  readonly isOfAll?: boolean;
}

class Bench {
  readonly clock = new HandClock();
  readonly choice = new FlushChoice(this.clock);

  /** Gives whether it was waited for at once. */
  flush({ units = 1, bytes = 1_500, tookMs = quickMs, idleShare = 0.9, isOfAll = true }: Flush = {}): boolean {
    const isAtOnce = this.choice.begins(units, bytes, isOfAll);
    this.clock.ms += tookMs;
    if (isAtOnce) this.choice.endedAtOnce();
    else {
      this.clock.idle += tookMs * idleShare;
      this.choice.endedByThread(isOfAll);
    }
    return isAtOnce;
  }

  /** How many of so many were waited for at once. */
  atOnce(count: number, flush: Flush = {}): number {
    let found = 0;
    for (let i = 0; i < count; i += 1) if (this.flush(flush)) found += 1;
    return found;
  }
}

test('[engine 6] flushes that the event loop would idle through are waited for at once after a while, but for some that look around', () => {
  const bench = new Bench();

  expect(bench.flush()).toBe(false);
  expect(bench.choice.isLikely).toBe(false);
  bench.atOnce(20);

  expect(bench.choice.isLikely).toBe(true);
  expect(bench.atOnce(320)).toBe(310);
});

test('[engine 6] threads flush while others are decided', () => {
  expect(new Bench().atOnce(100, { isOfAll: false })).toBe(0);
});

test('[engine 6] of a crowd in halves, those groups tell that have all of it', () => {
  const bench = new Bench();
  for (let i = 0; i < 20; i += 1) {
    bench.atOnce(30, { isOfAll: false, idleShare: 0.1 });
    bench.flush();
  }

  expect(bench.choice.isLikely).toBe(true);
});

test('[engine 6] a crowd that is too large for it stays in halves', () => {
  const bench = new Bench();
  bench.atOnce(20);
  bench.flush({ bytes: atOnceFlushBytesMax + 1 });

  expect(bench.choice.isLikely).toBe(false);
  expect(bench.atOnce(10, { bytes: atOnceFlushBytesMax / 2, isOfAll: false })).toBe(0);
  bench.flush();
  expect(bench.choice.isLikely).toBe(true);
});

test('[engine 6] other work ends it after some looks, not after one', () => {
  const bench = new Bench();
  bench.atOnce(320);

  while (bench.flush({ idleShare: 0 }));
  expect(bench.choice.isLikely).toBe(true);
  bench.atOnce(64, { idleShare: 0 });
  expect(bench.choice.isLikely).toBe(false);
});

test('[engine 6] threads flush while the event loop has other work, and on a disk that is slow', () => {
  expect(new Bench().atOnce(100, { idleShare: 0.3 })).toBe(0);
  expect(new Bench().atOnce(100, { tookMs: atOnceFlushMsMax * 2 })).toBe(0);
  expect(new Bench().atOnce(100, { bytes: atOnceFlushBytesMax + 1 })).toBe(0);
});

test('[engine 6] a crowd takes smaller groups and a quicker disk than a lone writer', () => {
  const tookMs = crowdFlushMsMax * 1.5;
  const bytes = crowdFlushBytesMax + 1;

  expect(new Bench().atOnce(100, { units: 1, tookMs })).toBeGreaterThan(0);
  expect(new Bench().atOnce(100, { units: 2, tookMs })).toBe(0);
  expect(new Bench().atOnce(100, { units: 1, bytes })).toBeGreaterThan(0);
  expect(new Bench().atOnce(100, { units: 2, bytes })).toBe(0);
  expect(new Bench().atOnce(100, { units: 2 })).toBeGreaterThan(0);
});

test('[engine 6] a disk that becomes slow holds the event loop up for a small share of the time', () => {
  const bench = new Bench();
  bench.atOnce(20);
  const slowMs = 50;
  const beganMs = bench.clock.ms;

  const blocked = bench.atOnce(1_000, { tookMs: slowMs, idleShare: 0.9 }) * slowMs;

  expect(blocked).toBeGreaterThan(0);
  expect(blocked / (bench.clock.ms - beganMs)).toBeLessThanOrEqual(atOnceFlushSlowShare);
});

test('[engine 6] where nobody counts idle time, threads flush', () => {
  const { idleMs: _, ...clock } = new HandClock();
  const choice = new FlushChoice(clock);
  for (let i = 0; i < 20; i += 1) {
    expect(choice.begins(1, 100, true)).toBe(false);
    clock.ms += quickMs;
    choice.endedByThread(true);
  }
});
