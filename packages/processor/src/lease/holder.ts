// Who writes leases: one process of one host.

import type { LeaseSettings } from '../settings.ts';
import type { Lease, LeaseMark } from './lease.ts';

export interface Holder {
  readonly instance: string;
  /** Drawn by each process: tells two processes of one instance name apart. */
  readonly nonce: string;
  /** A new one for every write: the nonce and a count. */
  nextWriteId(): string;
}

export function makeHolder(instance: string, nonce: string): Holder {
  let writes = 0;
  return {
    instance,
    nonce,
    nextWriteId() {
      writes += 1;
      return `${nonce}:${writes}`;
    },
  };
}

export function nonceOfWrite(writeId: string): string {
  return writeId.slice(0, writeId.lastIndexOf(':'));
}

/** Decisions that a defect of older processors took otherwise. Tests replace them one by one to prove that it would be noticed. */
export interface LeaseRules {
  /** Whether the document still says that this process owns it. Not by name alone (D3). */
  isOwn(lease: Lease, holder: Holder, epoch: number): boolean;
  /** Until when a lease may be used that was written by a request sent at `sentAtMs` (D2). */
  holdUntilMs(sentAtMs: number, settings: LeaseSettings): number;
  /** What a renewal stores as the position (D9). */
  renewedPosition(stored: string | undefined, offered: string | undefined): string | undefined;
  /** Whether a checkpoint may move the stored position to `next` (I5). */
  mayMove(stored: string | undefined, next: string): boolean;
  nextMark(lease: Lease, holder: Holder): LeaseMark;
}

export const leaseRules: LeaseRules = {
  isOwn: (lease, holder, epoch) =>
    lease.owner === holder.instance && lease.mark?.nonce === holder.nonce && lease.mark.epoch === epoch,
  holdUntilMs: (sentAtMs, settings) => sentAtMs + settings.expirationMs - settings.fenceMarginMs,
  renewedPosition: (stored, offered) => offered ?? stored,
  mayMove: (stored, next) => !isBehind(next, stored),
  nextMark: (lease, holder) => ({
    epoch: (lease.mark?.epoch ?? 0) + 1,
    instance: holder.instance,
    nonce: holder.nonce,
    writeId: holder.nextWriteId(),
  }),
};

/** Whether position `a` is certainly before `b`: both are plain numbers, as most endpoints make them. Other positions say nothing. */
export function isBehind(a: string, b: string | undefined): boolean {
  const first = plainLsn(a);
  const second = b === undefined ? undefined : plainLsn(b);
  return first !== undefined && second !== undefined && first < second;
}

function plainLsn(position: string): number | undefined {
  const match = /^"(\d{1,15})"$/.exec(position);
  return match === null ? undefined : Number(match[1]);
}
