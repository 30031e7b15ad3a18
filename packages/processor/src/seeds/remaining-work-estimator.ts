// How much is left to do, in the words of the older APIs. What is unknown is undefined: their 1 for "perhaps something" is not repeated here.

import { systemEnvironment } from '@tidemark/client';
import type { Environment } from '../environment.ts';
import type { Lag } from '../lag.ts';
import { ProcessorGroup } from '../operate.ts';
import { isProcessorError } from '../processor-error.ts';
import type { FeedCollection, LeaseCollection } from './collection-info.ts';
import { addressOf } from './collection-info.ts';

export interface RemainingPartitionWork {
  readonly partitionKeyRangeId: string;
  /** Documents; undefined: unknown. */
  readonly remainingWork: number | undefined;
}

export class RemainingWorkEstimator {
  readonly #group: ProcessorGroup;

  constructor(
    feedCollection: FeedCollection,
    leaseCollection: LeaseCollection,
    leasePrefix: string,
    environment: Environment = systemEnvironment(),
  ) {
    const source = addressOf(feedCollection);
    this.#group = new ProcessorGroup({ source, leases: addressOf(leaseCollection), name: leasePrefix, environment });
  }

  async getEstimatedRemainingWork(): Promise<number | undefined> {
    return (await this.#lag())?.items;
  }

  async getEstimatedRemainingWorkPerPartition(): Promise<RemainingPartitionWork[]> {
    const { ranges = [] } = (await this.#lag()) ?? {};
    return ranges.map(({ leaseToken, items }) => ({ partitionKeyRangeId: leaseToken, remainingWork: items }));
  }

  /** Undefined before the first host of the group has started: what it will find is unknown, and no error. */
  async #lag(): Promise<Lag | undefined> {
    try {
      return await this.#group.lag();
    } catch (error) {
      if (isProcessorError(error, 'group-unknown')) return undefined;
      throw error;
    }
  }
}
