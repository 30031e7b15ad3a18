// For tests: a feed in memory and a pump over it, in virtual time.

import { DatabaseError } from '@tidemark/model';
import { VirtualClock } from '@tidemark/testing';
import type { ProcessorEvent } from '../src/events.ts';
import { defaultFailurePolicy } from '../src/failure-policy.ts';
import type { FeedItem, FeedMode, FeedPage, FeedRead, FeedSource, SourceIdentity } from '../src/feed/feed-source.ts';
import type { Handler } from '../src/observer.ts';
import { ProcessorError } from '../src/processor-error.ts';
import type { Pump, PumpContext, PumpEnd, PumpMemory, PumpMemoryKind } from '../src/pump/pump.ts';
import type { PumpFactoryOptions } from '../src/pump/pump-factory.ts';
import { makePumpFactory } from '../src/pump/pump-factory.ts';
import type { PumpSettings } from '../src/settings.ts';
import type { DocumentBody } from '../src/store/document-store.ts';

export const identity: SourceIdentity = {
  account: 'localhost',
  databaseRid: 'db==',
  containerRid: 'coll==',
  name: 'shop/orders',
  partitionKeyPaths: ['/pk'],
};

export const defaultSettings: PumpSettings = {
  itemsMax: 10,
  pollMs: 1000,
  pollMsMin: 10,
  waitMs: 0,
  checkpoint: { kind: 'every-batch' },
  idleCheckpointMs: 10_000,
  lanes: 1,
  readAheadPages: 2,
  readAheadBytes: 1024 * 1024,
  failure: defaultFailurePolicy,
  handlerWarnMs: Number.POSITIVE_INFINITY,
  handlerMsMax: Number.POSITIVE_INFINITY,
  stallMs: 60_000,
};

export interface TestChange {
  readonly id: string;
  readonly pk: string;
  readonly _lsn: number;
}

/** One range whose position n is after n changes. Only what is there is served; nothing waits. */
export class TestFeed implements FeedSource {
  readonly items: FeedItem[] = [];
  readonly reads: FeedRead[] = [];
  /** Called before each read; what it throws is the answer. */
  onRead: ((read: FeedRead, number: number) => void | Promise<void>) | undefined;
  /** Changes committed together, by the index of the first: never cut by a page. */
  readonly transactions: Map<number, number> = new Map();
  /** Added to positions: the feed moves without changes. */
  ticks = 0;

  add(count: number, keyOf: (index: number) => string = (index) => `k${index % 7}`): void {
    for (let i = 0; i < count; i += 1) {
      const lsn = this.items.length + 1;
      this.items.push({ value: { id: `d${lsn}`, pk: keyOf(lsn - 1), _lsn: lsn, _ts: lsn, _etag: `e${lsn}` } });
    }
  }

  async identity(): Promise<SourceIdentity> {
    return identity;
  }

  async ranges(): Promise<never> {
    throw new DatabaseError('not-supported', 'This feed has one range.');
  }

  async read(read: FeedRead): Promise<FeedPage> {
    this.reads.push(read);
    await this.onRead?.(read, this.reads.length);
    const from = this.#indexOf(read);
    let to = Math.min(this.items.length, from + (read.itemsMax ?? 100));
    for (const [first, count] of this.transactions) if (to > first && to < first + count) to = first + count;
    const items = this.items.slice(from, to);
    const isDrained = items.length === 0;
    return {
      position: isDrained && this.ticks > 0 ? `"${to}+${this.ticks}"` : `"${to}"`,
      items,
      isDrained,
      isWaitApplied: false,
      charge: 1,
      tailLsn: this.items.length,
      sessionToken: undefined,
      serverTimeMs: undefined,
    };
  }

  #indexOf(read: FeedRead): number {
    if (read.from === 'beginning') return 0;
    if (read.from === 'now') return this.items.length;
    return 'position' in read.from ? Number.parseInt(read.from.position.slice(1), 10) : 0;
  }
}

