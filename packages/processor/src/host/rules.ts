// Decisions that older processors took otherwise, each a defect of processor.md 1.13. They stand together so that tests can put every
// defect back, one at a time, and prove that it would be noticed. Nothing else replaces them.

import type { Holder, LeaseRules } from '../lease/holder.ts';
import { leaseRules } from '../lease/holder.ts';
import type { Keeper } from '../lease/keeper.ts';
import type { Lease } from '../lease/lease.ts';
import type { Sightings } from '../lease/sightings.ts';
import type { Pump } from '../pump/pump.ts';
import type { LeaseSettings } from '../settings.ts';
import type { Coverage } from './audit.ts';
import { auditCoverage } from './audit.ts';
import type { TenureEvent, TenureState, TenureStep } from './tenure-states.ts';

export interface HostRules extends LeaseRules {
  /** Where children of a split begin (D1): what is acknowledged and stored, never what was only read. */
  childPosition(keeper: Keeper, pump: Pump | undefined): string | undefined;
  /** Whether nobody takes this lease or makes its successors again (D4). */
  isTombstone(lease: Lease): boolean;
  /** What is wrong with the leases of a group (D5). */
  audit(leases: readonly Lease[]): Coverage;
  /** How long a lock must stay the same before it is taken over, time to live or not (D6). */
  lockMs(settings: LeaseSettings): number;
  /** Whether the owner of a lease must be dead (D7): by the looker's clock alone. `wallMs`: what the looker's wall clock says. */
  isExpired(lease: Lease, seen: Sightings, nowMs: number, settings: LeaseSettings, wallMs: number): boolean;
  /** Leases of one token in several documents: the one that counts (D10). Never throws. */
  chooseDuplicate(leases: readonly Lease[]): Lease;
  /** Whether the modes of all leases allow to read in `mode` (D14). */
  isModeOf(leases: readonly Lease[], mode: Lease['mode']): boolean;
  /** How long a drain waits for handlers that do not end (D16). */
  drainMs(askedMs: number): number;
  /** A test may want to see every step. */
  onStep(state: TenureState, event: TenureEvent, step: TenureStep): void;
}

export const hostRules: HostRules = {
  ...leaseRules,
  childPosition: (keeper) => keeper.position,
  isTombstone: (lease) => lease.isTombstone,
  audit: auditCoverage,
  lockMs: (settings) => settings.expirationMs / 2,
  isExpired: (lease, seen, nowMs, settings) => seen.unchangedMs(lease.stored, nowMs) >= settings.expirationMs,
  chooseDuplicate: (leases) => leases.reduce((best, lease) => (isLower(lease, best) ? lease : best)),
  isModeOf: (leases, mode) => leases.every((lease) => lease.mode === mode),
  drainMs: (askedMs) => askedMs,
  onStep: () => {},
};

/** Whether the lease was left by this very process: nobody else delivers for it. */
export function isLeftover(lease: Lease, holder: Holder): boolean {
  return lease.owner === holder.instance && lease.mark?.nonce === holder.nonce;
}

/** Every position is behind what was acknowledged, so each copy is safe. The choice must only be the same on every host. */
function isLower(a: Lease, b: Lease): boolean {
  if ((a.owner === undefined) !== (b.owner === undefined)) return a.owner !== undefined;
  return a.id === b.id ? a.stored.key < b.stored.key : a.id < b.id;
}
