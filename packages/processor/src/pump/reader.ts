// Reads one range of the feed, page by page, for as long as it is wanted.
//
// A feed that throttles, times out or is away is tried again in place: the lease is not given up for it before `stallMs` (D8). A page that
// is too large is asked for again with fewer items.

import type { ErrorCode } from '@tidemark/model';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Ground } from '../environment.ts';
import type { FeedPage, FeedSource, FeedStart } from '../feed/feed-source.ts';
import { failuresBeforeHealth, feedReadMsMax, feedRetryPauseMsMax, feedRetryPauseMsMin } from '../limits.ts';
import { messageOf } from '../processor-error.ts';
import type { PumpSettings } from '../settings.ts';
import { backoffMs } from './backoff.ts';
import { PollPace } from './poll-pace.ts';
import type { PumpLease } from './pump.ts';
import type { PumpHealth } from './pump-health.ts';

export type ReadEnd =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface ReaderOptions extends Ground {
  readonly source: FeedSource;
  readonly lease: PumpLease;
  readonly settings: PumpSettings;
  readonly health: PumpHealth;
  /** Resolves when another page may be read. */
  whenRoom(): Promise<void>;
  onPage(page: FeedPage): void;
}

export class FeedReader {
  readonly #options: ReaderOptions;
  readonly #pace: PollPace;
  readonly #stop: AbortController = new AbortController();
  #from: FeedStart;
  #reading: Reading | undefined;
  #isGuarded = false;
  /** Asked for at most, while pages have been too large; grows back with every page that was not. */
  #itemsMax: number | undefined;
  /** After an owner that died the first read does not wait: whether there is anything that it could have died of is known at once. */
  #isLook: boolean;
  #failures = 0;
  #failingSinceMs = 0;
  #lastItems = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#from = options.lease.start;
    this.#itemsMax = options.settings.itemsMax;
    this.#isLook = options.lease.isTakeover === true;
    this.#pace = new PollPace(options.settings, options.random);
  }

  /** A read under way is broken off. */
  stop(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new DatabaseError('closed', 'The feed is not read any more.'));
    this.#reading?.breakOff(undefined);
  }

  /** Never rejects. */
  async run(): Promise<ReadEnd> {
    const { clock } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#options.whenRoom();
      if (this.#stop.signal.aborted) break;
      let pauseMs: number;
      try {
        const pause = await this.#readOne();
        if (pause === undefined) break;
        pauseMs = pause;
      } catch (error) {
        if (this.#stop.signal.aborted) break;
        const end = this.#fail(error);
        if (typeof end !== 'number') return end;
        pauseMs = end;
      }
      if (pauseMs > 0) await clock.sleep(pauseMs, this.#stop.signal);
    }
    return { kind: 'stopped' };
  }

  /**
   * The pause after it; undefined when it was stopped. Apart from the loop, whose variables would keep the page with all its changes until the
   * next one is there.
   */
  async #readOne(): Promise<number | undefined> {
    const { clock } = this.#options;
    const askedMs = clock.monotonicMs();
    const page = await this.#read();
    return page === undefined ? undefined : this.#accept(page, clock.monotonicMs() - askedMs);
  }

  /** Undefined when it was stopped. A source that ignores its signal neither holds up the end nor hides that it hangs. */
  #read(): Promise<FeedPage | undefined> {
    const { source, lease, settings, clock } = this.#options;
    const controller = new AbortController();
    return new Promise<FeedPage | undefined>((resolve, reject) => {
      const breakOff = (error: DatabaseError | undefined): void => {
        if (error === undefined) resolve(undefined);
        else reject(error);
        controller.abort(error ?? this.#stop.signal.reason);
      };
      this.#reading = { untilMs: clock.monotonicMs() + settings.waitMs + feedReadMsMax, breakOff };
      if (!this.#isGuarded) void this.#guard();
      source
        .read({
          range: lease.range,
          keys: lease.keys,
          mode: lease.mode,
          from: this.#from,
          itemsMax: this.#itemsMax,
          waitMs: this.#isLook ? undefined : settings.waitMs,
          signal: controller.signal,
        })
        .then(resolve, reject);
    }).finally(() => {
      this.#reading = undefined;
    });
  }

  /** Breaks off reads that take too long. One sleep for many reads: nearly all of them end in time. */
  async #guard(): Promise<void> {
    const { clock } = this.#options;
    this.#isGuarded = true;
    while (this.#reading !== undefined && !this.#stop.signal.aborted) {
      const { untilMs, breakOff } = this.#reading;
      await clock.sleep(untilMs - clock.monotonicMs(), this.#stop.signal);
      if (this.#reading?.breakOff !== breakOff || this.#stop.signal.aborted) continue;
      breakOff(new DatabaseError('request-timeout', 'The feed did not answer in time; its connection may be dead.'));
      this.#reading = undefined;
    }
    this.#isGuarded = false;
  }

  #accept(page: FeedPage, tookMs: number): number {
    this.#recover();
    const hasMoved =
      typeof this.#from !== 'object' || !('position' in this.#from) || this.#from.position !== page.position;
    this.#from = { position: page.position };
    this.#options.onPage(page);
    this.#lastItems = page.items.length;
    this.#growBack();
    if (this.#isLook) {
      this.#isLook = false;
      return 0;
    }
    return this.#pace.pauseAfter(page, tookMs, hasMoved);
  }

  #growBack(): void {
    const wanted = this.#options.settings.itemsMax;
    if (this.#itemsMax === wanted || this.#itemsMax === undefined) return;
    const next = this.#itemsMax * 2;
    // Without a wish of the user the endpoint's own page size is asked for again once pages have been large enough for a while.
    this.#itemsMax = next >= (wanted ?? shrinkFrom) ? wanted : next;
  }

  /** The pause before the next try, or the end. */
  #fail(error: unknown): number | ReadEnd {
    const { clock, settings, random } = this.#options;
    const code = isDatabaseError(error) ? error.code : undefined;
    if (code === 'range-gone') return { kind: 'gone' };
    if (code !== undefined && refusals.has(code)) return { kind: 'failed', error };
    if (this.#failures === 0) this.#failingSinceMs = clock.monotonicMs();
    this.#failures += 1;
    if (this.#failures >= failuresBeforeHealth) this.#tell(error, code);
    if (clock.monotonicMs() - this.#failingSinceMs >= settings.stallMs) return { kind: 'failed', error };
    if (code !== undefined && tooLarge.has(code)) return this.#shrink();
    if (code === 'request-timeout' && this.#failures > 1) this.#shrink();
    const pauseMs = backoffMs(retryPolicy, this.#failures, random);
    return Math.max(pauseMs, isDatabaseError(error) ? (error.retryAfterMs ?? 0) : 0);
  }

  #shrink(): number {
    const before = this.#itemsMax ?? Math.max(this.#lastItems, shrinkFrom);
    this.#itemsMax = Math.max(1, Math.floor(before / 2));
    return before === 1 ? backoffMs(retryPolicy, this.#failures, this.#options.random) : 0;
  }

  #tell(error: unknown, code: ErrorCode | undefined): void {
    const problem = code === 'unauthorized' || code === 'forbidden' ? 'credentials-refused' : 'feed-failing';
    this.#options.health.raise(problem, messageOf(error), error);
  }

  #recover(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#options.health.clear('feed-failing');
    this.#options.health.clear('credentials-refused');
  }
}

interface Reading {
  readonly untilMs: number;
  /** Undefined: it is not wanted any more. */
  breakOff(error: DatabaseError | undefined): void;
}

const retryPolicy = { firstMs: feedRetryPauseMsMin, factor: 2, maxMs: feedRetryPauseMsMax, jitter: 0.5 };

/** Where halving begins when nobody chose a page size: what endpoints send at most, about. */
const shrinkFrom = 1000;

/** Reading again will not help: the position or the container is not there any more, or never was. */
const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'bad-request',
  'not-supported',
  'not-found',
  'database-not-found',
  'container-not-found',
  'container-mismatch',
  'range-unknown',
  'invalid-continuation',
  'retention-passed',
  'history-off',
  'history-rewritten',
  'closed',
]);

const tooLarge: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['batch-answer-too-large', 'document-too-large']);