export class TestMemory implements PumpMemory {
  readonly values: Map<PumpMemoryKind, DocumentBody> = new Map();
  saves = 0;

  async load(kind: PumpMemoryKind): Promise<DocumentBody | undefined> {
    return this.values.get(kind);
  }

  async save(kind: PumpMemoryKind, value: DocumentBody | undefined): Promise<void> {
    this.saves += 1;
    if (value === undefined) this.values.delete(kind);
    else this.values.set(kind, JSON.parse(JSON.stringify(value)));
  }
}

export interface BenchOptions {
  readonly feed?: TestFeed;
  readonly clock?: VirtualClock;
  readonly memory?: TestMemory;
  readonly settings?: Partial<PumpSettings>;
  readonly handler: Handler<TestChange>;
  readonly mode?: FeedMode;
  readonly position?: string;
  readonly epoch?: number;
  readonly isTakeover?: boolean;
  readonly parts?: Partial<PumpFactoryOptions>;
  /** What storing a position does first. */
  readonly onCheckpoint?: (position: string) => Promise<void> | void;
}

export class PumpBench {
  readonly feed: TestFeed;
  readonly clock: VirtualClock;
  readonly memory: TestMemory;
  readonly events: ProcessorEvent[] = [];
  readonly stored: string[] = [];
  readonly offered: string[] = [];
  readonly abort: AbortController = new AbortController();
  readonly pump: Pump;
  isHeld = true;
  end: PumpEnd | undefined;
  readonly #running: Promise<PumpEnd>;

  constructor(options: BenchOptions) {
    this.feed = options.feed ?? new TestFeed();
    this.clock = options.clock ?? new VirtualClock();
    this.memory = options.memory ?? new TestMemory();
    const makePump = makePumpFactory({
      settings: { ...defaultSettings, ...options.settings },
      // Tests put TestChanges into the feed.
      handler: options.handler as Handler<unknown>,
      identity,
      ...options.parts,
    });
    const context: PumpContext = {
      clock: this.clock,
      random: () => 0.5,
      source: this.feed,
      instance: 'host-a',
      emit: (event) => this.events.push(event),
      signal: this.abort.signal,
      checkpoint: async (position) => {
        await options.onCheckpoint?.(position);
        if (!this.isHeld) throw new ProcessorError('fenced', 'The lease is not held any more.');
        this.stored.push(position);
      },
      offer: (position) => this.offered.push(position),
      memory: this.memory,
      isHeld: () => this.isHeld,
    };
    const lease = {
      leaseToken: '0',
      range: '0',
      keys: { min: '', max: 'FF' },
      epoch: options.epoch ?? 1,
      isTakeover: options.isTakeover,
      mode: options.mode ?? 'latest',
      start: options.position === undefined ? ('beginning' as const) : { position: options.position },
    };
    this.pump = makePump(lease, context);
    this.#running = this.pump.run().then((end) => {
      this.end = end;
      return end;
    });
  }

  /** Lets time pass until `condition` holds. */
  async until(condition: () => boolean, stepMs = 10, limitMs = 3_600_000): Promise<void> {
    for (let passedMs = 0; !condition(); passedMs += stepMs) {
      if (passedMs > limitMs) throw new Error('The condition did not come true.');
      await this.clock.advance(stepMs);
    }
  }

  /** Runs until it has ended by itself, or after `drain`. */
  async ended(): Promise<PumpEnd> {
    await this.until(() => this.end !== undefined);
    return this.#running;
  }

  drained(): Promise<PumpEnd> {
    this.pump.drain();
    return this.ended();
  }

  ofType<Type extends ProcessorEvent['type']>(type: Type): Extract<ProcessorEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<ProcessorEvent, { type: Type }> => event.type === type);
  }

  problems(): string[] {
    return this.ofType('health').map((event) => event.problem);
  }
}
