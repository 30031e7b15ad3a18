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
import { leaseId, sidecarId, sidecarsOfLease, tokenOfKeys } from '../lease/lease-names.ts';
import { epochOf } from '../lease/sidecars.ts';
import { ProcessorError } from '../processor-error.ts';
import type { StoredDocument } from '../store/document-store.ts';
import type { MissingLease } from './audit.ts';
import { auditCoverage, missingLeases, yieldsTo } from './audit.ts';
import type { Health } from './health.ts';
import { noteFirst } from './position-notes.ts';

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

/**
 * Leases for parts of what `lease` covers: by the id of a range where that lies whole inside a lease by range, else by keys. Of the very
 * same keys always by keys, also where one range has them: then every successor goes before its lease (`yieldsTo`).
 */
function successorsOf(
  lease: MissingLease,
  parts: readonly KeyRange[],
  ranges: readonly PhysicalRange[],
): MissingLease[] {
  return missingLeases(parts, ranges).map((missing) => {
    const { keys } = missing;
    const isByRange = lease.kind === 'physical' && !(keys.min === lease.keys.min && keys.max === lease.keys.max);
    return isByRange ? missing : { token: tokenOfKeys(keys), kind: 'keys', keys };
  });
}

export interface SplitParts extends AcquireParts {
  readonly names: LeaseNames;
  readonly health: Health;
  readonly isTombstone: (lease: Lease) => boolean;
  /** Leases of these ids are this host's to begin when the split is done, and not before. */
  readonly reserve: (leaseIds: readonly string[]) => void;
}

/** Undefined: no other lease has keys of this one, and its range is there. It stays as it is. */
export type Replacement = { readonly created: readonly Acquired[]; readonly tokens: readonly string[] } | undefined;

/**
 * Creates what is missing of the successors, owned by this host, and ends the lease. Resolves with the successors that are this host's.
 * Rejects when the store fails or the lease is lost; then the lease is as it was, or a tombstone already.
 *
 * A lease that is there already knows better where it is, and so do leases of a later split: only what none of them covers is created.
 * When the lease ends, each of its keys has been seen to have a lease that goes before it; SPEC says why that is enough.
 */
export async function replaceLease(
  parts: SplitParts,
  keeper: Keeper,
  lease: MissingLease,
  ranges: readonly PhysicalRange[],
  position: string | undefined,
): Promise<Replacement> {
  parts.reserve(successorsOf(lease, [lease.keys], ranges).map(({ token }) => leaseId(parts.names, token)));
  const others = await leasesBefore(parts, { id: keeper.lease.id, kind: lease.kind, keys: lease.keys });
  if (others.length === 0 && succession(lease, ranges).kind === 'same') return undefined;
  const successors = successorsOf(lease, uncovered(lease.keys, others), ranges);
  parts.reserve(successors.map(({ token }) => leaseId(parts.names, token)));
  const created: Acquired[] = [];
  for (const successor of successors) {
    if (!keeper.isHeld()) throw lost(keeper);
    const unmade = {
      id: leaseId(parts.names, successor.token),
      ...successor,
      owner: parts.holder.instance,
      position,
      mode: keeper.lease.mode,
      epochMin: keeper.epoch + 1,
      timestamp: parts.stamp(),
    };
    const acquired = await createLease(parts, unmade, noteFirst(parts, parts.names, unmade));
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
 * Anybody who sees a tombstone may remove it. Where that is not allowed it stays, harmless, and somebody should know. Resolves with whether
 * it is worth trying again.
 *
 * What lies beside it was read while it was there and is removed as it was read: once the tombstone is gone, its id may be a lease again at
 * any moment, with notes of its own. One that is about to be begins above the epoch of the tombstone, and its note is there before it is.
 */
export async function removeTombstone(parts: Omit<SplitParts, 'reserve'>, tombstone: Lease): Promise<boolean> {
  const { store, signal, health } = parts;
  let beside: readonly StoredDocument[];
  try {
    // One that was only a copy has no children, and what lies beside it belongs to the other.
    beside = hasChildren(tombstone) ? await readBeside(parts, tombstone) : [];
    await store.remove(tombstone.stored, signal);
    health.clear('parent-not-removed', tombstone.token);
  } catch (error) {
    // Credentials that are refused may be right again in a moment; a permission that they lack is lacking.
    if (!isDatabaseError(error) || error.code !== 'forbidden') return true;
    const message = `The lease of the split range ${tombstone.token} cannot be removed from ${store.name}: the credentials lack the permission to delete documents.`;
    health.raise('parent-not-removed', tombstone.token, message, error);
    return false;
  }
  // What stays is only rubbish: nothing reads it any more.
  for (const sidecar of beside) await store.remove(sidecar, signal).catch(() => {});
  return false;
}

async function readBeside(parts: Omit<SplitParts, 'reserve'>, tombstone: Lease): Promise<readonly StoredDocument[]> {
  const { store, signal, names } = parts;
  const ids = sidecarsOfLease.map((kind) => sidecarId(names, kind, tombstone.token));
  const found = await Promise.all(ids.map((id) => store.read(id, { signal })));
  return found.flatMap((stored) =>
    stored !== undefined && epochOf(stored) <= (tombstone.mark?.epoch ?? 0) ? [stored] : [],
  );
}

/**
 * Live leases that go before this one. One for more keys is an ancestor, whose successors this lease is among. A list may be of the past,
 * so each is read again: nothing is left out because of a lease that is gone by now.
 */
async function leasesBefore(parts: SplitParts, lease: Parameters<typeof yieldsTo>[0]): Promise<Lease[]> {
  const { store, signal, names } = parts;
  const isBefore = (other: Lease): boolean => !parts.isTombstone(other) && yieldsTo(lease, other);
  const listed = (await store.list(names.leases, signal))
    .flatMap((stored) => readLease(stored, names.leases) ?? [])
    .filter(isBefore);
  const found: Lease[] = [];
  for (const { stored } of listed) {
    const again = await store.read(stored.id, { key: stored.key, signal });
    const other = again === undefined ? undefined : readLease(again, names.leases);
    if (other !== undefined && isBefore(other)) found.push(other);
  }
  return found;
}

function lost(keeper: Keeper): ProcessorError {
  return new ProcessorError(
    'lease-lost',
    `The lease of range ${keeper.lease.token} was lost while its range was split.`,
  );
}
