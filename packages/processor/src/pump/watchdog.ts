// Watches the handler calls of a range (F29): one that is slow is told of, at its limit its signal aborts, and one that does not obey is
// given up. One timer for all calls, and none for those that end in time: nearly every call does.
//
//   fresh ──warnMs──▶ slow ──maxMs──▶ aborted ──graceMs──▶ hung
//                                        ▲
//              the range may not go on ──┘

import type { Clock } from '../environment.ts';
import { notNeeded } from '../environment.ts';
import { handlerGraceMs } from '../limits.ts';
import { ProcessorError } from '../processor-error.ts';

export interface WatchdogLimits {
  readonly handlerWarnMs: number;
  readonly handlerMsMax: number;
}

export interface WatchedCall {
  readonly controller: AbortController;
  readonly beganMs: number;
  isSlow: boolean;
  /** When its signal aborted. */
  abortedMs: number | undefined;
  /** Nobody waits for it any more. */
  giveUp(): void;
}

export class Watchdog {
  readonly #clock: Clock;
  readonly #limits: WatchdogLimits;
  readonly #onSlow: () => void;
  readonly #calls: Set<WatchedCall> = new Set();
  /** The loop sleeps until then; undefined: there is no loop. */
  #wakeMs: number | undefined;
  #sleep: AbortController | undefined;
  #isClosed = false;

  constructor(clock: Clock, limits: WatchdogLimits, onSlow: () => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onSlow = onSlow;
  }

  begin(controller: AbortController, giveUp: () => void): WatchedCall {
    const beganMs = this.#clock.monotonicMs();
    const abortedMs = controller.signal.aborted ? beganMs : undefined;
    const call: WatchedCall = { controller, beganMs, isSlow: false, abortedMs, giveUp };
    this.#calls.add(call);
    this.#wakeBy(this.#dueMs(call));
    return call;
  }

  end(call: WatchedCall): void {
    this.#calls.delete(call);
  }

  /** All signals have aborted: from now on the calls have their grace. */
  aborted(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const call of this.#calls) call.abortedMs ??= nowMs;
    if (this.#calls.size > 0) this.#wakeBy(nowMs + handlerGraceMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#sleep?.abort(notNeeded);
  }

  #dueMs({ beganMs, isSlow, abortedMs }: WatchedCall): number {
    const { handlerWarnMs, handlerMsMax } = this.#limits;
    if (abortedMs !== undefined) return abortedMs + handlerGraceMs;
    return beganMs + (isSlow ? handlerMsMax : Math.min(handlerWarnMs, handlerMsMax));
  }

  #wakeBy(dueMs: number): void {
    if (this.#isClosed || dueMs === Number.POSITIVE_INFINITY) return;
    if (this.#wakeMs === undefined) void this.#run(dueMs);
    else if (dueMs < this.#wakeMs) {
      this.#wakeMs = dueMs;
      this.#sleep?.abort(notNeeded);
    }
  }

  async #run(firstMs: number): Promise<void> {
    this.#wakeMs = firstMs;
    while (this.#wakeMs !== undefined) {
      this.#sleep = new AbortController();
      await this.#clock.sleep(Math.max(0, this.#wakeMs - this.#clock.monotonicMs()), this.#sleep.signal);
      if (this.#isClosed) return;
      this.#wakeMs = this.#look();
    }
    this.#sleep = undefined;
  }

  /** When to look again. */
  #look(): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const call of this.#calls) {
      while (this.#dueMs(call) <= nowMs && this.#calls.has(call)) this.#step(call, nowMs);
      if (this.#calls.has(call)) nextMs = Math.min(nextMs, this.#dueMs(call));
    }
    return nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs;
  }

  #step(call: WatchedCall, nowMs: number): void {
    const { handlerWarnMs, handlerMsMax } = this.#limits;
    if (call.abortedMs !== undefined) {
      this.#calls.delete(call);
      call.giveUp();
    } else if (!call.isSlow && handlerWarnMs < handlerMsMax) {
      call.isSlow = true;
      this.#onSlow();
    } else {
      call.abortedMs = nowMs;
      call.controller.abort(hungError(handlerMsMax));
    }
  }
}

/** Whoever has stopped a processor sees that its process does not end, and has to be told why. */
export const hungWords = 'The process lives until it returns; when it is to end, Ctrl-C once more ends it.';

export function hungError(handlerMsMax: number): ProcessorError {
  return new ProcessorError('handler-hung', `The handler did not finish within ${handlerMsMax / 1000} s.`);
}
