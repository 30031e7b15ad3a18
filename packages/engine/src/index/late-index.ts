// An index whose doc entries are seen at once, and reach their places in the tree late, many neighbours at a time.
//
// The key of a document begins with a hash, so each of a thousand changes would have a leaf of the tree of its own written,
// and beyond a million documents a branch as well. Here changes of doc entries are written down one behind the other, some thirty
// to a page, and found in memory until they are in the tree. They go there from one end of the keys to the other, when there
// are so many that a leaf takes several and a branch dozens.
//
//   current   takes changes as they come; full, it is frozen
//   frozen    goes into the tree, a part with each transaction, and is gone before the next one is full; all of it when nobody
//             writes, so that a burst behind a pause has nothing to take there
//
// What has come is on the disk only with the transaction that `take` was asked for, together with everything else that belongs
// to it, so that the index there is never a mixture of two states. Both generations are read when it is opened, and how far the frozen
// one has got, which a transaction writes down with what it takes there.

import { Buffer } from 'node:buffer';
import { assert, DatabaseError } from '@tidemark/model';
import { lateBytesMax, lateChangesMax, lateMergedMax } from '../limits.ts';
import type { Version } from './documents.ts';
import { decodeVersion } from './documents.ts';
import type { IndexChange, IndexEntry, IndexRangeOptions, IndexStore } from './index-store.ts';
import { lateChunkOfKey, lateProgress, lateProgressKey, tree, treeBounds } from './keys.ts';
import type { LateMark, LateNumber } from './late-generation.ts';
import { hashOf, LateGeneration } from './late-generation.ts';
import type { LateTables } from './late-tables.ts';

export interface LateLimits {
  readonly changesMax?: number;
  readonly mergedMax?: number;
  readonly bytesMax?: number;
}

export interface LateIndexOptions extends LateLimits {
  /** Of the hashes of keys. */
  readonly seed?: number;
}

/** Throws `corrupt` when what was late cannot be read. */
export async function openLateIndex(index: IndexStore, options: LateIndexOptions = {}): Promise<LateIndex> {
  try {
    return new LateIndex(index, readLate(index, options.seed ?? 0), options);
  } catch (error) {
    await index.close();
    throw error;
  }
}

/** More goes into the tree than comes, so that a frozen generation is gone before the next one is full. */
const mergedShare = 1.5;
const loadedChunks = 256;
/** So many entries at least, and at most unless more are wanted, are looked at when the first ones were not enough. */
const stepMin = 64;
const stepMax = 4_096;

