// A store of leases that counts what is asked of it, and writes by what they are for.

import type { DocumentStore, StoredDocument } from '@tidemark/processor';

export class CountedStore implements DocumentStore {
  readonly name: string;
  readonly #store: DocumentStore;
  lists = 0;
  reads = 0;
  watches = 0;
  /** Of leases: those that change nothing but the time, and all others. */
  renewals = 0;
  leaseWrites = 0;
  /** Of leases, refused because somebody else came first. */
  refusals = 0;
  /** Of everything that lies beside the leases. */
  otherWrites = 0;
  readonly watch?: NonNullable<DocumentStore['watch']>;

  constructor(store: DocumentStore) {
    this.#store = store;
    this.name = store.name;
    const watch = store.watch?.bind(store);
    if (watch === undefined) return;
    this.watch = (position, waitMs, signal) => {
      this.watches += 1;
      return watch(position, waitMs, signal);
    };
  }

  list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]> {
    this.lists += 1;
    return this.#store.list(idPrefix, signal);
  }

  read(...args: Parameters<DocumentStore['read']>): Promise<StoredDocument | undefined> {
    this.reads += 1;
    return this.#store.read(...args);
  }

  create(...args: Parameters<DocumentStore['create']>): Promise<StoredDocument> {
    return this.#count(args[0].id, false, () => this.#store.create(...args));
  }

  replace(...args: Parameters<DocumentStore['replace']>): Promise<StoredDocument> {
    const [{ id, body }, wanted] = args;
    return this.#count(id, purposeOf(body) === purposeOf(wanted), () => this.#store.replace(...args));
  }

  remove(...args: Parameters<DocumentStore['remove']>): Promise<void> {
    return this.#count(args[0].id, false, () => this.#store.remove(...args));
  }

  async #count<T>(id: string, isRenewal: boolean, write: () => Promise<T>): Promise<T> {
    const isLease = id.includes('..');
    try {
      const result = await write();
      if (!isLease) this.otherWrites += 1;
      else if (isRenewal) this.renewals += 1;
      else this.leaseWrites += 1;
      return result;
    } catch (error) {
      if (isLease) this.refusals += 1;
      throw error;
    }
  }
}

/** Who owns it, and from where. */
function purposeOf(body: StoredDocument['body']): string {
  const { 'tidemark.epoch': epoch }: Record<string, unknown> = Object(body['properties']);
  return JSON.stringify([body['Owner'] ?? null, body['ContinuationToken'] ?? null, epoch ?? null]);
}
