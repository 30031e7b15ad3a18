import { expect, test } from 'vitest';
import { Chance } from './chance.ts';
import { HostClock } from './host-clock.ts';
import type { Gate } from './schedule.ts';
import { Schedule } from './schedule.ts';

test('everything that an event sets off has run before the next one', async () => {
  const schedule = new Schedule(new Chance('a'));
  const log: string[] = [];
  const deep = async (depth: number): Promise<void> => {
    if (depth > 0) await deep(depth - 1);
    else log.push('bottom');
  };
  schedule.after(1, () => void deep(500).then(() => log.push('top')));
  schedule.after(2, () => log.push('next'));

  while (await schedule.step());

  expect(log).toEqual(['bottom', 'top', 'next']);
  expect(schedule.nowMs).toBe(2);
});

test('the dead never wake; the frozen wake in order when they thaw', async () => {
  const schedule = new Schedule(new Chance('a'));
  const [dead, frozen] = [makeGate(), makeGate()];
  const log: string[] = [];
  const clocks = [new HostClock(schedule, dead, 0), new HostClock(schedule, frozen, 0)];
  clocks.forEach((clock, i) => {
    void clock.sleep(10).then(() => log.push(`first of ${i} at ${schedule.nowMs}`));
    void clock.sleep(20).then(() => log.push(`second of ${i} at ${schedule.nowMs}`));
  });

  dead.isDead = true;
  frozen.isFrozen = true;
  schedule.after(100, () => schedule.thaw(frozen));
  while (await schedule.step());

  expect(log).toEqual(['first of 1 at 100', 'second of 1 at 100']);
  expect(clocks[1]?.monotonicMs()).toBe(100);
});

test('a clock that runs fast sleeps short, and its wall clock may jump', async () => {
  const schedule = new Schedule(new Chance('a'));
  const clock = new HostClock(schedule, makeGate(), 5000);
  clock.drift(1.25);
  const beforeMs = clock.nowMs();
  clock.jump(-60_000);

  void clock.sleep(1000);
  while (await schedule.step());

  expect(schedule.nowMs).toBe(800);
  expect(clock.monotonicMs()).toBe(6000);
  expect(clock.nowMs() - beforeMs).toBe(-59_200);
  expect(clock.sleepers).toBe(0);
});

test('a sleep ends at once when its signal aborts', async () => {
  const schedule = new Schedule(new Chance('a'));
  const clock = new HostClock(schedule, makeGate(), 0);
  const controller = new AbortController();

  const sleep = clock.sleep(1000, controller.signal);
  controller.abort();
  await sleep;

  expect(clock.sleepers).toBe(0);
  expect(await schedule.step()).toBe(false);
});

function makeGate(): Gate {
  return { isDead: false, isFrozen: false, held: [] };
}
