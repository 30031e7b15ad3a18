// What any host of a group mends when it sees it: holes in the coverage, leases twice, tombstones and heartbeats that nobody removed.

import type { KeyRange } from '@tidemark/model';
import { intersectKeyRanges, keyRangesIntersect } from '@tidemark/model';
import { eachBounded } from '../bounded.ts';
import type { HealthProblem } from '../events.ts';
import type { PhysicalRange } from '../feed/feed-source.ts';
import { changedLeaseBody } from '../lease/dotnet-lease.ts';
import type { Lease } from '../lease/lease.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import type { Sightings } from '../lease/sightings.ts';
import { leasesAtOnceMax } from '../limits.ts';
import type { StoredDocument } from '../store/document-store.ts';
import type { Coverage } from './audit.ts';
import { HoleCounter, missingLeases, resolveKeys, superseded } from './audit.ts';
import type { BootstrapParts } from './bootstrap.ts';
import { acquireParts, createMissing, feedCall } from './bootstrap.ts';
import type { Group, StartRecord } from './group.ts';
import { removeTombstone } from './split.ts';

export interface HousekeepingParts extends BootstrapParts {
  readonly names: LeaseNames;
  readonly start: StartRecord;
}

export class Housekeeping {
  readonly #parts: HousekeepingParts;
  readonly #holes = new HoleCounter();
  readonly #overlaps = new HoleCounter();
  /** First tokens of pairs of leases that overlap for long. */
  #overlapping: ReadonlySet<string> = new Set();
  /** Tombstones that need not be tried again: they are gone, or may not be removed. Two documents may have one id. */
  #settled = new Set<string>();
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with what it learnt: the ranges, and leases that others have made needless. Rejects when the store or the feed fails.
   * `isFresh`: the list is not known to be of the past. What is missing in one that is may be there all the same.
   */
  async tidy(
    group: Group,
    ranges: readonly PhysicalRange[],
    sightings: Sightings,
    isFresh: boolean,
  ): Promise<{ readonly ranges: readonly PhysicalRange[]; readonly superseded: readonly Lease[] }> {
    await this.#removeRubbish(group, sightings);
    this.#tellDuplicates(group);
    this.#clearMoved(group);
    const { clock, rules, settings } = this.#parts;
    const known = resolveKeys(group.leases, ranges);
    const coverage = rules.audit(known);
    this.#holes.keep(coverage.holes);
    if (coverage.holes.length === 0) this.#clearHoles();
    // What nobody can tell the keys of is in nobody's way once everything is covered.
    const orphans = known.filter(({ keys, owner }) => keys === undefined && owner === undefined);
    if (coverage.holes.length === 0) for (const orphan of orphans) await this.#bury(orphan);
    const nowMs = clock.monotonicMs();
    // Looks that follow each other in no time are one look: a split on its way takes longer than that.
    if (!isFresh || nowMs - this.#countedAtMs < settings.lease.acquireMs / 2) return { ranges, superseded: [] };
    this.#countedAtMs = nowMs;
    const overlaps = this.#tellOverlaps(known, coverage.overlaps);
    // Whoever had the lease that somebody deleted may not have heard of it, and holds it until it expires.
    const { auditLooks, expirationMs } = settings.lease;
    const lasting = this.#holes.count(coverage.holes, auditLooks, expirationMs, nowMs);
    const holes = lasting.filter((hole) => !wasNotedSince(hole, group, sightings, expirationMs, nowMs));
    if (holes.length === 0) return { ranges, superseded: overlaps };
    const newest = await feedCall(this.#parts, (signal) => this.#parts.source.ranges(signal));
    // Leases that do not know their keys may be known now to cover the hole.
    const open = this.#stillOpen(resolveKeys(group.leases, newest), holes);
    await this.#mend(group, open, newest);
    this.#holes.forget(holes);
    return { ranges: newest, superseded: overlaps };
  }

  #stillOpen(leases: Group['leases'], holes: readonly KeyRange[]): KeyRange[] {
    const now = this.#parts.rules.audit(leases).holes;
    return holes.flatMap((hole) => now.flatMap((other) => intersectKeyRanges(hole, other) ?? []));
  }

  async #mend(group: Group, holes: readonly KeyRange[], ranges: readonly PhysicalRange[]): Promise<void> {
    const { names, start, health } = this.#parts;
    const missing = missingLeases(holes, ranges);
    for (const lease of missing) {
      const isNoted = group.positions.some(({ token }) => token === lease.token);
      const message = isNoted
        ? `The lease of range ${lease.token} was deleted; it is made again from its last noted position.`
        : `No lease covers ${lease.keys.min || '""'} to ${lease.keys.max}; one is made for range ${lease.token}.`;
      health.raise(isNoted ? 'lease-deleted' : 'coverage-hole', lease.token, message);
    }
    await eachBounded(missing, leasesAtOnceMax, (lease) => createMissing(this.#parts, names, lease, start, group));
  }

  /** What could not be read or handled here is another's matter once another has it. */
  #clearMoved(group: Group): void {
    const { health, holder } = this.#parts;
    for (const { problem, leaseToken } of health.current) {
      const owner = group.leases.find(({ token }) => token === leaseToken)?.owner;
      if (ofRange.has(problem) && owner !== undefined && owner !== holder.instance) health.clear(problem, leaseToken);
    }
  }

  #clearHoles(): void {
    const { health } = this.#parts;
    for (const { problem, leaseToken } of health.current) {
      if (problem === 'coverage-hole' || problem === 'lease-deleted') health.clear(problem, leaseToken);
    }
  }

