// Changes of doc entries that are written down one behind the other and not yet at their places in the tree, up to a number of
// them; late-index.ts says why. Everything about them is outside the JavaScript heap: a hash table finds the last change of a
// key, and lists one behind the other hold those that will be neighbours in the tree.
//
// LATE CHUNK, a value of the index: changes one behind the other, little-endian
//
//   0 key bytes u16   2 reserved u16   4 value bytes u32, all ones: removed   8 key   value   4 bytes   up to a multiple of 4
//
// Key and value lie as they do in a slab (entry-slab.ts), and go from there into the tree.
//
// The last chunk is written anew, longer, by the next transaction while it has room: a chunk is a page of LMDB.

import { DatabaseError } from '@tidemark/model';
import { lateChunkBytes } from '../limits.ts';
import { copyBytes } from '../log/copy-bytes.ts';
import type { Version } from './documents.ts';
import { decodeVersion, versionBytes, writeVersion } from './documents.ts';
import type { EntrySlab } from './entry-slab.ts';
import { makeSlab, SlabPut, slabBytesOf } from './entry-slab.ts';
import type { IndexChange } from './index-store.ts';
import { lateKey } from './keys.ts';
import type { LateTables } from './late-tables.ts';
import { changesMin, slotWords, tablesFor } from './late-tables.ts';

/** A change: which one of its generation, counted from 0. */
export type LateNumber = number;

export interface LateMark {
  readonly chunks: number;
  readonly usedBytes: number;
  readonly changes: number;
}

const headBytes = 8;
const valueBytesAt = 4;
const removed = 0xffff_ffff;
/** In its chunk a change begins before this: one that needs a larger chunk begins it. */
const chunkFactor = 4_096;
/**
 * Chunks lie in blocks, in multiples of so many bytes: memory of its own for each would be thousands of objects, which the processor
 * has to find one after the other for each look.
 */
const blockBits = 18;
const blockBytes: number = 2 ** blockBits;
const firstBlockBytes: number = 4 * chunkFactor;
const bucketCount = 256;
const none = -1;
/** So many changes of a bucket are simply looked at; more are put in order first. */
const unorderedMax = 64;

export class LateGeneration {
  readonly number: number;
  /** The first ones are smaller; one is larger where a single change needs it. */
  readonly #blocks: EntrySlab[] = [];
  /** What chunks take of the last block. */
  #blockUsedBytes = 0;
  /** Chunk → its place: the block, and in the lower bits the offset in it. */
  readonly #starts: number[] = [];
  /** Chunk → its bytes that are used; of the last one `usedBytes`. */
  readonly #lengths: number[] = [];
  #usedBytes = 0;
  /** Of the last one. */
  #capacityBytes = 0;
  #bytes = 0;
  #changes = 0;
  // See LateTables.
  #places: Uint32Array;
  #hashes: Int32Array;
  #nexts: Int32Array;
  #followed: Uint8Array;
  #slots: Int32Array;
  /** By the first bits of effective partition keys: the last change of each bucket. */
  readonly #buckets: Int32Array = new Int32Array(bucketCount).fill(none);
  /** Of the buckets with many changes that somebody has looked into. */
  readonly #ordered: (OrderedBucket | undefined)[] = new Array(bucketCount).fill(undefined);
  readonly #seed: number;

  /** With the same seed as everybody who calls `find`. `tables`: those that another one has let go. */
  constructor(number: number, seed: number, tables: LateTables = tablesFor(changesMin)) {
    this.number = number;
    this.#seed = seed;
    this.#places = tables.places;
    this.#hashes = tables.hashes;
    this.#nexts = tables.nexts;
    this.#followed = tables.followed;
    this.#slots = tables.slots;
  }

  /**
   * It is not looked into any more: the next one has its tables. They have their full size, where new ones double and are copied over and
   * over while writers wait, and no memory that the system first has to find.
   */
  release(): LateTables {
    const tables = {
      places: this.#places,
      hashes: this.#hashes,
      nexts: this.#nexts,
      followed: this.#followed,
      slots: this.#slots.fill(0),
    };
    this.#places = noPlaces;
    return tables;
  }

