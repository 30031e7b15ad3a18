// What both older APIs make: a processor with an observer for each range.

import { systemEnvironment } from '@tidemark/client';
import type { PartitionKeyValues } from '@tidemark/model';
import { extractPartitionKey, parsePartitionKeyPath, partitionKeyEquals } from '@tidemark/model';
import { connectSource, connectStore } from '../connect.ts';
import { buildProcessor } from '../create-processor.ts';
import type { Environment } from '../environment.ts';
import type { ProcessorEvent } from '../events.ts';
import type { ChangedDocument } from '../feed/change.ts';
import type { FeedSource } from '../feed/feed-source.ts';
import type { BalanceStrategy } from '../host/balance.ts';
import type { StopOptions } from '../host/host.ts';
import { leaseNames } from '../lease/lease-names.ts';
import type { LatestOptions } from '../options.ts';
import type { Processor } from '../processor.ts';
import { reachAll } from '../reach.ts';
import type { DocumentStore } from '../store/document-store.ts';
import type { ChangeFeedObserverFactory } from './change-feed-observer.ts';
import { ObserverDesk } from './change-feed-observer.ts';
import { CheckpointRhythm } from './checkpoint-rhythm.ts';
import type { FeedCollection, LeaseCollection } from './collection-info.ts';
import { addressOf } from './collection-info.ts';
import type { HealthMonitor } from './health-monitor.ts';
import { recordOf } from './health-monitor.ts';
import type { PartitionLoadBalancingStrategy } from './load-balancing-strategy.ts';
import { balanceBy, balanceOnly } from './load-balancing-strategy.ts';
import type { PartitionProcessorFactory } from './partition-processor.ts';
import { pumpsOf } from './partition-processor.ts';
import type { ChangeFeedProcessorOptions } from './seed-options.ts';
import { feedTimeoutMs, optionsOf } from './seed-options.ts';
import type { FeedWatch } from './watched-feed.ts';
import { watchedPumps } from './watched-feed.ts';

export interface SeedParts<T> {
  readonly hostName: string;
  readonly feedCollection: FeedCollection;
  readonly leaseCollection: LeaseCollection;
  readonly options: ChangeFeedProcessorOptions;
  readonly observerFactory: ChangeFeedObserverFactory<T>;
  readonly healthMonitor?: HealthMonitor | undefined;
  readonly strategy?: PartitionLoadBalancingStrategy | undefined;
  readonly partitionProcessorFactory?: PartitionProcessorFactory<T> | undefined;
  readonly environment?: Environment | undefined;
}

export class SeedProcessor<T> {
  readonly #source: FeedSource;
  readonly #leases: DocumentStore;
  readonly #parts: SeedParts<T>;
  readonly #processor: Processor;
  readonly #environment: Environment;
  /** Values of the one partition key that is wanted, and where documents have theirs; known after the start. */
  readonly #wanted: PartitionKeyValues | undefined;
  #paths: readonly string[] = [];

  constructor(parts: SeedParts<T>) {
    const { options, healthMonitor, hostName } = parts;
    this.#parts = parts;
    this.#environment = parts.environment ?? systemEnvironment();
    const { partitionKey } = options;
    const given = Array.isArray(partitionKey) ? partitionKey : [partitionKey];
    this.#wanted = partitionKey === undefined ? undefined : (given as PartitionKeyValues);
    const connecting = { environment: this.#environment, sessionToken: options.sessionToken };
    this.#source = connectSource(addressOf(parts.feedCollection), connecting);
    this.#leases = connectStore(addressOf(parts.leaseCollection), 'leases', connecting);
    const rhythm = new CheckpointRhythm(options, this.#environment);
    const desk = new ObserverDesk<T>(parts.observerFactory, {
      isWanted: (document) => this.#isWanted(document),
      afterBatch: (context, documents) => rhythm.afterBatch(context, documents),
      closed: (context) => rhythm.closed(context),
    });
    const plugged: LatestOptions<T> = {
      ...optionsOf(hostName, options),
      source: this.#source,
      leases: this.#leases,
      environment: this.#environment,
      observer: desk,
      // Without a monitor problems are lines on standard error, as with every processor.
      logger: healthMonitor === undefined ? undefined : false,
      onEvent: healthMonitor && ((event) => tell(healthMonitor, event)),
    };
    const { partitionProcessorFactory: own } = parts;
    const watch: FeedWatch = {
      timeoutMs: feedTimeoutMs(options),
      onFailed: (lease, error) => desk.failed(lease, error),
    };
    this.#processor = buildProcessor(plugged, {
      balance: balanceOf(parts),
      wrapPump: (make) => watchedPumps(own ? pumpsOf(own, (lease) => desk.guarded(lease)) : make, watch),
    });
  }

  /** Resolves when every change from now on will be delivered. */
  async start(): Promise<void> {
    await reachAll(
      [{ option: 'source', at: this.#source.at, ask: (signal) => this.#source.identity(signal) }],
      this.#environment,
    );
    const identity = await this.#source.identity();
    this.#paths = identity.partitionKeyPaths;
    if (this.#parts.options.discardExistingLeases === true) {
      const names = leaseNames(this.#parts.options.leasePrefix ?? '', identity);
      for (const document of await this.#leases.list(names.all)) await this.#leases.remove(document);
    }
    await this.#processor.start();
  }

  /** Leases are released; their continuations stay. */
  stop(options: StopOptions = {}): Promise<void> {
    return this.#processor.stop(options);
  }

  #isWanted(document: ChangedDocument<T>): boolean {
    if (this.#wanted === undefined) return true;
    return partitionKeyEquals(extractPartitionKey(document, this.#paths.map(parsePartitionKeyPath)), this.#wanted);
  }
}

function tell(monitor: HealthMonitor, event: ProcessorEvent): void {
  const record = recordOf(event);
  if (record !== undefined) monitor.inspect(record);
}

function balanceOf<T>({ strategy, options }: SeedParts<T>): BalanceStrategy | undefined {
  if (strategy !== undefined) return balanceBy(strategy);
  return options.partitionKeyRangeId === undefined ? undefined : balanceOnly(options.partitionKeyRangeId);
}
