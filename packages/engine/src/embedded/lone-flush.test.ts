import { expect, test } from 'vitest';
import { loneFlushBytesMax, loneFlushMsMax, loneFlushSlowShare } from '../limits.ts';
import { LoneFlush } from './lone-flush.ts';

class HandClock {
  ms = 0;
  idle = 0;
  nowMs = (): number => this.ms;
  monotonicMs = (): number => this.ms;
  idleMs = (): number => this.idle;
  sleep = (): Promise<void> => Promise.resolve();
  nextTurn = (): Promise<void> => Promise.resolve();
}

const quickMs = loneFlushMsMax / 4;

interface Flush {
  readonly units?: number;
  readonly bytes?: number;
  readonly tookMs?: number;
  readonly idleShare?: number;
  /** Others came while a thread flushed. */
  readonly isShared?: boolean;
}

class Bench {
  readonly clock = new HandClock();
  readonly lone = new LoneFlush(this.clock);

  /** Gives whether it was waited for at once. */
  flush({ units = 1, bytes = 1_500, tookMs = quickMs, idleShare = 0.9, isShared = false }: Flush = {}): boolean {
    const isAtOnce = this.lone.begins(units, bytes);
    this.clock.ms += tookMs;
    if (isAtOnce) this.lone.endedAtOnce();
    else {
      this.clock.idle += tookMs * idleShare;
      this.lone.endedByThread(units === 1 && !isShared);
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

test('[engine 6] the flushes of a lone writer are waited for at once after a while, but for some that look around', () => {
  const bench = new Bench();

  expect(bench.flush()).toBe(false);
  expect(bench.lone.isLikely).toBe(false);
  bench.atOnce(20);

  expect(bench.lone.isLikely).toBe(true);
  expect(bench.atOnce(320)).toBe(310);
});

test('[engine 6] threads flush what several share, and for whoever comes while others flush', () => {
  const crowd = new Bench();
  const turns = new Bench();

  expect(crowd.atOnce(100, { units: 2 })).toBe(0);
  expect(turns.atOnce(100, { isShared: true })).toBe(0);
});

test('[engine 6] a second writer ends it at the next look', () => {
  const bench = new Bench();
  bench.atOnce(20);

  expect(bench.atOnce(100, { isShared: true })).toBeLessThan(32);
  expect(bench.lone.isLikely).toBe(false);
});

test('[engine 6] threads flush while the event loop has other work, and on a disk that is slow', () => {
  expect(new Bench().atOnce(100, { idleShare: 0.3 })).toBe(0);
  expect(new Bench().atOnce(100, { tookMs: loneFlushMsMax * 2 })).toBe(0);
  expect(new Bench().atOnce(100, { bytes: loneFlushBytesMax + 1 })).toBe(0);
});

test('[engine 6] a disk that becomes slow holds the event loop up for a small share of the time', () => {
  const bench = new Bench();
  bench.atOnce(20);
  const slowMs = 50;
  const beganMs = bench.clock.ms;

  const blocked = bench.atOnce(1_000, { tookMs: slowMs, idleShare: 0.9 }) * slowMs;

  expect(blocked).toBeGreaterThan(0);
  expect(blocked / (bench.clock.ms - beganMs)).toBeLessThanOrEqual(loneFlushSlowShare);
});

test('[engine 6] where nobody counts idle time, threads flush', () => {
  const { idleMs: _, ...clock } = new HandClock();
  const lone = new LoneFlush(clock);
  for (let i = 0; i < 20; i += 1) {
    expect(lone.begins(1, 100)).toBe(false);
    lone.endedByThread(true);
  }
});
