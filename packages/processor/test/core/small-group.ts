// Hosts of one group on one virtual clock, one store and one feed, for tests.

import { SeededRandom, VirtualClock } from '@tidemark/testing';
import type { ProcessorEvent } from '../../src/events.ts';
import { defaultFailurePolicy } from '../../src/failure-policy.ts';
import type { HostRules } from '../../src/host/rules.ts';
import { hostRules } from '../../src/host/rules.ts';
import type { RangeObserver } from '../../src/host/tenure-parts.ts';
import { Processor } from '../../src/processor.ts';
import type { LeaseSettings, ProcessorSettings } from '../../src/settings.ts';
import type { DocumentStore } from '../../src/store/document-store.ts';
import { MemoryDocumentStore } from '../../src/store/memory-store.ts';
import { SmallFeed } from './small-feed.ts';
import type { Batch, SmallPumpOptions } from './small-pump.ts';
import { smallPump } from './small-pump.ts';

export const leaseSettings: LeaseSettings = {
  renewMs: 17_000,
  acquireMs: 13_000,
  expirationMs: 60_000,
  fenceMarginMs: 6000,
  handoffMs: 10_000,
  joinMs: 500,
  rangesMin: 0,
  rangesMax: 0,
  capacity: 1,
  auditLooks: 3,
};

export function someSettings(instance: string, changes: SettingsChanges = {}): ProcessorSettings {
  return {
    name: 'group',
    instance,
    mode: 'latest',
    start: 'beginning',
    purpose: undefined,
    onPositionRefused: 'fail',
    ...changes,
    lease: { ...leaseSettings, ...changes.lease },
    pump: {
      itemsMax: undefined,
      pollMs: 1000,
      pollMsMin: 100,
      waitMs: 0,
      checkpoint: { kind: 'every-batch' },
      idleCheckpointMs: 60_000,
      lanes: 1,
      readAheadPages: 1,
      readAheadBytes: 1_000_000,
      failure: defaultFailurePolicy,
      handlerWarnMs: 60_000,
      handlerMsMax: Number.POSITIVE_INFINITY,
      stallMs: 60_000,
    },
  };
}

export type SettingsChanges = Partial<Omit<ProcessorSettings, 'lease' | 'pump'>> & {
  readonly lease?: Partial<LeaseSettings>;
};

export interface HostOptions {
  readonly settings?: SettingsChanges;
  readonly handle?: SmallPumpOptions['handle'];
  readonly pump?: Omit<SmallPumpOptions, 'handle'>;
  readonly observer?: RangeObserver;
  readonly store?: DocumentStore;
  readonly rules?: Partial<HostRules>;
  readonly clock?: VirtualClock;
}

export interface TestHost {
  readonly instance: string;
  readonly processor: Processor;
  readonly events: ProcessorEvent[];
  readonly delivered: Delivered[];
}

export interface Delivered {
  readonly host: string;
  readonly id: string;
  readonly token: string;
  readonly epoch: number;
  readonly atMs: number;
}

export class SmallGroup {
  readonly clock: VirtualClock = new VirtualClock();
  readonly feed: SmallFeed;
  readonly store: MemoryDocumentStore;
  readonly delivered: Delivered[] = [];
  /** Steps that the table calls impossible. */
  readonly impossible: string[] = [];
  readonly #random = new SeededRandom(1);
  #hosts = 0;

  constructor(ranges = 1) {
    this.feed = new SmallFeed(ranges);
    this.store = new MemoryDocumentStore({ clock: this.clock });
  }

  host(instance: string, options: HostOptions = {}): TestHost {
    const events: ProcessorEvent[] = [];
    const delivered: Delivered[] = [];
    const random = this.#random.fork(`${instance}-${this.#hosts++}`);
    const handle = async (batch: Batch): Promise<void> => {
      await options.handle?.(batch);
      for (const { id } of batch.items) {
        const entry = {
          host: instance,
          id: String(id),
          token: batch.lease.leaseToken,
          epoch: batch.lease.epoch,
          atMs: this.clock.monotonicMs(),
        };
        delivered.push(entry);
        this.delivered.push(entry);
      }
    };
    const processor = new Processor({
      settings: someSettings(instance, options.settings),
      source: this.feed,
      leases: options.store ?? this.store,
      makePump: smallPump({ ...options.pump, handle }),
      ground: { clock: options.clock ?? this.clock, random: () => random.float() },
      emit: (event) => events.push(event),
      observer: options.observer,
      rules: {
        ...hostRules,
        onStep: (state, event, step) => {
          if (step === '!') this.impossible.push(`${state} ${event}`);
        },
        ...options.rules,
      },
    });
    return { instance, processor, events, delivered };
  }

  /** Starts and lets it look around. */
  async started(instance: string, options: HostOptions = {}): Promise<TestHost> {
    const host = this.host(instance, options);
    await this.during(host.processor.start());
    await this.clock.advance(2000);
    return host;
  }

  /** Lets time pass until the promise is settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = (): void => {
      isDone = true;
    };
    work.then(done, done);
    for (let i = 0; i < 100_000 && !isDone; i += 1) await this.clock.advance(10);
    return work;
  }

  async leases(): Promise<{ token: string; owner: unknown; position: unknown; epoch: number }[]> {
    const documents = await this.store.list('group');
    return documents
      .filter(({ id }) => id.includes('..'))
      .map(({ body }) => {
        const properties = body['properties'] as Record<string, string>; // Of leases: always there.
        return {
          token: String(body['LeaseToken']),
          owner: body['Owner'],
          position: body['ContinuationToken'],
          epoch: Number(properties['tidemark.epoch'] ?? 0),
        };
      })
      .sort((a, b) => (a.token < b.token ? -1 : 1));
  }
}

export const leasePrefix = 'grouphost_db==_coll=';
