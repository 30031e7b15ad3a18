// What becomes of a lease whose range was split or merged (processor.md 1.7).
//
//   successors are created, at the last position that was acknowledged and stored → the lease becomes a tombstone → it is removed
//
// A crash in between leaves the lease alive: its next owner is told again that the range is gone, and makes what is missing. A tombstone
// that may not be removed stays one: nobody takes it, so it can never make successors a second time, from an ancient position (D4).

import type { KeyRange } from '@tidemark/model';
import { intersectKeyRanges, isDatabaseError, keyRangesIntersect } from '@tidemark/model';
import type { PhysicalRange } from '../feed/feed-source.ts';
import type { Acquired, AcquireParts } from '../lease/acquire.ts';
import { createLease } from '../lease/acquire.ts';
import { hasChildren, readLease } from '../lease/dotnet-lease.ts';
import type { Keeper } from '../lease/keeper.ts';
import type { Lease } from '../lease/lease.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { leaseId, sidecarId, tokenOfKeys } from '../lease/lease-names.ts';
import { ProcessorError } from '../processor-error.ts';
import type { MissingLease } from './audit.ts';
import { auditCoverage, missingLeases } from './audit.ts';
import type { Health } from './health.ts';

export type Succession =
  /** The lease goes on as it is: the range still exists, or another one has all of its keys. */
  { readonly kind: 'same' } | { readonly kind: 'successors'; readonly successors: readonly MissingLease[] };

/** Who reads the keys of `lease` now that `ranges` are what they are. */
export function succession(lease: MissingLease, ranges: readonly PhysicalRange[]): Succession {
  const heirs = ranges.filter((range) => keyRangesIntersect(range, lease.keys));
  const isPhysical = lease.kind === 'physical';
  if (isPhysical && heirs.length === 1 && heirs[0]?.id === lease.token) return { kind: 'same' };
  if (!isPhysical && heirs.length <= 1) return { kind: 'same' };
  return { kind: 'successors', successors: successorsOf(lease, [lease.keys], ranges) };
}

/** Leases for parts of what `lease` covers: by the id of a range where that lies whole inside a lease by range, else by keys. */
function successorsOf(
  lease: MissingLease,
  parts: readonly KeyRange[],
  ranges: readonly PhysicalRange[],
): MissingLease[] {
  return missingLeases(parts, ranges).map((missing) =>
    lease.kind === 'physical' ? missing : { token: tokenOfKeys(missing.keys), kind: 'keys', keys: missing.keys },
  );
}

export interface SplitParts extends AcquireParts {
  readonly names: LeaseNames;
  readonly health: Health;
  readonly isTombstone: (lease: Lease) => boolean;
  /** Leases of these ids are this host's to begin when the split is done, and not before. */
  readonly reserve: (leaseIds: readonly string[]) => void;
}

/**
 * Creates what is missing of the successors, owned by this host, and ends the lease. Resolves with the successors that are this host's.
 * Rejects when the store fails or the lease is lost; then the lease is as it was, or a tombstone already.
 *
 * A lease that is there already knows better where it is, and so do leases of a later split: only what none of them covers is created.
 */
export async function replaceLease(
  parts: SplitParts,
  keeper: Keeper,
  lease: MissingLease,
  ranges: readonly PhysicalRange[],
  position: string | undefined,
): Promise<{ readonly created: readonly Acquired[]; readonly tokens: readonly string[] }> {
  parts.reserve(successorsOf(lease, [lease.keys], ranges).map(({ token }) => leaseId(parts.names, token)));
  const others = await leasesWithin(parts, keeper.lease, lease.keys);
  const open = uncovered(lease.keys, others);
  const successors = successorsOf(lease, open, ranges);
  parts.reserve(successors.map(({ token }) => leaseId(parts.names, token)));
  const created: Acquired[] = [];
  for (const successor of successors) {
    if (!keeper.isHeld()) throw lost(keeper);
    const acquired = await createLease(parts, {
      id: leaseId(parts.names, successor.token),
      ...successor,
      owner: parts.holder.instance,
      position,
      mode: keeper.lease.mode,
      mark: {
        epoch: keeper.epoch + 1,
        instance: parts.holder.instance,
        nonce: parts.holder.nonce,
        writeId: parts.holder.nextWriteId(),
      },
      timestamp: parts.stamp(),
    });
    if (acquired !== undefined) created.push(acquired);
  }
  const tokens = [...others.map(({ token }) => token), ...successors.map(({ token }) => token)];
  const isDone = await keeper.finish({ kind: 'tombstone', children: tokens });
  if (!isDone) throw lost(keeper);
  await removeTombstone(parts, keeper.lease);
  return { created, tokens };
}

/** What of the keys no lease covers. */
function uncovered(keys: KeyRange, leases: readonly Lease[]): KeyRange[] {
  const { holes } = auditCoverage(leases);
  return holes.flatMap((hole) => intersectKeyRanges(hole, keys) ?? []);
}

/**
 * Whoever sees a tombstone may remove it. Where that is not allowed it stays, harmless, and somebody should know. Resolves with whether it
 * is worth trying again.
 */
export async function removeTombstone(parts: Omit<SplitParts, 'reserve'>, tombstone: Lease): Promise<boolean> {
  const { store, signal, health, names } = parts;
  try {
    await store.remove(tombstone.stored, signal);
    health.clear('parent-not-removed', tombstone.token);
  } catch (error) {
    const code = isDatabaseError(error) ? error.code : undefined;
    if (code === 'forbidden' || code === 'unauthorized') {
      const message = `The lease of the split range ${tombstone.token} cannot be removed from ${store.name}: the credentials lack the permission to delete documents.`;
      health.raise('parent-not-removed', tombstone.token, message, error);
      return false;
    }
    return true;
  }
  // One that was only a copy has no children, and what lies beside it belongs to the other.
  if (!hasChildren(tombstone)) return false;
  for (const kind of ['position', 'done', 'retry'] as const) {
    await removeSidecar(parts, sidecarId(names, kind, tombstone.token));
  }
  return false;
}

async function removeSidecar(parts: Pick<SplitParts, 'store' | 'signal'>, id: string): Promise<void> {
  const { store, signal } = parts;
  try {
    const stored = await store.read(id, { signal });
    if (stored !== undefined) await store.remove(stored, signal);
  } catch {
    // It is only rubbish: nothing reads it any more.
  }
}

/**
 * Leases for parts of the same keys. One for more than them is an ancestor, whose successors this lease is among. A list may be of the
 * past, so each is read again: nothing is left out because of a lease that is gone by now.
 */
async function leasesWithin(parts: SplitParts, lease: Lease, keys: KeyRange): Promise<Lease[]> {
  const { store, signal, names } = parts;
  const isLive = (other: Lease): boolean => other.id !== lease.id && !parts.isTombstone(other);
  const listed = (await store.list(names.leases, signal))
    .flatMap((stored) => readLease(stored, names.leases) ?? [])
    .filter((other) => isLive(other) && isWithin(other.keys, keys));
  const found: Lease[] = [];
  for (const { stored } of listed) {
    const again = await store.read(stored.id, { key: stored.key, signal });
    const other = again === undefined ? undefined : readLease(again, names.leases);
    if (other !== undefined && isLive(other)) found.push(other);
  }
  return found;
}

function isWithin(part: KeyRange | undefined, whole: KeyRange): boolean {
  return part !== undefined && whole.min <= part.min && part.max <= whole.max;
}

function lost(keeper: Keeper): ProcessorError {
  return new ProcessorError(
    'lease-lost',
    `The lease of range ${keeper.lease.token} was lost while its range was split.`,
  );
}