  /** As the index has them, in order. Throws `corrupt` when they make no sense. */
  load(value: Buffer): void {
    const place = this.#begin(value.length);
    const bytes = this.#bytesAt(place);
    const from = offsetOf(place);
    const to = from + value.length;
    bytes.set(value, from);
    this.#usedBytes = value.length;
    for (let offset = from; offset < to; ) {
      const end = offset + headBytes <= to ? endOf(bytes, offset) : Number.POSITIVE_INFINITY;
      if (end > to || offset >= from + chunkFactor)
        throw new DatabaseError('corrupt', 'A late chunk of the index is cut off.');
      const keyAt = offset + headBytes;
      const keyBytes = keyBytesAt(bytes, offset);
      const hash = hashOf(bytes, keyAt, keyAt + keyBytes, this.#seed);
      this.#note(place + offset - from, bytes, offset, hash, this.#slotOf(bytes, keyAt, keyBytes, hash));
      offset = end;
    }
  }

  /** Changes written down, those that were followed by another one of the same key too. */
  get changes(): number {
    return this.#changes;
  }

  /** Of its chunks, whether they are full or not. */
  get bytes(): number {
    return this.#bytes;
  }

  get mark(): LateMark {
    return { chunks: this.#starts.length, usedBytes: this.#usedBytes, changes: this.#changes };
  }

  /** The key is bytes [start, end) of `keys`. Changes from `firstOpen` on may be written anew in their places. */
  put(keys: Buffer, start: number, end: number, hash: number, version: Version, firstOpen: LateNumber): void {
    const valueBytes = versionBytes(version);
    const slot = this.#slotOf(keys, start, end - start, hash);
    const before = (this.#slots[slot] as number) - 1;
    if (before >= firstOpen) {
      const place = this.#places[before] as number;
      const chunk = this.#bytesAt(place);
      const offset = offsetOf(place);
      if (chunk.readUInt32LE(offset + valueBytesAt) === valueBytes) {
        writeVersion(version, chunk, offset + headBytes + (end - start));
        return;
      }
    }
    const at = this.#append(keys, start, end, hash, slot, valueBytes, valueBytes);
    writeVersion(version, this.#lastBlock().bytes, at);
  }

  remove(keys: Buffer, start: number, end: number, hash: number): void {
    this.#append(keys, start, end, hash, this.#slotOf(keys, start, end - start, hash), 0, removed);
  }

  /** The chunks that were changed since, as they are now. */
  chunksSince(mark: LateMark): IndexChange[] {
    const changes: IndexChange[] = [];
    const last = this.#starts.length - 1;
    const isExtended = mark.chunks > 0 && (last >= mark.chunks || this.#usedBytes > mark.usedBytes);
    for (let i = isExtended ? mark.chunks - 1 : mark.chunks; i <= last; i += 1) {
      const start = this.#starts[i] as number;
      const length = i === last ? this.#usedBytes : (this.#lengths[i] as number);
      const value = this.#bytesAt(start).subarray(offsetOf(start), offsetOf(start) + length);
      changes.push({ key: lateKey(this.number, i), value });
    }
    return changes;
  }

  /** The last change of a key, by what `hashOf` gives of it. */
  find(key: Buffer, hash: number): LateNumber | undefined {
    const change = this.#slots[this.#slotOf(key, 0, key.length, hash)] as number;
    return change === 0 ? undefined : change - 1;
  }

  /** The last change of the key of another generation's change. */
  findSame(other: LateGeneration, change: LateNumber): LateNumber | undefined {
    const place = other.#places[change] as number;
    const chunk = other.#bytesAt(place);
    const offset = offsetOf(place);
    const slot = this.#slotOf(chunk, offset + headBytes, keyBytesAt(chunk, offset), other.#hashes[change] as number);
    const found = this.#slots[slot] as number;
    return found === 0 ? undefined : found - 1;
  }

  keyAt(change: LateNumber): Buffer {
    const place = this.#places[change] as number;
    const chunk = this.#bytesAt(place);
    const start = offsetOf(place) + headBytes;
    return chunk.subarray(start, start + keyBytesAt(chunk, offsetOf(place)));
  }

  hashAt(change: LateNumber): number {
    return this.#hashes[change] as number;
  }

  /** Undefined: it was removed. Not to be changed. */
  valueAt(change: LateNumber): Buffer | undefined {
    const place = this.#places[change] as number;
    const chunk = this.#bytesAt(place);
    const offset = offsetOf(place);
    if (isRemoval(chunk, offset)) return undefined;
    const valueAt = offset + headBytes + keyBytesAt(chunk, offset);
    return chunk.subarray(valueAt, valueAt + valueBytesOf(chunk, offset));
  }

  /** Undefined: it was removed. */
  versionAt(change: LateNumber): Version | undefined {
    const place = this.#places[change] as number;
    const chunk = this.#bytesAt(place);
    const offset = offsetOf(place);
    if (isRemoval(chunk, offset)) return undefined;
    const valueAt = offset + headBytes + keyBytesAt(chunk, offset);
    return decodeVersion(chunk, valueAt, valueAt + valueBytesOf(chunk, offset));
  }

  /** For the tree. */
  changeAt(change: LateNumber): IndexChange {
    const place = this.#places[change] as number;
    const chunk = this.#bytesAt(place);
    const offset = offsetOf(place);
    if (isRemoval(chunk, offset)) return { key: this.keyAt(change), value: undefined };
    const slab = this.#blocks[place >>> blockBits] as EntrySlab;
    return new SlabPut(slab, offset + headBytes, keyBytesAt(chunk, offset), valueBytesOf(chunk, offset));
  }

  /** The last change of each key, those that will be neighbours side by side. */
  inBuckets(): LateNumber[] {
    const changes: LateNumber[] = [];
    for (let bucket = 0; bucket < bucketCount; bucket += 1) {
      for (let i = this.#buckets[bucket] as number; i !== none; i = this.#nexts[i] as number) {
        if (this.#followed[i] === 0) changes.push(i);
      }
    }
    return changes;
  }

  /** The last change of each key in [from, to), in order: the first `limit` of them. */
  firstBetween(from: Buffer, to: Buffer, limit: number): FirstLate {
    const { first, last, isOrdered } = bucketsBetween(from, to);
    let found: readonly LateNumber[] = [];
    let isCut = false;
    for (let bucket = first; bucket <= last && !(isOrdered && isCut); bucket += 1) {
      const lists = this.#listsBetween(bucket, from, to, isOrdered ? limit - found.length + 1 : limit + 1);
      if (isOrdered) {
        const inBucket = this.#merged(lists, limit - found.length + 1);
        found = found.length === 0 ? inBucket : found.concat(inBucket);
      } else found = this.#merged([found, ...lists], limit + 1);
      // One more than wanted shows that there are more.
      isCut = found.length > limit;
    }
    return { changes: isCut ? found.slice(0, limit) : found, isCut };
  }

  /** All of its chunks leave the index. */
  removals(): IndexChange[] {
    return this.#starts.map((_, i) => ({ key: lateKey(this.number, i), value: undefined }));
  }

  /**
   * Of a bucket, each in order and with at most so many: all of a container may be in one bucket, and an interval of it must not cost
   * a look at each of them.
   */
  #listsBetween(bucket: number, from: Buffer, to: Buffer, limit: number): (readonly LateNumber[])[] {
    const ordered = this.#ordered[bucket] ?? { head: none, runs: [] };
    let recent: LateNumber[] = [];
    for (let i = this.#buckets[bucket] as number; i !== ordered.head; i = this.#nexts[i] as number) recent.push(i);
    if (recent.length > unorderedMax) {
      this.#ordered[bucket] = { head: this.#buckets[bucket] as number, runs: this.#withRun(ordered.runs, recent) };
      recent = [];
    }
    const within = recent.filter((change) => !this.#isBefore(change, from) && this.#isBefore(change, to));
    const lists: (readonly LateNumber[])[] = [this.#inOrder(within)];
    for (const run of this.#ordered[bucket]?.runs ?? []) lists.push(this.#firstOf(run, from, to, limit));
    return lists;
  }

  /** The first of several lists that are in order, the shortest of which come last. */
  #merged(lists: readonly (readonly LateNumber[])[], limit: number): readonly LateNumber[] {
    let merged: readonly LateNumber[] = [];
    for (let i = lists.length - 1; i >= 0; i -= 1) {
      const list = lists[i] as readonly LateNumber[];
      if (list.length > 0) merged = merged.length === 0 ? list.slice(0, limit) : this.#mergedTwo(merged, list, limit);
    }
    return merged;
  }

  #mergedTwo(a: readonly LateNumber[], b: readonly LateNumber[], limit: number): LateNumber[] {
    const merged: LateNumber[] = [];
    let i = 0;
    let j = 0;
    while (merged.length < limit && (i < a.length || j < b.length)) {
      const isFirst =
        j === b.length || (i < a.length && this.#isBefore(a[i] as LateNumber, this.keyAt(b[j] as LateNumber)));
      merged.push((isFirst ? a[i++] : b[j++]) as LateNumber);
    }
    return merged;
  }

  /** Runs of about one length make a longer one, so that there are few and each change is seldom put in order. */
  #withRun(runs: readonly (readonly LateNumber[])[], recent: readonly LateNumber[]): (readonly LateNumber[])[] {
    const kept = [...runs];
    let run = recent;
    for (let last = kept.at(-1); last !== undefined && last.length <= run.length * 2; last = kept.at(-1)) {
      run = run.concat(last);
      kept.pop();
    }
    kept.push(this.#inOrder(run));
    return kept;
  }

  #inOrder(changes: readonly LateNumber[]): LateNumber[] {
    const texts: [string, LateNumber][] = [];
    for (const change of changes) {
      if (this.#followed[change] === 0) texts.push([this.keyAt(change).toString('latin1'), change]);
    }
    // Latin-1 text compares as its bytes do; no two are the same.
    texts.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    return texts.map(([, change]) => change);
  }

  #firstOf(run: readonly LateNumber[], from: Buffer, to: Buffer, limit: number): LateNumber[] {
    let low = 0;
    let high = run.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(run[middle] as LateNumber, from)) low = middle + 1;
      else high = middle;
    }
    const first: LateNumber[] = [];
    for (; low < run.length && first.length < limit; low += 1) {
      const change = run[low] as LateNumber;
      if (!this.#isBefore(change, to)) break;
      if (this.#followed[change] === 0) first.push(change);
    }
    return first;
  }

  /** Most keys differ early: a view for a native comparison would cost more. */
  #isBefore(change: LateNumber, bound: Buffer): boolean {
    const place = this.#places[change] as number;
    const chunk = this.#bytesAt(place);
    const offset = offsetOf(place);
    const keyBytes = keyBytesAt(chunk, offset);
    const common = Math.min(keyBytes, bound.length);
    for (let i = 0, at = offset + headBytes; i < common; i += 1) {
      const difference = (chunk[at + i] as number) - (bound[i] as number);
      if (difference !== 0) return difference < 0;
    }
    return keyBytes < bound.length;
  }

  #lastBlock(): EntrySlab {
    return this.#blocks[this.#blocks.length - 1] as EntrySlab;
  }

  /** The next chunk, and so the last one. Gives its place. */
  #begin(bytes: number): number {
    if (this.#starts.length > 0) this.#lengths.push(this.#usedBytes);
    this.#capacityBytes = Math.max(lateChunkBytes, bytes);
    this.#usedBytes = 0;
    const room = Math.ceil(this.#capacityBytes / chunkFactor) * chunkFactor;
    if (this.#blocks.length === 0) this.#addBlock(Math.max(firstBlockBytes, room));
    const { length } = this.#lastBlock().bytes;
    if (this.#blockUsedBytes + room > length) this.#addBlock(Math.max(room, Math.min(blockBytes, length * 2)));
    const place = (this.#blocks.length - 1) * blockBytes + this.#blockUsedBytes;
    this.#blockUsedBytes += room;
    this.#bytes += room;
    this.#starts.push(place);
    return place;
  }

  #addBlock(bytes: number): void {
    this.#blocks.push(makeSlab(bytes));
    this.#blockUsedBytes = 0;
  }

  /** But for the value, for which there is room. Gives where in the last block. `slot`: the key's. */
  #append(
    keys: Buffer,
    start: number,
    end: number,
    hash: number,
    slot: number,
    valueBytes: number,
    valueMark: number,
  ): number {
    const keyBytes = end - start;
    const bytes = headBytes + slabBytesOf(keyBytes, valueBytes);
    if (this.#starts.length === 0 || this.#usedBytes + bytes > this.#capacityBytes) this.#begin(bytes);
    const chunk = this.#lastBlock().bytes;
    const place = (this.#starts[this.#starts.length - 1] as number) + this.#usedBytes;
    const offset = offsetOf(place);
    chunk[offset] = keyBytes & 0xff;
    chunk[offset + 1] = keyBytes >> 8;
    chunk.writeUInt32LE(valueMark, offset + valueBytesAt);
    const valueAt = copyBytes(keys, start, end, chunk, offset + headBytes);
    this.#usedBytes += bytes;
    this.#note(place, chunk, offset, hash, slot);
    return valueAt;
  }

  /** The change at this place, an offset of the last block, is one of ours, and found from now on. */
  #note(place: number, chunk: Buffer, offset: number, hash: number, slotBefore: number): void {
    const keyAt = offset + headBytes;
    let slot = slotBefore;
    if (this.#changes === this.#places.length) {
      this.#grow();
      slot = this.#slotOf(chunk, keyAt, keyBytesAt(chunk, offset), hash);
    }
    const change = this.#changes;
    this.#places[change] = place;
    this.#hashes[change] = hash;
    this.#followed[change] = 0;
    this.#changes += 1;
    const before = (this.#slots[slot] as number) - 1;
    if (before >= 0) this.#followed[before] = 1;
    this.#slots[slot] = change + 1;
    this.#slots[slot + 1] = hash;
    const bucket = bucketOf(chunk, keyAt);
    this.#nexts[change] = this.#buckets[bucket] as number;
    this.#buckets[bucket] = change;
  }

  #grow(): void {
    const { places, hashes, nexts, followed, slots } = tablesFor(this.#places.length * 2);
    this.#places = longer(this.#places, places);
    this.#hashes = longer(this.#hashes, hashes);
    this.#nexts = longer(this.#nexts, nexts);
    this.#followed = longer(this.#followed, followed);
    const before = this.#slots;
    const mask = slots.length - 1;
    for (let from = 0; from < before.length; from += slotWords) {
      const change = before[from] as number;
      if (change === 0) continue;
      const hash = before[from + 1] as number;
      let slot = firstSlot(hash, mask);
      while (slots[slot] !== 0) slot = (slot + slotWords) & mask;
      slots[slot] = change;
      slots[slot + 1] = hash;
    }
    this.#slots = slots;
  }

  /** Where the key is, or would be. */
  #slotOf(bytes: Buffer, start: number, length: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = firstSlot(hash, mask); ; slot = (slot + slotWords) & mask) {
      const change = slots[slot] as number;
      if (change === 0) return slot;
      if (slots[slot + 1] === hash && this.#isKey(change - 1, bytes, start, length)) return slot;
    }
  }

  #isKey(change: LateNumber, bytes: Buffer, start: number, length: number): boolean {
    const place = this.#places[change] as number;
    const chunk = this.#bytesAt(place);
    const offset = offsetOf(place);
    if (keyBytesAt(chunk, offset) !== length) return false;
    for (let i = 0, at = offset + headBytes; i < length; i += 1) if (chunk[at + i] !== bytes[start + i]) return false;
    return true;
  }

  /** Of the block. */
  #bytesAt(place: number): Buffer {
    return (this.#blocks[place >>> blockBits] as EntrySlab).bytes;
  }
}

/** Of one that was let go, so that whoever looks into it all the same finds nothing that is another one's. */
const noPlaces = new Uint32Array(0);

/** Changes in the order of their keys. */
export interface FirstLate {
  readonly changes: readonly LateNumber[];
  /** There are more behind them. */
  readonly isCut: boolean;
}

/** The changes of a bucket up to `head`, in runs that are in the order of the keys, the longest first. */
interface OrderedBucket {
  readonly head: number;
  readonly runs: readonly (readonly LateNumber[])[];
}

/**
 * Of a key: 32 bits. All of it counts, since thousands of keys may differ in any part of them, and the seed is nobody's to know: keys
 * are chosen by clients, and those with the same hash are looked for one after the other.
 */
export function hashOf(bytes: Buffer, start: number, end: number, seed: number): number {
  let hash = seed;
  // Not four bytes at a time: what the highest bit of a word does to the product does not depend on the seed.
  for (let i = start; i < end; i += 1) {
    hash = Math.imul(hash ^ (bytes[i] as number), 0x9e37_79b1);
    // Without this, which keys have the same hash would hardly depend on the seed.
    hash ^= hash >>> 15;
  }
  // The low bits choose the slot.
  return hash ^ (hash >>> 7);
}

/** A slot has two words. */
function firstSlot(hash: number, mask: number): number {
  return (hash << 1) & mask;
}

/** Behind tree and container. */
const epkAt = 5;
/** The two highest bits of a hash are never set. */
const hashByteMax = 0x3f;

/** Of the key that begins there. Within a container buckets are in the order of the keys. */
function bucketOf(bytes: Buffer, start: number): number {
  const high = bytes[start + epkAt] ?? 0;
  return high > hashByteMax ? bucketCount - 1 : (high << 2) | ((bytes[start + epkAt + 1] ?? 0) >> 6);
}

/** Where the keys of [from, to) are, and whether that is their order. */
function bucketsBetween(from: Buffer, to: Buffer): { first: number; last: number; isOrdered: boolean } {
  const all = { first: 0, last: bucketCount - 1 };
  if (from.length < epkAt || to.length < epkAt) return { ...all, isOrdered: false };
  const distance = to.readUInt32BE(1) - from.readUInt32BE(1);
  if (from[0] !== to[0] || distance > 1) return { ...all, isOrdered: false };
  if (distance === 0) return { first: bucketOf(from, 0), last: bucketOf(to, 0), isOrdered: true };
  // Up to where the next container begins.
  return to.length === epkAt ? { ...all, first: bucketOf(from, 0), isOrdered: true } : { ...all, isOrdered: false };
}

/** In its block. */
function offsetOf(place: number): number {
  return place & (blockBytes - 1);
}

// A Buffer checks more than is needed here.

function keyBytesAt(chunk: Buffer, offset: number): number {
  return (chunk[offset] as number) | ((chunk[offset + 1] as number) << 8);
}

function isRemoval(chunk: Buffer, offset: number): boolean {
  return chunk.readUInt32LE(offset + valueBytesAt) === removed;
}

/** None of a removal. */
function valueBytesOf(chunk: Buffer, offset: number): number {
  const valueBytes = chunk.readUInt32LE(offset + valueBytesAt);
  return valueBytes === removed ? 0 : valueBytes;
}

function endOf(chunk: Buffer, offset: number): number {
  return offset + headBytes + slabBytesOf(keyBytesAt(chunk, offset), valueBytesOf(chunk, offset));
}

function longer<Numbers extends { set(from: Numbers): void }>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
