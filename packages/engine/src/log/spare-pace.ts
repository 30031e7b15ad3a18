// How fast the zeros of the next segment are written. At full speed they take the disk from the log, in a burst for each segment:
// flushes take four times as long meanwhile. While the log is written they keep ahead of it and no more; when nobody writes, or
// somebody waits for the segment, nobody minds.

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
  #isAwaited = false;

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
    this.#isAwaited = true;
  }

  /** Another segment is the active one. */
  rolled(): void {
    this.#isAwaited = false;
    this.#usedShare = 0;
  }

  /** Resolves when the spare, of which such a share is there, may grow. */
  async next(doneShare: number): Promise<void> {
    while (!this.#isAwaited && this.#clock.monotonicMs() - this.#appendedMs < restMs) {
      if (doneShare < lead * this.#usedShare) return;
      await this.#clock.sleep(pauseMs);
    }
  }
}
