// An index whose doc entries reach their places in the tree late, many neighbours at a time.
//
// The key of a document begins with a hash, so each of a thousand changes would have a leaf of the tree of its own written,
// and beyond a million documents a branch as well. Here a transaction writes changes of doc entries down one behind the other,
// some thirty to a page, and finds them in memory until they are in the tree. They go there from one end of the keys to the
// other, when there are so many that a leaf takes several and a branch dozens.
//
//   current   takes the changes of each transaction; full, it is frozen
//   frozen    goes into the tree, a part with each transaction, and is gone before the next one is full
//
// Both are in the index with everything else of their transactions, so that it is never a mixture of two states, and are read
// when it is opened. What is frozen may go into the tree again after a crash: newer changes of the same keys hide it, and get
// there after it.

import { assert, DatabaseError } from '@tidemark/model';
import { indexedPerTurn, lateChangesMax, lateMergedMax } from '../limits.ts';
import type { IndexChange, IndexEntry, IndexRangeOptions, IndexStore } from './index-store.ts';
import { lateChunkOfKey, tree, treeBounds } from './keys.ts';
import type { LateNumber } from './late-generation.ts';
import { hashOf, LateGeneration } from './late-generation.ts';
import { isWriting } from './sealed-entry.ts';

export interface LateIndexOptions {
  readonly changesMax?: number;
  readonly mergedMax?: number;
  /** Of the hashes of keys. */
  readonly seed?: number;
  /** Lets others go on in the middle of many changes, after so many of them. */
  nextTurn?(): Promise<void>;
  readonly changesPerTurn?: number;
  /** Which keys are late, by their first byte; doc entries unless a test says otherwise. */
  isLate?(firstByte: number | undefined): boolean;
}

/** Throws `corrupt` when what was late cannot be read. */
export async function openLateIndex(index: IndexStore, options: LateIndexOptions = {}): Promise<IndexStore> {
  try {
    return new LateIndex(index, readGenerations(index, options.seed ?? 0), options);
  } catch (error) {
    await index.close();
    throw error;
  }
}

/** More goes into the tree than comes, so that a frozen generation is gone before the next one is full. */
const mergedShare = 1.25;
const loadedChunks = 256;

