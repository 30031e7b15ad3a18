// The index seam in memory: an ordered map cut into sorted chunks of at most 256 entries, so that an insert moves few
// entries and a look-up is two binary searches.
//
// Keys and values are held as latin1 strings, one character for one byte. Their order under `<` is the order of the bytes,
// they take 16 bytes of heap more than the bytes themselves (a Buffer takes over 100), they are immutable, and the garbage
// collector does not look into them.
//
// A snapshot copies only the list of chunks. A chunk belongs to the state that made it; another state that wants to change
// it copies it first.

import { Buffer } from 'node:buffer';
import { assert, DatabaseError } from '@tidemark/model';
import type { IndexChange, IndexEntry, IndexRangeOptions, IndexStore } from './index-store.ts';

export interface MemoryIndexOptions {
  /** Starts with this content instead of empty. The snapshot stays as it is. */
  readonly from?: MemoryIndexSnapshot;
  /** Called by every `sync` with what it made durable: how tests keep the states a power cut may return to. */
  readonly onSync?: (synced: MemoryIndexSnapshot) => void;
}

/** A state of a memory index. Costs a reference per chunk until either side changes. */
export interface MemoryIndexSnapshot {
  readonly entryCount: number;
  /** @internal Frozen by agreement: no state owns these chunks any more. */
  readonly chunks: readonly Chunk[];
}

export interface MemoryIndex extends IndexStore {
  readonly entryCount: number;
  snapshot(): MemoryIndexSnapshot;
}

export function memoryIndex(options: MemoryIndexOptions = {}): MemoryIndex {
  return new ChunkedIndex(options);
}

interface Chunk {
  /** The state that may change it in place; any other copies it first. */
  readonly owner: object;
  /** Ascending, never empty. */
  readonly keys: string[];
  readonly values: string[];
}

/** Halved when exceeded. Larger ones make inserts slower, smaller ones the list of chunks longer. */
const chunkEntriesMax = 256;

// The same as LMDB's, so that what runs in memory also runs on disk.
const keyBytesMax = 1_900;

class ChunkedIndex implements MemoryIndex {
  readonly keyBytesMax: number = keyBytesMax;
  changes = 0;
  readonly #onSync: ((synced: MemoryIndexSnapshot) => void) | undefined;
  /** Ascending and not overlapping. */
  #chunks: Chunk[];
  #entryCount: number;
  /** Replaced by every snapshot, which thereby takes the chunks there are away from this state. */
  #owner: object = {};
  #isClosed = false;

  constructor(options: MemoryIndexOptions) {
    this.#chunks = options.from ? [...options.from.chunks] : [];
    this.#entryCount = options.from?.entryCount ?? 0;
    this.#onSync = options.onSync;
  }

  get entryCount(): number {
    return this.#entryCount;
  }

  get(key: Buffer): Buffer | undefined {
    this.#assertOpen();
    const text = key.toString('latin1');
    const chunk = this.#chunks[this.#chunkIndexOf(text)];
    if (chunk === undefined) return undefined;
    const at = lowerBound(chunk.keys, text);
    return chunk.keys[at] === text ? Buffer.from(chunk.values[at]!, 'latin1') : undefined;
  }

  range(options: IndexRangeOptions): IndexEntry[] {
    this.#assertOpen();
    const from = options.from.toString('latin1');
    const to = options.to.toString('latin1');
    if (from >= to) return [];
    return options.reverse ? this.#walkDown(from, to, options.limit) : this.#walkUp(from, to, options.limit);
  }

  async apply(changes: readonly IndexChange[]): Promise<void> {
    this.#assertOpen();
    // All checks come before the first change: nothing may fail half way.
    for (const { key } of changes) {
      assert(key.length > 0 && key.length <= keyBytesMax, 'an index key must have 1 to 1,900 bytes');
    }
    this.changes += 1;
    for (const { key, value } of changes) {
      if (value === undefined) this.#delete(key.toString('latin1'));
      else this.#set(key.toString('latin1'), value.toString('latin1'));
    }
  }

