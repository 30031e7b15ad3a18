import { expect, test } from 'vitest';
import { GroupPace } from './group-pace.ts';

class HandClock {
  ms = 0;
  nowMs = (): number => this.ms;
  monotonicMs = (): number => this.ms;
  sleep = (): Promise<void> => Promise.resolve();
  nextTurn = (): Promise<void> => Promise.resolve();
}

/** A pace that has seen flushes of this length and units that take this long to decide. */
function pacedBy(flushMs: number, unitMs: number): GroupPace {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  for (let group = 0; group < 17; group += 1) {
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

test('[engine 6] a group goes when deciding it has taken as long as a flush takes', () => {
  const pace = pacedBy(1, 0.05);

  expect(pace.isDue(19)).toBe(false);
  expect(pace.isDue(21)).toBe(true);
  expect(pace.isDueWithout(19)).toBe(false);
  expect(pace.isDueWithout(21)).toBe(true);
});

test('[engine 6] without a flush to wait for, a crowd shares a group all the same', () => {
  const pace = pacedBy(0, 0.05);

  expect(pace.isDue(15)).toBe(false);
  expect(pace.isDue(16)).toBe(true);
});

test('[engine 6] with a slow disk the crowd stays together', () => {
  const pace = pacedBy(20, 0.05);

  expect(pace.isDue(64)).toBe(false);
  expect(pace.isDueWithout(64)).toBe(false);
});

test('[engine 6] now and then a group waits for all in any case', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  const due: boolean[] = [];
  for (let group = 0; group < 32; group += 1) {
    pace.started(64);
    clock.ms += 1;
    pace.ended(64);
    due.push(pace.isDueWithout(64));
  }

  expect(due.filter((isDue) => !isDue)).toHaveLength(2);
});
