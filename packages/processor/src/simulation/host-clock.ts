// The clocks of one host: a wall clock that may be wrong and may jump, and a monotonic one that may run too fast or too slow.

import type { Clock } from '../environment.ts';
import type { Gate, Schedule } from './schedule.ts';

/** 2026-11-16T00:00:00Z: any time will do, as long as it is the same in every run. */
export const worldEpochMs = 1_794_787_200_000;

/** As timers have it: nothing waits for less. */
const leastMs = 1;

export class HostClock implements Clock {
  readonly #schedule: Schedule;
  readonly #gate: Gate;
  #rate = 1;
  #sinceMs: number;
  /** Monotonic time at `#sinceMs`. */
  #base: number;
  #offsetMs = 0;
  #sleepers = 0;

  constructor(schedule: Schedule, gate: Gate, baseMs: number) {
    this.#schedule = schedule;
    this.#gate = gate;
    this.#sinceMs = schedule.nowMs;
    this.#base = baseMs;
  }

  /** Waits that are under way (I11). */
  get sleepers(): number {
    return this.#sleepers;
  }

  nowMs(): number {
    return Math.floor(worldEpochMs + this.#schedule.nowMs + this.#offsetMs);
  }

  monotonicMs(): number {
    return this.#base + (this.#schedule.nowMs - this.#sinceMs) * this.#rate;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    this.#sleepers += 1;
    return this.#wait(ms, signal, () => {
      this.#sleepers -= 1;
    });
  }

  /** The same clock for handlers: what they wait for is not the processor's to end. */
  get ofHandlers(): Clock {
    return {
      nowMs: () => this.nowMs(),
      monotonicMs: () => this.monotonicMs(),
      sleep: (ms, signal) => (signal?.aborted === true ? Promise.resolve() : this.#wait(ms, signal, () => {})),
    };
  }

  #wait(ms: number, signal: AbortSignal | undefined, onEnd: () => void): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        if (event !== undefined) this.#schedule.cancel(event);
        signal?.removeEventListener('abort', finish);
        onEnd();
        resolve();
      };
      const event =
        ms < Number.MAX_SAFE_INTEGER
          ? this.#schedule.after(Math.max(leastMs, ms) / this.#rate, finish, this.#gate)
          : undefined;
      signal?.addEventListener('abort', finish, { once: true });
    });
  }

  jump(ms: number): void {
    this.#offsetMs += ms;
  }

  /** 1.1: it counts 11 seconds while 10 pass. Sleeps that are under way keep their end. */
  drift(rate: number): void {
    this.#base = this.monotonicMs();
    this.#sinceMs = this.#schedule.nowMs;
    this.#rate = rate;
  }
}
