// Memory in which entries for the index lie one behind the other, outside the JavaScript heap: thousands of them go into one
// transaction, so they make no bytes of their own.
//
// ENTRY IN A SLAB, at a multiple of 4: key · value · 4 bytes that are free

import { Buffer } from 'node:buffer';
import { assert } from '@tidemark/model';
import type { IndexChange } from './index-store.ts';

const wordBytes = 4;
export const checksumBytes = 4;

export interface EntrySlab {
  /** The whole of its memory. */
  readonly bytes: Buffer;
  /** The same, for whoever copies: a word at a time is four times as fast. */
  readonly words: Int32Array;
}

export function makeSlab(bytes: number): EntrySlab {
  const memory = new ArrayBuffer(padded(bytes));
  return { bytes: Buffer.from(memory), words: new Int32Array(memory) };
}

const sharedBytesMin = 512;
const sharedBytesMax: number = 64 * 1024;

/** Room for the entries of one transaction, in slabs that they share. */
export class SlabRoom {
  #slab: EntrySlab | undefined;
  #usedBytes = 0;
  #nextBytes: number = sharedBytesMin;

  /** Of the room that was taken last. */
  get slab(): EntrySlab {
    assert(this.#slab !== undefined, 'room is taken before it is used');
    return this.#slab;
  }

  /** Gives where it begins. */
  take(bytes: number): number {
    if (this.#slab === undefined || this.#usedBytes + bytes > this.#slab.bytes.length) {
      this.#slab = makeSlab(Math.max(this.#nextBytes, bytes));
      this.#usedBytes = 0;
      this.#nextBytes = Math.min(sharedBytesMax, this.#nextBytes * 2);
    }
    const start = this.#usedBytes;
    this.#usedBytes += padded(bytes);
    return start;
  }
}

/** What an entry with so many bytes takes. */
export function slabBytesOf(keyBytes: number, valueBytes: number): number {
  return padded(keyBytes + valueBytes + checksumBytes);
}

/** A put of an entry in a slab. Nothing of it may change before it is applied. */
export class SlabPut implements IndexChange {
  readonly slab: EntrySlab;
  readonly start: number;
  readonly keyBytes: number;
  readonly valueBytes: number;

  constructor(slab: EntrySlab, start: number, keyBytes: number, valueBytes: number) {
    assert(start % wordBytes === 0, 'an entry begins at a whole word of its slab');
    this.slab = slab;
    this.start = start;
    this.keyBytes = keyBytes;
    this.valueBytes = valueBytes;
  }

  get key(): Buffer {
    return this.slab.bytes.subarray(this.start, this.start + this.keyBytes);
  }

  get value(): Buffer {
    const valueAt = this.start + this.keyBytes;
    return this.slab.bytes.subarray(valueAt, valueAt + this.valueBytes);
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / wordBytes) * wordBytes;
}
