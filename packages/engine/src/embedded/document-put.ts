// The index entries that every write of a document makes. Thousands of them are in one transaction, so they make no bytes
// of their own: they are written down where the index wants them.

import { encodeVersion, writeVersion } from '../index/documents.ts';
import type { WritingChange } from '../index/index-store.ts';
import { ridKey, tree, writeRidKey } from '../index/keys.ts';
import type { StagedRecord } from '../state/group.ts';

/** doc: the key of a document → its version. */
export class DocumentPut implements WritingChange {
  readonly tree: number = tree.doc;
  readonly #record: StagedRecord;

  constructor(record: StagedRecord) {
    this.#record = record;
  }

  get key(): Buffer {
    return this.#record.key;
  }

  get value(): Buffer {
    return encodeVersion(this.#record);
  }

  writeKey(target: Buffer): number {
    return target.write(this.#record.keyText, 0, 'latin1');
  }

  writeValue(target: Buffer, offset: number): number {
    return writeVersion(this.#record, target, offset);
  }
}

/** rid: the number of a document → its key. */
export class RidPut implements WritingChange {
  readonly tree: number = tree.rid;
  readonly #record: StagedRecord;

  constructor(record: StagedRecord) {
    this.#record = record;
  }

  get key(): Buffer {
    return ridKey(this.#record.container, this.#record.ridNumber);
  }

  get value(): Buffer {
    return this.#record.key;
  }

  writeKey(target: Buffer): number {
    return writeRidKey(this.#record.container, this.#record.ridNumber, target);
  }

  writeValue(target: Buffer, offset: number): number {
    return offset + target.write(this.#record.keyText, offset, 'latin1');
  }
}
