// What is to be replayed, for all ranges of a host: one look at the store serves all of them.

import type { Clock } from '../environment.ts';
import { replayLookMs } from '../limits.ts';
import type { DeadLetters, ReplayRequest } from './dead-letters.ts';

export class ReplayBoard {
  readonly #letters: DeadLetters;
  #looking: Promise<readonly ReplayRequest[]> | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #seen: readonly ReplayRequest[] = [];

  constructor(letters: DeadLetters) {
    this.#letters = letters;
  }

  /** As of at most half a look ago. Throws what the store throws. The look ends with the range that began it; others look again. */
  look(clock: Clock, signal: AbortSignal): Promise<readonly ReplayRequest[]> {
    if (clock.monotonicMs() - this.#lookedMs < replayLookMs / 2) return Promise.resolve(this.#seen);
    this.#looking ??= this.#letters
      .requests(signal)
      .then((requests) => {
        this.#seen = requests;
        this.#lookedMs = clock.monotonicMs();
        return requests;
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** It was done, or given up: nobody of this host does it again. */
  strike(request: ReplayRequest): void {
    this.#seen = this.#seen.filter((other) => other.stored.id !== request.stored.id);
  }
}
