// What a contract case works with: a fresh engine, a clock that stands still, and a few words to say things shortly. It knows
// engines by the seam only.

import type { FeedPage, FeedRequest, FeedScope, RangeEngine } from '@tidemark/engine/internal';
import { Container, Queries, readContainerDefinition, systemEnvironment } from '@tidemark/engine/internal';
import type { ErrorCode } from '@tidemark/model';
import { isDatabaseError } from '@tidemark/model';
import type { Gate } from '../gate.ts';
import type { VirtualClock } from '../virtual-clock.ts';

/** An engine on trial. Everything but `engine` and `close` is about what the seam cannot say. */
export interface EngineUnderTest {
  /** Another one after `reopen`. */
  readonly engine: RangeEngine;
  /** Waits until whatever the background jobs look at has caught up with what was acknowledged. */
  settle(): Promise<void>;
  /** Does everything that is due in the background: sweeps, trims, deletes by partition key. */
  runJobs(): Promise<void>;
  /** Closes and opens the same data again. Absent: this engine keeps nothing. */
  reopen?(): Promise<void>;
  /** Holds the next flush of what is written. Absent: nobody can look between a write and its flush. */
  holdFlush?(): Gate;
  close(): Promise<void>;
}

export interface MakeEngineOptions {
  readonly clock: VirtualClock;
}

export type MakeEngine = (options: MakeEngineOptions) => Promise<EngineUnderTest>;

/** What an engine may lack: two of it are in its profile, two depend on how it is made. */
export type Need = 'merge' | 'push' | 'reopen' | 'flush';

export interface ContractCase {
  readonly title: string;
  readonly needs?: readonly Need[];
  run(bench: Bench): Promise<void>;
}

export interface ContainerSetup {
  readonly id?: string;
  /** Null: a container without a partition key of its own. */
  readonly partitionKey?: object | null;
  readonly defaultTtl?: number;
  readonly uniqueKeyPolicy?: object;
  readonly previousImageRetentionPolicy?: object;
  readonly ranges?: number;
  readonly historyMs?: number;
}

/** A document as the feed shows it, or what a version of it holds. */
export interface Item {
  readonly id: string;
  readonly _lsn: number;
  readonly _ts: number;
  readonly [name: string]: unknown;
}

export interface VersionItem {
  readonly current: Partial<Item>;
  readonly previous?: Item;
  readonly metadata: {
    readonly lsn: number;
    readonly crts: number;
    readonly operationType: 'create' | 'replace' | 'delete';
    readonly previousImageLSN?: number;
    readonly timeToLiveExpired?: boolean;
    readonly id?: string;
    readonly partitionKey?: unknown;
  };
}

export interface ReadPage<T> {
  readonly items: T[];
  readonly page: FeedPage;
}

const pagesMax = 100_000;

export class Bench {
  readonly clock: VirtualClock;
  readonly #made: EngineUnderTest;
  readonly #gates: Gate[] = [];

  constructor(made: EngineUnderTest, clock: VirtualClock) {
    this.#made = made;
    this.clock = clock;
  }

  get engine(): RangeEngine {
    return this.#made.engine;
  }

  offers(need: Need): boolean {
    switch (need) {
      case 'merge':
        return this.engine.profile.merge;
      case 'push':
        return this.engine.profile.push !== 'poll';
      case 'reopen':
        return this.#made.reopen !== undefined;
      case 'flush':
        return this.#made.holdFlush !== undefined;
    }
  }

  settle(): Promise<void> {
    return this.#made.settle();
  }

  runJobs(): Promise<void> {
    return this.#made.runJobs();
  }

