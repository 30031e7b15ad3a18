// The one home of the process's own clock, timers, randomness and network in this package. Everything else is handed an
// Environment.

import { hostname } from 'node:os';
import type { Clock, Environment } from './environment.ts';

export function systemEnvironment(): Environment {
  return { clock: systemClock, random: Math.random, fetch: globalThis.fetch };
}

/** A name that no other process has. Lower case: hosts of .NET compare names in both ways (processor.md 1.2, rule 7). */
export function systemInstance(random: () => number): string {
  const letters = Array.from({ length: 4 }, () => Math.floor(random() * 36).toString(36)).join('');
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .slice(0, 60);
  return `${host}-${process.pid}-${letters}`;
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

/** On standard error, unless whoever runs the process chose otherwise; `detail` on lines of its own below the message. */
export function systemWarning(
  message: string,
  told: { readonly code: string; readonly cause: unknown; readonly detail: string | undefined },
): void {
  const { code, cause, detail } = told;
  // Only a warning that comes as an error can have a cause.
  const warning = new Error(message, cause === undefined ? undefined : { cause });
  Object.assign(warning, { name: 'ProcessorWarning', code, ...(detail === undefined ? {} : { detail }) });
  // Its first line has the name as it was when the stack was taken.
  Error.captureStackTrace(warning, systemWarning);
  process.emitWarning(warning);
}