class LateIndex implements IndexStore {
  readonly keyBytesMax: number;
  readonly #index: IndexStore;
  readonly #changesMax: number;
  readonly #mergedMax: number;
  readonly #seed: number;
  readonly #nextTurn: (() => Promise<void>) | undefined;
  readonly #changesPerTurn: number;
  readonly #isLate: (firstByte: number | undefined) => boolean;
  #current: LateGeneration;
  #frozen: Frozen | undefined;
  /** One apply after the other. Never rejects. */
  #turn: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(index: IndexStore, generations: readonly LateGeneration[], options: LateIndexOptions) {
    this.#index = index;
    this.keyBytesMax = index.keyBytesMax;
    this.#changesMax = options.changesMax ?? lateChangesMax;
    this.#mergedMax = options.mergedMax ?? lateMergedMax;
    this.#seed = options.seed ?? 0;
    this.#nextTurn = options.nextTurn;
    this.#changesPerTurn = options.changesPerTurn ?? indexedPerTurn;
    this.#isLate = options.isLate ?? isDocument;
    const [first, second] = generations;
    this.#frozen = first === undefined || second === undefined ? undefined : frozenOf(first);
    this.#current = second ?? first ?? new LateGeneration(1, this.#seed);
  }

  get changes(): number | undefined {
    return this.#index.changes;
  }

  get(key: Buffer): Buffer | undefined {
    this.#assertOpen();
    const late = this.#findLate(key);
    return late === undefined ? this.#index.get(key) : (late ?? undefined);
  }

  lend(key: Buffer): Buffer | undefined {
    this.#assertOpen();
    const late = this.#findLate(key);
    if (late !== undefined) return late ?? undefined;
    return this.#index.lend === undefined ? this.#index.get(key) : this.#index.lend(key);
  }

  range(options: IndexRangeOptions): IndexEntry[] {
    this.#assertOpen();
    const { limit, reverse = false } = options;
    let { from, to } = options;
    if (limit <= 0 || !spans(from, to, this.#isLate)) return this.#index.range(options);
    const merged: IndexEntry[] = [];
    for (;;) {
      const page = this.#index.range({ from, to, limit: limit - merged.length, reverse });
      const isLast = page.length < limit - merged.length;
      const end = page.at(-1)?.key;
      // Late entries behind the page come with the next one: there may be many, and few are wanted.
      const behind = isLast || end === undefined ? undefined : reverse ? end : Buffer.concat([end, nul]);
      const late = reverse ? this.#lateBetween(behind ?? from, to) : this.#lateBetween(from, behind ?? to);
      if (reverse) late.reverse();
      pushMerged(merged, page, late, options);
      if (behind === undefined || merged.length >= limit) return merged;
      if (reverse) to = behind;
      else from = behind;
    }
  }

  async apply(changes: readonly IndexChange[]): Promise<void> {
    this.#assertOpen();
    const applied = this.#turn.then(() => this.#apply(changes));
    this.#turn = applied.catch(ignore);
    return applied;
  }

  async sync(): Promise<void> {
    this.#assertOpen();
    await this.#turn;
    await this.#index.sync();
  }

  close(): Promise<void> {
    this.#closing ??= this.#turn.then(() => this.#index.close());
    return this.#closing;
  }

  async #apply(changes: readonly IndexChange[]): Promise<void> {
    let count = 0;
    for (const change of changes) if (this.#isLateChange(change)) count += 1;
    if (count === 0) return this.#index.apply(changes);
    this.#freezeIfFull();
    let due = Math.ceil(count * mergedShare);
    // Of many, most go ahead in transactions of their own: what a page of LMDB costs grows with their number in a transaction.
    for (; due > this.#mergedMax && this.#frozen !== undefined; due -= this.#mergedMax) await this.#mergeOnly();
    await this.#applyWith(changes, due);
  }

  #freezeIfFull(): void {
    if (this.#frozen !== undefined || this.#current.changes < this.#changesMax) return;
    this.#frozen = frozenOf(this.#current);
    this.#current = new LateGeneration(this.#current.number + 1, this.#seed);
  }

  async #mergeOnly(): Promise<void> {
    const changes: IndexChange[] = [];
    const merged = this.#pushMerged(changes, this.#mergedMax);
    await this.#index.apply(changes);
    this.#forget(merged);
  }

  async #applyWith(changes: readonly IndexChange[], due: number): Promise<void> {
    const current = this.#current;
    const { mark } = current;
    const written: IndexChange[] = [];
    try {
      // Before what is removed at once.
      const merged = this.#pushMerged(written, due);
      let appended = 0;
      for (const change of changes) {
        if (!this.#isLateChange(change)) {
          written.push(change);
          continue;
        }
        // Nobody finds them before they are published.
        appended += 1;
        if (appended % this.#changesPerTurn === 0) await this.#nextTurn?.();
        if (!isWriting(change)) {
          assert(
            change.key.length > 0 && change.key.length <= this.keyBytesMax,
            'an index key must have 1 to 1,900 bytes',
          );
          // At once, so that whoever removes everything does not meet it again; and late, because what is frozen may have it.
          if (change.value === undefined) written.push(change);
        }
        current.append(change);
      }
      for (const chunk of current.chunksSince(mark)) written.push(chunk);
      await this.#index.apply(written);
      current.publish();
      this.#forget(merged);
    } catch (error) {
      current.goBack(mark);
      throw error;
    }
  }

  /** What is merged with the next transaction; with the last of a generation its chunks go. Gives how far that is. */
  #pushMerged(changes: IndexChange[], count: number): number {
    if (this.#frozen === undefined) return 0;
    const { generation, order, merged } = this.#frozen;
    const end = Math.min(order.length, merged + count);
    for (let i = merged; i < end; i += 1) {
      const change = order[i] as LateNumber;
      // What has changed since gets there later.
      const later = this.#current.find(generation.keyAt(change), generation.hashAt(change));
      if (later === undefined) changes.push(generation.changeAt(change));
    }
    if (end === order.length) for (const removal of generation.removals()) changes.push(removal);
    return end;
  }

  #forget(merged: number): void {
    if (this.#frozen === undefined) return;
    this.#frozen.merged = merged;
    if (merged === this.#frozen.order.length) this.#frozen = undefined;
  }

  /** Null: it was removed. Undefined: ask the tree. */
  #findLate(key: Buffer): Buffer | null | undefined {
    if (!this.#isLate(key[0])) return undefined;
    const hash = hashOf(key, 0, key.length, this.#seed);
    const late = lateIn(this.#current, key, hash);
    return late === undefined && this.#frozen !== undefined ? lateIn(this.#frozen.generation, key, hash) : late;
  }

  /** In order. */
  #lateBetween(from: Buffer, to: Buffer): LateEntry[] {
    const current = this.#current;
    const entries = current.between(from, to).map((change) => entryOf(current, change));
    const frozen = this.#frozen?.generation;
    for (const change of frozen?.between(from, to) ?? []) {
      const entry = entryOf(frozen as LateGeneration, change);
      if (current.find(entry.key, (frozen as LateGeneration).hashAt(change)) === undefined) entries.push(entry);
    }
    return entries.sort((a, b) => Buffer.compare(a.key, b.key));
  }

  /** From the call of `close` on: what is late is not in the tree, which is open a little longer. */
  #assertOpen(): void {
    if (this.#closing !== undefined) throw new DatabaseError('closed', 'The database has been closed.');
  }

  #isLateChange(change: IndexChange): boolean {
    return this.#isLate(isWriting(change) ? change.tree : change.key[0]);
  }
}

/** A generation on its way into the tree. */
interface Frozen {
  readonly generation: LateGeneration;
  readonly order: readonly LateNumber[];
  /** So many of them are there. */
  merged: number;
}

function frozenOf(generation: LateGeneration): Frozen {
  return { generation, order: generation.inBuckets(), merged: 0 };
}

interface LateEntry {
  readonly key: Buffer;
  /** Undefined: it was removed. */
  readonly value: Buffer | undefined;
}

/** Null: it was removed. */
function lateIn(generation: LateGeneration, key: Buffer, hash: number): Buffer | null | undefined {
  const change = generation.find(key, hash);
  return change === undefined ? undefined : (generation.valueAt(change) ?? null);
}

function entryOf(generation: LateGeneration, change: LateNumber): LateEntry {
  return { key: Buffer.from(generation.keyAt(change)), value: generation.valueAt(change) };
}

/** Late entries stand for those of the tree with the same key. Both are in the order of the walk. */
function pushMerged(
  merged: IndexEntry[],
  page: readonly IndexEntry[],
  late: readonly LateEntry[],
  { limit, reverse = false }: IndexRangeOptions,
): void {
  let next = 0;
  const pushLateBefore = (key: Buffer | undefined): void => {
    for (; next < late.length && merged.length < limit; next += 1) {
      const entry = late[next] as LateEntry;
      const order = key === undefined ? -1 : Buffer.compare(entry.key, key);
      if ((reverse ? -order : order) >= 0 && key !== undefined) return;
      if (entry.value !== undefined) merged.push({ key: entry.key, value: Buffer.from(entry.value) });
    }
  };
  for (const entry of page) {
    pushLateBefore(entry.key);
    if (merged.length >= limit) return;
    if (late[next]?.key.equals(entry.key) !== true && !isChunk(entry.key[0])) merged.push(entry);
  }
  pushLateBefore(undefined);
}

function readGenerations(index: IndexStore, seed: number): LateGeneration[] {
  const generations: LateGeneration[] = [];
  let { from, to } = treeBounds('late');
  for (;;) {
    const page = index.range({ from, to, limit: loadedChunks });
    for (const { key, value } of page) {
      const { generation, chunk } = lateChunkOfKey(key);
      if (generations.at(-1)?.number !== generation) generations.push(new LateGeneration(generation, seed));
      const last = generations.at(-1) as LateGeneration;
      if (last.mark.chunks !== chunk) throw new DatabaseError('corrupt', 'A late chunk of the index is missing.');
      last.load(value);
    }
    const end = page.at(-1);
    if (end === undefined || page.length < loadedChunks) break;
    from = Buffer.concat([end.key, nul]);
  }
  if (generations.length > 2) throw new DatabaseError('corrupt', 'The index has too many late generations.');
  return generations;
}

function isDocument(firstByte: number | undefined): boolean {
  return firstByte === tree.doc;
}

function isChunk(firstByte: number | undefined): boolean {
  return firstByte === tree.late;
}

/** Whether keys of a kind can be in [from, to). */
function spans(from: Buffer, to: Buffer, isOf: (firstByte: number | undefined) => boolean): boolean {
  const end = Math.min(to[0] ?? 0, 255);
  for (let byte = from[0] ?? 0; byte <= end; byte += 1) if (isOf(byte)) return true;
  return false;
}

function ignore(): void {}

const nul: Buffer = Buffer.alloc(1);
