// The zeros of the next segment beside a log that is written.

import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { SparePace } from './spare-pace.ts';

/** Whether the spare, of which this share is there, may grow at once. */
async function goesOn(pace: SparePace, doneShare: number): Promise<boolean> {
  let isOn = false;
  void pace.next(doneShare).then(() => {
    isOn = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return isOn;
}

test('[engine 4] while the log is written the spare keeps ahead of it and no more', async () => {
  const pace = new SparePace(new VirtualClock());
  pace.appended(0.25);

  expect(await goesOn(pace, 0.49)).toBe(true);
  expect(await goesOn(pace, 0.5)).toBe(false);
});

test('[engine 4] a spare that waits goes on when the log has filled further', async () => {
  const clock = new VirtualClock();
  const pace = new SparePace(clock);
  pace.appended(0.25);
  const waiting = pace.next(0.5);
  pace.appended(0.3);

  await clock.advance(5);

  await waiting;
});

test('[engine 4] a spare goes on at full speed when nobody has written for a moment', async () => {
  const clock = new VirtualClock();
  const pace = new SparePace(clock);
  expect(await goesOn(pace, 0.9)).toBe(true);
  pace.appended(0.01);
  const waiting = pace.next(0.9);

  await clock.advance(50);

  await waiting;
});

test('[engine 4] and when somebody waits for it, until the next one is begun', async () => {
  const pace = new SparePace(new VirtualClock());
  pace.appended(0.1);
  pace.hurry();

  expect(await goesOn(pace, 0.9)).toBe(true);
  pace.rolled();
  pace.appended(0.1);
  expect(await goesOn(pace, 0.9)).toBe(false);
});

test('[engine 4] who waits for the spare wakes it, also on a clock that stands still', async () => {
  const pace = new SparePace(new VirtualClock());
  pace.appended(0.1);
  const waiting = pace.next(0.9);

  pace.hurry();

  await waiting;
});

test('[engine 4] a spare that nobody needs any more is given up', async () => {
  const pace = new SparePace(new VirtualClock());
  pace.appended(0.1);
  const waiting = pace.next(0.9);

  pace.close();

  await expect(waiting).rejects.toMatchObject({ code: 'closed' });
});

test('[engine 4] whoever waits for rest waits until nobody has written for a moment, or is told that it is over', async () => {
  const clock = new VirtualClock();
  const pace = new SparePace(clock);
  await pace.atRest();
  pace.appended(0.1);
  let isRested = false;
  const rested = pace.atRest().then(() => {
    isRested = true;
  });
  await clock.advance(30);
  pace.appended(0.2);
  await clock.advance(30);
  expect(isRested).toBe(false);
  await clock.advance(20);
  await rested;

  pace.appended(0.3);
  const waiting = pace.atRest();
  pace.close();
  await expect(waiting).rejects.toMatchObject({ code: 'closed' });
});
