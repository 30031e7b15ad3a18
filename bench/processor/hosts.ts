// Hosts of both kinds behind one face, over the same seams: what is measured differs in nothing but the rules.

import type { Clock } from '@tidemark/client';
import type { DocumentStore, FeedSource } from '@tidemark/processor';
import { createProcessor } from '@tidemark/processor';
import { DotnetHost } from '@tidemark/testing';

export type HostRules = 'tidemark' | 'dotnet';

/** As the library has them when nothing is said. */
export const tidemarkDefaults = { renewMs: 17_000, acquireMs: 13_000, expirationMs: 60_000 } as const;

export interface Intervals {
  readonly renewMs: number;
  readonly acquireMs: number;
  readonly expirationMs: number;
  /** Between reads of an empty feed, for those who are not told. */
  readonly pollMs: number;
}

export interface BenchHost {
  readonly instance: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface BenchHostOptions {
  readonly source: FeedSource;
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly name: string;
  readonly instance: string;
  readonly itemsMax?: number;
  readonly start?: 'beginning' | 'now';
  readonly intervals?: Intervals;
  onBatch(changes: readonly Readonly<Record<string, unknown>>[]): void | Promise<void>;
  onOpened?(): void;
}

export function makeHost(rules: HostRules, options: BenchHostOptions): BenchHost {
  return rules === 'tidemark' ? makeTidemark(options) : makeDotnet(options);
}

function makeTidemark(options: BenchHostOptions): BenchHost {
  const { source, store, clock, name, instance, itemsMax, intervals, onBatch, onOpened } = options;
  const processor = createProcessor<Record<string, unknown>>({
    source,
    leases: store,
    name,
    instance,
    start: options.start ?? 'beginning',
    environment: { clock, random: Math.random, fetch: globalThis.fetch },
    ...(itemsMax === undefined ? {} : { itemsMax }),
    ...(intervals === undefined
      ? {}
      : {
          leaseRenewMs: intervals.renewMs,
          leaseAcquireMs: intervals.acquireMs,
          leaseExpirationMs: intervals.expirationMs,
          fenceMarginMs: intervals.expirationMs / 5,
          joinMs: intervals.acquireMs / 4,
          pollMs: intervals.pollMs,
        }),
    observer: {
      open: () => onOpened?.(),
      changes: (changes) => onBatch(changes),
    },
  });
  return { instance, start: () => processor.start(), stop: () => processor.stop({ drainMs: drainMs }) };
}

const drainMs = 10_000;

function makeDotnet(options: BenchHostOptions): BenchHost {
  const { itemsMax, onOpened, onBatch, intervals, ...rest } = options;
  return new DotnetHost({
    start: 'beginning',
    ...rest,
    ...intervals,
    ...(itemsMax === undefined ? {} : { itemsMax }),
    ...(onOpened === undefined ? {} : { onAcquired: onOpened }),
    handler: (changes) => onBatch(changes),
  });
}
