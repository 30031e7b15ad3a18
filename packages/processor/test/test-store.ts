// For tests: documents in memory, behind the seam of stores.

import { DatabaseError } from '@tidemark/model';
import type { DocumentBody, DocumentStore, StoredDocument } from '../src/store/document-store.ts';

export class TestStore implements DocumentStore {
  readonly name = 'shop/dead';
  readonly documents: Map<string, StoredDocument> = new Map();
  /** Called before each operation; what it throws is the answer. */
  onCall: ((operation: 'list' | 'read' | 'create' | 'replace' | 'remove', id: string) => void) | undefined;
  #etag = 0;

  async list(idPrefix: string): Promise<readonly StoredDocument[]> {
    this.onCall?.('list', idPrefix);
    return [...this.documents.values()].filter(({ id }) => id.startsWith(idPrefix));
  }

  async read(id: string): Promise<StoredDocument | undefined> {
    this.onCall?.('read', id);
    return this.documents.get(id);
  }

  async create(body: DocumentBody & { readonly id: string }): Promise<StoredDocument> {
    this.onCall?.('create', body.id);
    if (this.documents.has(body.id)) throw new DatabaseError('conflict', 'It exists.');
    return this.#put(body.id, body);
  }

  async replace(document: StoredDocument, body: DocumentBody): Promise<StoredDocument> {
    this.onCall?.('replace', document.id);
    this.#check(document);
    return this.#put(document.id, body);
  }

  async remove(document: StoredDocument): Promise<void> {
    this.onCall?.('remove', document.id);
    this.#check(document);
    this.documents.delete(document.id);
  }

  #check(document: StoredDocument): void {
    const stored = this.documents.get(document.id);
    if (stored === undefined) throw new DatabaseError('not-found', 'It is gone.');
    if (stored.etag !== document.etag) throw new DatabaseError('precondition-failed', 'It has changed.');
  }

  #put(id: string, body: DocumentBody): StoredDocument {
    this.#etag += 1;
    const copy: DocumentBody = JSON.parse(JSON.stringify(body));
    const stored = { id, etag: `"${this.#etag}"`, key: id, body: copy };
    this.documents.set(id, stored);
    return stored;
  }
}
