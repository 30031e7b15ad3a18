// A host with the rules of the .NET processors, written from their description (processor.md 1.1-1.8), defects included. It
// works over the same seams as a host of this project, in one lease container with it: in the simulation, over HTTP, and as
// what the benchmark compares with.

import type { Clock } from '@tidemark/client';
import type { KeyRange } from '@tidemark/model';
import type { DocumentStore, FeedSource } from '@tidemark/processor';
import type { Life } from '../mortal.ts';
import { mortalStore } from '../mortal.ts';
import { bootstrap } from './bootstrap.ts';
import { leasesToTake } from './equal-partitions.ts';
import type { DotnetDialect, DotnetLease, DotnetMode } from './lease-document.ts';
import { LeaseLostError, LeaseManager } from './lease-manager.ts';
import type { DotnetHandler, WorkerEnd } from './range-worker.ts';
import { RangeWorker } from './range-worker.ts';
import { succeed } from './synchronizer.ts';

export interface DotnetHostOptions {
  readonly source: FeedSource;
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly name: string;
  readonly instance: string;
  readonly handler: DotnetHandler;
  /** Of the documents it writes. `v2` also splits as version 2 does, and bears a throttled feed. */
  readonly dialect?: DotnetDialect;
  readonly mode?: 'latest' | 'all-versions';
  readonly start?: 'beginning' | 'now' | { readonly timeMs: number };
  readonly itemsMax?: number;
  readonly isManual?: boolean;
  readonly renewMs?: number;
  readonly acquireMs?: number;
  readonly expirationMs?: number;
  readonly pollMs?: number;
  onAcquired?(leaseToken: string): void;
  onReleased?(leaseToken: string, end: WorkerEnd): void;
  /** `leaseToken` is missing for the tick of the balancer. */
  onError?(error: unknown, leaseToken: string | undefined): void;
}

export const dotnetDefaults = { renewMs: 17_000, acquireMs: 13_000, expirationMs: 60_000, pollMs: 5_000 } as const;

export class DotnetHost {
  readonly #options: Required<Omit<DotnetHostOptions, OptionalNames>> & Pick<DotnetHostOptions, OptionalNames>;
  readonly #stopping = new AbortController();
  /** By lease token; `undefined` while it is being acquired. */
  readonly #workers = new Map<string, RangeWorker | undefined>();
  readonly #running = new Set<Promise<void>>();
  #manager!: LeaseManager;
  #loop: Promise<void> = Promise.resolve();
  readonly #life: Life = { isOver: false };

  constructor(options: DotnetHostOptions) {
    this.#options = {
      dialect: 'v3',
      mode: 'latest',
      start: 'now',
      isManual: false,
      ...dotnetDefaults,
      ...options,
      store: mortalStore(options.store, this.#life),
    };
  }

  get instance(): string {
    return this.#options.instance;
  }

  /** Tokens of the leases that it has now. */
  get owned(): readonly string[] {
    return [...this.#workers].filter(([, worker]) => worker !== undefined).map(([token]) => token);
  }

  async start(): Promise<void> {
    const { source, store, clock, name, instance, dialect } = this.#options;
    const { signal } = this.#stopping;
    const { account, databaseRid, containerRid } = await source.identity();
    const prefix = `${name}${account}_${databaseRid}_${containerRid}`;
    const mode: DotnetMode = this.#options.mode === 'latest' ? 'Incremental Feed' : 'Full-Fidelity Feed';
    this.#manager = new LeaseManager({ store, clock, prefix, instance, dialect, mode });
    const [first] = await this.#manager.list();
    // D14: the mode of one lease stands for all.
    if (first !== undefined && (first.mode ?? 'Incremental Feed') !== mode) {
      throw new Error(`The leases were made for the mode ${first.mode}.`);
    }
    await bootstrap({ store, source, clock, manager: this.#manager, prefix, signal });
    const owned = (await this.#manager.list()).filter(({ owner }) => owner?.toLowerCase() === instance.toLowerCase());
    await Promise.all(owned.map((lease) => this.#take(lease)));
    this.#loop = this.#balance();
  }

  /** Ends the handlers' waits, waits for them without bound (D16), and releases every lease. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#loop;
    await Promise.all(this.#running);
  }

  /** As if the process had died: nothing is written any more. What is under way may still arrive. */
  kill(): void {
    this.#life.isOver = true;
    this.#cancel();
  }

  #cancel(): void {
    this.#stopping.abort();
    for (const worker of this.#workers.values()) worker?.cancel();
  }

  async #balance(): Promise<void> {
    const { clock, instance, expirationMs, acquireMs } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const leases = await this.#manager.list();
        const wanted = leasesToTake({ leases, instance, nowMs: clock.nowMs(), expirationMs });
        for (const lease of wanted) {
          if (signal.aborted) return;
          await this.#take(lease).catch((error: unknown) => this.#report(error, lease.token));
        }
      } catch (error) {
        this.#report(error, undefined);
      }
      await clock.sleep(acquireMs, signal);
    }
  }

  async #take(lease: DotnetLease): Promise<void> {
    const { token } = lease;
    if (this.#workers.has(token)) {
      await this.#manager.updateProperties(lease);
      return;
    }
    this.#workers.set(token, undefined);
    let acquired: DotnetLease;
    try {
      acquired = await this.#manager.acquire(lease, await this.#keysOf(lease));
    } catch (error) {
      this.#workers.delete(token);
      if (error instanceof LeaseLostError) return;
      throw error;
    }
    if (this.#life.isOver) return;
    const { onAcquired: _, onReleased: __, onError: ___, store: ____, ...options } = this.#options;
    const worker = new RangeWorker(acquired, {
      ...options,
      itemsMax: options.itemsMax,
      manager: this.#manager,
      retriesInPlace: options.dialect === 'v2',
    });
    this.#workers.set(token, worker);
    if (this.#stopping.signal.aborted) worker.cancel();
    this.#options.onAcquired?.(token);
    const running = this.#attend(token, worker).catch((error: unknown) => this.#report(error, token));
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }

  /** Documents of version 2 have none; version 3 fills it in. */
  async #keysOf({ keys, token, version }: DotnetLease): Promise<KeyRange | undefined> {
    if (keys !== undefined || version === 1 || this.#options.dialect === 'v2') return keys;
    const range = (await this.#options.source.ranges()).find(({ id }) => id === token);
    return range === undefined ? undefined : { min: range.min, max: range.max };
  }

  async #attend(token: string, worker: RangeWorker): Promise<void> {
    const { source, dialect } = this.#options;
    const end = await worker.run();
    if (this.#life.isOver) return;
    if (end.kind === 'failed' || end.kind === 'observer-error') this.#report(end.error, token);
    try {
      if (end.kind === 'gone') {
        const { created, isParentGone } = await succeed(source, this.#manager, worker.lease, end.lastRead, dialect);
        if (isParentGone) {
          for (const child of created) {
            if (this.#stopping.signal.aborted) break;
            await this.#take(child).catch((error: unknown) => this.#report(error, child.token));
          }
          await this.#manager.remove(worker.lease);
          return;
        }
      }
      if (end.kind !== 'lost') await this.#manager.release(worker.lease);
    } finally {
      this.#workers.delete(token);
      this.#options.onReleased?.(token, end);
    }
  }

  #report(error: unknown, leaseToken: string | undefined): void {
    if (!this.#life.isOver) this.#options.onError?.(error, leaseToken);
  }
}

type OptionalNames = 'itemsMax' | 'onAcquired' | 'onReleased' | 'onError';
