import { expect, test } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

test('time stands still until it is advanced', async () => {
  const clock = new VirtualClock(1000);
  const seen: number[] = [];
  const slept = clock.sleep(50).then(() => seen.push(clock.nowMs()));

  await clock.advance(49);
  expect(seen).toEqual([]);
  expect(clock.nowMs()).toBe(1049);

  await clock.advance(1);
  await slept;
  expect(seen).toEqual([1050]);
});

test('sleepers wake at their own moments: by due time, then by the order in which they went to sleep', async () => {
  const clock = new VirtualClock(0);
  const woken: string[] = [];
  const sleep = (name: string, ms: number) => clock.sleep(ms).then(() => woken.push(`${name}@${clock.nowMs()}`));
  const all = [sleep('c', 30), sleep('a', 10), sleep('b1', 20), sleep('b2', 20), sleep('now', 0)];

  await clock.advance(100);

  await Promise.all(all);
  expect(woken).toEqual(['now@0', 'a@10', 'b1@20', 'b2@20', 'c@30']);
  expect(clock.nowMs()).toBe(100);
});

test('a sleeper that sleeps again within the span wakes again within the span', async () => {
  const clock = new VirtualClock(0);
  let ticks = 0;
  const stop = new AbortController();
  const ticking = (async () => {
    while (!stop.signal.aborted) {
      await clock.sleep(10, stop.signal);
      ticks++;
    }
  })();

  await clock.advance(55);
  expect(ticks).toBe(5);

  stop.abort();
  await ticking;
});

test('an abort wakes at once and leaves nobody behind', async () => {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const slept = clock.sleep(1000, abort.signal);
  expect(clock.sleeperCount).toBe(1);

  abort.abort();

  await slept;
  expect(clock.sleeperCount).toBe(0);
  await clock.sleep(1000, abort.signal);
});

test('a jump sets the wall clock, either way, and wakes nobody', async () => {
  const clock = new VirtualClock(1_000_000);
  let isAwake = false;
  const slept = clock.sleep(100).then(() => {
    isAwake = true;
  });

  clock.jump(-500_000);
  await clock.advance(99);
  expect(clock.nowMs()).toBe(500_099);
  expect(isAwake).toBe(false);

  clock.jump(1_000_000);
  await clock.nextTurn();
  expect(isAwake).toBe(false);

  await clock.advance(1);
  await slept;
  expect(clock.nowMs()).toBe(1_500_100);
});
