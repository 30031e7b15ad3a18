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
  #isClosed = false;

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
    this.#isClosed = true;
    this.hurry();
  }

  /** Resolves when the spare, of which such a share is there, may grow; rejects when it need not. */
  async next(doneShare: number): Promise<void> {
    while (!this.#hurry.signal.aborted && this.#clock.monotonicMs() - this.#appendedMs < restMs) {
      if (doneShare < lead * this.#usedShare) return;
      await this.#clock.sleep(pauseMs, this.#hurry.signal);
    }
    if (this.#isClosed) throw new DatabaseError('closed', 'The database has been closed.');
  }
}
