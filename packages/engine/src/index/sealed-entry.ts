// ENTRY in LMDB: the key, and as its value the bytes of the value followed by u32 checksum of key and value, little-endian.
//
// LMDB has no checksums. An entry is believed only with this one: a flipped bit in the checkpoint would otherwise cut the
// log, and one in a bitmap bring back what was replaced.

import { Buffer } from 'node:buffer';
import { checksum32, checksumHead, checksumMemory, checksumOfHead } from '../log/checksum.ts';
import { copyBytes } from '../log/copy-bytes.ts';
import { checksumBytes, SlabPut, SlabRoom } from './entry-slab.ts';
import type { IndexChange } from './index-store.ts';

/** Of what lmdb lends. Doc entries are far below; of more the views of its buffer would be too many. */
export const lentBytesMax = 512;

/** Key and value side by side, where their checksum is made. */
const beside: Buffer = checksumMemory;
const besideWords = new Int32Array(beside.buffer, beside.byteOffset, beside.length / 4);

/** Makes the entries of one transaction, where they lie or in memory that they share: nothing of it may change before they are applied. */
export class EntrySealer {
  readonly #room = new SlabRoom();
  /** Until the next one is made. */
  key: Buffer = beside;
  value: Buffer = beside;

  /** Of a change that is no removal. */
  seal(change: IndexChange): void {
    if (change instanceof SlabPut && change.keyBytes + change.valueBytes <= beside.length) {
      this.#sealInSlab(change);
      return;
    }
    const { key, value = nothing } = change;
    const end = key.length + value.length;
    if (end > beside.length) {
      this.key = key;
      this.value = sealedAlone(key, value);
      return;
    }
    beside.set(key, 0);
    beside.set(value, key.length);
    this.#sealBeside(key.length, end);
  }

  /** Where it lies, which has room for the checksum. */
  #sealInSlab({ slab, start, keyBytes, valueBytes }: SlabPut): void {
    const { bytes, words, lent } = slab;
    const length = keyBytes + valueBytes;
    const wordAt = start / 4;
    const wordCount = Math.ceil(length / 4);
    for (let i = 0; i < wordCount; i += 1) besideWords[i] = words[wordAt + i] as number;
    const end = start + length;
    writeChecksum(checksumOfHead(length), bytes, end);
    lent.start = start + keyBytes;
    lent.end = end + checksumBytes;
    this.key = checksumHead(keyBytes);
    this.value = lent;
  }

  #sealBeside(keyBytes: number, end: number): void {
    const length = end - keyBytes + checksumBytes;
    const start = this.#room.take(length);
    const { bytes, lent } = this.#room.slab;
    writeChecksum(checksumOfHead(end), bytes, copyBytes(beside, keyBytes, end, bytes, start));
    lent.start = start;
    lent.end = start + length;
    this.key = checksumHead(keyBytes);
    this.value = lent;
  }
}

/** Of key and value. */
export function checksumOf(key: Buffer, value: Buffer): number {
  const end = key.length + value.length;
  if (end > beside.length) return checksum32(Buffer.concat([key, value]));
  beside.set(key, 0);
  beside.set(value, key.length);
  return checksumOfHead(end);
}

/** The same of a value of at most `lentBytesMax` at the start of lmdb's own buffer, which is longer than it says to native calls. */
export function checksumOfShared(key: Buffer, shared: Buffer, valueBytes: number): number {
  beside.set(key, 0);
  const keyBytes = key.length;
  for (let i = 0; i < valueBytes; i += 1) beside[keyBytes + i] = shared[i] as number;
  return checksumOfHead(keyBytes + valueBytes);
}

function sealedAlone(key: Buffer, value: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(value.length + checksumBytes);
  bytes.set(value, 0);
  writeChecksum(checksumOf(key, value), bytes, value.length);
  return bytes;
}

function writeChecksum(checksum: number, target: Buffer, at: number): void {
  target[at] = checksum & 0xff;
  target[at + 1] = (checksum >>> 8) & 0xff;
  target[at + 2] = (checksum >>> 16) & 0xff;
  target[at + 3] = checksum >>> 24;
}

const nothing: Buffer = Buffer.alloc(0);
