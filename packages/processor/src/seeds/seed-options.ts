// The options of the older APIs, each under its own name and with its own default, as options of a processor. Intervals are milliseconds.

import type { FeedStart } from '../feed/feed-source.ts';
import type { CheckpointOption, CommonOptions } from '../options.ts';
import { ProcessorError } from '../processor-error.ts';

/** How the feed is read. */
export interface ChangeFeedOptions {
  /** Changes in a batch. By default, and with -1, the endpoint decides. */
  readonly maxItemCount?: number;
  /** Only this range: others are left to other hosts. */
  readonly partitionKeyRangeId?: string;
  /** Only changes of this partition key are given to the observer; one value, or all of a hierarchical key. */
  readonly partitionKey?: unknown;
  /** Where ranges begin that have no lease yet: one token for all. It wins over `startTime`, which wins over `startFromBeginning`. */
  readonly requestContinuation?: string;
  /** The later name of `requestContinuation`. */
  readonly startContinuation?: string;
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
  /** False: as `checkpointFrequency: { explicitCheckpoint: true }`, which has taken its place. */
  readonly isAutoCheckpointEnabled?: boolean;
  /** 10 min. A range whose feed gives no page for this long is given up: its lease is released, and the health monitor is told. */
  readonly changeFeedTimeout?: number;
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

const known: Readonly<Record<keyof ChangeFeedProcessorOptions, true>> = {
  maxItemCount: true,
  partitionKeyRangeId: true,
  partitionKey: true,
  requestContinuation: true,
  startContinuation: true,
  sessionToken: true,
  startFromBeginning: true,
  startTime: true,
  leaseRenewInterval: true,
  leaseAcquireInterval: true,
  leaseExpirationInterval: true,
  feedPollDelay: true,
  checkpointFrequency: true,
  isAutoCheckpointEnabled: true,
  changeFeedTimeout: true,
  minPartitionCount: true,
  maxPartitionCount: true,
  discardExistingLeases: true,
  leasePrefix: true,
};

const waitMsMax = 20_000;

/** The time that is left to a page, waiting for changes included: an endpoint is asked to wait for a part of it only. */
export function feedTimeoutMs({ changeFeedTimeout = 600_000 }: ChangeFeedProcessorOptions): number {
  if (changeFeedTimeout > 0 && Number.isFinite(changeFeedTimeout)) return changeFeedTimeout;
  return refuse(`changeFeedTimeout is a number of ms above 0, not ${changeFeedTimeout}.`);
}

export function optionsOf(
  hostName: string,
  given: ChangeFeedProcessorOptions,
): Omit<CommonOptions, 'source' | 'leases'> {
  checkNames(given);
  const timeoutMs = feedTimeoutMs(given);
  return {
    name: given.leasePrefix ?? '',
    instance: hostName,
    start: startOf(given),
    checkpoint: checkpointOf(given),
    itemsMax: given.maxItemCount === -1 ? 0 : (given.maxItemCount ?? 0),
    leaseRenewMs: given.leaseRenewInterval ?? 17_000,
    leaseAcquireMs: given.leaseAcquireInterval ?? 13_000,
    leaseExpirationMs: given.leaseExpirationInterval ?? 60_000,
    pollMs: given.feedPollDelay ?? 5_000,
    waitMs: Math.min(waitMsMax, timeoutMs / 4),
    stallMs: timeoutMs,
    rangesMin: given.minPartitionCount ?? 0,
    rangesMax: given.maxPartitionCount ?? 0,
    sessionToken: given.sessionToken,
  };
}

/** A misspelt option that is ignored would be a default that nobody chose. */
function checkNames(given: ChangeFeedProcessorOptions): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) refuse(`There is no option ${unknown.map((name) => `'${name}'`).join(', ')}.`);
}

function refuse(message: string): never {
  throw new ProcessorError('invalid-option', message);
}

function startOf(given: ChangeFeedOptions): FeedStart {
  const { requestContinuation, startContinuation = requestContinuation, startTime, startFromBeginning } = given;
  if (startContinuation !== undefined) return { position: startContinuation };
  if (startTime !== undefined) return { timeMs: startTime.getTime() };
  return startFromBeginning === true ? 'beginning' : 'now';
}

/** The observer calls `context.checkpoint()`. */
export function isExplicit({ checkpointFrequency = {}, isAutoCheckpointEnabled }: ChangeFeedHostOptions): boolean {
  return checkpointFrequency.explicitCheckpoint ?? isAutoCheckpointEnabled === false;
}

function checkpointOf(given: ChangeFeedHostOptions): CheckpointOption {
  const { processedDocumentCount: items, timeInterval: intervalMs } = given.checkpointFrequency ?? {};
  if (isExplicit(given) || (items !== undefined && intervalMs !== undefined)) {
    return { manual: true, isCumulative: true };
  }
  if (items !== undefined) return { items };
  return intervalMs === undefined ? 'every-batch' : { intervalMs };
}