  async sync(): Promise<void> {
    this.#assertOpen();
    if (this.#onSync) this.#onSync(this.snapshot());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#chunks = [];
  }

  snapshot(): MemoryIndexSnapshot {
    this.#owner = {};
    return { entryCount: this.#entryCount, chunks: [...this.#chunks] };
  }

  #set(key: string, value: string): void {
    const index = Math.max(0, this.#chunkIndexOf(key));
    if (index === this.#chunks.length) {
      this.#chunks.push({ owner: this.#owner, keys: [key], values: [value] });
      this.#entryCount++;
      return;
    }
    const chunk = this.#ownChunk(index);
    const at = lowerBound(chunk.keys, key);
    if (chunk.keys[at] === key) {
      chunk.values[at] = value;
      return;
    }
    chunk.keys.splice(at, 0, key);
    chunk.values.splice(at, 0, value);
    this.#entryCount++;
    if (chunk.keys.length > chunkEntriesMax) this.#halve(index, at === chunk.keys.length - 1);
  }

  #delete(key: string): void {
    const index = this.#chunkIndexOf(key);
    if (index < 0) return;
    const at = lowerBound(this.#chunks[index]!.keys, key);
    if (this.#chunks[index]!.keys[at] !== key) return;
    const chunk = this.#ownChunk(index);
    chunk.keys.splice(at, 1);
    chunk.values.splice(at, 1);
    this.#entryCount--;
    if (chunk.keys.length === 0) this.#chunks.splice(index, 1);
  }

  // Ascending inserts leave full chunks behind instead of half-empty ones.
  #halve(index: number, isAscending: boolean): void {
    const chunk = this.#chunks[index]!;
    const at = isAscending ? chunkEntriesMax : chunkEntriesMax >> 1;
    const upper = { owner: this.#owner, keys: chunk.keys.splice(at), values: chunk.values.splice(at) };
    this.#chunks.splice(index + 1, 0, upper);
  }

  #ownChunk(index: number): Chunk {
    const chunk = this.#chunks[index]!;
    if (chunk.owner === this.#owner) return chunk;
    const own = { owner: this.#owner, keys: [...chunk.keys], values: [...chunk.values] };
    this.#chunks[index] = own;
    return own;
  }

  /** The last chunk that starts at or before the key; -1 when the key lies before all of them. */
  #chunkIndexOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#chunks[middle]!.keys[0]! <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #walkUp(from: string, to: string, limit: number): IndexEntry[] {
    const entries: IndexEntry[] = [];
    const start = Math.max(0, this.#chunkIndexOf(from));
    for (let index = start; index < this.#chunks.length && entries.length < limit; index++) {
      const chunk = this.#chunks[index]!;
      for (let at = index === start ? lowerBound(chunk.keys, from) : 0; at < chunk.keys.length; at++) {
        if (entries.length >= limit || chunk.keys[at]! >= to) return entries;
        entries.push(entryAt(chunk, at));
      }
    }
    return entries;
  }

  #walkDown(from: string, to: string, limit: number): IndexEntry[] {
    const entries: IndexEntry[] = [];
    const start = this.#chunkIndexOf(to);
    for (let index = start; index >= 0 && entries.length < limit; index--) {
      const chunk = this.#chunks[index]!;
      for (let at = (index === start ? lowerBound(chunk.keys, to) : chunk.keys.length) - 1; at >= 0; at--) {
        if (entries.length >= limit || chunk.keys[at]! < from) return entries;
        entries.push(entryAt(chunk, at));
      }
    }
    return entries;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new DatabaseError('closed', 'The database has been closed.');
  }
}

/** The first position whose key is not below the given one. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function entryAt(chunk: Chunk, at: number): IndexEntry {
  return { key: Buffer.from(chunk.keys[at]!, 'latin1'), value: Buffer.from(chunk.values[at]!, 'latin1') };
}
