// A put whose key and value lie in memory that it shares with others: thousands of them are in one transaction, so they make no
// bytes of their own and are written down where the index wants them.

import { copyBytes } from './copy-bytes.ts';
import type { WritingChange } from './index-store.ts';

export class SlabPut implements WritingChange {
  readonly tree: number;
  readonly #slab: Buffer;
  readonly #keyStart: number;
  readonly #keyEnd: number;
  readonly #valueStart: number;
  readonly #valueEnd: number;

  constructor(slab: Buffer, key: readonly [start: number, end: number], value: readonly [start: number, end: number]) {
    this.tree = slab[key[0]] as number;
    this.#slab = slab;
    this.#keyStart = key[0];
    this.#keyEnd = key[1];
    this.#valueStart = value[0];
    this.#valueEnd = value[1];
  }

  get key(): Buffer {
    return this.#slab.subarray(this.#keyStart, this.#keyEnd);
  }

  get value(): Buffer {
    return this.#slab.subarray(this.#valueStart, this.#valueEnd);
  }

  writeKey(target: Buffer): number {
    return copyBytes(this.#slab, this.#keyStart, this.#keyEnd, target, 0);
  }

  writeValue(target: Buffer, offset: number): number {
    return copyBytes(this.#slab, this.#valueStart, this.#valueEnd, target, offset);
  }
}
