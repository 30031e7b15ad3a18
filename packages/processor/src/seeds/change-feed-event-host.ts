// The event host, the oldest API (M11), which documents also call processor host: it runs from the registration of an observer to its end.

import type { Environment } from '../environment.ts';
import { ProcessorError } from '../processor-error.ts';
import type { ChangeFeedObserver, ChangeFeedObserverFactory } from './change-feed-observer.ts';
import type { FeedCollection, LeaseCollection } from './collection-info.ts';
import { RemainingWorkEstimator } from './remaining-work-estimator.ts';
import type { ChangeFeedHostOptions, ChangeFeedOptions } from './seed-options.ts';
import { SeedProcessor } from './seed-processor.ts';

export class ChangeFeedEventHost<T = Record<string, unknown>> {
  readonly hostName: string;
  readonly #feedCollection: FeedCollection;
  readonly #leaseCollection: LeaseCollection;
  readonly #options: ChangeFeedOptions & ChangeFeedHostOptions;
  readonly #environment: Environment | undefined;
  #running: SeedProcessor<T> | undefined;
  #estimator: RemainingWorkEstimator | undefined;

  /** The options of the host may stand in the fourth place, when there are none of the feed. */
  constructor(
    hostName: string,
    documentCollectionLocation: FeedCollection,
    leaseCollectionLocation: LeaseCollection,
    changeFeedOptions: ChangeFeedOptions | ChangeFeedHostOptions = {},
    hostOptions: ChangeFeedHostOptions = {},
    environment?: Environment,
  ) {
    this.hostName = hostName;
    this.#feedCollection = documentCollectionLocation;
    this.#leaseCollection = leaseCollectionLocation;
    this.#options = { ...changeFeedOptions, ...hostOptions };
    this.#environment = environment;
  }

  /** The class of the observer: each range gets an object of its own. Resolves when the host runs. */
  registerObserver(Observer: new () => ChangeFeedObserver<T>): Promise<void> {
    return this.registerObserverFactory({ createObserver: () => new Observer() });
  }

  async registerObserverFactory(factory: ChangeFeedObserverFactory<T>): Promise<void> {
    if (this.#running !== undefined) {
      throw new ProcessorError('invalid-option', 'A host has one observer at a time: unregister the other one first.');
    }
    this.#running = new SeedProcessor<T>({
      hostName: this.hostName,
      feedCollection: this.#feedCollection,
      leaseCollection: this.#leaseCollection,
      options: this.#options,
      observerFactory: factory,
      environment: this.#environment,
    });
    try {
      await this.#running.start();
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  /** Documents that are not handled yet, by all hosts together. Undefined: unknown. */
  getEstimatedRemainingWork(): Promise<number | undefined> {
    this.#estimator ??= new RemainingWorkEstimator(
      this.#feedCollection,
      this.#leaseCollection,
      this.#options.leasePrefix ?? '',
      this.#environment,
    );
    return this.#estimator.getEstimatedRemainingWork();
  }

  /** Observers are closed, leases released; their continuations stay. */
  async unregisterObservers(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
  }
}

export { ChangeFeedEventHost as ChangeFeedProcessorHost };