  #tellDuplicates(group: Group): void {
    const { health } = this.#parts;
    for (const { token } of group.duplicates) {
      health.raise('duplicate-lease', token, `Range ${token} has more than one lease document; one of them counts.`);
    }
    const current = new Set([...this.#overlapping, ...group.duplicates.map(({ token }) => token)]);
    for (const { problem, leaseToken } of health.current) {
      if (problem === 'duplicate-lease' && !current.has(leaseToken ?? '')) health.clear(problem, leaseToken);
    }
  }

  /** A split or merge on its way overlaps for a moment. For longer, something was made twice: one of the two must go. */
  #tellOverlaps(leases: readonly Lease[], overlaps: Coverage['overlaps']): readonly Lease[] {
    const { health, settings } = this.#parts;
    const pairs = overlaps.map(([min, max]) => ({ min, max }));
    const lasting = this.#overlaps.count(pairs, overlapLooks * settings.lease.auditLooks, 0, this.#countedAtMs);
    this.#overlapping = new Set(lasting.map(({ min }) => min));
    for (const { min, max } of lasting) {
      health.raise('duplicate-lease', min, `The leases of ranges ${min} and ${max} overlap; one is taken back.`);
    }
    return lasting.flatMap(({ min, max }) => superseded([min, max], leases) ?? []);
  }

  /** A copy becomes a tombstone without children: that works also where nothing may be deleted. Failing, it is tried again. */
  async #bury(copy: Lease): Promise<void> {
    const { store, holder, rules, serverClock, signal } = this.#parts;
    const mark = rules.nextMark(copy, holder);
    const body = changedLeaseBody(copy, { owner: undefined, mark, children: [], timestamp: serverClock.stamp() });
    await store.replace(copy.stored, body, signal).catch(() => {});
  }

  async #removeRubbish(group: Group, sightings: Sightings): Promise<void> {
    const { clock, settings, names, health, rules } = this.#parts;
    const nowMs = clock.monotonicMs();
    const isOld = (stored: StoredDocument, times: number): boolean =>
      sightings.unchangedMs(stored, nowMs) >= times * settings.lease.expirationMs;
    const nameOf = ({ stored }: Lease): string => `${stored.id}\n${stored.key}`;
    const tombstones = group.tombstones.filter(
      (lease) => !this.#settled.has(nameOf(lease)) && isOld(lease.stored, 0.5),
    );
    const parts = {
      ...acquireParts(this.#parts, names),
      names,
      health,
      isTombstone: (lease: Lease) => rules.isTombstone(lease),
    };
    const present = new Set(group.tombstones.map(nameOf));
    this.#settled = new Set([...this.#settled].filter((name) => present.has(name)));
    for (const tombstone of tombstones) {
      if (!(await removeTombstone(parts, tombstone))) this.#settled.add(nameOf(tombstone));
    }
    const copies = group.duplicates.filter((lease) => lease.owner === undefined || isOld(lease.stored, 1));
    for (const copy of copies) await this.#bury(copy);
    const silent = group.beats.filter(({ stored }) => isOld(stored, 2));
    for (const { stored } of silent) {
      await this.#parts.store.remove(stored, this.#parts.signal).catch(() => {});
    }
  }
}

/** Between two looks somebody may have had a lease there that was deleted again. Its note tells: one was written before it was made. */
function wasNotedSince(hole: KeyRange, group: Group, sightings: Sightings, ms: number, nowMs: number): boolean {
  return group.positions.some(
    ({ keys, stored }) => keyRangesIntersect(keys, hole) && sightings.unchangedMs(stored, nowMs) < ms,
  );
}

const overlapLooks = 3;

const ofRange: ReadonlySet<HealthProblem> = new Set<HealthProblem>(['feed-failing', 'halted', 'position-refused']);
