// The rid entries of documents that were made lately and that the index does not have yet, one behind the other, outside the
// JavaScript heap: tens of thousands of objects that live for a second are what a garbage collector does worst.
//
// RECENT RID: length of the doc key u16 · reserved u16 · an entry as it lies in a slab: rid key (13 bytes, keys.ts) · doc key

import { copyBytes } from './copy-bytes.ts';
import type { EntrySlab } from './entry-slab.ts';
import { makeSlab, SlabPut, slabBytesOf } from './entry-slab.ts';
import type { IndexChange } from './index-store.ts';
import { ridKey, ridKeyBytes, ridNumberOfKey, writeRidKey } from './keys.ts';

const slabBytes: number = 64 * 1024;
const headBytes = 4;

interface UsedSlab {
  readonly slab: EntrySlab;
  usedBytes: number;
}

/** Where one is. */
interface RecentRid {
  readonly slab: EntrySlab;
  readonly start: number;
}

export class RecentRids {
  /** Those that a transaction is taking, until it has. */
  #taken: UsedSlab[] = [];
  #slabs: UsedSlab[] = [];

  /** The doc key is bytes [keyStart, keyEnd) of `keys`. */
  add(container: number, ridNumber: number, keys: Buffer, keyStart: number, keyEnd: number): void {
    const keyBytes = keyEnd - keyStart;
    const length = headBytes + slabBytesOf(ridKeyBytes, keyBytes);
    let last = this.#slabs.at(-1);
    if (last === undefined || last.usedBytes + length > last.slab.bytes.length) {
      last = { slab: makeSlab(Math.max(slabBytes, length)), usedBytes: 0 };
      this.#slabs.push(last);
    }
    const { bytes } = last.slab;
    const start = last.usedBytes;
    bytes[start] = keyBytes & 0xff;
    bytes[start + 1] = keyBytes >> 8;
    writeRidKey(container, ridNumber, bytes, start + headBytes);
    copyBytes(keys, keyStart, keyEnd, bytes, start + headBytes + ridKeyBytes);
    last.usedBytes = start + length;
  }

  /** The doc key of a document. All of them are looked at: they are bounded. */
  find(container: number, ridNumber: number): Buffer | undefined {
    const wanted = ridKey(container, ridNumber);
    for (const recent of this.#all()) if (compare(recent, wanted) === 0) return docKeyOf(recent);
    return undefined;
  }

  /** Those of a container whose rid numbers are in [from, end), in any order. */
  between(container: number, from: number, end: number): { readonly ridNumber: number; readonly key: Buffer }[] {
    const first = ridKey(container, from);
    const behind = ridKey(container, end);
    const found: { ridNumber: number; key: Buffer }[] = [];
    for (const recent of this.#all()) {
      if (compare(recent, first) < 0 || compare(recent, behind) >= 0) continue;
      const ridNumber = ridNumberOfKey(recent.slab.bytes, recent.start + headBytes);
      found.push({ ridNumber, key: docKeyOf(recent) });
    }
    return found;
  }

  /** All of them, for the next transaction. */
  take(): IndexChange[] {
    this.#taken = [...this.#taken, ...this.#slabs];
    this.#slabs = [];
    const changes: IndexChange[] = [];
    for (const recent of walk(this.#taken)) changes.push(ridPut(recent));
    return changes;
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

function* walk(slabs: readonly UsedSlab[]): IterableIterator<RecentRid> {
  for (const { slab, usedBytes } of slabs) {
    for (let start = 0; start < usedBytes; ) {
      const recent = { slab, start };
      yield recent;
      start += headBytes + slabBytesOf(ridKeyBytes, docKeyBytesOf(recent));
    }
  }
}

function compare({ slab: { bytes }, start }: RecentRid, key: Buffer): number {
  const keyAt = start + headBytes;
  return bytes.compare(key, 0, ridKeyBytes, keyAt, keyAt + ridKeyBytes);
}

function docKeyBytesOf({ slab: { bytes }, start }: RecentRid): number {
  return (bytes[start] as number) | ((bytes[start + 1] as number) << 8);
}

function docKeyOf(recent: RecentRid): Buffer {
  return Buffer.from(ridPut(recent).value);
}

function ridPut(recent: RecentRid): SlabPut {
  return new SlabPut(recent.slab, recent.start + headBytes, ridKeyBytes, docKeyBytesOf(recent));
}
