// The feed of a whole container, or of a part of it, over whatever ranges there are: it starts somewhere, gives pages, and
// its position survives splits and merges. It knows engines only by the seam.
//
// A position is an LSN for every piece of the key space. As long as all pieces agree on one range it is a plain LSN.

import { Buffer } from 'node:buffer';
import type { FeedPart, KeyRange } from '@tidemark/model';
import {
  DatabaseError,
  effectiveKeyHex,
  formatFeedEtag,
  isDatabaseError,
  joinFeedParts,
  keyRangesIntersect,
  narrowFeedParts,
  parseFeedEtag,
  setFeedParts,
  uniformFeedParts,
} from '@tidemark/model';
import type { FeedRequest, FeedScope, RangeEngine, RangeInfo, WatchScope } from '../range-engine.ts';

export type FeedStart =
  | 'beginning'
  | 'now'
  /** Changes after the second of this time. */
  | { readonly time: Date }
  /** Continues after what an earlier feed of this scope has shown. */
  | { readonly etag: string };

export interface ChangeFeedOptions {
  readonly from?: FeedStart;
  readonly itemsMax?: number;
  readonly bytesMax?: number;
  readonly previousImages?: boolean;
  readonly signal?: AbortSignal;
}

/** What part of the container a feed shows. */
export interface ChangeFeedScope {
  /** One range, for as long as it lives: then the feed fails with range-gone. All other scopes outlive their ranges. */
  readonly range?: string;
  readonly keys?: KeyRange;
  readonly partitionKey?: { readonly bytes: Buffer; readonly epk: Buffer };
}

export interface ChangePage {
  /** JSON values joined by commas. */
  readonly pieces: readonly Buffer[];
  readonly count: number;
  /** Where to go on from, after this page. */
  readonly etag: string;
  /** Nothing was left when the page was made. An empty page that is not drained has looked at much and found nothing. */
  readonly isDrained: boolean;
  /** Whose changes these are; of a drained page the only range there is. */
  readonly range: { readonly id: string; readonly tailLsn: number } | undefined;
  /** Gives the pieces back when their bytes are not needed any more; after it they hold anything. Nobody has to. */
  readonly release?: () => void;
}

export type FeedMode = FeedRequest['mode'] | 'latest-wrapped';

const itemsMaxByDefault = 100;
const bytesMaxByDefault: number = 4 * 1024 * 1024;

export class ChangeFeed<Change> implements AsyncIterable<Change> {
  readonly #engine: RangeEngine;
  readonly #container: number;
  readonly #scope: ChangeFeedScope;
  readonly #mode: FeedMode;
  readonly #options: ChangeFeedOptions;
  /** The keys of the scope; undefined when it is all keys of its ranges. */
  readonly #keys: KeyRange | undefined;
  #parts: readonly FeedPart[] | undefined;
  /** The range to look at first, so that a busy one does not starve the others. */
  #turn: number;

  constructor(
    engine: RangeEngine,
    container: number,
    scope: ChangeFeedScope,
    mode: FeedMode,
    options: ChangeFeedOptions,
  ) {
    this.#engine = engine;
    this.#container = container;
    this.#scope = scope;
    this.#mode = mode;
    this.#options = options;
    this.#keys = keysOf(scope);
    if (options.from !== undefined) checkStart(options.from);
    this.#turn = turnOf(options.from);
  }

  /** Where a later feed can go on from: after everything that has been handed out. */
  get etag(): string {
    return this.#etagIn(this.#liveRanges());
  }

