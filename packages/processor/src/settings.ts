// Everything about a processor that can be chosen, resolved: one frozen object that all parts are given. Public options become this in
// `options.ts`, where each has its doc line, unit, default and range.

import type { FailurePolicy } from './failure-policy.ts';
import type { FeedMode, FeedStart } from './feed/feed-source.ts';

export type CheckpointStrategy =
  /** Batches that follow each other without a pause share writes. */
  | { readonly kind: 'every-batch' }
  | { readonly kind: 'items'; readonly items: number }
  | { readonly kind: 'interval'; readonly intervalMs: number }
  /**
   * The handler calls `context.checkpoint()`, for each batch. Cumulative: one call counts for all batches before it too, as with hosts of
   * .NET; right only where batches are finished in their order.
   */
  | { readonly kind: 'manual'; readonly isCumulative?: boolean };

export interface LeaseSettings {
  /** A lease that was not written for this long is renewed. */
  readonly renewMs: number;
  /** How often a host looks at all leases; changes of the lease container wake it earlier where the endpoint can wait. */
  readonly acquireMs: number;
  /** A lease that nobody wrote for this long, by the looker's own clock, is free. */
  readonly expirationMs: number;
  /** An owner gives up this long before its lease may be taken: it bears clocks that run differently and requests under way. */
  readonly fenceMarginMs: number;
  /** How long an owner may take to finish what is in flight before it is robbed. 0: hosts steal at once. */
  readonly handoffMs: number;
  /** A host that joins a group of several ranges looks around this long before it takes any. */
  readonly joinMs: number;
  /** Wanted at least, and at most; 0: no bound. */
  readonly rangesMin: number;
  readonly rangesMax: number;
  /** Weight of this host beside others. */
  readonly capacity: number;
  /** A hole or overlap is mended when it was seen in so many looks one after the other, and a hole when it is `expirationMs` old. */
  readonly auditLooks: number;
}

export interface PumpSettings {
  readonly itemsMax: number | undefined;
  /** Longest pause between reads of an empty feed, where the endpoint does not wait. */
  readonly pollMs: number;
  /** Pause after a read that found something and is drained; it doubles up to `pollMs`. */
  readonly pollMsMin: number;
  /** How long the endpoint is asked to wait. 0: never. */
  readonly waitMs: number;
  readonly checkpoint: CheckpointStrategy;
  /** An idle range stores its advanced position at most this often; renewals carry it for nothing. */
  readonly idleCheckpointMs: number;
  /** Handler calls of one range at the same time; each key stays in one lane. */
  readonly lanes: number;
  /** Pages read ahead of the handler, and their bytes. */
  readonly readAheadPages: number;
  readonly readAheadBytes: number;
  readonly failure: FailurePolicy;
  /** Told of as slow, then its signal aborts, then it is hung. Infinity: never. */
  readonly handlerWarnMs: number;
  readonly handlerMsMax: number;
  /** A feed that fails for this long is given up, so that another host may try. */
  readonly stallMs: number;
}

export interface ProcessorSettings {
  /** Name of the group: user part of the lease prefix. */
  readonly name: string;
  readonly instance: string;
  readonly mode: FeedMode;
  readonly start: FeedStart;
  /** What the group does, in the user's words; two different ones under one name refuse each other. Undefined: not checked. */
  readonly purpose: string | undefined;
  /** Where changes are parked, for those who look from outside; undefined: nowhere, or in another account than the leases. */
  readonly deadLetters?: string | undefined;
  readonly lease: LeaseSettings;
  readonly pump: PumpSettings;
  /** A position that the feed refuses (too old, or of another container): fail loudly, or go on and record the gap. */
  readonly onPositionRefused: 'fail' | 'from-now' | 'from-beginning';
}
