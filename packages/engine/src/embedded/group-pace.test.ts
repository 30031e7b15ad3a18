import { expect, test } from 'vitest';
import { GroupPace } from './group-pace.ts';

class HandClock {
  ms = 0;
  nowMs = (): number => this.ms;
  monotonicMs = (): number => this.ms;
  sleep = (): Promise<void> => Promise.resolve();
  nextTurn = (): Promise<void> => Promise.resolve();
}

/** A pace that knows a crowd of 64, flushes of this length and units that take this long to decide; its last flush left some open. */
function pacedBy(flushMs: number, unitMs: number, open = 0): GroupPace {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  for (let group = 0; group < 2; group += 1) {
    pace.started(64);
    clock.ms += flushMs;
    pace.ended(0, true);
    gather(pace, clock, 64, unitMs);
  }
  pace.started(64 - open);
  clock.ms += flushMs;
  pace.ended(open, true);
  return pace;
}

/** So many come back, one after the other, and are decided. */
function gather(pace: GroupPace, clock: HandClock, units: number, unitMs: number): void {
  pace.isDue(1);
  clock.ms += (units - 1) * unitMs;
}

test('[engine 6] a lone writer never waits', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);

  expect(pace.isDue(1)).toBe(true);
  pace.started(1);
  clock.ms += 10;
  pace.ended(0, true);
  expect(pace.isDue(1)).toBe(true);
});

test('[engine 6] a crowd falls into halves, one of which is decided while the other is flushed', () => {
  const pace = pacedBy(1, 0.05);

  expect(pace.isDue(31)).toBe(false);
  expect(pace.isDue(32)).toBe(true);
});

test('[engine 6] halves that have become uneven are evened out', () => {
  const pace = pacedBy(1, 0.05, 16);

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

test('[engine 6] what was only refused, without a flush, says nothing about the disk', () => {
  const pace = pacedBy(20, 0.05);
  pace.started(1);
  pace.ended(63, false);

  expect(pace.isDue(63)).toBe(false);
});

test('[engine 6] a crowd of few stays together too, from the first time it is seen', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  pace.started(1);
  clock.ms += 10;
  pace.ended(3, true);

  expect(pace.isDue(3)).toBe(false);
  clock.ms += 0.1;
  pace.started(4);
  clock.ms += 10;
  pace.ended(0, true);
  clock.ms += 0.1;
  expect(pace.isDue(2)).toBe(false);
});

test('[engine 6] others who had a turn meanwhile do not make units look long for more than a moment', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  for (const gatheredMs of [0.1, 0.1, 50]) {
    pace.started(4);
    clock.ms += 10;
    pace.ended(0, true);
    gather(pace, clock, 4, gatheredMs / 3);
  }
  pace.started(4);
  clock.ms += 10;
  pace.ended(0, true);

  expect(pace.isDue(2)).toBe(false);
});

test('[engine 6] a pause in which nobody came does not count as deciding', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  for (let burst = 0; burst < 3; burst += 1) {
    clock.ms += 10_000;
    gather(pace, clock, 3, 0.05);
    pace.started(3);
    clock.ms += 10;
    pace.ended(0, true);
  }

  expect(pace.isDue(2)).toBe(false);
});

test('[engine 6] two writers who were once taken for slow ones find together again', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  const flushOf = (units: number, open: number): void => {
    pace.started(units);
    clock.ms += 10;
    pace.ended(open, true);
  };
  flushOf(2, 0);
  gather(pace, clock, 2, 5_000);
  flushOf(2, 0);
  let open = 0;
  for (let group = 0; group < 70; group += 1) {
    // Whose flush has ended comes back; the other one is there already, or comes with it.
    const isTogether = !pace.isDue(1);
    if (isTogether) clock.ms += 0.05;
    flushOf(isTogether ? 2 : 1, isTogether ? 0 : 1);
    open = isTogether ? 0 : 1;
  }

  expect(open).toBe(0);
  expect(pace.isDue(1)).toBe(false);
});

test('[engine 6] now and then two groups wait for all in any case', () => {
  const clock = new HandClock();
  const pace = new GroupPace(clock);
  const due: boolean[] = [];
  for (let group = 0; group < 130; group += 1) {
    // All come back before each of the first two, which makes them known.
    pace.started(group < 2 ? 128 : 64);
    clock.ms += 1;
    pace.ended(group < 2 ? 0 : 64, true);
    if (group < 2) gather(pace, clock, 128, 0.05);
    else due.push(pace.isDue(64));
  }

  expect(due.filter((isDue) => !isDue)).toHaveLength(4);
});
