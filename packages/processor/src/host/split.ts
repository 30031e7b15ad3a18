// What becomes of a lease whose range was split or merged (processor.md 1.7).
//
//   successors are created, at the last position that was acknowledged and stored → the lease becomes a tombstone → it is removed
//
// A crash in between leaves the lease alive: its next owner is told again that the range is gone, and makes what is missing. A tombstone
// that may not be removed stays one: nobody takes it, so it can never make successors a second time, from an ancient position (D4).

import type { KeyRange } from '@tidemark/model';
import { intersectKeyRanges, isDatabaseError } from '@tidemark/model';
import type { PhysicalRange } from '../feed/feed-source.ts';
import type { Acquired, AcquireParts } from '../lease/acquire.ts';
import { createLease } from '../lease/acquire.ts';
import { readLease } from '../lease/dotnet-lease.ts';
import type { Keeper } from '../lease/keeper.ts';
import type { Lease } from '../lease/lease.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { leaseId, sidecarId, tokenOfKeys } from '../lease/lease-names.ts';
import { ProcessorError } from '../processor-error.ts';
import type { MissingLease } from './audit.ts';
import { doesOverlap } from './audit.ts';
import type { Health } from './health.ts';

export type Succession =
  /** The lease goes on as it is: the range still exists, or another one has all of its keys. */
  { readonly kind: 'same' } | { readonly kind: 'successors'; readonly successors: readonly MissingLease[] };

/** Who reads the keys of `lease` now that `ranges` are what they are. */
export function succession(
  lease: { readonly token: string; readonly kind: Lease['kind']; readonly keys: KeyRange },
  ranges: readonly PhysicalRange[],
): Succession {
  const heirs = ranges.flatMap((range) => {
    const keys = intersectKeyRanges(lease.keys, range);
    return keys === undefined ? [] : [{ range, keys }];
  });
  const isPhysical = lease.kind === 'physical';
  if (isPhysical && heirs.length === 1 && heirs[0]?.range.id === lease.token) return { kind: 'same' };
  if (!isPhysical && heirs.length <= 1) return { kind: 'same' };
  const successors = heirs.map(({ range, keys }): MissingLease => {
    const isWhole = keys.min === range.min && keys.max === range.max;
    if (isPhysical && isWhole) return { token: range.id, kind: 'physical', keys };
    return { token: tokenOfKeys(keys), kind: 'keys', keys };
  });
  return { kind: 'successors', successors };
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
 */
export async function replaceLease(
  parts: SplitParts,
  keeper: Keeper,
  successors: readonly MissingLease[],
  position: string | undefined,
): Promise<readonly Acquired[]> {
  parts.reserve(successors.map(({ token }) => leaseId(parts.names, token)));
  const others = await leasesBeside(parts, keeper.lease);
  const created: Acquired[] = [];
  for (const successor of successors) {
    const id = leaseId(parts.names, successor.token);
    // A lease that is there already knows better where it is. So do leases of a later split: this one must not be seeded under them.
    if (await isCovered(parts, successor.keys, others)) continue;
    if (!keeper.isHeld()) throw lost(keeper);
    const acquired = await createLease(parts, {
      id,
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
  const isDone = await keeper.finish({ kind: 'tombstone', children: successors.map(({ token }) => token) });
  if (!isDone) throw lost(keeper);
  await removeTombstone(parts, keeper.lease);
  return created;
}

/** Whoever sees a tombstone may remove it. Where that is not allowed it stays, harmless, and somebody should know. */
export async function removeTombstone(parts: Omit<SplitParts, 'reserve'>, tombstone: Lease): Promise<void> {
  const { store, signal, health, names } = parts;
  try {
    await store.remove(tombstone.stored, signal);
    health.clear('parent-not-removed', tombstone.token);
  } catch (error) {
    const code = isDatabaseError(error) ? error.code : undefined;
    if (code === 'forbidden' || code === 'unauthorized') {
      const message = `The lease of the split range ${tombstone.token} cannot be removed from ${store.name}: the credentials lack the permission to delete documents.`;
      health.raise('parent-not-removed', tombstone.token, message, error);
    }
    return;
  }
  for (const kind of ['position', 'done', 'retry'] as const) {
    await removeSidecar(parts, sidecarId(names, kind, tombstone.token));
  }
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

/** The list may be of the past: nothing is left out because of a lease that is gone by now. */
async function isCovered(parts: SplitParts, keys: KeyRange, others: readonly Lease[]): Promise<boolean> {
  const { store, signal, names } = parts;
  for (const { stored } of others.filter((other) => doesOverlap(keys, other))) {
    const found = await store.read(stored.id, { key: stored.key, signal });
    const lease = found === undefined ? undefined : readLease(found, names.leases);
    if (lease !== undefined && !parts.isTombstone(lease)) return true;
  }
  return false;
}

/** Leases for parts of the same keys. One for more than them is an ancestor, whose successors this lease is among. */
async function leasesBeside(parts: SplitParts, lease: Lease): Promise<Lease[]> {
  const { store, signal, names } = parts;
  const documents = await store.list(names.leases, signal);
  return documents
    .flatMap((stored) => readLease(stored, names.leases) ?? [])
    .filter((other) => other.id !== lease.id && !parts.isTombstone(other) && isWithin(other.keys, lease.keys));
}

function isWithin(part: KeyRange | undefined, whole: KeyRange | undefined): boolean {
  if (part === undefined || whole === undefined) return true;
  return whole.min <= part.min && part.max <= whole.max;
}

function lost(keeper: Keeper): ProcessorError {
  return new ProcessorError(
    'lease-lost',
    `The lease of range ${keeper.lease.token} was lost while its range was split.`,
  );
}
