// How much is left to do, in the words of the older APIs. What is unknown is undefined: their 1 for "perhaps something" is not repeated here.

import { systemEnvironment } from '../ambient.ts';
import type { Environment } from '../environment.ts';
import { ProcessorGroup } from '../operate.ts';
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
    return (await this.#group.lag()).items;
  }

  async getEstimatedRemainingWorkPerPartition(): Promise<RemainingPartitionWork[]> {
    const { ranges } = await this.#group.lag();
    return ranges.map(({ leaseToken, items }) => ({ partitionKeyRangeId: leaseToken, remainingWork: items }));
  }
}
