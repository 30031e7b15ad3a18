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
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      // setTimeout fires at once for anything over 2^31-1 ms, which would turn a very long wait into none.
      const timer = setTimeout(finish, Math.min(ms, timerMsMax));
      signal?.addEventListener('abort', finish, { once: true });
    });
  },
};

const timerMsMax = 2 ** 31 - 1;
