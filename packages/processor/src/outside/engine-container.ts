// What the adapters need of a container of `@tidemark/engine`, by shape: this package does not depend on the engine.

import type { KeyRange, PartitionKeyDefinition } from '@tidemark/model';
import { notNeeded } from '../environment.ts';

type EngineStart = 'beginning' | 'now' | { readonly time: Date } | { readonly etag: string };

export interface EngineFeedOptions {
  readonly from?: EngineStart;
  readonly itemsMax?: number;
  readonly range?: string;
  readonly keys?: KeyRange;
}

export interface EnginePage {
  /** JSON values joined by commas. */
  readonly pieces: readonly Uint8Array[];
  readonly count: number;
  readonly etag: string;
  readonly isDrained: boolean;
  readonly range: { readonly id: string; readonly tailLsn: number } | undefined;
  readonly release?: () => void;
}

export interface EngineFeed {
  page(): Promise<EnginePage>;
  emptyPage(): EnginePage;
  /** Undefined when there may be more already; else how to stop. */
  watch(callback: () => void): (() => void) | undefined;
  moveToEnd(): void;
}

interface EngineDocument {
  readonly etag: string;
  readonly value: unknown;
}

export interface EngineContainer {
  readonly info: {
    readonly id: string;
    readonly rid: string;
    readonly definition: { readonly partitionKey: PartitionKeyDefinition };
  };
  readonly ranges: readonly (KeyRange & { readonly id: string; readonly parents: readonly string[] })[];
  changes(options?: EngineFeedOptions): EngineFeed;
  versions(options?: EngineFeedOptions): EngineFeed;
  create(document: object): Promise<{ readonly document: EngineDocument }>;
  replace(document: object, options?: { readonly ifMatch?: string }): Promise<{ readonly document: EngineDocument }>;
  delete(id: string, partitionKey: string | undefined, options?: { readonly ifMatch?: string }): Promise<void>;
  read(id: string, partitionKey: string | undefined): Promise<EngineDocument | undefined>;
  query(text: string, parameters?: Readonly<Record<string, unknown>>): AsyncIterable<unknown>;
}

export function isEngineContainer(x: unknown): x is EngineContainer {
  const { changes, versions, query, info }: Record<string, unknown> = Object(x);
  const isCallable = [changes, versions, query].every((each) => typeof each === 'function');
  return isCallable && typeof info === 'object' && info !== null;
}

/** Resolves with what is new, or with an empty page after `waitMs`. Rejects with the reason of the signal. */
export async function pageWithin(
  feed: EngineFeed,
  first: EnginePage,
  waitMs: number,
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<EnginePage> {
  if (first.count > 0 || !first.isDrained) return first;
  let page = first;
  const over = new AbortController();
  const end = (): void => over.abort();
  signal?.addEventListener('abort', end, { once: true });
  const time = sleep(waitMs, over.signal);
  let isOver = false;
  void time.then(() => {
    isOver = true;
  });
  try {
    while (page.count === 0 && page.isDrained && !isOver) {
      signal?.throwIfAborted();
      await changed(feed, time);
      signal?.throwIfAborted();
      // What came meanwhile may have been of others: the position moves over it either way.
      page = await feed.page();
    }
    return page;
  } finally {
    over.abort(notNeeded);
    signal?.removeEventListener('abort', end);
  }
}

async function changed(feed: EngineFeed, time: Promise<void>): Promise<void> {
  let stop: (() => void) | undefined;
  const news = new Promise<void>((resolve) => {
    stop = feed.watch(resolve);
    if (stop === undefined) resolve();
  });
  await Promise.race([news, time]);
  stop?.();
}
