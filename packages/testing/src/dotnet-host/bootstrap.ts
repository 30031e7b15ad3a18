// The first host makes the leases (processor.md 1.6). Once `.info` is there nobody looks again whether they cover everything
// (D5), and a lock that a dead host left behind ends only where the store honours its time to live (D6).

import type { Clock } from '@tidemark/client';
import { isDatabaseError } from '@tidemark/model';
import type { DocumentStore, FeedSource, StoredDocument } from '@tidemark/processor';
import type { LeaseManager } from './lease-manager.ts';
import { createInParallel } from './synchronizer.ts';

const lockSeconds = 30;
const waitMs = 15_000;

export interface BootstrapOptions {
  readonly store: DocumentStore;
  readonly source: FeedSource;
  readonly clock: Clock;
  readonly manager: LeaseManager;
  readonly prefix: string;
  readonly signal: AbortSignal;
}

export async function bootstrap(options: BootstrapOptions): Promise<void> {
  const { store, clock, prefix, signal } = options;
  while (!signal.aborted) {
    if ((await store.read(`${prefix}.info`)) !== undefined) return;
    const lock = await createOrNothing(store, { id: `${prefix}.lock`, ttl: lockSeconds });
    if (lock === undefined) {
      await clock.sleep(waitMs, signal);
      continue;
    }
    try {
      await createMissing(options);
      await createOrNothing(store, { id: `${prefix}.info` });
    } finally {
      await store.remove(lock).catch((error: unknown) => {
        const isOver = isDatabaseError(error) && (error.code === 'not-found' || error.code === 'precondition-failed');
        if (!isOver) throw error;
      });
    }
  }
}

/** The ranges before the leases: a lease that is made in between is one of a range that was seen. */
async function createMissing({ source, manager }: BootstrapOptions): Promise<void> {
  const ranges = await source.ranges();
  const leases = await manager.list();
  const tokens = new Set(leases.map(({ token }) => token));
  const edges = leases.filter(({ version }) => version === 1).map(({ keys }) => keys);
  const missing = ranges.filter(
    ({ id, min, max }) => !tokens.has(id) && !edges.some((keys) => keys?.min === min || keys?.max === max),
  );
  await createInParallel(
    manager,
    missing.map(({ id, min, max }) => ({ token: id, version: 0, keys: { min, max }, continuation: null })),
  );
}

async function createOrNothing(
  store: DocumentStore,
  body: { readonly id: string; readonly ttl?: number },
): Promise<StoredDocument | undefined> {
  try {
    return await store.create(body);
  } catch (error) {
    if (isDatabaseError(error) && error.code === 'conflict') return undefined;
    throw error;
  }
}