export class LateIndex implements IndexStore {
  readonly keyBytesMax: number;
  readonly #index: IndexStore;
  readonly #changesMax: number;
  readonly #mergedMax: number;
  readonly #bytesMax: number;
  readonly #seed: number;
  #current: LateGeneration;
  #frozen: Frozen | undefined;
  /** How much of the current generation has been taken. */
  #taken: LateMark;
  /** Entries that were removed since. */
  #removed: Buffer[] = [];
  /** So many changes of the current generation are in the index, and the frozen one if all of it is. */
  #applied: number;
  #ripe: Frozen | undefined;
  /** Of the last one that was frozen and has gone. */
  #tables: LateTables | undefined;
  /** One apply after the other. Never rejects. */
  #turn: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /** See `openLateIndex`. */
  constructor(index: IndexStore, { generations, merged }: FoundLate, options: LateIndexOptions) {
    this.#index = index;
    this.keyBytesMax = index.keyBytesMax;
    this.#changesMax = options.changesMax ?? lateChangesMax;
    this.#mergedMax = options.mergedMax ?? lateMergedMax;
    this.#bytesMax = options.bytesMax ?? lateBytesMax;
    this.#seed = options.seed ?? 0;
    const [first, second] = generations;
    const isFrozen = second !== undefined || merged > 0 || (first !== undefined && this.#isFull(first));
    this.#frozen = first === undefined || !isFrozen ? undefined : frozenOf(first, merged);
    const next = this.#frozen === undefined ? first : second;
    this.#current = next ?? new LateGeneration((first?.number ?? 0) + 1, this.#seed);
    this.#taken = this.#current.mark;
    this.#applied = this.#taken.changes;
    this.#ripe = this.#frozen;
  }

  get changes(): number | undefined {
    return this.#index.changes;
  }

  get(key: Buffer): Buffer | undefined {
    this.#assertOpen();
    const late = this.#findLate(key);
    return late === undefined ? this.#index.get(key) : (late ?? undefined);
  }

  /** What the entry of a doc key says, by what `hashOf` gives of it. */
  version(key: Buffer, hash: number = this.hashOf(key)): Version | undefined {
    this.#assertOpen();
    const change = this.#current.find(key, hash);
    if (change !== undefined) return this.#current.versionAt(change);
    const frozen = this.#frozen?.generation;
    const before = frozen?.find(key, hash);
    if (before !== undefined) return (frozen as LateGeneration).versionAt(before);
    const value = this.#index.lend === undefined ? this.#index.get(key) : this.#index.lend(key);
    return value === undefined ? undefined : decodeVersion(value);
  }

  range(options: IndexRangeOptions): IndexEntry[] {
    this.#assertOpen();
    const { from, to, limit, reverse = false } = options;
    if (limit <= 0 || !spansDocuments(from, to)) return this.#index.range(options);
    return reverse ? this.#rangeBack(options) : this.#range(options);
  }

  /** Of a doc key, for those who need it more than once. */
  hashOf(key: Buffer): number {
    return hashOf(key, 0, key.length, this.#seed);
  }

  /**
   * Every later get and range sees it; on the disk it is with the next transaction. The key is bytes [start, end) of `keys`, which
   * are copied.
   */
  put(keys: Buffer, start: number, end: number, hash: number, version: Version): void {
    this.#current.put(keys, start, end, hash, version, this.#taken.changes);
  }

  remove(keys: Buffer, start: number, end: number, hash: number): void {
    this.#current.remove(keys, start, end, hash);
    // At once as well, so that whoever removes everything does not meet it again; late, because what is frozen may have it.
    this.#removed.push(Buffer.from(keys.subarray(start, end)));
  }

  /** What was put and removed since the last time, for a transaction that must be the next one that is applied. */
  take(): IndexChange[] {
    const current = this.#current;
    const changes: IndexChange[] = this.#removed.map((key) => ({ key, value: undefined }));
    for (const chunk of current.chunksSince(this.#taken)) changes.push(chunk);
    this.#removed = [];
    if (this.#frozen === undefined && this.#isFull(current)) {
      this.#frozen = frozenOf(current, 0);
      this.#current = new LateGeneration(current.number + 1, this.#seed, this.#tables);
      this.#tables = undefined;
      this.#applied = 0;
    }
    this.#taken = this.#current.mark;
    return changes;
  }

  /** Of everything but doc entries, and of what was taken. */
  async apply(changes: readonly IndexChange[]): Promise<void> {
    this.#assertOpen();
    const applied = this.#turn.then(() => this.#apply(changes));
    this.#turn = applied.catch(ignore);
    return applied;
  }

  /** Whether something is on its way into the tree. */
  get isMerging(): boolean {
    return this.#ripe !== undefined;
  }

  /** Takes some more of it there than is due, in a transaction of its own: when nobody writes it is in nobody's way. */
  async mergeAhead(): Promise<void> {
    this.#assertOpen();
    const merged = this.#turn.then(() => this.#applyMerged(noChanges, this.#mergedMax));
    this.#turn = merged.catch(ignore);
    return merged;
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
    // What becomes due meanwhile waits for the next one: it may come as quickly as it goes, and somebody waits for this one.
    let due = this.#due;
    // Of many, most go ahead in transactions of their own: what a page of LMDB costs grows with their number in a transaction.
    for (; due > this.#mergedMax; due -= this.#mergedMax) await this.#applyMerged(noChanges, this.#mergedMax);
    const taken = this.#taken.changes;
    await this.#applyMerged(changes, due);
    this.#applied = taken;
    this.#ripe = this.#frozen;
  }

  #isFull({ changes, bytes }: LateGeneration): boolean {
    return changes >= this.#changesMax || bytes >= this.#bytesMax;
  }

  /** How many should be in the tree by now and are not. */
  get #due(): number {
    if (this.#ripe === undefined) return 0;
    const { order, merged } = this.#ripe;
    const { changes, bytes } = this.#current;
    const come = Math.max(changes, order.length * (bytes / this.#bytesMax));
    return Math.min(order.length, Math.ceil(come * mergedShare)) - merged;
  }

  async #applyMerged(changes: readonly IndexChange[], count: number): Promise<void> {
    const frozen = this.#ripe;
    if (frozen === undefined || count <= 0) return this.#index.apply(changes);
    // Before what is removed at once.
    const written: IndexChange[] = [];
    const merged = this.#pushMerged(written, frozen, count);
    for (const change of changes) written.push(change);
    await this.#index.apply(written);
    frozen.merged = merged;
    if (merged < frozen.order.length) return;
    this.#ripe = undefined;
    this.#frozen = undefined;
    this.#tables = frozen.generation.release();
  }

  /** What is merged with the next transaction; with the last of a generation its chunks go. Gives how far that is. */
  #pushMerged(changes: IndexChange[], { generation, order, merged }: Frozen, count: number): number {
    const end = Math.min(order.length, merged + count);
    for (let i = merged; i < end; i += 1) {
      const change = order[i] as LateNumber;
      // What has changed since gets there later; but what is not in the index yet may never be.
      const later = this.#current.findSame(generation, change);
      if (later === undefined || later >= this.#applied) changes.push(generation.changeAt(change));
    }
    const progress = lateProgressKey(generation.number);
    if (end < order.length) changes.push({ key: progress, value: encodedProgress(end) });
    else {
      for (const removal of generation.removals()) changes.push(removal);
      changes.push({ key: progress, value: undefined });
    }
    return end;
  }

  /** Null: it was removed. Undefined: ask the tree. */
  #findLate(key: Buffer): Buffer | null | undefined {
    if (!isLate(key[0])) return undefined;
    const hash = this.hashOf(key);
    const late = lateIn(this.#current, key, hash);
    return late === undefined && this.#frozen !== undefined ? lateIn(this.#frozen.generation, key, hash) : late;
  }

  #range(options: IndexRangeOptions): IndexEntry[] {
    const { to, limit } = options;
    const merged: IndexEntry[] = [];
    /** What was read of the tree and comes behind what has been merged; it ends where the tree goes on, if it does. */
    let page: readonly IndexEntry[] = [];
    let treeFrom: Buffer | undefined = options.from;
    for (let { from } = options, step = 0; ; step = Math.min(stepMax, Math.max(stepMin, step * 2))) {
      // What was removed may be far more than what is wanted: one after the other would be as many looks.
      const wanted = Math.max(limit - merged.length, step);
      if (page.length === 0 && treeFrom !== undefined) {
        page = this.#index.range({ from: treeFrom, to, limit: wanted });
        treeFrom = page.length < wanted ? undefined : behind((page.at(-1) as IndexEntry).key);
      }
      // Late entries behind the page come with the next one: there may be many, and few are wanted.
      const late = this.#firstLate(from, treeFrom ?? to, wanted);
      const end = late.end ?? treeFrom;
      const before = late.end === undefined ? page.length : countBefore(page, late.end);
      pushMerged(merged, page.slice(0, before), late.entries, options);
      if (end === undefined || merged.length >= limit) return merged;
      assert(Buffer.compare(end, from) > 0, 'a range goes on behind what it has seen');
      page = page.slice(before);
      from = end;
    }
  }

  /** Of what is late everything is looked at: nobody goes back over many documents. */
  #rangeBack(options: IndexRangeOptions): IndexEntry[] {
    const { from, limit } = options;
    const merged: IndexEntry[] = [];
    for (let { to } = options; ; ) {
      const wanted = limit - merged.length;
      const page = this.#index.range({ from, to, limit: wanted, reverse: true });
      const end = page.length < wanted ? undefined : (page.at(-1) as IndexEntry).key;
      const { entries } = this.#firstLate(end ?? from, to, Number.MAX_SAFE_INTEGER);
      pushMerged(merged, page, entries.reverse(), options);
      if (end === undefined || merged.length >= limit) return merged;
      to = end;
    }
  }

  /** In order. Where there are more than `limit`, those before `end`. */
  #firstLate(from: Buffer, to: Buffer, limit: number): { entries: LateEntry[]; end: Buffer | undefined } {
    const current = this.#current.firstBetween(from, to, limit);
    const entries = current.changes.map((change) => entryOf(this.#current, change));
    let end = current.isCut ? behind((entries.at(-1) as LateEntry).key) : undefined;
    const generation = this.#frozen?.generation;
    if (generation === undefined) return { entries, end };
    const frozen = generation.firstBetween(from, end ?? to, limit);
    for (const change of frozen.changes) {
      const entry = entryOf(generation, change);
      if (this.#current.find(entry.key, generation.hashAt(change)) === undefined) entries.push(entry);
    }
    entries.sort((a, b) => Buffer.compare(a.key, b.key));
    if (!frozen.isCut) return { entries, end };
    end = behind(generation.keyAt(frozen.changes.at(-1) as LateNumber));
    return { entries: entries.filter(({ key }) => Buffer.compare(key, end as Buffer) < 0), end };
  }

  /** From the call of `close` on: what is late is not in the tree, which is open a little longer. */
  #assertOpen(): void {
    if (this.#closing !== undefined) throw new DatabaseError('closed', 'The database has been closed.');
  }
}

/** A generation on its way into the tree. */
interface Frozen {
  readonly generation: LateGeneration;
  readonly order: readonly LateNumber[];
  /** So many of them are there. */
  merged: number;
}

function frozenOf(generation: LateGeneration, merged: number): Frozen {
  const order = generation.inBuckets();
  if (merged > order.length)
    throw new DatabaseError('corrupt', 'More of a late generation is in its place than it has.');
  return { generation, order, merged };
}

/** LATE PROGRESS, a value of the index: u32 little-endian, so many of those in the order of `inBuckets`. */
function encodedProgress(merged: number): Buffer {
  const value = Buffer.allocUnsafe(4);
  value.writeUInt32LE(merged, 0);
  return value;
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

interface FoundLate {
  /** The older one first, which is frozen if there are two. */
  readonly generations: readonly LateGeneration[];
  /** Of the first one. */
  readonly merged: number;
}

function readLate(index: IndexStore, seed: number): FoundLate {
  const generations: LateGeneration[] = [];
  let merged = 0;
  let { from, to } = treeBounds('late');
  for (;;) {
    const page = index.range({ from, to, limit: loadedChunks });
    for (const { key, value } of page) {
      const { generation, chunk } = lateChunkOfKey(key);
      if (generations.at(-1)?.number !== generation) generations.push(new LateGeneration(generation, seed));
      const last = generations.at(-1) as LateGeneration;
      if (chunk === lateProgress && generations.length === 1) merged = value.readUInt32LE(0);
      else if (last.mark.chunks !== chunk) throw new DatabaseError('corrupt', 'A late chunk of the index is missing.');
      else last.load(value);
    }
    const end = page.at(-1);
    if (end === undefined || page.length < loadedChunks) break;
    from = behind(end.key);
  }
  if (generations.length > 2) throw new DatabaseError('corrupt', 'The index has too many late generations.');
  return { generations, merged };
}

function isLate(firstByte: number | undefined): boolean {
  return firstByte === tree.doc;
}

function isChunk(firstByte: number | undefined): boolean {
  return firstByte === tree.late;
}

/** Whether doc keys can be in [from, to). */
function spansDocuments(from: Buffer, to: Buffer): boolean {
  return (from[0] ?? 0) <= tree.doc && (to[0] ?? 0) >= tree.doc;
}

function ignore(): void {}

const noChanges: readonly IndexChange[] = [];

const nul: Buffer = Buffer.alloc(1);

/** How many of these are before a key. */
function countBefore(page: readonly IndexEntry[], key: Buffer): number {
  const first = page.findIndex((entry) => Buffer.compare(entry.key, key) >= 0);
  return first < 0 ? page.length : first;
}

/** The first key there can be behind it. */
function behind(key: Buffer): Buffer {
  return Buffer.concat([key, nul]);
}
