// Hosts of .NET expire leases by the wall clock that is written in them. So what we write is the server's time, as its answers tell it;
// a wrong clock of this machine harms nobody then (S8). Nothing here is used to decide anything.

import type { Clock } from '../environment.ts';
import type { FeedPage, FeedRead, FeedSource } from '../feed/feed-source.ts';

export class ServerClock {
  readonly #clock: Clock;
  #skewMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** By how much the server's clock is ahead of this machine's. The `Date` of an answer has whole seconds: less than two is nothing. */
  get skewMs(): number {
    return Math.abs(this.#skewMs) < toleranceMs ? 0 : this.#skewMs;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.skewMs;
  }

  stamp(): string {
    return new Date(this.nowMs()).toISOString();
  }

  saw(serverTimeMs: number | undefined): void {
    if (serverTimeMs !== undefined) this.#skewMs = serverTimeMs - this.#clock.nowMs();
  }

  /** The same source; every page it reads sets the clock. */
  watching(source: FeedSource): FeedSource {
    return {
      identity: (signal) => source.identity(signal),
      ranges: (signal) => source.ranges(signal),
      read: async (read: FeedRead): Promise<FeedPage> => {
        const page = await source.read(read);
        this.saw(page.serverTimeMs);
        return page;
      },
    };
  }
}

const toleranceMs = 2000;
