import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Timed } from './timer-wheel.ts';
import { TimerWheel } from './timer-wheel.ts';

describe('timer wheel', () => {
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 1_000;
    // The interval itself never fires: the test turns the wheel.
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function timed(told: number[]): Timed {
    return { slot: -1, onTime: () => told.push(nowMs) };
  }

  test('[engine 10] nobody is told early, nor later than a tick', () => {
    const wheel = new TimerWheel(50, 10_000, () => nowMs);
    const cases = [1, 49, 50, 51, 99, 1_000, 1_001, 9_999, 10_000].map((ms) => ({ ms, told: [] as number[], from: 0 }));
    for (const each of cases) {
      each.from = nowMs;
      wheel.add(timed(each.told), each.ms);
      nowMs += 13;
      wheel.turn();
    }
    for (let i = 0; i < 2_000 && wheel.count > 0; i += 1) {
      nowMs += 7;
      wheel.turn();
    }
    for (const { ms, told, from } of cases) {
      expect(told).toHaveLength(1);
      const waitedMs = (told[0] as number) - from;
      expect(waitedMs, `${ms}`).toBeGreaterThanOrEqual(ms);
      expect(waitedMs, `${ms}`).toBeLessThanOrEqual(ms + 50 + 13);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  test('[engine 10] who is removed is not told, and the timer stops with the last', () => {
    const wheel = new TimerWheel(50, 1_000, () => nowMs);
    const told: number[] = [];
    const [one, other] = [timed(told), timed(told)];
    wheel.add(one, 100);
    wheel.add(other, 100);
    expect(vi.getTimerCount()).toBe(1);
    wheel.remove(one);
    wheel.remove(one);
    wheel.remove(other);
    expect([wheel.count, vi.getTimerCount()]).toEqual([0, 0]);
    nowMs += 5_000;
    wheel.turn();
    expect(told).toEqual([]);
    wheel.add(one, 100);
    nowMs += 151;
    wheel.turn();
    expect(told).toHaveLength(1);
  });

  test('[engine 10] a turn that comes late tells all whose time is over, also those who wait again', () => {
    const wheel = new TimerWheel(50, 1_000, () => nowMs);
    let times = 0;
    const again: Timed = {
      slot: -1,
      onTime: () => {
        times += 1;
        if (times < 3) wheel.add(again, 100);
      },
    };
    wheel.add(again, 100);
    for (let i = 0; i < 100 && wheel.count > 0; i += 1) {
      nowMs += 400;
      wheel.turn();
    }
    expect(times).toBe(3);
  });
});
