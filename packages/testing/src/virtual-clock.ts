// Time that stands still until a test moves it.
//
// There are two times, as in a computer. The wall clock is what `nowMs` shows; it may be set, forwards or backwards, by an
// operator or by NTP (`jump`). Waiting is measured by a monotonic time that nobody can set: after a jump every sleeper
// still waits the rest of its span. `advance` lets time pass, on both.

import type { Clock } from '@tidemark/engine/internal';

export class VirtualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  /** In the order in which they wake: by due time, then by the order in which they went to sleep. */
  readonly #sleepers: Sleeper[] = [];

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#wallMs = startMs;
  }

  get sleeperCount(): number {
    return this.#sleepers.length;
  }

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Nobody has anything to do while this time passes. */
  idleMs(): number {
    return this.#monotonicMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = { dueMs: this.#monotonicMs + Math.max(0, ms), wake: resolve };
      const abort = (): void => {
        this.#remove(sleeper);
        resolve();
      };
      sleeper.wake = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#insert(sleeper);
    });
  }

  /** Real, not virtual: it is about who runs next in this process, which has nothing to do with time. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /**
   * Lets `ms` pass. Sleepers wake one at a time, each at its own moment, and what they do runs before the next one wakes; a
   * sleeper that goes to sleep again within the span wakes again within the span.
   */
  async advance(ms: number): Promise<void> {
    const targetMs = this.#monotonicMs + ms;
    await this.nextTurn();
    for (let next = this.#sleepers[0]; next && next.dueMs <= targetMs; next = this.#sleepers[0]) {
      this.#passTo(next.dueMs);
      this.#sleepers.shift();
      next.wake();
      await this.nextTurn();
    }
    this.#passTo(targetMs);
  }

  /** Sets the wall clock forwards or backwards. No time passes: nobody wakes, nobody waits longer. */
  jump(ms: number): void {
    this.#wallMs += ms;
  }

  #passTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }

  #insert(sleeper: Sleeper): void {
    const at = this.#sleepers.findIndex((other) => other.dueMs > sleeper.dueMs);
    this.#sleepers.splice(at < 0 ? this.#sleepers.length : at, 0, sleeper);
  }

  #remove(sleeper: Sleeper): void {
    const at = this.#sleepers.indexOf(sleeper);
    if (at >= 0) this.#sleepers.splice(at, 1);
  }
}

interface Sleeper {
  readonly dueMs: number;
  wake: () => void;
}
