// Which leases a host of .NET takes (processor.md 1.5): a pure function of all lease documents, its name and its own clock.

import type { DotnetLease } from './lease-document.ts';

export interface EqualPartitionsInput {
  readonly leases: readonly DotnetLease[];
  readonly instance: string;
  readonly nowMs: number;
  readonly expirationMs: number;
  /** 0: no bound; .NET version 3 has no other. */
  readonly leasesMin?: number;
  readonly leasesMax?: number;
}

export function leasesToTake(input: EqualPartitionsInput): readonly DotnetLease[] {
  const { leases, nowMs, expirationMs, leasesMin = 0, leasesMax = 0 } = input;
  const me = input.instance.toLowerCase();
  const available: DotnetLease[] = [];
  const counts = new Map<string, number>();
  for (const lease of leases) {
    // D7: the clock of whoever wrote the lease against mine.
    if (lease.owner === null || lease.timestampMs + expirationMs < nowMs) available.push(lease);
    else counts.set(lease.owner.toLowerCase(), (counts.get(lease.owner.toLowerCase()) ?? 0) + 1);
  }
  const mine = counts.get(me) ?? 0;
  counts.set(me, mine);
  const workers = counts.size;
  let target = leases.length > workers ? Math.ceil(leases.length / workers) : 1;
  if (leasesMax > 0) target = Math.min(target, leasesMax);
  if (leasesMin > 0) target = Math.max(target, leasesMin);
  const need = target - mine;
  if (need <= 0) return [];
  if (available.length > 0) return available.slice(0, need);
  const stolen = leaseToSteal(leases, counts, target, need);
  return stolen === undefined ? [] : [stolen];
}

/** One in a tick, from whoever has most: the last of them where several do. */
function leaseToSteal(
  leases: readonly DotnetLease[],
  counts: ReadonlyMap<string, number>,
  target: number,
  need: number,
): DotnetLease | undefined {
  let victim: string | undefined;
  let most = 0;
  for (const [worker, count] of counts) {
    if (victim === undefined || count >= most) {
      victim = worker;
      most = count;
    }
  }
  if (most <= target - (need > 1 ? 1 : 0)) return undefined;
  // The first one: several thieves choose the same.
  return leases.find(({ owner }) => owner?.toLowerCase() === victim);
}
