// What each segment still holds of use: a bit a record and a few sums. Bits live off-heap and go into the index in chunks
// with the next index transaction; they can be rebuilt from the log.
//
//   superseded   one bit: a newer version or a delete exists; the latest-version feed skips the record
//   seconds      four bytes, only where a container keeps history: when it was superseded, which decides how long it is
//                kept; 0 stands for "before history was kept"
//
// Deletes have neither: how long a tombstone stays is compaction's to judge.

import { Buffer } from 'node:buffer';
import type { IndexChange, IndexStore } from '../index/index-store.ts';
import { bitmapKey, metaKey, metaKind, prefixBounds } from '../index/keys.ts';
import { bitmapChunkBytes } from '../limits.ts';

const kinds = { superseded: 0, seconds: 1 } as const;
const secondBytes = 4;

/** Sums of one container's records in one segment. */
export interface ContainerUsage {
  /** Bytes of the latest versions. */
  liveBytes: number;
  supersededBytes: number;
  supersededRecords: number;
  tombstoneBytes: number;
}

interface Usage {
  readonly segment: number;
  readonly arrays: [SegmentArray | undefined, SegmentArray | undefined];
  readonly containers: Map<number, ContainerUsage>;
  isDirty: boolean;
}

interface SegmentArray {
  bytes: Buffer;
  readonly dirtyChunks: Set<number>;
}

export interface SupersededPlace {
  readonly segment: number;
  readonly ordinal: number;
  readonly recordBytes: number;
}

/** While a segment is being replaced, its records exist twice and a mark on one copy is a mark on both. */
interface Twin {
  readonly segments: readonly number[];
  readonly sourceSegment: Uint16Array;
  readonly sourceOrdinal: Uint32Array;
}

export class SegmentUsage {
  readonly #index: () => IndexStore;
  readonly #usages = new Map<number, Usage>();
  /** The one that was asked for last. */
  #last: Usage | undefined;
  readonly #twins = new Map<number, Twin>();
  readonly #forgotten: number[] = [];
  /** Segments whose files are about to go. Somebody may still read one; nothing about it goes into the index again. */
  readonly #gone = new Set<number>();

  constructor(index: () => IndexStore) {
    this.#index = index;
  }

  /** Sums as the index has them; bits are read when they are needed. */
  load(segment: number, containers: Readonly<Record<string, ContainerUsage>>): void {
    const usage = this.#usage(segment);
    for (const [container, sums] of Object.entries(containers)) usage.containers.set(Number(container), { ...sums });
    usage.isDirty = false;
  }

  add(segment: number, container: number, bytes: number, isDelete: boolean): void {
    const sums = this.#sums(segment, container);
    if (isDelete) sums.tombstoneBytes += bytes;
    else sums.liveBytes += bytes;
  }

  /** `second` is when it happened, where the container keeps history. */
  supersede(place: SupersededPlace, container: number, second: number | undefined): void {
    this.#supersedeOne(place, container, second);
    const twin = this.#twinOf(place.segment, place.ordinal);
    if (twin !== undefined) this.#supersedeOne({ ...twin, recordBytes: place.recordBytes }, container, second);
  }

  isSuperseded(segment: number, ordinal: number): boolean {
    const byte = this.#array(kinds.superseded, segment).bytes[ordinal >>> 3];
    return byte !== undefined && (byte & (1 << (ordinal & 7))) !== 0;
  }

  supersededSecond(segment: number, ordinal: number): number {
    const { bytes } = this.#array(kinds.seconds, segment);
    const at = ordinal * secondBytes;
    return at + secondBytes <= bytes.length ? bytes.readUInt32LE(at) : 0;
  }

  /** The bits of a whole segment, for walks: read-only, valid until the next await. */
  supersededBits(segment: number): Buffer {
    return this.#array(kinds.superseded, segment).bytes;
  }

  sums(segment: number): ReadonlyMap<number, ContainerUsage> {
    return this.#usages.get(segment)?.containers ?? new Map();
  }

  link(output: number, twin: Twin): void {
    this.#twins.set(output, twin);
  }

  unlink(output: number): void {
    this.#twins.delete(output);
  }

  forget(segment: number): void {
    this.#drop(segment);
    this.#forgotten.push(segment);
    this.#gone.add(segment);
  }

  /** The segment is not there any more, so that nobody can bring it back: it need not be remembered. */
  release(segment: number): void {
    this.#gone.delete(segment);
    this.#drop(segment);
  }

