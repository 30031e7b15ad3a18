// Taking a lease: one compare-and-swap that changes owner, epoch and, where it has none, position together.

import type { KeyRange } from '@tidemark/model';
import { isDatabaseError } from '@tidemark/model';
import type { Ground } from '../environment.ts';
import type { DocumentBody, DocumentStore, StoredDocument } from '../store/document-store.ts';
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

/** Creates a lease, owned by this host when it has a mark. Undefined when there is one of this id already. */
export async function createLease(parts: AcquireParts, lease: NewLease): Promise<Acquired | undefined> {
  const body = newLeaseBody(lease);
  const sentAtMs = parts.clock.monotonicMs();
  const at = { id: lease.id, key: lease.id };
  const created = await settle(parts, at, lease.mark, sentAtMs, (signal) => parts.store.create(body, signal));
  return created ?? revive(parts, lease, body);
}

/** A tombstone that nobody may remove has the id, and its keys have become a range of their own again. */
async function revive(parts: AcquireParts, lease: NewLease, body: DocumentBody): Promise<Acquired | undefined> {
  const stored = await parts.store.read(lease.id, { signal: parts.signal });
  const found = stored === undefined ? undefined : readLease(stored, parts.leasesPrefix);
  if (stored === undefined || found?.isTombstone !== true) return undefined;
  const sentAtMs = parts.clock.monotonicMs();
  return settle(parts, stored, lease.mark, sentAtMs, (signal) => parts.store.replace(stored, body, signal));
}

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
