// The rid entries of documents that were made lately and that the index does not have yet, one behind the other, outside the
// JavaScript heap: tens of thousands of objects that live for a second are what a garbage collector does worst.
//
// RECENT RID: rid key (13 bytes, keys.ts) · length of the doc key u16 · doc key

import { copyBytes } from './copy-bytes.ts';
import type { IndexChange } from './index-store.ts';
import { ridKey, ridKeyBytes, ridNumberOfKey, writeRidKey } from './keys.ts';
import { SlabPut } from './slab-put.ts';

const slabBytes: number = 64 * 1024;
const headBytes: number = ridKeyBytes + 2;

interface Slab {
  readonly bytes: Buffer;
  usedBytes: number;
}

export class RecentRids {
  /** Those that a transaction is taking, until it has. */
  #taken: Slab[] = [];
  #slabs: Slab[] = [];

  /** The doc key is bytes [keyStart, keyEnd) of `keys`. */
  add(container: number, ridNumber: number, keys: Buffer, keyStart: number, keyEnd: number): void {
    const keyBytes = keyEnd - keyStart;
    const length = headBytes + keyBytes;
    let slab = this.#slabs.at(-1);
    if (slab === undefined || slab.usedBytes + length > slab.bytes.length) {
      slab = { bytes: Buffer.allocUnsafeSlow(Math.max(slabBytes, length)), usedBytes: 0 };
      this.#slabs.push(slab);
    }
    const { bytes, usedBytes: start } = slab;
    writeRidKey(container, ridNumber, bytes, start);
    bytes[start + ridKeyBytes] = keyBytes & 0xff;
    bytes[start + ridKeyBytes + 1] = keyBytes >> 8;
    copyBytes(keys, keyStart, keyEnd, bytes, start + headBytes);
    slab.usedBytes = start + length;
  }

  /** The doc key of a document. All of them are looked at: they are bounded. */
  find(container: number, ridNumber: number): Buffer | undefined {
    const wanted = ridKey(container, ridNumber);
    for (const { bytes, start } of this.#all()) {
      if (bytes.compare(wanted, 0, ridKeyBytes, start, start + ridKeyBytes) === 0) return docKeyAt(bytes, start);
    }
    return undefined;
  }

  /** Those of a container whose rid numbers are in [from, end), in any order. */
  between(container: number, from: number, end: number): { readonly ridNumber: number; readonly key: Buffer }[] {
    const first = ridKey(container, from);
    const behind = ridKey(container, end);
    const found: { ridNumber: number; key: Buffer }[] = [];
    for (const { bytes, start } of this.#all()) {
      if (bytes.compare(first, 0, ridKeyBytes, start, start + ridKeyBytes) < 0) continue;
      if (bytes.compare(behind, 0, ridKeyBytes, start, start + ridKeyBytes) >= 0) continue;
      found.push({ ridNumber: ridNumberOfKey(bytes, start), key: docKeyAt(bytes, start) });
    }
    return found;
  }

  /** All of them, for the next transaction. */
  take(): IndexChange[] {
    this.#taken = [...this.#taken, ...this.#slabs];
    this.#slabs = [];
    const changes: IndexChange[] = [];
    for (const { bytes, start } of walk(this.#taken)) changes.push(ridPut(bytes, start));
    return changes;
  }

  /** The index has what was taken. */
  forgetTaken(): void {
    this.#taken = [];
  }

  *#all(): IterableIterator<{ readonly bytes: Buffer; readonly start: number }> {
    yield* walk(this.#taken);
    yield* walk(this.#slabs);
  }
}

function* walk(slabs: readonly Slab[]): IterableIterator<{ readonly bytes: Buffer; readonly start: number }> {
  for (const { bytes, usedBytes } of slabs) {
    for (let start = 0; start < usedBytes; start += headBytes + docKeyBytesAt(bytes, start)) yield { bytes, start };
  }
}

function docKeyBytesAt(bytes: Buffer, start: number): number {
  return (bytes[start + ridKeyBytes] as number) | ((bytes[start + ridKeyBytes + 1] as number) << 8);
}

function docKeyAt(bytes: Buffer, start: number): Buffer {
  return Buffer.from(bytes.subarray(start + headBytes, start + headBytes + docKeyBytesAt(bytes, start)));
}

function ridPut(bytes: Buffer, start: number): SlabPut {
  const keyAt = start + headBytes;
  return new SlabPut(bytes, [start, start + ridKeyBytes], [keyAt, keyAt + docKeyBytesAt(bytes, start)]);
}
