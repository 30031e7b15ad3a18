// A DocumentStore in memory that counts what is asked of it, for tests and for benchmarks in virtual time.

import { DatabaseError } from '@tidemark/model';
import type { DocumentStore, StoredDocument } from '@tidemark/processor';

export class MemoryDocuments implements DocumentStore {
  readonly name = 'memory';
  readonly #documents = new Map<string, StoredDocument>();
  #version = 0;
  /** Writes that were done, and those that were refused because somebody else came first. */
  writes = 0;
  refusals = 0;
  lists = 0;
  reads = 0;

  async list(idPrefix: string): Promise<readonly StoredDocument[]> {
    this.lists += 1;
    return [...this.#documents.values()].filter(({ id }) => id.startsWith(idPrefix));
  }

  async read(id: string): Promise<StoredDocument | undefined> {
    this.reads += 1;
    return this.#documents.get(id);
  }

  async create(body: Readonly<Record<string, unknown>> & { readonly id: string }): Promise<StoredDocument> {
    if (this.#documents.has(body.id)) {
      this.refusals += 1;
      throw new DatabaseError('conflict', `There is a document ${body.id}.`);
    }
    return this.#put(body.id, body);
  }

  async replace(document: StoredDocument, body: Readonly<Record<string, unknown>>): Promise<StoredDocument> {
    this.#check(document);
    return this.#put(document.id, body);
  }

  async remove(document: StoredDocument): Promise<void> {
    this.#check(document);
    this.#documents.delete(document.id);
    this.writes += 1;
  }

  #check({ id, etag }: StoredDocument): void {
    const now = this.#documents.get(id);
    if (now?.etag === etag) return;
    this.refusals += 1;
    if (now === undefined) throw new DatabaseError('not-found', `There is no document ${id}.`);
    throw new DatabaseError('precondition-failed', `The document ${id} has changed.`);
  }

  #put(id: string, body: Readonly<Record<string, unknown>>): StoredDocument {
    this.#version += 1;
    this.writes += 1;
    const etag = `"${this.#version}"`;
    const stored = { id, key: id, etag, body: { ...structuredClone(body), _etag: etag } };
    this.#documents.set(id, stored);
    return stored;
  }
}
