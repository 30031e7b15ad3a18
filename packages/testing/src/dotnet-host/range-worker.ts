// One lease that a host of .NET owns: a task that reads and a task that renews, and whichever ends first ends the other
// (processor.md 1.1, 1.3, 1.8).

import type { Clock } from '@tidemark/client';
import { isDatabaseError } from '@tidemark/model';
import type { FeedPage, FeedSource } from '@tidemark/processor';
import type { DotnetLease } from './lease-document.ts';
import type { LeaseManager } from './lease-manager.ts';
import { LeaseLostError } from './lease-manager.ts';

interface DotnetContext {
  readonly leaseToken: string;
  /** With manual checkpoints: stores the position of this page, be it before the stored one or after. */
  checkpoint(): Promise<void>;
}

export type DotnetHandler = (
  changes: readonly Readonly<Record<string, unknown>>[],
  context: DotnetContext,
) => Promise<void> | void;

export interface WorkerOptions {
  readonly source: FeedSource;
  readonly clock: Clock;
  readonly manager: LeaseManager;
  readonly handler: DotnetHandler;
  readonly mode: 'latest' | 'all-versions';
  readonly start: 'beginning' | 'now' | { readonly timeMs: number };
  readonly itemsMax: number | undefined;
  readonly pollMs: number;
  readonly renewMs: number;
  readonly isManual: boolean;
  /** Version 2 stays where it is when it is throttled; version 3 gives the lease up (D8). */
  readonly retriesInPlace: boolean;
}

export type WorkerEnd =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'gone'; readonly lastRead: string | null }
  | { readonly kind: 'observer-error' | 'failed'; readonly error: unknown };

class ObserverError extends Error {}

export class RangeWorker {
  readonly #options: WorkerOptions;
  readonly #cancel = new AbortController();
  #lease: DotnetLease;
  #lastRead: string | null;

  constructor(lease: DotnetLease, options: WorkerOptions) {
    this.#lease = lease;
    this.#lastRead = lease.continuation;
    this.#options = options;
  }

  get lease(): DotnetLease {
    return this.#lease;
  }

  cancel(): void {
    this.#cancel.abort();
  }

  async run(): Promise<WorkerEnd> {
    const tasks = [this.#read(), this.#renew()].map((task) => task.finally(() => this.cancel()));
    // The first to fail says why; the other one is waited for.
    const settled = await Promise.allSettled(tasks);
    const reasons = settled.filter((each) => each.status === 'rejected').map(({ reason }) => reason as unknown);
    const error = reasons.find((each) => !isAbort(each));
    if (error === undefined) return { kind: 'stopped' };
    if (error instanceof LeaseLostError) return { kind: 'lost' };
    if (error instanceof ObserverError) return { kind: 'observer-error', error: error.cause };
    if (isDatabaseError(error) && error.code === 'range-gone') return { kind: 'gone', lastRead: this.#lastRead };
    return { kind: 'failed', error };
  }

  async #read(): Promise<void> {
    const { clock, pollMs } = this.#options;
    const { signal } = this.#cancel;
    while (!signal.aborted) {
      const page = await this.#page();
      if (signal.aborted) return;
      this.#lastRead = page.position;
      if (page.items.length > 0) await this.#dispatch(page);
      // D9: a position without changes is kept here only.
      else if (page.isDrained) await clock.sleep(pollMs, signal);
    }
  }

  async #page(): Promise<FeedPage> {
    const { source, mode, start, itemsMax, clock, retriesInPlace } = this.#options;
    const { signal } = this.#cancel;
    const { token, version, keys } = this.#lease;
    const where = version === 0 ? { range: token } : { keys };
    const from = this.#lastRead === null ? start : { position: this.#lastRead };
    for (;;) {
      try {
        return await source.read({ ...where, mode, from, itemsMax, signal });
      } catch (error) {
        const isThrottled =
          isDatabaseError(error) && (error.code === 'too-many-requests' || error.code === 'unavailable');
        if (!retriesInPlace || !isThrottled || signal.aborted) throw error;
        await clock.sleep(error.retryAfterMs ?? throttledMs, signal);
      }
    }
  }

  async #dispatch(page: FeedPage): Promise<void> {
    const { handler, isManual } = this.#options;
    const changes = page.items.map((item) => {
      // What cannot be parsed is read again for ever (processor.md 1.8).
      if (!('value' in item)) throw new Error(item.reason);
      return item.value;
    });
    const checkpoint = async (): Promise<void> => {
      this.#lease = await this.#options.manager.checkpoint(this.#lease, page.position);
    };
    try {
      await handler(changes, { leaseToken: this.#lease.token, checkpoint });
    } catch (error) {
      throw error instanceof LeaseLostError ? error : new ObserverError('The delegate failed.', { cause: error });
    }
    if (!isManual) await checkpoint();
  }

  /** D2: nothing but a lost lease ends it; what else fails is tried again a whole interval later. */
  async #renew(): Promise<void> {
    const { clock, renewMs, manager } = this.#options;
    const { signal } = this.#cancel;
    await clock.sleep(renewMs / 2, signal);
    while (!signal.aborted) {
      try {
        this.#lease = await manager.renew(this.#lease);
      } catch (error) {
        if (error instanceof LeaseLostError) throw error;
      }
      await clock.sleep(renewMs, signal);
    }
  }
}

const throttledMs = 1_000;

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
