// A store between a host and the real one, on which tests close the door, lose answers or refuse.

import { DatabaseError } from '@tidemark/model';
import type { DocumentBody, DocumentStore, StoredDocument, StoreWatch } from '../../src/store/document-store.ts';

export type Operation = 'list' | 'read' | 'create' | 'replace' | 'remove';

export interface Call {
  readonly operation: Operation;
  readonly id: string;
  readonly body: DocumentBody | undefined;
}

export type Fault =
  /** Never answered, never done. */
  | 'hang'
  /** Done, but no answer comes. */
  | 'lose-answer'
  | Error;

export class FaultyStore implements DocumentStore {
  readonly #store: DocumentStore;
  /** Asked before each call. */
  fault: (call: Call) => Fault | undefined = () => undefined;
  readonly calls: Call[] = [];
  isWatched = true;

  constructor(store: DocumentStore) {
    this.#store = store;
  }

  get name(): string {
    return this.#store.name;
  }

  writes(part: string): Call[] {
    return this.calls.filter(({ operation, id }) => operation !== 'list' && operation !== 'read' && id.includes(part));
  }

  list(idPrefix: string): Promise<readonly StoredDocument[]> {
    return this.#call({ operation: 'list', id: idPrefix, body: undefined }, () => this.#store.list(idPrefix));
  }

  read(id: string, options?: { readonly key?: string | undefined }): Promise<StoredDocument | undefined> {
    return this.#call({ operation: 'read', id, body: undefined }, () => this.#store.read(id, options));
  }

  create(body: DocumentBody & { readonly id: string }): Promise<StoredDocument> {
    return this.#call({ operation: 'create', id: body.id, body }, () => this.#store.create(body));
  }

  replace(document: StoredDocument, body: DocumentBody): Promise<StoredDocument> {
    return this.#call({ operation: 'replace', id: document.id, body }, () => this.#store.replace(document, body));
  }

  remove(document: StoredDocument): Promise<void> {
    return this.#call({ operation: 'remove', id: document.id, body: undefined }, () => this.#store.remove(document));
  }

  async watch(position: string | undefined, waitMs: number, signal?: AbortSignal): Promise<StoreWatch> {
    const fault = this.fault({ operation: 'list', id: '', body: undefined });
    if (fault === 'hang') return new Promise(() => {});
    if (!this.isWatched || fault !== undefined) throw new DatabaseError('unavailable', 'Nothing can be watched here.');
    return (this.#store.watch as NonNullable<DocumentStore['watch']>).call(this.#store, position, waitMs, signal); // Memory can.
  }

  /**
   * Reads are answered, and of writes nobody knows what became of them; they were not done. After `callsMax` calls nothing is answered any
   * more: in virtual time a loop without a pause would never end.
   */
  leaveWritesOpen(callsMax: number): void {
    const before = this.calls.length;
    this.fault = ({ operation }) => {
      if (this.calls.length - before > callsMax) return 'hang';
      return operation === 'read' || operation === 'list' ? undefined : open;
    };
  }

  async #call<T>(call: Call, run: () => Promise<T>): Promise<T> {
    this.calls.push(call);
    const fault = this.fault(call);
    if (fault === 'hang') return new Promise(() => {});
    if (fault instanceof Error) throw fault;
    const result = await run();
    return fault === 'lose-answer' ? new Promise(() => {}) : result;
  }
}

export const throttled: Error = new DatabaseError('too-many-requests', 'Slow down.', { retryAfterMs: 500 });
export const unavailable: Error = new DatabaseError('unavailable', 'Not now.');
/** Of a write: done or not. */
export const open: Error = new DatabaseError('outcome-unknown', 'Nobody knows.');
export const forbidden: Error = new DatabaseError('forbidden', 'Not allowed.');
export const tooLarge: Error = new DatabaseError('document-too-large', 'Too much.');
