// A container of documents in memory: what a DocumentStore shows of one. Every change is kept in a journal, so that a list can be answered
// as of an earlier moment.

import { DatabaseError } from '@tidemark/model';
import type { DocumentBody, StoredDocument } from '../store/document-store.ts';

export interface JournalEntry {
  readonly timeMs: number;
  readonly name: string;
  readonly before: StoredDocument | undefined;
  readonly after: StoredDocument | undefined;
  /** Instance of the process that asked for it; undefined for people and tests. */
  readonly writer: string | undefined;
}

export interface ModelDocumentsOptions {
  readonly nowMs: () => number;
  readonly partitionKeyPath?: '/id' | '/partitionKey';
}

export class ModelDocuments {
  readonly #nowMs: () => number;
  readonly #keyMember: string;
  readonly #documents = new Map<string, StoredDocument>();
  readonly #waiting = new Set<() => void>();
  readonly journal: JournalEntry[] = [];
  #etags = 0;
  /** Called after every change. */
  onWrite: ((entry: JournalEntry) => void) | undefined;
  /** Permissions that people forget to give: what is named here is refused with `forbidden`. */
  readonly forbidden: Set<'create' | 'replace' | 'remove'> = new Set();

  constructor(options: ModelDocumentsOptions) {
    this.#nowMs = options.nowMs;
    this.#keyMember = options.partitionKeyPath === '/partitionKey' ? 'partitionKey' : 'id';
  }

  list(idPrefix: string): readonly StoredDocument[] {
    const found: StoredDocument[] = [];
    for (const document of this.#documents.values()) if (document.id.startsWith(idPrefix)) found.push(document);
    return found;
  }

  /** As it was at `timeMs`. */
  listAt(idPrefix: string, timeMs: number): readonly StoredDocument[] {
    const then = new Map(this.#documents);
    for (let i = this.journal.length - 1; i >= 0; i -= 1) {
      const entry = this.journal[i] as JournalEntry; // In range.
      if (entry.timeMs <= timeMs) break;
      if (entry.before === undefined) then.delete(entry.name);
      else then.set(entry.name, entry.before);
    }
    return [...then.values()].filter((document) => document.id.startsWith(idPrefix));
  }

  read(id: string, key: string = id): StoredDocument | undefined {
    return this.#documents.get(nameOf(id, key));
  }

  create(body: DocumentBody & { readonly id: string }, writer?: string): StoredDocument {
    this.#check('create');
    const keyed = body[this.#keyMember] === undefined ? { ...body, [this.#keyMember]: body.id } : body;
    const key = String(keyed[this.#keyMember]);
    if (this.#documents.has(nameOf(body.id, key))) throw new DatabaseError('conflict', `${body.id} exists`);
    return this.#store(undefined, body.id, key, keyed, writer);
  }

  replace(document: StoredDocument, body: DocumentBody, writer?: string): StoredDocument {
    this.#check('replace');
    const before = this.#current(document);
    return this.#store(
      before,
      document.id,
      document.key,
      { ...body, [this.#keyMember]: document.key, id: document.id },
      writer,
    );
  }

  remove(document: StoredDocument, writer?: string): void {
    this.#check('remove');
    const before = this.#current(document);
    this.#record({ timeMs: this.#nowMs(), name: nameOf(document.id, document.key), before, after: undefined, writer });
  }

  /** Calls back once, at the next change. The returned function takes it back. */
  onNext(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  #check(operation: 'create' | 'replace' | 'remove'): void {
    if (this.forbidden.has(operation)) throw new DatabaseError('forbidden', `no permission to ${operation} documents`);
  }

  #current(document: StoredDocument): StoredDocument {
    const current = this.#documents.get(nameOf(document.id, document.key));
    if (current === undefined) throw new DatabaseError('not-found', `${document.id} does not exist`);
    if (current.etag !== document.etag) throw new DatabaseError('precondition-failed', `${document.id} has changed`);
    return current;
  }

  #store(
    before: StoredDocument | undefined,
    id: string,
    key: string,
    body: DocumentBody,
    writer: string | undefined,
  ): StoredDocument {
    this.#etags += 1;
    const etag = `"d${this.#etags}"`;
    // Through text and back, as on the wire: nobody keeps a reference into what is stored.
    const stored = JSON.parse(JSON.stringify(body)) as Record<string, unknown>; // An object went in.
    stored['_etag'] = etag;
    stored['_ts'] = Math.floor(this.#nowMs() / 1000);
    const after = Object.freeze({ id, etag, key, body: deepFreeze(stored) });
    this.#record({ timeMs: this.#nowMs(), name: nameOf(id, key), before, after, writer });
    return after;
  }

  #record(entry: JournalEntry): void {
    if (entry.after === undefined) this.#documents.delete(entry.name);
    else this.#documents.set(entry.name, entry.after);
    this.journal.push(entry);
    this.onWrite?.(entry);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

function nameOf(id: string, key: string): string {
  return id === key ? id : `${id} in ${key}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
