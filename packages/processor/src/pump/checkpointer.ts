// When a position that may be stored is stored. One write at a time; while it runs, newer positions replace each other.
//
// Whatever the strategy, progress never waits for the next change: what is not stored yet has a due time, and is stored then.

import type { Ground } from '../environment.ts';
import { notNeeded } from '../environment.ts';
import { checkpointGapMsMax, checkpointGapMsMin } from '../limits.ts';
import type { CheckpointStrategy } from '../settings.ts';

export interface CheckpointerOptions extends Ground {
  readonly strategy: CheckpointStrategy;
  readonly idleMs: number;
  /** Undefined: nothing was stored yet, so the first position is worth a write of its own. */
  readonly stored: string | undefined;
  store(position: string): Promise<void>;
  offer(position: string): void;
  onStored(): void;
  /** It will never be stored: the pump ends. */
  onFailed(error: unknown): void;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #stored: string | undefined;
  #storedSequence = -1;
  #newest: { readonly position: string; readonly sequence: number } | undefined;
  /** Finished items that are not stored. */
  #items = 0;
  /** When the last write began. */
  #wroteMs = Number.NEGATIVE_INFINITY;
  /** How long it took. */
  #tookMs = 0;
  #writing: Promise<void> | undefined;
  #timer: AbortController | undefined;
  #waiters: Waiter[] = [];
  #error: unknown;
  #isClosed = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#stored = options.stored;
  }

  get stored(): string | undefined {
    return this.#stored;
  }

  /** Everything up to `position` is finished; `items` of it are new. */
  moved(position: string, sequence: number, items: number): void {
    if (this.#isClosed) return;
    this.#newest = { position, sequence };
    this.#items += items;
    if (this.#items === 0 && position === this.#stored && this.#writing === undefined) {
      this.#storedSequence = sequence;
      return;
    }
    if (items === 0 && this.#items === 0) this.#options.offer(position);
    const isFirst = this.#stored === undefined && this.#writing === undefined;
    if (isFirst || this.#isDueAtOnce()) this.#write();
    else this.#arm();
  }

  /** Resolves when the page of this number is stored; rejects when it never will be. */
  whenStored(sequence: number): Promise<void> {
    if (sequence <= this.#storedSequence) return Promise.resolve();
    if (this.#isClosed) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ sequence, resolve, reject });
    });
  }

  /** Stores the newest position, whatever the strategy says. */
  async flush(): Promise<void> {
    for (;;) {
      this.#write();
      if (this.#writing === undefined) return;
      await this.#writing;
    }
  }

  /** Nothing is stored any more; `error` is what waiters are told. */
  close(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#error = error;
    this.#timer?.abort(notNeeded);
    this.#timer = undefined;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(error);
  }

  #isDueAtOnce(): boolean {
    const { strategy } = this.#options;
    if (this.#items === 0) return false;
    switch (strategy.kind) {
      case 'every-batch':
        return this.#gapMs() <= 0;
      case 'manual':
        return true;
      case 'items':
        return this.#items >= strategy.items;
      case 'interval':
        return strategy.intervalMs <= 0;
    }
  }

  /** Until the next position is worth a write of its own: those that follow each other closely share one. */
  #gapMs(): number {
    const gapMs = Math.min(checkpointGapMsMax, Math.max(checkpointGapMsMin, gapPerWrite * this.#tookMs));
    return this.#wroteMs + gapMs - this.#options.clock.monotonicMs();
  }

  #dueMs(): number {
    const { strategy, idleMs } = this.#options;
    if (strategy.kind === 'every-batch' && this.#items > 0) return Math.max(0, this.#gapMs());
    return strategy.kind === 'interval' && this.#items > 0 ? Math.min(strategy.intervalMs, idleMs) : idleMs;
  }

  #hasUnstored(): boolean {
    return this.#newest !== undefined && this.#newest.sequence > this.#storedSequence;
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#writing !== undefined || !this.#hasUnstored()) return;
    const timer = new AbortController();
    this.#timer = timer;
    void this.#options.clock.sleep(this.#dueMs(), timer.signal).then(() => {
      if (timer.signal.aborted) return;
      this.#timer = undefined;
      this.#write();
    });
  }

  #write(): void {
    if (this.#isClosed || this.#writing !== undefined || !this.#hasUnstored()) return;
    this.#timer?.abort(notNeeded);
    this.#timer = undefined;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (!this.#isClosed) this.#arm();
    });
  }

  async #writeAll(): Promise<void> {
    let isFirst = true;
    while (this.#newest !== undefined && !this.#isClosed && this.#hasUnstored() && (isFirst || this.#isDueAtOnce())) {
      isFirst = false;
      const { position, sequence } = this.#newest;
      const items = this.#items;
      this.#wroteMs = this.#options.clock.monotonicMs();
      if (position !== this.#stored) {
        try {
          await this.#options.store(position);
        } catch (error) {
          this.#options.onFailed(error);
          return this.close(error);
        }
        this.#stored = position;
        this.#tookMs = this.#options.clock.monotonicMs() - this.#wroteMs;
        this.#options.onStored();
      }
      this.#items -= items;
      this.#storedSequence = sequence;
      this.#wake();
    }
  }

  #wake(): void {
    if (this.#waiters.length === 0) return;
    const waiting: Waiter[] = [];
    for (const waiter of this.#waiters) {
      if (waiter.sequence <= this.#storedSequence) waiter.resolve();
      else waiting.push(waiter);
    }
    this.#waiters = waiting;
  }
}

/** Writes of positions take a tenth of the time at most. */
const gapPerWrite = 10;

interface Waiter {
  readonly sequence: number;
  resolve(): void;
  reject(error: unknown): void;
}
