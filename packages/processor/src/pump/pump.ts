// One range that this host owns, from the feed to the handler. What a pump is given and what it gives back; the tenure (host/)
// owns the lease and decides, the pump only moves changes.
//
// A pump never writes a lease. It calls `checkpoint` with positions that only move forward, each one only after every change before it was
// acknowledged, skipped by policy or parked, and waits for the answer before it counts the position as stored.
//
// The tenure calls the observer's `open` before it makes a pump and `close` after the pump has ended: the pump only delivers.

import type { KeyRange } from '@tidemark/model';
import type { Ground } from '../environment.ts';
import type { EventSink } from '../events.ts';
import type { FeedMode, FeedSource, FeedStart } from '../feed/feed-source.ts';
import type { DocumentBody } from '../store/document-store.ts';

export interface PumpLease {
  readonly leaseToken: string;
  /** Of a lease by physical range; a lease by key range has none. */
  readonly range: string | undefined;
  readonly keys: KeyRange;
  readonly epoch: number;
  readonly mode: FeedMode;
  readonly start: FeedStart;
  /** The owner before did not let go: its process may have died of a change that comes now. */
  readonly isTakeover?: boolean | undefined;
}

/**
 * What a pump remembers beside the position: `done`, finished changes above it; `retry`, attempts of changes that failed. Kept in
 * documents beside the lease, so it survives restarts and moves with the range. Values are small: the pump bounds them. A value counts
 * only for the position that it names itself.
 */
export interface PumpMemory {
  load(kind: PumpMemoryKind): Promise<DocumentBody | undefined>;
  /** Undefined removes it. Rejects when it could not be stored; calls of one kind are made one after the other. */
  save(kind: PumpMemoryKind, value: DocumentBody | undefined): Promise<void>;
}

export type PumpMemoryKind = 'done' | 'retry';

export interface PumpContext extends Ground {
  readonly source: FeedSource;
  readonly instance: string;
  readonly emit: EventSink;
  /** Aborted by the tenure: the host may not go on (lost, fenced, end of a stop). */
  readonly signal: AbortSignal;
  /** Stores a position in the lease. Rejects with a ProcessorError `lease-lost` or `fenced` when it never will be stored. */
  checkpoint(position: string): Promise<void>;
  /** A position that would be right to store but is not worth a write of its own (an idle feed): the next renewal carries it. */
  offer(position: string): void;
  readonly memory: PumpMemory;
  /** Whether the lease is still held by this host's own clock; asked before every delivery and every acknowledgement. */
  isHeld(): boolean;
}

export type PumpEnd =
  /**
   * Every handler call has returned and the position is stored. What was only read, and what failed and would have been tried again, is
   * left to the next owner.
   */
  | { readonly kind: 'drained' }
  /** The range was split or merged. In-flight work is finished or abandoned; `position` is the last acknowledged and stored. */
  | { readonly kind: 'gone' }
  /** The policy stopped the range or all of them; nothing after `position` was acknowledged. */
  | { readonly kind: 'halted'; readonly scope: 'range' | 'all'; readonly error: unknown }
  /** The feed could not be read for longer than `stallMs`, or refused the position. */
  | { readonly kind: 'feed-failed'; readonly error: unknown }
  /**
   * The signal aborted, or a checkpoint was refused for good. `isHung`: a handler call goes on in spite of its signal, so nobody else may
   * be given the range before its lease runs out (S28).
   */
  | { readonly kind: 'aborted'; readonly error: unknown; readonly isHung?: boolean | undefined };

export interface Pump {
  /** Position up to which everything is acknowledged and stored in the lease; undefined before the first. Children of a split begin here. */
  readonly stored: string | undefined;
  /** Whether a handler call is running. A pump that does not say may have one at any time. */
  readonly isHandling?: boolean | undefined;
  /** Runs until it ends by itself, is drained, or its signal aborts. Never rejects. By then no handler call is running that obeys its signal. */
  run(): Promise<PumpEnd>;
  /** Stop reading, finish what is in flight, checkpoint, end with `drained`. May be called at any time, more than once. */
  drain(): void;
  /** Its signal has aborted and nobody waits for its end any more: it holds on to nothing but handlers that do not obey. */
  leave?(): void;
}

export type MakePump = (lease: PumpLease, context: PumpContext) => Pump;