  /**
   * Everything that changed since the last call, as index changes; with `only`, of that segment and of those forgotten.
   * `facts` adds what is kept beside the sums.
   */
  takeChanges(facts: (segment: number) => Record<string, unknown> | undefined, only?: number): IndexChange[] {
    const changes: IndexChange[] = [];
    for (const segment of this.#forgotten.splice(0)) this.#pushRemovals(changes, segment);
    for (const [segment, usage] of this.#usages) {
      if (!usage.isDirty || this.#gone.has(segment) || (only !== undefined && segment !== only)) continue;
      usage.isDirty = false;
      const beside = facts(segment);
      if (beside === undefined) continue;
      const value = { ...beside, containers: Object.fromEntries(usage.containers) };
      changes.push({ key: metaKey(metaKind.segment, segment), value: Buffer.from(JSON.stringify(value)) });
      for (const kind of [kinds.superseded, kinds.seconds]) {
        const bitmap = usage.arrays[kind];
        if (bitmap === undefined) continue;
        for (const chunk of bitmap.dirtyChunks) {
          const start = chunk * bitmapChunkBytes;
          const value = Buffer.from(bitmap.bytes.subarray(start, start + bitmapChunkBytes));
          changes.push({ key: bitmapKey(segment, kind, chunk), value });
        }
        bitmap.dirtyChunks.clear();
      }
    }
    return changes;
  }

  isKnown(segment: number): boolean {
    return this.#usages.has(segment);
  }

  /** Makes sure that the next index transaction says how far this segment has come. */
  touch(segment: number): void {
    this.#usage(segment).isDirty = true;
  }

  get memoryBytes(): number {
    let bytes = 0;
    for (const usage of this.#usages.values()) {
      for (const bitmap of usage.arrays) bytes += bitmap?.bytes.length ?? 0;
    }
    return bytes;
  }

  #pushRemovals(changes: IndexChange[], segment: number): void {
    changes.push({ key: metaKey(metaKind.segment, segment), value: undefined });
    const bounds = prefixBounds(bitmapKey(segment, 0, 0).subarray(0, 5));
    for (const { key } of this.#index().range({ ...bounds, limit: Number.MAX_SAFE_INTEGER })) {
      changes.push({ key, value: undefined });
    }
  }

  #supersedeOne(place: SupersededPlace, container: number, second: number | undefined): void {
    const { segment, ordinal, recordBytes } = place;
    const bits = this.#array(kinds.superseded, segment, (ordinal >>> 3) + 1);
    const before = bits.bytes[ordinal >>> 3] as number;
    const bit = 1 << (ordinal & 7);
    if ((before & bit) !== 0) return;
    bits.bytes[ordinal >>> 3] = before | bit;
    bits.dirtyChunks.add(Math.floor((ordinal >>> 3) / bitmapChunkBytes));
    if (second !== undefined) {
      const at = ordinal * secondBytes;
      const seconds = this.#array(kinds.seconds, segment, at + secondBytes);
      seconds.bytes.writeUInt32LE(second, at);
      seconds.dirtyChunks.add(Math.floor(at / bitmapChunkBytes));
    }
    const sums = this.#sums(segment, container);
    sums.liveBytes -= recordBytes;
    sums.supersededBytes += recordBytes;
    sums.supersededRecords += 1;
  }

  #twinOf(segment: number, ordinal: number): { segment: number; ordinal: number } | undefined {
    const twin = this.#twins.get(segment);
    if (twin === undefined) return undefined;
    const source = twin.segments[twin.sourceSegment[ordinal] as number] as number;
    return { segment: source, ordinal: twin.sourceOrdinal[ordinal] as number };
  }

  #usage(segment: number): Usage {
    // Writes ask for the same one again and again.
    if (this.#last?.segment === segment) return this.#last;
    let usage = this.#usages.get(segment);
    if (usage === undefined) {
      usage = { segment, arrays: [undefined, undefined], containers: new Map(), isDirty: false };
      this.#usages.set(segment, usage);
    }
    this.#last = usage;
    return usage;
  }

  #drop(segment: number): void {
    this.#usages.delete(segment);
    this.#last = undefined;
  }

  #sums(segment: number, container: number): ContainerUsage {
    const usage = this.#usage(segment);
    usage.isDirty = true;
    let sums = usage.containers.get(container);
    if (sums === undefined) {
      sums = { liveBytes: 0, supersededBytes: 0, supersededRecords: 0, tombstoneBytes: 0 };
      usage.containers.set(container, sums);
    }
    return sums;
  }

  /** The array of a kind, at least `length` bytes long when that is given. */
  #array(kind: 0 | 1, segment: number, length = 0): SegmentArray {
    const { arrays } = this.#usage(segment);
    const array = arrays[kind] ?? this.#readArray(kind, segment);
    arrays[kind] = array;
    if (array.bytes.length < length) array.bytes = grown(array.bytes, length);
    return array;
  }

  #readArray(kind: 0 | 1, segment: number): SegmentArray {
    const bounds = prefixBounds(bitmapKey(segment, kind, 0).subarray(0, 6));
    let bytes: Buffer = Buffer.alloc(0);
    for (const { key, value } of this.#index().range({ ...bounds, limit: Number.MAX_SAFE_INTEGER })) {
      const start = key.readUInt32BE(6) * bitmapChunkBytes;
      bytes = grown(bytes, start + bitmapChunkBytes);
      value.copy(bytes, start);
    }
    return { bytes, dirtyChunks: new Set() };
  }
}

/** At least `length` bytes, doubled, in whole chunks, outside the JavaScript heap. */
function grown(bytes: Buffer, length: number): Buffer {
  if (bytes.length >= length) return bytes;
  const wanted = Math.max(length, bytes.length * 2);
  const larger = Buffer.alloc(Math.ceil(wanted / bitmapChunkBytes) * bitmapChunkBytes);
  bytes.copy(larger);
  return larger;
}
