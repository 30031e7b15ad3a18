// Writing many documents with several requests at a time, in an order that is right: documents of the same key and id are
// written one after the other, as they came.
//
// A document goes to a lane by its key; a lane has one request under way. A request is about one range, so a lane takes from
// its queue those of the range of the first, at most once for each document. What was refused for the moment goes back to
// the front. Ranges are looked up when a request is made, so that a split changes nothing but the next requests.

import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkOperation, BulkOutcome, CallOptions, RangeInfo, RestContainer } from '@tidemark/client';
import { bulkBytesMax, isRestError, operationBytes } from '@tidemark/client';
import { batchOperationsMax, DatabaseError, isDatabaseError, keyRangeContains } from '@tidemark/model';
import { fruitlessMax, pendingBytesMax, pendingLinesMax } from './limits.ts';

export interface LaneEntry {
  readonly line: number;
  readonly operation: BulkOperation & { readonly document: Buffer };
  /** Effective partition key, in hex. */
  readonly epk: string;
  readonly id: string;
}

export interface LaneOutcome {
  readonly status: number;
  readonly charge: number;
  readonly message: string | undefined;
}

export interface LanesOptions {
  readonly container: RestContainer;
  readonly lanes: number;
  /** Nothing more is sent. */
  readonly signal: AbortSignal;
  /** What is under way is not waited for any longer, and counts as not done. */
  readonly answersSignal: AbortSignal;
  /** Around every call, so that somebody can tell how long there has been no answer. */
  during<T>(call: () => Promise<T>): Promise<T>;
  onDone(entry: LaneEntry, outcome: LaneOutcome): void;
}

const refusedMs = 100;

export class Lanes {
  readonly #options: LanesOptions;
  readonly #queues: LaneEntry[][];
  readonly #running: (Promise<void> | undefined)[] = [];
  #ranges: readonly RangeInfo[] = [];
  #pendingBytes = 0;
  #pendingLines = 0;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#queues = Array.from({ length: options.lanes }, () => []);
  }

  /** Resolves when there is room for the next one. Throws what ended a lane. */
  async add(entry: LaneEntry): Promise<void> {
    const lane = Number.parseInt(entry.epk.slice(-6), 16) % this.#queues.length;
    this.#queues[lane]?.push(entry);
    this.#pendingLines += 1;
    this.#pendingBytes += entry.operation.document.length;
    this.#running[lane] ??= this.#run(lane);
    while (this.#isFull() && this.#failure === undefined && !this.#options.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#throwFailure();
  }

  /** Everything that was added is done, or the signal has stopped it. */
  async finish(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #isFull(): boolean {
    return this.#pendingBytes >= pendingBytesMax || this.#pendingLines >= pendingLinesMax;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #run(lane: number): Promise<void> {
    const queue = this.#queues[lane] ?? [];
    let fruitless = 0;
    try {
      if (this.#ranges.length === 0) this.#ranges = await this.#readRanges();
      while (queue.length > 0 && !this.#options.signal.aborted && this.#failure === undefined) {
        const done = await this.#sendFrom(queue);
        fruitless = done === 0 ? fruitless + 1 : 0;
        if (fruitless > fruitlessMax)
          throw new DatabaseError('too-many-requests', 'The server accepts nothing any more.');
      }
    } catch (error) {
      if (error !== this.#options.answersSignal.reason) this.#failure ??= { error };
    }
    this.#running[lane] = undefined;
    this.#wake?.();
  }

  /** The number of entries that are done. */
  async #sendFrom(queue: LaneEntry[]): Promise<number> {
    const { range, batch, rest } = this.#takeBatch(queue);
    let outcomes: (LaneOutcome & { readonly retryAfterMs?: number | undefined })[];
    try {
      outcomes = await this.#send(range, batch);
    } catch (error) {
      if (!isDatabaseError(error) || error.code !== 'range-gone') throw error;
      this.#ranges = await this.#readRanges();
      await this.#pause(refusedMs);
      return 0;
    }
    const again: LaneEntry[] = [];
    let pauseMs = 0;
    for (const [index, entry] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined || isRefusedForNow(outcome.status)) {
        again.push(entry);
        pauseMs = Math.max(pauseMs, outcome?.retryAfterMs ?? refusedMs);
      } else this.#finish(entry, outcome);
    }
    // Behind these are those that came while the request was under way.
    queue.splice(0, batch.length + rest.length, ...again, ...rest);
    if (again.length > 0) await this.#pause(pauseMs);
    return batch.length - again.length;
  }

  #takeBatch(queue: readonly LaneEntry[]): { range: RangeInfo; batch: LaneEntry[]; rest: LaneEntry[] } {
    const [first] = queue;
    const range = this.#ranges.find((each) => keyRangeContains(each, first?.epk ?? ''));
    if (range === undefined)
      throw new DatabaseError('unavailable', 'The ranges of the container do not cover its keys.');
    const batch: LaneEntry[] = [];
    const rest: LaneEntry[] = [];
    const seen = new Set<string>();
    let sizeBytes = 2;
    for (const [index, entry] of queue.entries()) {
      const name = `${entry.epk} ${entry.id}`;
      const entryBytes = operationBytes(entry.operation);
      if (batch.length > 0 && (batch.length === batchOperationsMax || sizeBytes + entryBytes > bulkBytesMax)) {
        rest.push(...queue.slice(index));
        break;
      }
      if (!seen.has(name) && keyRangeContains(range, entry.epk)) {
        batch.push(entry);
        sizeBytes += entryBytes;
      } else rest.push(entry);
      // Also of one that stays behind: what follows of the same document stays behind it.
      seen.add(name);
    }
    return { range, batch, rest };
  }

  #send(range: RangeInfo, batch: readonly LaneEntry[]): Promise<(LaneOutcome & Partial<BulkOutcome>)[]> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined && operationBytes(only.operation) > bulkBytesMax) {
      return this.#sendOne(only).then((outcome) => [outcome]);
    }
    const operations = batch.map((entry) => entry.operation);
    return this.#ask((container, options) => container.bulk(range.id, operations, options));
  }

  /** What does not fit into a bulk request goes alone. */
  async #sendOne({ operation }: LaneEntry): Promise<LaneOutcome> {
    const { type, partitionKey, document } = operation;
    try {
      const { isNew, charge } = await this.#ask((container, options) =>
        type === 'Create'
          ? container.createDocument(partitionKey, document, options)
          : container.upsertDocument(partitionKey, document, options),
      );
      return { status: isNew ? 201 : 200, charge, message: undefined };
    } catch (error) {
      if (isRestError(error) && error.status < 500 && error.code !== 'unauthorized') {
        return { status: error.status, charge: 0, message: error.message };
      }
      throw error;
    }
  }

  #readRanges(): Promise<RangeInfo[]> {
    return this.#ask((container, options) => container.ranges(options));
  }

  #ask<T>(call: (container: RestContainer, options: CallOptions) => Promise<T>): Promise<T> {
    const { container, answersSignal: signal } = this.#options;
    return this.#options.during(() => call(container, { signal }));
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#options;
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  #finish(entry: LaneEntry, outcome: LaneOutcome): void {
    this.#pendingLines -= 1;
    this.#pendingBytes -= entry.operation.document.length;
    this.#options.onDone(entry, outcome);
    if (!this.#isFull()) this.#wake?.();
  }
}

/** Wire: throttled, lost a race, or not now: nothing was written (wire 5, 8). */
function isRefusedForNow(status: number): boolean {
  return status === 429 || status === 449 || status === 503;
}
