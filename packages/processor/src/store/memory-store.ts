// A document store in memory: for tests, for the simulation, and for a single process that need not remember.

import { DatabaseError } from '@tidemark/model';
import type { Clock } from '../environment.ts';
import type { DocumentBody, DocumentStore, StoredDocument, StoreWatch } from './document-store.ts';

export interface MemoryStoreOptions {
  readonly name?: string | undefined;
  /** Without it nothing can be waited for, and `watch` answers at once. */
  readonly clock?: Clock | undefined;
}

export class MemoryDocumentStore implements DocumentStore {
  readonly name: string;
  readonly #clock: Clock | undefined;
  /** By id and key together: containers partitioned by something else than the id can hold an id twice. */
  readonly #documents = new Map<string, StoredDocument>();
  #version = 0;
  /** Version in which each document was written. */
  readonly #written = new Map<string, number>();
  #watchers = new Set<() => void>();

  constructor(options: MemoryStoreOptions = {}) {
    this.name = options.name ?? 'memory/leases';
    this.#clock = options.clock;
  }

  /** Every write so far, in number. */
  get version(): number {
    return this.#version;
  }

  async list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]> {
    signal?.throwIfAborted();
    return [...this.#documents.values()].filter(({ id }) => id.startsWith(idPrefix));
  }

  async read(
    id: string,
    options: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StoredDocument | undefined> {
    options.signal?.throwIfAborted();
    return this.#documents.get(address(id, options.key ?? id));
  }

  async create(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<StoredDocument> {
    signal?.throwIfAborted();
    if (this.#documents.has(address(body.id, body.id))) {
      throw new DatabaseError('conflict', `The document ${body.id} exists already.`);
    }
    return this.put(body, body.id);
  }

  async replace(document: StoredDocument, body: DocumentBody, signal?: AbortSignal): Promise<StoredDocument> {
    signal?.throwIfAborted();
    this.#expect(document);
    return this.put({ ...body, id: document.id }, document.key);
  }

  async remove(document: StoredDocument, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#expect(document);
    this.#documents.delete(address(document.id, document.key));
    this.#written.delete(address(document.id, document.key));
    this.#changed();
  }

  async watch(position: string | undefined, waitMs: number, signal?: AbortSignal): Promise<StoreWatch> {
    const since = position === undefined ? this.#version : Number(position);
    if (this.#clock === undefined) return this.#watched(since, false);
    if (this.#version === since) await this.#nextChange(this.#clock, waitMs, signal);
    return this.#watched(since, true);
  }

  /** Writes without any condition, as another client or an operator may. */
  put(body: DocumentBody & { readonly id: string }, key: string = body.id): StoredDocument {
    const etag = `"${this.#changed()}"`;
    const copy: DocumentBody = structuredClone({ ...body, _etag: etag });
    const stored = { id: body.id, etag, key, body: copy };
    this.#documents.set(address(body.id, key), stored);
    this.#written.set(address(body.id, key), this.#version);
    return stored;
  }

  /** Removes without any condition, as an operator may. */
  erase(id: string, key: string = id): boolean {
    const isThere = this.#documents.delete(address(id, key));
    this.#written.delete(address(id, key));
    if (isThere) this.#changed();
    return isThere;
  }

  #expect(document: StoredDocument): void {
    const current = this.#documents.get(address(document.id, document.key));
    if (current === undefined) throw new DatabaseError('not-found', `There is no document ${document.id}.`);
    if (current.etag !== document.etag) {
      throw new DatabaseError('precondition-failed', `The document ${document.id} has changed since it was read.`);
    }
  }

  #changed(): number {
    this.#version += 1;
    const watchers = this.#watchers;
    this.#watchers = new Set();
    for (const wake of watchers) wake();
    return this.#version;
  }

  async #nextChange(clock: Clock, waitMs: number, outer: AbortSignal | undefined): Promise<void> {
    const controller = new AbortController();
    const wake = (): void => controller.abort();
    outer?.addEventListener('abort', wake, { once: true });
    this.#watchers.add(wake);
    await clock.sleep(waitMs, controller.signal);
    this.#watchers.delete(wake);
    outer?.removeEventListener('abort', wake);
    outer?.throwIfAborted();
  }

  #watched(since: number, isWaitApplied: boolean): StoreWatch {
    const changed = [...this.#documents]
      .filter(([at]) => (this.#written.get(at) ?? 0) > since)
      .map(([, { body }]) => body);
    return { position: String(this.#version), hasChanged: this.#version !== since, changed, isWaitApplied };
  }
}

function address(id: string, key: string): string {
  return `${id}\n${key}`;
}
