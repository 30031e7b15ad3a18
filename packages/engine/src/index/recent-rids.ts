// The rids of documents that were made lately and that the index does not have yet, one behind the other, outside the
// JavaScript heap: tens of thousands of objects that live for a second are what a garbage collector does worst.
//
// RECENT RID: doc key bytes u16 little-endian · rid key (13 bytes, keys.ts) · doc key

import { Buffer } from 'node:buffer';
import { copyBytes } from '../log/copy-bytes.ts';
import { ridContainerOfKey, ridKey, ridKeyBytes, ridNumberOfKey, writeRidKey } from './keys.ts';
import type { Rid, RidChanges } from './rid-blocks.ts';

const slabBytes: number = 64 * 1024;
const lengthBytes = 2;
const headBytes: number = lengthBytes + ridKeyBytes;

interface Slab {
  readonly bytes: Buffer;
  usedBytes: number;
}

/** Where one is. */
interface RecentRid {
  readonly bytes: Buffer;
  readonly start: number;
}

export class RecentRids {
  /** Those that a transaction is taking, until it has. */
  #taken: Slab[] = [];
  #slabs: Slab[] = [];

  /** The doc key is bytes [keyStart, keyEnd) of `keys`. */
  add(container: number, ridNumber: number, keys: Buffer, keyStart: number, keyEnd: number): void {
    const keyBytes = keyEnd - keyStart;
    let last = this.#slabs.at(-1);
    if (last === undefined || last.usedBytes + headBytes + keyBytes > last.bytes.length) {
      last = { bytes: Buffer.allocUnsafeSlow(Math.max(slabBytes, headBytes + keyBytes)), usedBytes: 0 };
      this.#slabs.push(last);
    }
    const { bytes, usedBytes: start } = last;
    bytes[start] = keyBytes & 0xff;
    bytes[start + 1] = keyBytes >> 8;
    writeRidKey(container, ridNumber, bytes, start + lengthBytes);
    last.usedBytes = copyBytes(keys, keyStart, keyEnd, bytes, start + headBytes);
  }

  /** The doc key of a document. All of them are looked at: they are bounded. */
  find(container: number, ridNumber: number): Buffer | undefined {
    const wanted = ridKey(container, ridNumber);
    for (const recent of this.#all()) if (compare(recent, wanted) === 0) return docKeyOf(recent);
    return undefined;
  }

  /** Those of a container whose rid numbers are in [from, end), in any order. */
  between(container: number, from: number, end: number): Rid[] {
    const first = ridKey(container, from);
    const behind = ridKey(container, end);
    const found: Rid[] = [];
    for (const recent of this.#all()) {
      if (compare(recent, first) < 0 || compare(recent, behind) >= 0) continue;
      found.push({ ridNumber: ridNumberOfKey(recent.bytes, recent.start + lengthBytes), key: docKeyOf(recent) });
    }
    return found;
  }

  /** All of them, for the next transaction. */
  take(changes: RidChanges): void {
    this.#taken = [...this.#taken, ...this.#slabs];
    this.#slabs = [];
    for (const { bytes, start } of walk(this.#taken)) {
      const keyAt = start + lengthBytes;
      const docKeyAt = start + headBytes;
      const end = docKeyAt + docKeyBytesOf(bytes, start);
      changes.put(ridContainerOfKey(bytes, keyAt), ridNumberOfKey(bytes, keyAt), bytes, docKeyAt, end);
    }
  }

  /** The index has what was taken. */
  forgetTaken(): void {
    this.#taken = [];
  }

  *#all(): IterableIterator<RecentRid> {
    yield* walk(this.#taken);
    yield* walk(this.#slabs);
  }
}

function* walk(slabs: readonly Slab[]): IterableIterator<RecentRid> {
  for (const { bytes, usedBytes } of slabs) {
    for (let start = 0; start < usedBytes; start += headBytes + docKeyBytesOf(bytes, start)) yield { bytes, start };
  }
}

function compare({ bytes, start }: RecentRid, key: Buffer): number {
  return bytes.compare(key, 0, ridKeyBytes, start + lengthBytes, start + headBytes);
}

function docKeyBytesOf(bytes: Buffer, start: number): number {
  return (bytes[start] as number) | ((bytes[start + 1] as number) << 8);
}

function docKeyOf({ bytes, start }: RecentRid): Buffer {
  const docKeyAt = start + headBytes;
  return Buffer.from(bytes.subarray(docKeyAt, docKeyAt + docKeyBytesOf(bytes, start)));
}
