// Nothing is awaited without a bound: a call that was given up is told so by its signal, and what it does afterwards is not waited for.

import { retryPauseMsMax, retryPauseMsMin } from '@tidemark/client';
import { DatabaseError } from '@tidemark/model';
import type { Clock, Ground } from './environment.ts';

/**
 * The result of `call`, if it comes within `ms` and before `outer` aborts. Otherwise rejects with `request-timeout`, or with the reason
 * of `outer`, and aborts the signal that the call was given. `who` is who was asked, for people.
 */
export function bounded<T>(
  clock: Clock,
  ms: number,
  outer: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
  who?: string,
): Promise<T> {
  if (outer?.aborted) return Promise.reject(outer.reason);
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      outer?.removeEventListener('abort', giveUp);
      act();
      controller.abort(over);
    };
    const giveUp = (): void => settle(() => reject(outer?.reason));
    outer?.addEventListener('abort', giveUp, { once: true });
    if (Number.isFinite(ms)) {
      void clock.sleep(ms, controller.signal).then(() => {
        if (controller.signal.aborted) return;
        settle(() =>
          reject(
            new DatabaseError(
              'request-timeout',
              `No answer came ${who === undefined ? '' : `from ${who} `}within ${Math.round(ms)} ms.`,
            ),
          ),
        );
      });
    }
    call(controller.signal).then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** One for all calls: making an error for each that ends well would cost more than the rest of it. */
const over: Error = new Error('The call is over.');

/** True when `work` settled within `ms`; false when it is still under way, and then nobody waits for it any more. */
export function settledWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return bounded(clock, ms, undefined, () =>
    work.then(
      () => true,
      () => true,
    ),
  ).catch(() => false);
}

/** The pause before attempt `failures` + 1: what the endpoint asked for, else doubling, a fifth of it left to chance. */
export function retryPauseMs(ground: Ground, failures: number, askedMs?: number): number {
  const pauseMs = Math.min(retryPauseMsMax, retryPauseMsMin * 2 ** Math.min(failures, 20));
  return Math.max(askedMs ?? 0, pauseMs * (0.8 + 0.4 * ground.random()));
}

/** Runs `call` for every item, at most `atOnceMax` at the same time. Rejections are the caller's to avoid. */
export async function eachBounded<T>(
  items: readonly T[],
  atOnceMax: number,
  call: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) await call(items[i] as T); // In range, as just checked.
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, lane));
}
