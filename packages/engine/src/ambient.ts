// The one home of the process's own clock, timers and randomness in the engine. Everything else is handed an Environment.

import { randomFillSync } from 'node:crypto';
import { totalmem } from 'node:os';
import type { Clock, Environment } from './environment.ts';

export function systemEnvironment(): Environment {
  return {
    memoryBytes: totalmem(),
    clock: systemClock,
    random(target) {
      randomFillSync(target);
    },
  };
}

const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  idleMs: () => performance.nodeTiming.idleTime,
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
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
};

const timerMsMax = 2 ** 31 - 1;
