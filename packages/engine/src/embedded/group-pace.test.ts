import { expect, test } from 'vitest';
import { GroupPace } from './group-pace.ts';

class HandClock {
  ms = 0;
  nowMs = (): number => this.ms;
  monotonicMs = (): number => this.ms;
  sleep = (): Promise<void> => Promise.resolve();
  nextTurn = (): Promise<void> => Promise.resolve();
}

/** A pace that has just flushed a crowd of 64, with flushes of this length and units that take this long to decide. */
function pacedBy(flushMs: number, unitMs: number): GroupPace {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  for (let group = 0; group < 2; group += 1) {
    pace.started(64);
    clock.ms += flushMs;
    pace.ended(0);
    clock.ms += 64 * unitMs;
  }
  pace.started(64);
  clock.ms += flushMs;
  pace.ended(0);
  return pace;
}

test('[engine 6] a lone writer never waits', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);

  expect(pace.isDue(1)).toBe(true);
  pace.started(1);
  clock.ms += 10;
  pace.ended(0);
  expect(pace.isDue(1)).toBe(true);
});

test('[engine 6] a crowd falls into halves, one of which is decided while the other is flushed', () => {
  const pace = pacedBy(1, 0.05);

  expect(pace.isDue(31)).toBe(false);
  expect(pace.isDue(32)).toBe(true);
});

test('[engine 6] halves that have become uneven are evened out', () => {
  const pace = pacedBy(1, 0.05);
  pace.started(48);
  pace.ended(16);

  expect(pace.isDue(16)).toBe(false);
  expect(pace.isDue(31)).toBe(false);
  expect(pace.isDue(32)).toBe(true);
});

test('[engine 6] halves that are decided in no time are not worth a group each', () => {
  const pace = pacedBy(0, 0.001);

  expect(pace.isDue(63)).toBe(false);
});

test('[engine 6] with a disk that takes longer than deciding all of it the crowd stays together', () => {
  const pace = pacedBy(20, 0.05);

  expect(pace.isDue(64)).toBe(false);
});

test('[engine 6] now and then a group waits for all in any case', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  const due: boolean[] = [];
  for (let group = 0; group < 128; group += 1) {
    pace.started(64);
    clock.ms += 1;
    pace.ended(64);
    due.push(pace.isDue(64));
  }

  expect(due.filter((isDue) => !isDue)).toHaveLength(2);
});
