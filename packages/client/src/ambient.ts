// The one home of the process's own clock, timers, randomness and network in this package. Everything else is handed an
// Environment.

import type { Clock, Environment } from './environment.ts';

export function systemEnvironment(): Environment {
  return { clock: systemClock, random: Math.random, fetch: globalThis.fetch };
}

const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const untilMs = performance.now() + ms;
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      // Timers count whole milliseconds: a quarter of them fire up to one too early. And anything over 2^31-1 fires at once.
      const look = (): void => {
        const leftMs = untilMs - performance.now();
        if (leftMs > 0) timer = setTimeout(look, Math.min(Math.ceil(leftMs), timerMsMax));
        else finish();
      };
      // What is over already is no negative timer: Node 24 warns of those.
      let timer = setTimeout(look, Math.min(Math.max(0, ms), timerMsMax));
      signal?.addEventListener('abort', finish, { once: true });
    });
  },
};

const timerMsMax = 2 ** 31 - 1;
