// How a host treats a lease store that is short of throughput: renewals go on, checkpoints wait for the next renewal, lists wait longest
// (S10). One for all leases of a host.

import { isDatabaseError } from '@tidemark/model';
import { retryPauseMs } from '../bounded.ts';
import type { Ground } from '../environment.ts';

export class StoreLoad {
  readonly #ground: Ground;
  #failures = 0;
  #calmAtMs = Number.NEGATIVE_INFINITY;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** Until then only what keeps a lease alive is written. */
  get calmAtMs(): number {
    return this.#calmAtMs;
  }

  failed(error: unknown): void {
    if (!isDatabaseError(error) || (error.code !== 'too-many-requests' && error.code !== 'unavailable')) return;
    const pauseMs = retryPauseMs(this.#ground, this.#failures, error.retryAfterMs);
    this.#failures += 1;
    this.#calmAtMs = Math.max(this.#calmAtMs, this.#ground.clock.monotonicMs() + pauseMs);
  }

  succeeded(): void {
    this.#failures = 0;
  }
}
