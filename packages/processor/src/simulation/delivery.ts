// One call of a handler as the oracle sees it.

import type { KeyRange } from '@tidemark/model';
import type { Change } from './model-container.ts';

/** A process. `id` is never used twice, `instance` may be. */
export interface Actor {
  readonly id: string;
  readonly instance: string;
}

export interface DeliveryPlace {
  readonly leaseToken: string;
  readonly keys: KeyRange;
  readonly epoch: number;
  readonly signal: AbortSignal;
}

export interface DeliveryRecord {
  readonly actor: Actor;
  readonly place: DeliveryPlace;
  readonly changes: readonly Change[];
  readonly beganMs: number;
  readonly attempt: number;
  outcome: 'running' | 'acknowledged' | 'failed';
  endedMs: number | undefined;
}

export function describe(change: Change): string {
  return `change ${change.sequence} (${change.type} ${change.id}, key ${change.partitionKey}, lsn ${change.lsn})`;
}

export function nameOf(actor: Actor, place: Pick<DeliveryPlace, 'leaseToken' | 'epoch'>): string {
  return `${actor.id} ${place.leaseToken} epoch ${place.epoch}`;
}
