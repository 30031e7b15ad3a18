// A feed that is given up sooner than by a pump alone, as the older APIs do: when no page comes in time, and when the endpoint is behind
// the session of the client. The lease is released then, and any host may try.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { bounded } from '../bounded.ts';
import type { Clock } from '../environment.ts';
import type { FeedPage, FeedRead, FeedSource } from '../feed/feed-source.ts';
import type { MakePump, PumpLease } from '../pump/pump.ts';
import { isBehindSession } from './close-reason.ts';

export interface FeedWatch {
  /** How long a page may take; reads of it that were broken off and repeated count together. */
  readonly timeoutMs: number;
  onFailed(lease: PumpLease, error: unknown): void;
}

/** Pumps whose feed is watched. */
export function watchedPumps(make: MakePump, watch: FeedWatch): MakePump {
  return (lease, context) => {
    const onFailed = (error: unknown): void => watch.onFailed(lease, error);
    const source = new WatchedFeed(context.source, context.clock, watch.timeoutMs, onFailed);
    return make(lease, { ...context, source });
  };
}

class WatchedFeed implements FeedSource {
  readonly #source: FeedSource;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onFailed: (error: unknown) => void;
  /** Since when a page is wanted that has not come. */
  #sinceMs: number | undefined;
  readonly identity: FeedSource['identity'];
  readonly ranges: FeedSource['ranges'];

  constructor(source: FeedSource, clock: Clock, timeoutMs: number, onFailed: (error: unknown) => void) {
    this.#source = source;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onFailed = onFailed;
    this.identity = (signal) => source.identity(signal);
    this.ranges = (signal) => source.ranges(signal);
  }

  async read(read: FeedRead): Promise<FeedPage> {
    const sinceMs = this.#sinceMs ?? this.#clock.monotonicMs();
    this.#sinceMs = sinceMs;
    const endMs = sinceMs + this.#timeoutMs;
    try {
      const page = await bounded(this.#clock, endMs - this.#clock.monotonicMs(), read.signal, (signal) =>
        this.#source.read({ ...read, signal }),
      );
      this.#sinceMs = undefined;
      return page;
    } catch (error) {
      const isLate = isDatabaseError(error) && error.code === 'request-timeout';
      // An answer, although none to go on from.
      if (!isLate) this.#sinceMs = undefined;
      const isOver = isLate && this.#clock.monotonicMs() >= endMs;
      const final = isOver
        ? ended(`No page of the feed came within ${this.#timeoutMs} ms (changeFeedTimeout).`, error)
        : isBehindSession(error)
          ? ended('The feed is behind the session token.', error)
          : error;
      this.#onFailed(final);
      throw final;
    }
  }
}

/** The code that nobody who reads tries again after. */
function ended(message: string, cause: unknown): DatabaseError {
  return new DatabaseError('closed', message, { cause });
}
