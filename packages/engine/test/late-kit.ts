// What the tests of late entries share: the state that is expected, and a disk that is killed and fills up.

import type { IndexChange, IndexStore } from '../src/index/index-store.ts';
import type { MemoryIndexSnapshot } from '../src/index/memory-index.ts';
import { memoryIndex } from '../src/index/memory-index.ts';

/** Keys and values as latin1. */
export type Model = ReadonlyMap<string, string>;

export function applied(before: Model, changes: readonly IndexChange[]): Model {
  const model = new Map(before);
  for (const { key, value } of changes) {
    if (value === undefined) model.delete(key.toString('latin1'));
    else model.set(key.toString('latin1'), value.toString('latin1'));
  }
  return model;
}

/** A kill leaves every transaction that was taken; a power cut what was synced. */
export class LateDisk {
  /** So many transactions are taken before it is full. */
  room: number = Number.POSITIVE_INFINITY;
  #synced: MemoryIndexSnapshot[] = [memoryIndex().snapshot()];
  #last: MemoryIndexSnapshot = memoryIndex().snapshot();

  open(): IndexStore {
    const index = memoryIndex({ from: this.#last, onSync: (synced) => this.#synced.push(synced) });
    return {
      keyBytesMax: index.keyBytesMax,
      get: (key) => index.get(key),
      range: (options) => index.range(options),
      apply: async (changes) => {
        if (--this.room < 0) throw new Error('no room');
        await index.apply(changes);
        this.#last = index.snapshot();
      },
      sync: () => index.sync(),
      close: () => index.close(),
    };
  }

  /** Back to the sync before the last one, if there was one; gives how many there were then. */
  cutPower(): number {
    if (this.#synced.length > 1) this.#synced.pop();
    this.#last = this.#synced.at(-1) as MemoryIndexSnapshot; // The first one is the empty index.
    return this.#synced.length;
  }
}
