// What a processor tells: one union, published on diagnostics channels `tidemark:processor.<type>` and to the `onEvent` callback. The names are API.

import type { CloseReason } from './observer.ts';

interface AtLease {
  readonly leaseToken: string;
  readonly epoch: number;
}

export type ProcessorEvent =
  | { readonly type: 'started'; readonly group: string; readonly instance: string }
  | { readonly type: 'stopped'; readonly group: string; readonly instance: string }
  | ({
      readonly type: 'lease.acquired';
      readonly from: 'free' | 'expired' | 'stolen' | 'handed-over' | 'own';
    } & AtLease)
  | ({ readonly type: 'lease.released'; readonly reason: CloseReason; readonly to: string | undefined } & AtLease)
  | ({ readonly type: 'lease.lost'; readonly to: string | undefined } & AtLease)
  | ({ readonly type: 'lease.renewed' } & AtLease)
  | ({ readonly type: 'range.opened' } & AtLease)
  | ({ readonly type: 'range.closed'; readonly reason: CloseReason } & AtLease)
  | ({ readonly type: 'range.split'; readonly children: readonly string[] } & AtLease)
  | ({ readonly type: 'batch.delivered'; readonly items: number; readonly durationMs: number } & AtLease)
  | ({
      readonly type: 'batch.failed';
      readonly items: number;
      readonly attempt: number;
      readonly error: unknown;
    } & AtLease)
  | ({ readonly type: 'checkpoint'; readonly position: string } & AtLease)
  | ({ readonly type: 'idle'; readonly position: string } & AtLease)
  | ({ readonly type: 'item.parked'; readonly id: string; readonly error: unknown } & AtLease)
  | ({ readonly type: 'item.skipped'; readonly id: string; readonly error: unknown } & AtLease)
  | ({ readonly type: 'item.replayed'; readonly id: string } & AtLease)
  | ({ readonly type: 'item.refused'; readonly id: string; readonly error: unknown } & AtLease)
  | { readonly type: 'paused' }
  | { readonly type: 'resumed' }
  /** `wanted`: ranges that are this host's share and that another one still has. */
  | {
      readonly type: 'tick';
      readonly leases: number;
      readonly owned: number;
      readonly hosts: number;
      readonly wanted: number;
    }
  /** Something that a person should look at (I13). `healthy` when it is over; `isLeft`: here, where the range is not read any more. */
  | {
      readonly type: 'health';
      readonly problem: HealthProblem;
      readonly leaseToken: string | undefined;
      readonly message: string;
      readonly error: unknown;
      /** Of the change that the batch began with, where a handler has failed. */
      readonly documentId?: string | undefined;
    }
  | {
      readonly type: 'healthy';
      readonly problem: HealthProblem;
      readonly leaseToken: string | undefined;
      readonly isLeft?: true;
    };

export type HealthProblem =
  | 'lease-store-failing'
  | 'feed-failing'
  | 'handler-failing'
  | 'handler-slow'
  | 'handler-hung'
  | 'no-progress'
  | 'halted'
  | 'dead-letters-failing'
  | 'coverage-hole'
  | 'duplicate-lease'
  | 'lease-edited'
  | 'lease-deleted'
  | 'parent-not-removed'
  | 'clock-skew'
  | 'start-differs'
  | 'instance-taken'
  | 'source-replaced'
  | 'position-refused'
  | 'credentials-refused'
  | 'stop-waits';

export type EventSink = (event: ProcessorEvent) => void;
