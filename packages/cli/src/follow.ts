// Following the change feed of a container through its splits and merges, on any Cosmos endpoint.
//
// What is followed is the key space, cut into parts; each part has its position and a loop of its own. A part is read from
// the range that owns its keys. When that range is gone, the ranges are read again: a part that now lies in several ranges
// is cut at their bounds, and the pieces inherit its position (children of a split continue their parent's LSNs); a part
// that is narrower than its range, after a merge, names its keys with the request. So nothing is skipped or repeated, and
// parts never need to be joined again.

import { setMaxListeners } from 'node:events';
import type { ChangePage, ChangesStart, RangeInfo, RestContainer } from '@tidemark/client';
import type { KeyRange, PartitionKeyValues } from '@tidemark/model';
import { DatabaseError, isDatabaseError, keyRangeContains } from '@tidemark/model';
import type { FeedMode } from '@tidemark/processor';

export interface FollowOptions {
  readonly container: RestContainer;
  readonly mode: FeedMode;
  readonly pollMs: number;
  /** End when every part has been read to its end. */
  readonly isUntilDrained: boolean;
  readonly signal: AbortSignal;
  /** How many items a page may have at this moment. */
  itemsMax(): number;
  /** One at a time. False leaves the page unread: it is asked for again. */
  onPage(page: ChangePage, itemsMax: number): Promise<boolean>;
  /** The server cannot be reached for the moment; it is tried again. */
  onTrouble(error: Error): void;
}

/** An interval of keys and where its feed goes on. */
export interface FollowedPart {
  readonly keys: KeyRange;
  start: ChangesStart;
  /** Of the range that served it last. */
  range: string | undefined;
}

const waitSeconds = 20;
const troubleMs = 1_000;
/** Short: a person is to hear that the server is gone. It is tried again for ever. */
const retryMsMax = 2_000;
const unchangedMs = 100;

export class Follow {
  readonly #options: FollowOptions;
  readonly #parts = new Set<FollowedPart>();
  #ranges: readonly RangeInfo[] = [];
  #reading: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: FollowOptions) {
    this.#options = options;
    // Every part listens to it; Node takes more than ten for a leak.
    setMaxListeners(0, options.signal);
  }

  /** As far as the pages went that were taken. */
  get parts(): readonly FollowedPart[] {
    return [...this.#parts].sort((a, b) => (a.keys.min < b.keys.min ? -1 : 1));
  }

  /** Resolves when the signal aborts or everything is drained. */
  async run(parts: readonly { readonly keys: KeyRange; readonly start: ChangesStart }[]): Promise<void> {
    await this.#readRanges();
    await Promise.all(parts.map(({ keys, start }) => this.#followPart({ keys, start, range: undefined })));
  }

  /** A partition key is one thing wherever its range goes: the server finds it. */
  async runKey(partitionKey: PartitionKeyValues, start: ChangesStart): Promise<ChangesStart> {
    const part: FollowedPart = { keys: { min: '', max: '' }, start, range: undefined };
    await this.#loop(part, async () => ({ partitionKey }));
    return part.start;
  }

  async #followPart(part: FollowedPart): Promise<void> {
    const pieces = this.#piecesOf(part);
    if (pieces.length > 1) {
      this.#parts.delete(part);
      await Promise.all(pieces.map((piece) => this.#followPart(piece)));
      return;
    }
    this.#parts.add(part);
    const outcome = await this.#loop(part, () => this.#scopeOf(part));
    if (outcome === 'divided') await this.#followPart(part);
  }

  /** Where the part is read; undefined when it lies in several ranges. */
  async #scopeOf(part: FollowedPart): Promise<{ range: string; keys?: KeyRange } | undefined> {
    const [piece, another] = this.#piecesOf(part);
    if (piece === undefined || another !== undefined) return undefined;
    const owner = this.#ownerOf(piece.keys.min);
    part.range = owner.id;
    const isWhole = owner.min === part.keys.min && owner.max === part.keys.max;
    return isWhole ? { range: owner.id } : { range: owner.id, keys: part.keys };
  }

  async #loop(part: FollowedPart, scopeOf: () => Promise<object | undefined>): Promise<'ended' | 'divided'> {
    const { container, mode, pollMs, isUntilDrained, signal } = this.#options;
    while (!signal.aborted) {
      const scope = await scopeOf();
      if (scope === undefined) return 'divided';
      const itemsMax = this.#options.itemsMax();
      // The first read does not wait: what begins now has to know where that is before anything can interrupt it.
      const hasPlace = typeof part.start === 'object' && 'etag' in part.start;
      const wait = isUntilDrained || !hasPlace ? {} : { waitSeconds };
      const page = await this.#attempt(() =>
        container.changes({ ...scope, mode, from: part.start, itemsMax, signal, retryMsMax, ...wait }),
      );
      if (page === undefined) continue;
      const isTaken = await this.#inTurn(() => this.#options.onPage(page, itemsMax));
      if (!isTaken) continue;
      part.start = { etag: page.etag };
      if (!page.isDrained) continue;
      if (isUntilDrained) return 'ended';
      if (hasPlace && !page.isWaitApplied) await sleep(pollMs, signal);
    }
    return 'ended';
  }

  /** Undefined when it is to be tried again. */
  async #attempt(read: () => Promise<ChangePage>): Promise<ChangePage | undefined> {
    try {
      return await read();
    } catch (error) {
      await this.#recover(error);
      return undefined;
    }
  }

  async #recover(error: unknown): Promise<void> {
    const { signal } = this.#options;
    if (signal.aborted) return;
    if (!isDatabaseError(error)) throw error;
    if (error.code === 'range-gone') {
      const before = this.#ranges;
      await this.#readRanges().catch((reason: unknown) => this.#recover(reason));
      // A split that is not finished yet is refused in the same way, and its children are not there to be read.
      if (isSame(before, this.#ranges)) await sleep(unchangedMs, signal);
      return;
    }
    if (!error.isRetriable) throw error;
    this.#options.onTrouble(error);
    await sleep(error.retryAfterMs ?? troubleMs, signal);
  }

  /** Many parts may find out at once that their range is gone: they share one read. */
  #readRanges(): Promise<void> {
    this.#reading ??= this.#options.container.ranges({ signal: this.#options.signal }).then(
      (ranges) => {
        this.#ranges = [...ranges].sort((a, b) => (a.min < b.min ? -1 : 1));
        this.#reading = undefined;
      },
      (error: unknown) => {
        this.#reading = undefined;
        if (!this.#options.signal.aborted) throw error;
      },
    );
    return this.#reading;
  }

  #piecesOf(part: FollowedPart): FollowedPart[] {
    const { min, max } = part.keys;
    const bounds = this.#ranges.map((range) => range.max).filter((bound) => bound > min && bound < max);
    if (bounds.length === 0) return [part];
    const starts = [min, ...bounds];
    return starts.map((from, index) => ({ ...part, keys: { min: from, max: bounds[index] ?? max } }));
  }

  #ownerOf(key: string): RangeInfo {
    const owner = this.#ranges.find((range) => keyRangeContains(range, key));
    if (owner !== undefined) return owner;
    throw new DatabaseError('unavailable', 'The ranges of the container do not cover its keys.');
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => {});
    return result;
  }
}

function isSame(before: readonly RangeInfo[], after: readonly RangeInfo[]): boolean {
  return before.length === after.length && before.every(({ id }, index) => id === after[index]?.id);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}
