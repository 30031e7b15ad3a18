// The changes of one transaction as bytes, for whoever writes them into LMDB: this thread, or another one.
//
// ENTRY BATCH, changes one behind the other, each at a multiple of 4, little-endian
//
//   0 key bytes u32   4 value bytes u32, all ones: removed   8 key   value   u32 checksum of key and value, if there is a value
//
// Value bytes are those of the value and of its checksum: what LMDB keeps (sealed-entry.ts).

import { Buffer } from 'node:buffer';
import { assert } from '@tidemark/model';
import { checksum32, checksumMemory, checksumOfHead } from '../log/checksum.ts';
import { copyBytes } from '../log/copy-bytes.ts';
import { checksumBytes, SlabPut } from './entry-slab.ts';
import type { IndexChange } from './index-store.ts';

export interface EntryBatch {
  readonly memory: ArrayBufferLike;
  readonly usedBytes: number;
}

const headBytes = 8;
const removed = 0xffff_ffff;
/** Of `checksumMemory`. */
const checksumWords = new Int32Array(checksumMemory.buffer, checksumMemory.byteOffset, checksumMemory.length / 4);

/** The memory that a batch of these needs. */
export function batchBytes(changes: readonly IndexChange[], keyBytesMax: number): number {
  let bytes = 0;
  for (const change of changes) {
    const isPut = change instanceof SlabPut;
    const keyBytes = isPut ? change.keyBytes : change.key.length;
    const valueBytes = isPut ? change.valueBytes : (change.value?.length ?? 0);
    assert(keyBytes > 0 && keyBytes <= keyBytesMax, `an index key must have 1 to ${keyBytesMax} bytes`);
    bytes += padded(headBytes + keyBytes + valueBytes + checksumBytes);
  }
  return bytes;
}

/** Copies them. */
export function encodeBatch(changes: readonly IndexChange[], memory: ArrayBufferLike): EntryBatch {
  const writer = new BatchWriter(memory);
  for (const change of changes) writer.add(change);
  return writer;
}

/** In order. */
export function readBatch(
  { memory, usedBytes }: EntryBatch,
  put: (key: Buffer, value: Buffer) => void,
  remove: (key: Buffer) => void,
): void {
  const bytes = Buffer.from(memory);
  for (let at = 0; at < usedBytes; ) {
    const keyAt = at + headBytes;
    const keyEnd = keyAt + bytes.readUInt32LE(at);
    const valueBytes = bytes.readUInt32LE(at + 4);
    const key = bytes.subarray(keyAt, keyEnd);
    const end = valueBytes === removed ? keyEnd : keyEnd + valueBytes;
    if (valueBytes === removed) remove(key);
    else put(key, bytes.subarray(keyEnd, end));
    at = padded(end);
  }
}

class BatchWriter implements EntryBatch {
  readonly memory: ArrayBufferLike;
  usedBytes = 0;
  readonly #bytes: Buffer;
  readonly #words: Int32Array;

  constructor(memory: ArrayBufferLike) {
    this.memory = memory;
    this.#bytes = Buffer.from(memory);
    this.#words = new Int32Array(memory);
  }

  add(change: IndexChange): void {
    if (change instanceof SlabPut && change.keyBytes + change.valueBytes <= checksumMemory.length) this.#addPut(change);
    else this.#addChange(change);
  }

  /** Most of them: word by word, and the words go to where their checksum is made at the same time. */
  #addPut({ slab, start, keyBytes, valueBytes }: SlabPut): void {
    const words = this.#words;
    const length = keyBytes + valueBytes;
    let wordAt = this.usedBytes / 4;
    words[wordAt] = keyBytes;
    words[wordAt + 1] = valueBytes + checksumBytes;
    wordAt += 2;
    const from = start / 4;
    const wordCount = Math.ceil(length / 4);
    for (let i = 0; i < wordCount; i += 1) {
      const word = slab.words[from + i] as number;
      words[wordAt + i] = word;
      checksumWords[i] = word;
    }
    this.#end(this.usedBytes + headBytes + length, checksumOfHead(length));
  }

  #addChange({ key, value }: IndexChange): void {
    const bytes = this.#bytes;
    const wordAt = this.usedBytes / 4;
    const keyAt = this.usedBytes + headBytes;
    this.#words[wordAt] = key.length;
    this.#words[wordAt + 1] = value === undefined ? removed : value.length + checksumBytes;
    const keyEnd = copyBytes(key, 0, key.length, bytes, keyAt);
    if (value === undefined) {
      this.usedBytes = padded(keyEnd);
      return;
    }
    const end = copyBytes(value, 0, value.length, bytes, keyEnd);
    this.#end(end, checksum32(bytes, keyAt, end));
  }

  #end(at: number, checksum: number): void {
    const bytes = this.#bytes;
    bytes[at] = checksum & 0xff;
    bytes[at + 1] = (checksum >>> 8) & 0xff;
    bytes[at + 2] = (checksum >>> 16) & 0xff;
    bytes[at + 3] = checksum >>> 24;
    this.usedBytes = padded(at + checksumBytes);
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
