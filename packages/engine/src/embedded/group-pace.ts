// When the next group goes to the disk: at once, or at the end of this turn of the event loop, with everybody who is ready
// by then.
//
// A crowd of writers does best in two halves, one being decided while the other is flushed: in the time of one flush or of
// deciding one half, whichever is longer. Only where a flush takes longer than deciding all of them is it better to stay together.
// Halves of different size would make the disk wait for the larger and the writers for the smaller one, so a group goes as
// soon as it has half of those who are about, and not before. Who is alone never waits.

import type { Clock } from '../environment.ts';

/** So often two groups wait in any case: with the first all come together, with the second one sees how long deciding them takes. */
const probeEvery = 64;
const probeGroups = 2;
/** A flush that is seen late, because deciding went on, looks too long: the shortest counts, and is forgotten slowly. */
const flushGrowth = 1.05;
/** So does deciding in which others had a turn. */
const unitGrowth = 1.25;
/** A group costs about as much as this besides its flush and its units: a half that takes less is not worth one. */
const groupMs = 0.3;

export class GroupPace {
  readonly #clock: Clock;
  #flushMs = Number.POSITIVE_INFINITY;
  #unitMs = Number.POSITIVE_INFINITY;
  #unitsBefore = 0;
  #groups = 0;
  #startedMs = 0;
  /** When the first of those came who were not there when the last flush ended. */
  #gatheringMs: number | undefined;
  /** What the open group had already when the last flush ended. */
  #unitsAtEnd = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing is being flushed and the open group has this many units: does it go now? */
  isDue(units: number): boolean {
    if (units > this.#unitsAtEnd) this.#gatheringMs ??= this.#clock.monotonicMs();
    return this.#crowd <= 1 || (!this.#isProbe && units >= this.#half);
  }

  /** Whether a group of so many units, which is about to start, has everybody who is about. */
  hasAll(units: number): boolean {
    return units >= this.#crowd;
  }

  started(units: number): void {
    this.#startedMs = this.#clock.monotonicMs();
    // Of one alone nothing is seen.
    const gathered = units - this.#unitsAtEnd - 1;
    if (gathered > 0 && this.#gatheringMs !== undefined) {
      this.#unitMs = Math.min(this.#unitMs * unitGrowth, (this.#startedMs - this.#gatheringMs) / gathered);
    }
    this.#unitsBefore = units;
    this.#groups += 1;
  }

  /** `isFlushed`: a group that leaves nothing in the log does not tell how long a flush takes. */
  ended(unitsOpen: number, isFlushed: boolean): void {
    if (isFlushed) {
      this.#flushMs = Math.min(this.#flushMs * flushGrowth, this.#clock.monotonicMs() - this.#startedMs);
    }
    this.#unitsAtEnd = unitsOpen;
    this.#gatheringMs = undefined;
  }

  get #isProbe(): boolean {
    return this.#groups % probeEvery < probeGroups;
  }

  /** Those whose flush has ended, who will soon be back with more, and those who have come meanwhile. */
  get #crowd(): number {
    return this.#unitsBefore + this.#unitsAtEnd;
  }

  get #half(): number {
    const half = Math.ceil(this.#crowd / 2);
    // As long as nothing is known of it a crowd stays together, and is measured in this way.
    const isKnown = this.#unitMs < Number.POSITIVE_INFINITY;
    const isSlow = this.#flushMs >= this.#crowd * this.#unitMs;
    return !isKnown || isSlow || half * this.#unitMs < groupMs ? Number.POSITIVE_INFINITY : half;
  }
}
