// Every write of leases by a host of .NET (processor.md 1.3): the loop of compare-and-swap, and what is checked in it.
//
// The name of the owner is all that is checked (D3): whoever has the same name passes. After a refusal the document is read
// and the same change is made to it again.

import type { Clock } from '@tidemark/client';
import type { KeyRange } from '@tidemark/model';
import { isDatabaseError } from '@tidemark/model';
import type { DocumentStore } from '@tidemark/processor';
import type { DotnetDialect, DotnetLease, DotnetLeaseFields, DotnetMode } from './lease-document.ts';
import { bodyOf, readLease } from './lease-document.ts';

export class LeaseLostError extends Error {
  readonly isGone: boolean;

  constructor(lease: { readonly id: string }, isGone: boolean) {
    super(`The lease ${lease.id} is ${isGone ? 'gone' : "another's"}.`);
    this.name = 'LeaseLostError';
    this.isGone = isGone;
  }
}

export interface NewLease {
  readonly token: string;
  readonly version: 0 | 1;
  readonly keys: KeyRange | undefined;
  readonly continuation: string | null;
}

export interface LeaseManagerOptions {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly prefix: string;
  readonly instance: string;
  readonly dialect: DotnetDialect;
  readonly mode: DotnetMode;
}

const triesMax = 6;

export class LeaseManager {
  readonly #options: LeaseManagerOptions;

  constructor(options: LeaseManagerOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly DotnetLease[]> {
    const documents = await this.#options.store.list(`${this.#options.prefix}..`);
    return documents.map(readLease);
  }

  /** Undefined: it exists. */
  async create(lease: NewLease): Promise<DotnetLease | undefined> {
    const { store, prefix, dialect, mode, clock } = this.#options;
    const fields: DotnetLeaseFields = {
      ...lease,
      id: `${prefix}..${lease.token}`,
      hasPartitionId: false,
      partitionKey: undefined,
      owner: null,
      properties: {},
      timestampMs: clock.nowMs(),
      mode,
    };
    try {
      return readLease(await store.create(bodyOf(fields, dialect)));
    } catch (error) {
      if (isDatabaseError(error) && error.code === 'conflict') return undefined;
      throw error;
    }
  }

  /** Of a free lease, an expired one or another's: the owner must still be who it was when the leases were listed. */
  acquire(lease: DotnetLease, keys: KeyRange | undefined): Promise<DotnetLease> {
    const seen = lease.owner;
    return this.#update(lease, (now) => {
      if (now.owner !== seen) throw new LeaseLostError(lease, false);
      return { ...now, owner: this.#options.instance, keys: now.keys ?? keys };
    });
  }

  async renew(lease: DotnetLease): Promise<DotnetLease> {
    return this.#update(await this.#refresh(lease), (now) => this.#mine(now));
  }

  /** Begins with what its caller knows, so that a renewal since then costs it a refusal (D12). */
  checkpoint(lease: DotnetLease, continuation: string): Promise<DotnetLease> {
    return this.#update(lease, (now) => ({ ...this.#mine(now), continuation }));
  }

  updateProperties(lease: DotnetLease): Promise<DotnetLease> {
    return this.#update(lease, (now) => ({ ...this.#mine(now), properties: lease.properties }));
  }

  async release(lease: DotnetLease): Promise<void> {
    try {
      await this.#update(await this.#refresh(lease), (now) => ({ ...this.#mine(now), owner: null }));
    } catch (error) {
      // After a split there is none, and who has lost it has nothing to release.
      if (!(error instanceof LeaseLostError)) throw error;
    }
  }

  /** Whatever it has become. */
  async remove(lease: DotnetLease): Promise<void> {
    for (;;) {
      const stored = await this.#options.store.read(lease.id, { key: lease.stored.key });
      if (stored === undefined) return;
      try {
        await this.#options.store.remove(stored);
        return;
      } catch (error) {
        if (!isDatabaseError(error)) throw error;
        if (error.code === 'not-found') return;
        if (error.code !== 'precondition-failed') throw error;
      }
    }
  }

  #mine(lease: DotnetLease): DotnetLease {
    if (lease.owner !== this.#options.instance) throw new LeaseLostError(lease, false);
    return lease;
  }

  async #refresh(lease: DotnetLease): Promise<DotnetLease> {
    const stored = await this.#options.store.read(lease.id, { key: lease.stored.key });
    if (stored === undefined) throw new LeaseLostError(lease, true);
    return readLease(stored);
  }

  async #update(lease: DotnetLease, change: (now: DotnetLease) => DotnetLease): Promise<DotnetLease> {
    const { store, clock, dialect } = this.#options;
    let now = lease;
    for (let tries = 1; ; tries += 1) {
      const wanted = { ...change(now), timestampMs: clock.nowMs() };
      try {
        return readLease(await store.replace(now.stored, bodyOf(wanted, dialect)));
      } catch (error) {
        if (!isDatabaseError(error)) throw error;
        if (error.code === 'not-found') throw new LeaseLostError(lease, true);
        if (error.code === 'conflict') throw new LeaseLostError(lease, false);
        if (error.code !== 'precondition-failed') throw error;
        if (tries === triesMax) throw new LeaseLostError(lease, false);
      }
      now = await this.#refresh(lease);
    }
  }
}
