// The documents of a unit: those that it finds, and those that it leaves. Both make etag and body when somebody asks: for most writes
// nobody does.

import { Buffer } from 'node:buffer';
import { assert } from '@tidemark/model';
import type { Version } from '../index/documents.ts';
import type { StoredDocument } from '../range-engine.ts';
import type { ContainerState } from '../state/container-state.ts';
import type { LentKey, StagedRecord } from '../state/group.ts';
import type { KeySlab } from '../state/key-slab.ts';
import type { ClientDocument } from '../write/command.ts';
import type { CurrentDocument } from '../write/decision.ts';

/** Whoever has found a document, and knows how to get at its bytes. */
export interface Finder {
  readonly container: ContainerState;
  bodyOf(id: string, version: Version): Buffer | undefined;
  hasBodyOf(id: string, version: Version): boolean;
}

/** What a unit has found of one of its documents; where there is a version it is the document that `decide` sees. */
export class Found implements CurrentDocument, LentKey {
  readonly kind = 'stored';
  readonly id: string;
  readonly slab: KeySlab;
  readonly start: number;
  readonly bytes: number;
  readonly hash: number;
  readonly version: Version | undefined;
  isPurged = false;
  readonly #unit: Finder;

  constructor(
    unit: Finder,
    id: string,
    slab: KeySlab,
    start: number,
    bytes: number,
    hash: number,
    version: Version | undefined,
  ) {
    this.#unit = unit;
    this.id = id;
    this.slab = slab;
    this.start = start;
    this.bytes = bytes;
    this.hash = hash;
    this.version = version;
  }

  get lsn(): number {
    return this.#shown().lsn;
  }

  get ix(): number {
    return this.#shown().ix;
  }

  get ridNumber(): number {
    return this.#shown().ridNumber;
  }

  get timeMs(): number {
    return this.#shown().timeMs;
  }

  get ttl(): number | undefined {
    return this.#shown().ttl;
  }

  get uniqueDigests(): Buffer {
    return this.#shown().uniqueDigests;
  }

  get etag(): string {
    return this.#unit.container.etagOf(this.lsn, this.ix);
  }

  get body(): Buffer | undefined {
    return this.#unit.bodyOf(this.id, this.#shown());
  }

  get hasBody(): boolean {
    return this.#unit.hasBodyOf(this.id, this.#shown());
  }

  #shown(): Version {
    assert(this.version !== undefined, 'only a document that is there is shown');
    return this.version;
  }
}

/** Put together from what it was made of: the frame that it was written into is soon another one. */
export class CommittedDocument implements StoredDocument {
  readonly lsn: number;
  readonly ix: number;
  readonly timeMs: number;
  readonly ridNumber: number;
  readonly #container: ContainerState;
  readonly #clientBytes: Buffer;
  /** So many of them count. */
  readonly #openLength: number;
  readonly #places: ClientDocument['places'];
  #bytes: Buffer | undefined;

  constructor(
    container: ContainerState,
    { lsn, ix, timeMs, ridNumber }: StagedRecord,
    { bytes, openLength, places }: ClientDocument,
  ) {
    this.lsn = lsn;
    this.ix = ix;
    this.timeMs = timeMs;
    this.ridNumber = ridNumber;
    this.#container = container;
    this.#clientBytes = bytes;
    this.#openLength = openLength;
    this.#places = places;
  }

  get sizeBytes(): number {
    return this.#openLength + this.#container.system.tailBytes(this);
  }

  get etag(): string {
    return this.#container.etagOf(this.lsn, this.ix);
  }

  get bytes(): Buffer {
    if (this.#bytes === undefined) {
      this.#bytes = Buffer.allocUnsafe(this.sizeBytes);
      this.#clientBytes.copy(this.#bytes, 0, 0, this.#openLength);
      this.#container.system.tailOf(this.#places).writeTail(this, this.#bytes, this.#openLength, 0);
    }
    return this.#bytes;
  }
}
