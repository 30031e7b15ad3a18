// The builder of the older API (M11): every part by its own method, then `build`, `start` and `stop`.

import type { Environment } from '../environment.ts';
import { ProcessorError } from '../processor-error.ts';
import type { ChangeFeedObserver, ChangeFeedObserverFactory } from './change-feed-observer.ts';
import type { FeedCollection, LeaseCollection } from './collection-info.ts';
import type { HealthMonitor } from './health-monitor.ts';
import type { PartitionLoadBalancingStrategy } from './load-balancing-strategy.ts';
import type { CheckpointPartitionProcessorFactory, PartitionProcessorFactory } from './partition-processor.ts';
import { withoutCheckpointer } from './partition-processor.ts';
import { RemainingWorkEstimator } from './remaining-work-estimator.ts';
import type { ChangeFeedProcessorOptions } from './seed-options.ts';
import { SeedProcessor } from './seed-processor.ts';

export interface ChangeFeedProcessor {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export class ChangeFeedProcessorBuilder<T = Record<string, unknown>> {
  #hostName: string | undefined;
  #feedCollection: FeedCollection | undefined;
  #leaseCollection: LeaseCollection | undefined;
  #options: ChangeFeedProcessorOptions = {};
  #observerFactory: ChangeFeedObserverFactory<T> | undefined;
  #healthMonitor: HealthMonitor | undefined;
  #strategy: PartitionLoadBalancingStrategy | undefined;
  #partitionProcessorFactory: PartitionProcessorFactory<T> | undefined;
  #checkpointFactory: CheckpointPartitionProcessorFactory<T> | undefined;
  #environment: Environment | undefined;

  /** A name that no other host has. One that is the same after a restart gets its ranges back at once. */
  withHostName(hostName: string): this {
    this.#hostName = hostName;
    return this;
  }

  withFeedCollection(collection: FeedCollection): this {
    this.#feedCollection = collection;
    return this;
  }

  withLeaseCollection(collection: LeaseCollection): this {
    this.#leaseCollection = collection;
    return this;
  }

  withProcessorOptions(options: ChangeFeedProcessorOptions): this {
    this.#options = options;
    return this;
  }

  /** The class of the observer: each range gets an object of its own. */
  withObserver(Observer: new () => ChangeFeedObserver<T>): this {
    return this.withObserverFactory({ createObserver: () => new Observer() });
  }

  withObserverFactory(factory: ChangeFeedObserverFactory<T>): this {
    this.#observerFactory = factory;
    return this;
  }

  withHealthMonitor(monitor: HealthMonitor): this {
    this.#healthMonitor = monitor;
    return this;
  }

  withPartitionLoadBalancingStrategy(strategy: PartitionLoadBalancingStrategy): this {
    this.#strategy = strategy;
    return this;
  }

  withPartitionProcessorFactory(factory: PartitionProcessorFactory<T>): this {
    this.#partitionProcessorFactory = factory;
    return this;
  }

  /** In the place of the one before: an own partition processor that stores positions with what it is given. */
  withCheckpointPartitionProcessorFactory(factory: CheckpointPartitionProcessorFactory<T>): this {
    this.#checkpointFactory = factory;
    return this;
  }

  /** Time, chance and network, for tests. */
  withEnvironment(environment: Environment): this {
    this.#environment = environment;
    return this;
  }

  async build(): Promise<ChangeFeedProcessor> {
    return new SeedProcessor<T>({
      hostName: given(this.#hostName, 'withHostName'),
      feedCollection: given(this.#feedCollection, 'withFeedCollection'),
      leaseCollection: given(this.#leaseCollection, 'withLeaseCollection'),
      observerFactory: given(this.#observerFactory, 'withObserver or withObserverFactory'),
      options: this.#options,
      healthMonitor: this.#healthMonitor,
      strategy: this.#strategy,
      partitionProcessorFactory: this.#processorFactory(),
      environment: this.#environment,
    });
  }

  #processorFactory(): PartitionProcessorFactory<T> | undefined {
    if (this.#checkpointFactory === undefined) return this.#partitionProcessorFactory;
    if (this.#partitionProcessorFactory === undefined) return withoutCheckpointer(this.#checkpointFactory);
    throw new ProcessorError(
      'invalid-option',
      'Call withPartitionProcessorFactory or withCheckpointPartitionProcessorFactory: one of the two.',
    );
  }

  async buildEstimator(): Promise<RemainingWorkEstimator> {
    return new RemainingWorkEstimator(
      given(this.#feedCollection, 'withFeedCollection'),
      given(this.#leaseCollection, 'withLeaseCollection'),
      this.#options.leasePrefix ?? '',
      this.#environment,
    );
  }
}

function given<T>(value: T | undefined, method: string): T {
  if (value !== undefined) return value;
  throw new ProcessorError('invalid-option', `Call ${method} before build.`);
}