  async reopen(): Promise<void> {
    if (this.#made.reopen === undefined) throw new Error('this engine cannot be opened again');
    await this.#made.reopen();
  }

  holdFlush(): Gate {
    if (this.#made.holdFlush === undefined) throw new Error('the flushes of this engine cannot be held');
    const gate = this.#made.holdFlush();
    this.#gates.push(gate);
    return gate;
  }

  /** Lets go of what the case held, also when it failed half-way, and closes the engine. */
  async close(): Promise<void> {
    for (const gate of this.#gates) gate.release();
    await this.#made.close();
  }

  /** A new container with the key path /pk, version 2, unless the setup says otherwise. */
  async container(setup: ContainerSetup = {}): Promise<Container> {
    if (!this.engine.databases().some(({ id }) => id === databaseId)) await this.engine.createDatabase(databaseId);
    const { ranges = 1, historyMs = 0, ...rest } = setup;
    const definition = { id: 'things', partitionKey: byPk, ...rest };
    const read = readContainerDefinition(definition, { allowNone: true });
    await this.engine.createContainer(databaseId, read, { ranges, historyMs });
    return this.open(read.id);
  }

  /** A container that exists; needed again after a reopen. */
  open(id = 'things'): Container {
    const found = this.engine.findContainer(databaseId, id);
    if (found === undefined) throw new Error(`there is no container ${id}`);
    return new Container(this.engine, found.number, new Queries(systemEnvironment()));
  }

  /** Replaces the definition: `change` is laid over it. */
  async redefine(container: Container, change: object, historyMs: number = container.info.historyMs): Promise<void> {
    const { definition, number } = container.info;
    await this.engine.replaceContainer(number, { ...definition, ...change }, { historyMs });
  }

  /** One page of the feed of a range, by default from the beginning. */
  async page<T = Item>(scope: FeedScope, request: Partial<FeedRequest> = {}): Promise<ReadPage<T>> {
    const page = await this.engine.feed(scope, { ...wholeFeed, ...request });
    const items = JSON.parse(`[${Buffer.concat(page.pieces).toString('utf8')}]`) as T[];
    if (items.length !== page.count) throw new Error(`a page says ${page.count} items and has ${items.length}`);
    return { items, page };
  }

  /** Every page up to the drained one. */
  async pages<T = Item>(scope: FeedScope, request: Partial<FeedRequest> = {}): Promise<ReadPage<T>[]> {
    const pages: ReadPage<T>[] = [];
    let after = request.after ?? 0;
    while (pages.length < pagesMax) {
      const read = await this.page<T>(scope, { ...request, after });
      pages.push(read);
      if (read.page.isDrained) return pages;
      if (read.page.last <= after) throw new Error(`a page that is not the last one stays at ${after}`);
      after = read.page.last;
    }
    throw new Error('the feed does not end');
  }

  /** Everything that a feed shows from a position on. */
  async items<T = Item>(scope: FeedScope, request: Partial<FeedRequest> = {}): Promise<T[]> {
    return (await this.pages<T>(scope, request)).flatMap(({ items }) => items);
  }

  /** A key of the form `k12` that lies in the range; the nth of them. */
  keyIn(container: Container, range: string, nth = 0): string {
    let left = nth;
    for (let n = 0; n < 10_000; n += 1) {
      const key = `k${n}`;
      if (this.engine.rangeOf(container.info.number, container.partitionKey(key).epk) !== range) continue;
      if (left === 0) return key;
      left -= 1;
    }
    throw new Error(`no key found for range ${range}`);
  }

  rangeIds(container: Container): string[] {
    return container.ranges.map(({ id }) => id);
  }
}

export const databaseId = 'db';
const byPk: object = { paths: ['/pk'], kind: 'Hash', version: 2 };
const wholeFeed: FeedRequest = { mode: 'latest', after: 0, itemsMax: 1_000, bytesMax: 4 * 1024 * 1024 };

/** The scope of a whole range. */
export function rangeScope(container: Container, range = '0'): FeedScope {
  return { container: container.info.number, range };
}

/** The scope of one partition key, in the range that holds it now. */
export function keyScope(bench: Bench, container: Container, key: Parameters<Container['partitionKey']>[0]): FeedScope {
  const { bytes, epk } = container.partitionKey(key);
  const number = container.info.number;
  return { container: number, range: bench.engine.rangeOf(number, epk), partitionKey: { bytes, epk } };
}

/** The code of the error that an action ends with; 'none' when it succeeds. Other errors pass through. */
export async function codeOf(action: () => unknown): Promise<ErrorCode | 'none'> {
  try {
    await action();
    return 'none';
  } catch (error) {
    if (isDatabaseError(error)) return error.code;
    throw error;
  }
}

export function idsOf(items: readonly { readonly id?: unknown }[]): unknown[] {
  return items.map(({ id }) => id);
}

export function numbers(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

/** Runs the event loop until the condition holds. */
export async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 100_000; turn += 1) {
    if (isTrue()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`waited in vain until ${what}`);
}
