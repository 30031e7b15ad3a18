// What every clock keeps that runs by itself, the engine's and the processor's.

import { expect, test, vi } from 'vitest';

interface SleepingClock {
  monotonicMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function clockContract(clock: SleepingClock): void {
  test('nobody is woken before the time, by the clock that deadlines are measured with', async () => {
    const naps = Array.from({ length: 400 }, async (_, i) => {
      const ms = 1 + (i % 40) * 1.3;
      const untilMs = clock.monotonicMs() + ms;
      await clock.sleep(ms);
      return clock.monotonicMs() - untilMs;
    });
    expect((await Promise.all(naps)).filter((lateMs) => lateMs < 0)).toEqual([]);
  });

  test('a signal ends a sleep, one that was given long ago too', async () => {
    const stop = new AbortController();
    const sleeping = clock.sleep(2 ** 40, stop.signal);
    stop.abort();
    await sleeping;
    await clock.sleep(2 ** 40, stop.signal);
  });

  test('a sleep that is over before it begins asks for no negative timer, of which newer Nodes warn', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await clock.sleep(-12.5);
    const askedMs = timers.mock.calls.map(([, ms]) => ms ?? 0);
    timers.mockRestore();
    expect(askedMs.length).toBeGreaterThan(0);
    expect(askedMs.filter((ms) => ms < 0)).toEqual([]);
  });
}
