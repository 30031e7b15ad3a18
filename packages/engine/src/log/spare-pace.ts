// How fast the zeros of the next segment are written. At full speed they take the disk from the log, in a burst for each segment:
// flushes take four times as long meanwhile. While the log is written they keep ahead of it and no more; when nobody writes, or
// somebody waits for the segment, nobody minds.

import { DatabaseError } from '@tidemark/model';
import type { Clock } from '../environment.ts';

/** The next segment is ready when one part in so many of this one is full. */
const lead = 2;
const pauseMs = 5;
/** So long after the last append the log counts as at rest. */
const restMs = 50;

export class SparePace {
  readonly #clock: Clock;
  #appendedMs = Number.NEGATIVE_INFINITY;
  #usedShare = 0;
  /** Aborted when somebody waits for the spare. */
  #hurry = new AbortController();
  readonly #closing = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** So much of the active segment is full. */
  appended(usedShare: number): void {
    this.#appendedMs = this.#clock.monotonicMs();
    this.#usedShare = usedShare;
  }

  /** Somebody waits for the spare. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** Another segment is the active one. */
  rolled(): void {
    this.#hurry = new AbortController();
    this.#usedShare = 0;
  }

  /** Nobody needs the spare any more. */
  close(): void {
    this.#closing.abort();
    this.hurry();
  }

  /** Resolves when the spare, of which such a share is there, may grow; rejects when it need not. */
  async next(doneShare: number): Promise<void> {
    while (!this.#hurry.signal.aborted && this.#untilRestMs > 0) {
      if (doneShare < lead * this.#usedShare) return;
      await this.#clock.sleep(pauseMs, this.#hurry.signal);
    }
    this.#assertOpen();
  }

  /** Resolves when the log is at rest; rejects when nobody needs spares any more. */
  async atRest(): Promise<void> {
    for (let ms = this.#untilRestMs; ms > 0 && !this.#closing.signal.aborted; ms = this.#untilRestMs) {
      await this.#clock.sleep(ms, this.#closing.signal);
    }
    this.#assertOpen();
  }

  get #untilRestMs(): number {
    return this.#appendedMs + restMs - this.#clock.monotonicMs();
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new DatabaseError('closed', 'The database has been closed.');
  }
}
