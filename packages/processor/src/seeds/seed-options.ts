// The options of the older APIs, each under its own name and with its own default, as options of a processor. Intervals are milliseconds.

import type { FeedStart } from '../feed/feed-source.ts';
import type { CheckpointOption, CommonOptions } from '../options.ts';

/** How the feed is read. */
export interface ChangeFeedOptions {
  /** Changes in a batch. By default the endpoint decides. */
  readonly maxItemCount?: number;
  /** Only this range: others are left to other hosts. */
  readonly partitionKeyRangeId?: string;
  /** Only changes of this partition key are given to the observer; one value, or all of a hierarchical key. */
  readonly partitionKey?: unknown;
  /** Where ranges begin that have no lease yet: one token for all. It wins over `startTime`, which wins over `startFromBeginning`. */
  readonly requestContinuation?: string;
  readonly sessionToken?: string;
  /** False: from now. */
  readonly startFromBeginning?: boolean;
  readonly startTime?: Date;
}

export interface CheckpointFrequency {
  /** The observer calls `context.checkpoint()`. */
  readonly explicitCheckpoint?: boolean;
  /** After so many documents. */
  readonly processedDocumentCount?: number;
  /** After so long; with both, after whichever comes first. */
  readonly timeInterval?: number;
}

/** How hosts share the work. */
export interface ChangeFeedHostOptions {
  /** 17 s. */
  readonly leaseRenewInterval?: number;
  /** 13 s. */
  readonly leaseAcquireInterval?: number;
  /** 60 s. */
  readonly leaseExpirationInterval?: number;
  /** 5 s. An endpoint that can wait answers earlier. */
  readonly feedPollDelay?: number;
  /** After every batch. */
  readonly checkpointFrequency?: CheckpointFrequency;
  /** 0: no bound. */
  readonly minPartitionCount?: number;
  readonly maxPartitionCount?: number;
  /** All leases of the prefix are deleted at start, and the host begins from scratch. */
  readonly discardExistingLeases?: boolean;
  /** Groups with different prefixes read independently. Empty by default. */
  readonly leasePrefix?: string;
}

/** The builder has both in one. */
export interface ChangeFeedProcessorOptions extends ChangeFeedOptions, ChangeFeedHostOptions {}

export function optionsOf(
  hostName: string,
  given: ChangeFeedProcessorOptions,
): Omit<CommonOptions, 'source' | 'leases'> {
  const { checkpointFrequency = {} } = given;
  return {
    name: given.leasePrefix ?? '',
    instance: hostName,
    start: startOf(given),
    checkpoint: checkpointOf(checkpointFrequency),
    itemsMax: given.maxItemCount ?? 0,
    leaseRenewMs: given.leaseRenewInterval ?? 17_000,
    leaseAcquireMs: given.leaseAcquireInterval ?? 13_000,
    leaseExpirationMs: given.leaseExpirationInterval ?? 60_000,
    pollMs: given.feedPollDelay ?? 5_000,
    rangesMin: given.minPartitionCount ?? 0,
    rangesMax: given.maxPartitionCount ?? 0,
    sessionToken: given.sessionToken,
  };
}

function startOf({ requestContinuation, startTime, startFromBeginning }: ChangeFeedOptions): FeedStart {
  if (requestContinuation !== undefined) return { position: requestContinuation };
  if (startTime !== undefined) return { timeMs: startTime.getTime() };
  return startFromBeginning === true ? 'beginning' : 'now';
}

function checkpointOf(frequency: CheckpointFrequency): CheckpointOption {
  const { explicitCheckpoint, processedDocumentCount: items, timeInterval: intervalMs } = frequency;
  if (explicitCheckpoint === true || (items !== undefined && intervalMs !== undefined)) {
    return { manual: true, isCumulative: true };
  }
  if (items !== undefined) return { items };
  return intervalMs === undefined ? 'every-batch' : { intervalMs };
}