  /** The next page. It is empty when there is nothing new. */
  async page(): Promise<ChangePage> {
    for (;;) {
      try {
        return await this.#readPage();
      } catch (error) {
        // A split or merge came between looking at the ranges and reading one: look again.
        if (this.#scope.range !== undefined) throw error;
        if (!(isDatabaseError(error) && error.code === 'range-gone')) throw error;
      }
    }
  }

  /** A page with nothing on it, for whoever only wants to know where the feed stands. */
  emptyPage(): ChangePage {
    const ranges = this.#liveRanges();
    const [only, other] = ranges;
    const range = only === undefined || other !== undefined ? undefined : { id: only.id, tailLsn: only.tailLsn };
    return { pieces: [], count: 0, etag: this.#etagIn(ranges), isDrained: true, range };
  }

  /** Change after change, waiting for more, until the signal aborts. */
  async *[Symbol.asyncIterator](): AsyncIterator<Change> {
    const { signal } = this.#options;
    while (signal?.aborted !== true) {
      const before = this.#position;
      const page = await this.page();
      if (page.count === 0) {
        if (page.isDrained) await this.#moreComes();
        continue;
      }
      const after = this.#position;
      // Until the whole page has been taken, the position is before it: whoever stops in between sees the page again.
      this.#parts = before;
      // Written by this engine from JSON that it had parsed before.
      const changes = JSON.parse(`[${Buffer.concat(page.pieces).toString('utf8')}]`) as Change[];
      page.release?.();
      yield* changes;
      this.#parts = after;
    }
  }

  /**
   * Calls back whenever there may be more than the pages have shown. Returns how to stop, which the callback should; undefined
   * when there may be more already.
   */
  watch(callback: () => void): (() => void) | undefined {
    const position = this.#position;
    for (const range of this.#liveRanges()) {
      const part = narrowed(range, this.#keys) ?? range;
      for (const slice of narrowFeedParts(position, part)) if (slice.lsn < range.tailLsn) return undefined;
    }
    const { range, keys, partitionKey } = this.#scope;
    const scope: WatchScope = {
      ...(range === undefined ? {} : { range }),
      ...(keys === undefined ? {} : { keys }),
      ...(partitionKey === undefined ? {} : { epk: partitionKey.epk }),
    };
    return this.#engine.watch(this.#container, scope, callback);
  }

  /** After a watch that has not called back: what came meanwhile was of others, and need not be looked at any more. */
  moveToEnd(): void {
    for (const range of this.#liveRanges()) this.#moveTo(range, range.tailLsn);
  }

  /** A position never goes back: it may be one of before a restore, beyond the tail. */
  #moveTo(keys: KeyRange, lsn: number): void {
    for (const slice of narrowFeedParts(this.#position, keys)) {
      if (slice.lsn < lsn) this.#parts = setFeedParts(this.#position, slice, lsn);
    }
  }

  /** Plain while one LSN says it all; that is so as long as the scope lies in one range. */
  #etagIn(ranges: readonly KeyRange[]): string {
    const parts = this.#position;
    const [only, other] = ranges;
    if (only === undefined || other !== undefined) return formatFeedEtag({ kind: 'composite', parts });
    const [slice, second] = narrowFeedParts(parts, narrowed(only, this.#keys) ?? only);
    const isOne = slice !== undefined && second === undefined;
    return formatFeedEtag(isOne ? { kind: 'lsn', lsn: slice.lsn } : { kind: 'composite', parts });
  }

  get #position(): readonly FeedPart[] {
    this.#parts ??= startOf(this.#engine, this.#container, this.#scope, this.#mode, this.#options.from);
    return this.#parts;
  }

  async #readPage(): Promise<ChangePage> {
    const ranges = this.#liveRanges();
    for (let i = 0; i < ranges.length; i += 1) {
      const turn = (this.#turn + i) % ranges.length;
      const range = ranges[turn] as KeyRange & { readonly id: string; readonly tailLsn: number };
      for (const slice of narrowFeedParts(this.#position, range)) {
        const wanted = narrowed(slice, this.#keys);
        // After a merge the parts of a range may have positions of their own, and not all of them are of this scope.
        if (wanted === undefined) {
          this.#moveTo(slice, range.tailLsn);
          continue;
        }
        const page = await this.#engine.feed(this.#scopeIn(range, wanted), {
          mode: this.#mode === 'all' ? 'all' : 'latest',
          isWrapped: this.#mode === 'latest-wrapped',
          after: slice.lsn,
          itemsMax: this.#options.itemsMax ?? itemsMaxByDefault,
          bytesMax: this.#options.bytesMax ?? bytesMaxByDefault,
          previousImages: this.#options.previousImages ?? false,
        });
        if (page.last !== slice.lsn) this.#parts = setFeedParts(this.#position, slice, page.last);
        if (page.count === 0 && page.isDrained) continue;
        this.#turn = page.isDrained ? turn + 1 : turn;
        const { pieces, count, tail, release } = page;
        const shown = { id: range.id, tailLsn: tail };
        return { pieces, count, etag: this.etag, isDrained: false, range: shown, ...(release && { release }) };
      }
    }
    return this.emptyPage();
  }

  #scopeIn(range: KeyRange & { readonly id: string }, wanted: KeyRange): FeedScope {
    const { partitionKey } = this.#scope;
    const base = { container: this.#container, range: range.id };
    if (partitionKey !== undefined) return { ...base, partitionKey };
    const isWhole = wanted.min === range.min && wanted.max === range.max;
    return isWhole ? base : { ...base, keys: { min: wanted.min, max: wanted.max } };
  }

  #liveRanges(): ReturnType<RangeEngine['ranges']> {
    const { partitionKey, keys, range } = this.#scope;
    if (range !== undefined) return [this.#engine.range(this.#container, range)];
    if (partitionKey !== undefined) {
      const id = this.#engine.rangeOf(this.#container, partitionKey.epk);
      return [this.#engine.range(this.#container, id)];
    }
    const all = this.#engine.ranges(this.#container);
    return keys === undefined ? all : all.filter((range) => keyRangesIntersect(range, keys));
  }

  /** Resolves when something may have come, at once when it has already. */
  async #moreComes(): Promise<void> {
    const { signal } = this.#options;
    await new Promise<void>((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = (): void => {
        stop?.();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const stop = this.watch(done);
      if (stop === undefined) return resolve();
      signal?.addEventListener('abort', done);
    });
  }
}

function keysOf({ keys, partitionKey }: ChangeFeedScope): KeyRange | undefined {
  if (partitionKey === undefined) return keys;
  const min = effectiveKeyHex(partitionKey.epk);
  return { min, max: `${min}00` };
}

/** For callers without types. A time that is none would otherwise be the beginning. */
function checkStart(from: FeedStart): void {
  if (from === 'beginning' || from === 'now') return;
  const { time, etag }: { time?: unknown; etag?: unknown } = Object(from);
  if (typeof etag === 'string') return;
  if (time instanceof Date && !Number.isNaN(time.getTime())) return;
  throw new DatabaseError(
    'bad-request',
    "A feed starts from 'beginning', 'now', { time } with a valid Date, or { etag } with the etag of an earlier feed.",
  );
}

function startOf(
  engine: RangeEngine,
  container: number,
  scope: ChangeFeedScope,
  mode: FeedMode,
  from: FeedStart = 'beginning',
): readonly FeedPart[] {
  if (typeof from === 'object' && 'etag' in from) {
    const etag = parseFeedEtag(from.etag);
    if (etag.kind === 'composite') return etag.parts;
    if (etag.kind === 'lsn') return uniformFeedParts(etag.lsn);
    throw new DatabaseError('invalid-continuation', 'A feed goes on from an etag, not from "*".');
  }
  const lsnOf = (range: RangeInfo): number => {
    if (from === 'beginning') return mode === 'all' ? range.floorLsn : 0;
    return from === 'now' ? range.tailLsn : engine.lsnAt(container, range.id, from.time.getTime());
  };
  if (scope.range !== undefined) return uniformFeedParts(lsnOf(engine.range(container, scope.range)));
  // The ranges of a container tile the key space.
  return joinFeedParts(engine.ranges(container).map((range) => ({ max: range.max, lsn: lsnOf(range) })));
}

/**
 * A feed that goes on from an etag does not know whose turn it was. The etag is another after every page, so its digest
 * serves as dice, and no range waits for ever on one that is always ahead of it.
 */
function turnOf(from: FeedStart | undefined): number {
  if (typeof from !== 'object' || !('etag' in from)) return 0;
  let hash = 0;
  for (let i = 0; i < from.etag.length; i += 1) hash = Math.imul(hash ^ from.etag.charCodeAt(i), 0x5bd1e995);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function narrowed(slice: KeyRange, keys: KeyRange | undefined): KeyRange | undefined {
  if (keys === undefined) return slice;
  const min = slice.min > keys.min ? slice.min : keys.min;
  const max = slice.max < keys.max ? slice.max : keys.max;
  return min < max ? { min, max } : undefined;
}
