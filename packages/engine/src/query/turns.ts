// Turns: queries work in slices, and between two slices, of whatever queries, everybody else who is ready has a turn of the event
// loop. So ten heavy queries make others wait no longer than one does.

import type { Clock } from '../environment.ts';

/** Turns that others may have between two slices, as long as they make use of them. */
const turnsPerSlice = 4;
/** A turn in which nobody had anything to do is shorter. */
const busyTurnMs = 0.03;

export class Turns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #isGranting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** First come, first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isGranting) void this.#grant();
    });
  }

  async #grant(): Promise<void> {
    this.#isGranting = true;
    while (this.#waiting.length > 0) {
      await this.#giveWay();
      this.#waiting.shift()?.();
    }
    this.#isGranting = false;
  }

  /** A request takes several turns until it is answered: it need not wait for a slice between each and the next. */
  async #giveWay(): Promise<void> {
    for (let turn = 0; turn < turnsPerSlice; turn += 1) {
      const beganMs = this.#clock.monotonicMs();
      await this.#clock.nextTurn();
      if (this.#clock.monotonicMs() - beganMs < busyTurnMs) return;
    }
  }
}
