// What the tests of late entries share: the state that is expected, and a disk that is killed and fills up.

import type { Version } from '../src/index/documents.ts';
import { versionBytes } from '../src/index/documents.ts';
import type { IndexChange, IndexEntry, IndexRangeOptions, IndexStore } from '../src/index/index-store.ts';
import { tree } from '../src/index/keys.ts';
import type { LateIndex, LateLimits } from '../src/index/late-index.ts';
import { openLateIndex } from '../src/index/late-index.ts';
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

/** Doc entries as the engine puts them, everything else with the transaction that takes them. Values are whatever a test likes. */
export class LateStore {
  readonly index: LateIndex;
  /** What could not be applied yet. */
  #left: IndexChange[] | undefined;

  constructor(index: LateIndex) {
    this.index = index;
  }

  static async open(index: IndexStore, limits?: LateLimits): Promise<LateStore> {
    return new LateStore(await openLateIndex(index, limits));
  }

  async apply(changes: readonly IndexChange[]): Promise<void> {
    const others: IndexChange[] = [];
    for (const change of changes) {
      const { key, value } = change;
      if (key[0] !== tree.doc) others.push(change);
      else if (value === undefined) this.index.remove(key, 0, key.length, this.index.hashOf(key));
      else this.index.put(key, 0, key.length, this.index.hashOf(key), versionOf(value));
    }
    this.#left = [...this.index.take(), ...others];
    await this.applyAgain();
  }

  /** What has failed before: nothing else may be tried first. */
  async applyAgain(): Promise<void> {
    await this.index.apply(this.#left ?? []);
    this.#left = undefined;
  }

  get(key: Buffer): Buffer | undefined {
    return givenValue(key, this.index.get(key));
  }

  lend(key: Buffer): Buffer | undefined {
    return key[0] === tree.doc ? this.index.version(key)?.uniqueDigests : this.index.get(key);
  }

  range(options: IndexRangeOptions): IndexEntry[] {
    return this.index.range(options).map(({ key, value }) => ({ key, value: givenValue(key, value) as Buffer }));
  }

  sync(): Promise<void> {
    return this.index.sync();
  }

  close(): Promise<void> {
    return this.index.close();
  }
}

const fixedBytes: number = versionBytes(versionOf(Buffer.alloc(0)));

export function versionOf(value: Buffer): Version {
  const place = { segment: 1, ordinal: 2, offset: 3, length: 4, checksum: 5, recordBytes: 6 };
  return {
    range: 1,
    lsn: 2,
    ix: 0,
    timeMs: 3,
    ttl: undefined,
    ridNumber: 4,
    uniqueDigests: value,
    place,
    body: undefined,
  };
}

/** As it was given to `apply`, of an entry in the tree as well. */
export function givenValue(key: Buffer, value: Buffer | undefined): Buffer | undefined {
  return key[0] === tree.doc ? value?.subarray(fixedBytes) : value;
}
