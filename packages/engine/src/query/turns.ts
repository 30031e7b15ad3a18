// Turns: queries work in slices, and between two slices, of whatever queries, everybody else who is ready has a turn of the event
// loop. So ten heavy queries make others wait no longer than one does.

import type { Clock } from '../environment.ts';

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
      await this.#clock.nextTurn();
      this.#waiting.shift()?.();
    }
    this.#isGranting = false;
  }
}
