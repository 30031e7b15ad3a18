// What a user writes: a handler for batches, or an observer that also wants to know when a range is opened and closed.

import type { KeyRange } from '@tidemark/model';

export type CloseReason =
  /** The processor stops. */
  | 'shutdown'
  /** Another host has the lease. */
  | 'lease-lost'
  /** The lease could not be renewed in time. */
  | 'fenced'
  /** The range was handed to another host, everything in flight finished. */
  | 'handed-over'
  /** The range was split or merged; its successors are opened in its place. */
  | 'range-gone'
  /** The group is paused. */
  | 'paused'
  /** The handler failed and the policy is to stop the range. */
  | 'handler-failed'
  /** The feed cannot be read: the lease is given up so that another host may try. */
  | 'feed-failed'
  /** The lease document is gone. */
  | 'lease-gone';

export interface RangeContext {
  /** `0`, or `05C1…-FF` for a part of the key space. */
  readonly leaseToken: string;
  readonly keys: KeyRange;
  /** +1 with each owner: a sink that remembers the highest can refuse those who came before. */
  readonly epoch: number;
  readonly instance: string;
  /** Aborts when this host may not go on: lost, fenced, or a stop whose time is over. */
  readonly signal: AbortSignal;
}

export interface BatchContext extends RangeContext {
  /** Position after this batch's page. */
  readonly position: string;
  /** 1 for the first time. It goes on counting after a restart. */
  readonly attempt: number;
  readonly charge: number;
  readonly sessionToken: string | undefined;
  /**
   * With manual checkpoints: this batch is done, and with cumulative ones every batch before it. Batches may be acknowledged in any order
   * and after the handler has returned: the position moves over what is done without a gap. Resolves when it is stored beyond this batch, or,
   * while the handler runs and changes before it are not done, when what it has done is stored beside the position; rejects with `lease-lost` or `fenced` when it never will be, and with `invalid-option` where checkpoints are not manual.
   */
  checkpoint(): Promise<void>;
  /** For sinks: the same text for every delivery of this version of this document. */
  idempotencyKey(index: number): string;
}

/** Items that failed, by their index in the batch; the others are done. Throw it, or return it from a handler. */
export class BatchError extends Error {
  readonly failed: readonly { readonly index: number; readonly error: unknown }[];

  constructor(
    failed: readonly { readonly index: number; readonly error: unknown }[],
    message = 'items of the batch failed',
  ) {
    super(message);
    this.name = 'BatchError';
    this.failed = failed;
  }
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is the normal case.
type Nothing = void;

export type HandlerResult = Nothing | { readonly failed: BatchError['failed'] };

export type Handler<T> = (changes: readonly T[], context: BatchContext) => Promise<HandlerResult> | HandlerResult;

export interface Observer<T> {
  open?(context: RangeContext): Promise<void> | void;
  readonly changes: Handler<T>;
  /** Once for every `open` that was begun; no delivery after it. */
  close?(context: RangeContext, reason: CloseReason): Promise<void> | void;
}
