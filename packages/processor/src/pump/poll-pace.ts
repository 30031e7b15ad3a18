// When a feed is read again. Where the endpoint waits, at once; elsewhere soon after there was something, and ever later while there is
// nothing. Pauses are spread, so that many ranges do not ask in step.

import type { FeedPage } from '../feed/feed-source.ts';

export interface PaceSettings {
  readonly pollMs: number;
  readonly pollMsMin: number;
  readonly waitMs: number;
}

export class PollPace {
  readonly #settings: PaceSettings;
  readonly #random: () => number;
  #pauseMs = 0;

  constructor(settings: PaceSettings, random: () => number) {
    this.#settings = settings;
    this.#random = random;
  }

  /** The pause after `page`, which came `tookMs` after it was asked for. `hasMoved`: its position is another one than before. */
  pauseAfter(page: FeedPage, tookMs: number, hasMoved: boolean): number {
    const { pollMs, pollMsMin, waitMs } = this.#settings;
    // A page without changes that has not moved is drained, whatever it says: reading on would be a hot loop.
    const isDrained = page.isDrained || (page.items.length === 0 && !hasMoved);
    const hasWaited = waitMs > 0 && page.isWaitApplied && tookMs >= Math.min(waitMs, pollMsMin) / 2;
    if (!isDrained || (hasWaited && page.isDrained)) {
      this.#pauseMs = 0;
      return 0;
    }
    if (page.items.length > 0) this.#pauseMs = 0;
    this.#pauseMs = this.#pauseMs === 0 ? pollMsMin : Math.min(this.#pauseMs * 2, pollMs);
    return this.#pauseMs * (1 - spread / 2 + spread * this.#random());
  }
}

const spread = 0.2;
