// When the next group goes to the disk: at once, or at the end of this turn of the event loop, with everybody who is ready
// by then.
//
// Waiting for more costs the time in which they are decided, going without them costs a flush of their own later. So a group
// waits only as long as deciding its units takes less time than a flush. On a fast disk a crowd of writers then falls apart
// into two groups, one deciding while the other is flushed; on a slow one it stays together. Who is alone never waits.

import type { Clock } from '../environment.ts';

/** So often a group waits in any case, to see anew how long deciding takes. */
const probeEvery = 16;
/** A flush that is seen late, because deciding went on, looks too long: the shortest counts, and is forgotten slowly. */
const flushGrowth = 1.05;
/** Fewer units tell more about the event loop than about themselves. */
const measuredUnitsMin = 8;
/** A group costs something besides its flush; where there is none to wait for, this many share that. */
const sharedUnitsMin = 16;

export class GroupPace {
  readonly #clock: Clock;
  #flushMs = Number.POSITIVE_INFINITY;
  #unitMs = 0;
  #unitsBefore = 0;
  #groups = 0;
  #startedMs = 0;
  #endedMs = 0;
  /** What the open group had already when the last flush ended. */
  #unitsAtEnd = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing is being flushed and the open group has this many units: does it go now? */
  isDue(units: number): boolean {
    return this.#unitsBefore <= 1 || (!this.#isProbe && units >= this.#enough);
  }

  /** A flush has ended and its units will soon be back with more: does the open group go without them? */
  isDueWithout(units: number): boolean {
    return !this.#isProbe && units >= this.#enough;
  }

  started(units: number): void {
    this.#startedMs = this.#clock.monotonicMs();
    const gathered = units - this.#unitsAtEnd;
    if (gathered >= measuredUnitsMin) this.#unitMs = (this.#startedMs - this.#endedMs) / gathered;
    this.#unitsBefore = units;
    this.#groups += 1;
  }

  ended(unitsOpen: number): void {
    this.#endedMs = this.#clock.monotonicMs();
    this.#flushMs = Math.min(this.#flushMs * flushGrowth, this.#endedMs - this.#startedMs);
    this.#unitsAtEnd = unitsOpen;
  }

  get #isProbe(): boolean {
    return this.#groups % probeEvery === 0;
  }

  /** Deciding this many takes as long as a flush. Nothing is known of either before a crowd has been seen. */
  get #enough(): number {
    return this.#unitMs > 0 ? Math.max(sharedUnitsMin, this.#flushMs / this.#unitMs) : 0;
  }
}
