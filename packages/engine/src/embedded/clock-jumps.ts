// Whether the clock was set back while the database was open. Forward a jump cannot be told from idleness.

import type { Clock } from '../environment.ts';
import { clockJumpReportedMs } from '../limits.ts';

export class ClockJumps {
  readonly #clock: Clock;
  #lastMs: number;
  /** Of the last one that is worth reporting, below zero; 0 where there was none. */
  lastJumpMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastMs = clock.nowMs();
  }

  look(): void {
    const nowMs = this.#clock.nowMs();
    const jumpMs = nowMs - this.#lastMs;
    if (jumpMs < -clockJumpReportedMs) this.lastJumpMs = jumpMs;
    this.#lastMs = nowMs;
  }
}
