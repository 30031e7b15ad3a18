// Taking a lease: one compare-and-swap that changes owner, epoch and, where it has none, position together.

import type { KeyRange } from '@tidemark/model';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Ground } from '../environment.ts';
import type { DocumentStore, StoredDocument } from '../store/document-store.ts';
import type { NewLease } from './dotnet-lease.ts';
import { changedLeaseBody, newLeaseBody, readLease } from './dotnet-lease.ts';
import type { Holder, LeaseRules } from './holder.ts';
import type { Lease, LeaseMark } from './lease.ts';

export interface AcquireParts extends Ground {
  readonly store: DocumentStore;
  readonly leasesPrefix: string;
  readonly holder: Holder;
  readonly rules: LeaseRules;
  readonly stamp: () => string;
  readonly signal: AbortSignal;
}

/** A lease that is this host's, with the moment before the request that made it so was sent. */
export interface Acquired {
  readonly lease: Lease;
  readonly epoch: number;
  readonly sentAtMs: number;
}

/** Undefined when somebody was faster, or the lease is gone. Rejects when the store fails. */
export async function acquireLease(
  parts: AcquireParts,
  lease: Lease,
  fill: { readonly keys: KeyRange; readonly position: string | undefined },
): Promise<Acquired | undefined> {
  const mark = parts.rules.nextMark(lease, parts.holder);
  const body = changedLeaseBody(lease, {
    owner: parts.holder.instance,
    position: fill.position,
    keys: fill.keys,
    mark,
    timestamp: parts.stamp(),
  });
  const sentAtMs = parts.clock.monotonicMs();
  return settle(parts, lease.stored, mark, sentAtMs, (signal) => parts.store.replace(lease.stored, body, signal));
}

export interface UnmadeLease extends Omit<NewLease, 'mark'> {
  /** 0: nobody has had it. */
  readonly epochMin: number;
}

/**
 * Creates a lease. A tombstone that has the id, whose keys are a lease of their own again, becomes
 * the lease: one epoch after its own, and where a note and not an owner says the position, never before its own.
 *
 * Undefined: a live lease of this id was seen. Rejects when there is neither that nor a new one: nobody counts on a lease that is not there.
 *
 * `prepare` runs before each try, is told the lowest epoch that the lease may have, and resolves with the one it gets.
 */
export async function createLease(
  parts: AcquireParts,
  lease: UnmadeLease,
  prepare: (epochMin: number) => Promise<number> = async (epochMin) => epochMin,
): Promise<Acquired | undefined> {
  const { store, signal, rules, holder } = parts;
  for (let tries = 0; tries < createTriesMax; tries += 1) {
    const stored = await store.read(lease.id, { signal });
    const former = stored === undefined ? undefined : readLease(stored, parts.leasesPrefix);
    if (stored !== undefined && former?.isTombstone !== true) return undefined;
    const formerEpoch = former === undefined ? 0 : (former.mark?.epoch ?? 0) + 1;
    const epoch = await prepare(Math.max(lease.epochMin, formerEpoch));
    const { instance, nonce } = holder;
    const mark = epoch === 0 ? undefined : { epoch, instance, nonce, writeId: holder.nextWriteId() };
    const { epochMin: _, ...facts } = lease;
    const isLater = lease.owner !== undefined || former?.position === undefined || movesOn(former.position);
    const body = newLeaseBody({ ...facts, mark, position: isLater ? lease.position : former.position });
    const sentAtMs = parts.clock.monotonicMs();
    const write = (inner: AbortSignal): Promise<StoredDocument> =>
      stored === undefined ? store.create(body, inner) : store.replace(stored, body, inner);
    const created = await settle(parts, stored ?? { id: lease.id, key: lease.id }, mark, sentAtMs, write);
    if (created !== undefined) return created;
  }
  throw new DatabaseError('unavailable', `The lease ${lease.id} is made and removed by others at the same time.`);

  function movesOn(position: string): boolean {
    return lease.position !== undefined && rules.mayMove(position, lease.position);
  }
}

/** Between two tries somebody has removed or made a document of this id. */
const createTriesMax = 5;

async function settle(
  parts: AcquireParts,
  at: Pick<StoredDocument, 'id' | 'key'> & { readonly etag?: string },
  mark: LeaseMark | undefined,
  sentAtMs: number,
  write: (signal: AbortSignal) => Promise<StoredDocument>,
): Promise<Acquired | undefined> {
  const { store, signal: outer } = parts;
  let stored: StoredDocument | undefined;
  try {
    stored = await write(outer);
  } catch (error) {
    const code = isDatabaseError(error) ? error.code : 'outcome-unknown';
    if (outer.aborted) throw error;
    if (code === 'not-found') return undefined;
    const isOpen = code === 'outcome-unknown' || code === 'request-timeout';
    const isRefused = code === 'precondition-failed' || code === 'conflict';
    if (!isOpen && !isRefused) throw error;
    // The transport may have sent it twice: a refusal can be the answer to our own second try (S14).
    stored = await store.read(at.id, { key: at.key, signal: outer });
    const found = stored === undefined ? undefined : readLease(stored, parts.leasesPrefix);
    if (mark === undefined || found?.mark?.writeId !== mark.writeId) {
      // Nobody was faster where nothing has changed: the store has failed, and whoever asked waits before it tries again.
      if (isOpen && stored?.etag === at.etag) throw error;
      return undefined;
    }
  }
  const lease = stored === undefined ? undefined : readLease(stored, parts.leasesPrefix);
  return lease === undefined ? undefined : { lease, epoch: mark?.epoch ?? 0, sentAtMs };
}
