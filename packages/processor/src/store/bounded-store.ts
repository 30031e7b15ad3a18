// A store whose every call ends in time: with an answer, with an error, or given up. A write that was given up may have been done.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { bounded } from '../bounded.ts';
import type { Clock, ContainerPlace } from '../environment.ts';
import { storeWatchMs } from '../limits.ts';
import type { DocumentBody, DocumentStore, StoredDocument, StoreWatch } from './document-store.ts';

export class BoundedStore implements DocumentStore {
  readonly #store: DocumentStore;
  readonly #clock: Clock;
  readonly #callMs: number;
  /** Missing where the store cannot watch. */
  readonly watch?: NonNullable<DocumentStore['watch']>;

  constructor(store: DocumentStore, clock: Clock, callMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#callMs = callMs;
    if (store.watch !== undefined) this.watch = (position, waitMs, signal) => this.#watch(position, waitMs, signal);
  }

  get name(): string {
    return this.#store.name;
  }

  get at(): ContainerPlace | undefined {
    return this.#store.at;
  }

  get #who(): string | undefined {
    return this.at?.endpoint;
  }

  beside(name: string): DocumentStore | undefined {
    return this.#store.beside?.(name);
  }

  async prepare(idBytesMax: number, signal?: AbortSignal): Promise<void> {
    const call = async (inner: AbortSignal): Promise<void> => this.#store.prepare?.(idBytesMax, inner);
    await bounded(this.#clock, this.#callMs, signal, call, this.#who);
  }

  list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]> {
    return bounded(this.#clock, this.#callMs, signal, (inner) => this.#store.list(idPrefix, inner), this.#who);
  }

  read(
    id: string,
    options: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StoredDocument | undefined> {
    const { key, signal } = options;
    return bounded(
      this.#clock,
      this.#callMs,
      signal,
      (inner) => this.#store.read(id, { key, signal: inner }),
      this.#who,
    );
  }

  create(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<StoredDocument> {
    return this.#write(signal, (inner) => this.#store.create(body, inner));
  }

  replace(document: StoredDocument, body: DocumentBody, signal?: AbortSignal): Promise<StoredDocument> {
    return this.#write(signal, (inner) => this.#store.replace(document, body, inner));
  }

  remove(document: StoredDocument, signal?: AbortSignal): Promise<void> {
    return this.#write(signal, (inner) => this.#store.remove(document, inner));
  }

  async #write<T>(outer: AbortSignal | undefined, write: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await bounded(this.#clock, this.#callMs, outer, write);
    } catch (error) {
      if (!isDatabaseError(error) || error.code !== 'request-timeout') throw error;
      throw new DatabaseError('outcome-unknown', 'No answer came to a write of the lease store.', { cause: error });
    }
  }

  #watch(position: string | undefined, waitMs: number, signal: AbortSignal | undefined): Promise<StoreWatch> {
    const watch = this.#store.watch?.bind(this.#store) as NonNullable<DocumentStore['watch']>; // Only called where there is one.
    const callMs = Math.min(waitMs, storeWatchMs) + this.#callMs;
    return bounded(this.#clock, callMs, signal, (inner) => watch(position, waitMs, inner));
  }
}
