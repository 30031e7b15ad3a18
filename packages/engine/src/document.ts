// A document as an embedder sees it: the JSON text and what the database knows about it.

import { inspect } from 'node:util';
import type { StoredDocument as StoredJson } from '@tidemark/model';
import type { StoredDocument } from './range-engine.ts';
import { sizeWithoutLsn, withoutLsn } from './state/container-state.ts';

/** A document as it was read or written. */
export class Document<T = StoredJson> {
  readonly #stored: StoredDocument;

  constructor(stored: StoredDocument) {
    this.#stored = stored;
  }

  get etag(): string {
    return this.#stored.etag;
  }

  get lsn(): number {
    return this.#stored.lsn;
  }

  get timeMs(): number {
    return this.#stored.timeMs;
  }

  /** Of `bytes`, without making them. */
  get sizeBytes(): number {
    return sizeWithoutLsn(this.#stored.sizeBytes, this.#stored.lsn);
  }

  /** The JSON text with system members, as the wire has it. */
  get bytes(): Buffer {
    return withoutLsn(this.#stored.bytes, this.#stored.lsn);
  }

  get value(): T {
    return JSON.parse(this.bytes.toString('utf8')) as T; // What the caller stored is for the caller to know.
  }

  toJSON(): T {
    return this.value;
  }
}

// What `console.log` shows; the compiler cannot declare a member with this name.
Object.defineProperty(Document.prototype, inspect.custom, {
  value(this: Document): object {
    return { etag: this.etag, lsn: this.lsn, value: this.value };
  },
});
