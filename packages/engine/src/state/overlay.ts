// The overlay: what is not in the index yet. Whoever wants one of these looks here first.
//
//   staged    the newest record of each document that is decided and not yet on disk; only decisions see those
//   slices    of frames that are on disk, with the frames themselves
//   rids      of documents that were made
//   uniques   values that were taken or let go
//
// Entries of documents are not here: they can be seen in the index as soon as they are published (index/late-index.ts). The
// others leave when the transaction that holds them can be seen by readers, and only if no newer group has replaced them meanwhile;
// so a reader always finds them in one of the two.

import { Buffer } from 'node:buffer';
import type { Version } from '../index/documents.ts';
import { RecentRids } from '../index/recent-rids.ts';
import type { Slice } from '../index/slices.ts';
import { overlayBytesMax, overlayRecordsMax } from '../limits.ts';
import type { FrameView } from '../log/frame.ts';
import type { FrameSpace } from '../log/frame-memory.ts';

/** A record that is decided and not yet on disk. */
export interface StagedEntry {
  /** Of the key. */
  readonly hash: number;
  hasKey(key: Buffer): boolean;
  /** Those before and after it in its bucket. */
  under: StagedEntry | undefined;
  over: StagedEntry | undefined;
}

export interface RecentSlice {
  readonly slice: Slice;
  /** For a look without an `await`: when the frame has left, another one is written into its memory. */
  readonly view: FrameView;
  readonly order: number;
}

interface FrameEntry {
  readonly space: FrameSpace;
  readonly order: number;
}

interface UniqueEntry {
  readonly id: string | undefined;
  readonly order: number;
}

/** There are some hundreds of staged records at a time, and up to some ten thousands of large batches. */
const bucketCount: number = 2 ** 12;

export class Overlay<Staged extends StagedEntry> {
  /**
   * By the low bits of the hashes of their keys, the newest first. Not a Map: what is put in and taken out again with each write makes a
   * Map build its table anew all the time.
   */
  readonly #staged: (StagedEntry | undefined)[] = new Array(bucketCount).fill(undefined);
  readonly rids: RecentRids = new RecentRids();
  readonly #uniques = new Map<string, UniqueEntry>();
  readonly #slices = new Map<number, RecentSlice[]>();
  /** Memory of frames that is used again, the oldest first. */
  readonly #frames: FrameEntry[] = [];
  #records = 0;
  #bytes = 0;
  #order = 0;

  get isFull(): boolean {
    return this.#records >= overlayRecordsMax || this.#bytes >= overlayBytesMax;
  }

  /** So much that the index should take it now: while it does, as much again may come. */
  get isFilling(): boolean {
    return this.#records >= overlayRecordsMax / 4 || this.#bytes >= overlayBytesMax / 2;
  }

  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The number of the group that was published last, counted from the open; log positions may repeat in a rebuild. */
  get order(): number {
    return this.#order;
  }

  /** For decisions; `undefined` means: ask the index. */
  findStaged(key: Buffer, hash: number): Staged | undefined {
    let entry = this.#staged[hash & (bucketCount - 1)];
    while (entry !== undefined && !(entry.hash === hash && entry.hasKey(key))) entry = entry.under;
    return entry as Staged | undefined; // Only `stage` puts anything there.
  }

  stage(entry: Staged): void {
    const bucket = entry.hash & (bucketCount - 1);
    const under = this.#staged[bucket];
    entry.under = under;
    if (under !== undefined) under.over = entry;
    this.#staged[bucket] = entry;
  }

  /** It is about to be in the index. One that was not staged, because it was read from the log, may be told of too. */
  unstage(entry: Staged): void {
    const bucket = entry.hash & (bucketCount - 1);
    const { under, over } = entry;
    if (over !== undefined) over.under = under;
    else if (this.#staged[bucket] !== entry) return;
    else this.#staged[bucket] = under;
    if (under !== undefined) under.over = over;
    entry.under = undefined;
    entry.over = undefined;
  }

  /** Forgets whatever was staged. */
  unstageAll(): void {
    this.#staged.fill(undefined);
  }

  findUnique(keyText: string): { readonly id: string | undefined } | undefined {
    return this.#uniques.get(keyText);
  }

  putUnique(keyText: string, id: string | undefined, order: number): void {
    this.#uniques.set(keyText, { id, order });
  }

  addSlice(range: number, recent: RecentSlice): void {
    const list = this.#slices.get(range);
    if (list === undefined) this.#slices.set(range, [recent]);
    else list.push(recent);
  }

  /** In LSN order. */
  slices(range: number): readonly RecentSlice[] {
    return this.#slices.get(range) ?? noSlices;
  }

  /** The first slice with anything after an LSN. */
  firstSliceAfter(range: number, lsn: number): RecentSlice | undefined {
    const slices = this.slices(range);
    let low = 0;
    let high = slices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((slices[middle] as RecentSlice).slice.lastLsn > lsn) high = middle;
      else low = middle + 1;
    }
    return slices[low];
  }

  /** A copy of the bytes of a version whose frame is still here. */
  findBody(version: Version): Buffer | undefined {
    const recent = this.#recentOf(version);
    if (recent === undefined) return undefined;
    const start = version.place.offset - recent.slice.offset;
    return Buffer.from(recent.view.bytes.subarray(start, start + version.place.length));
  }

  hasBody(version: Version): boolean {
    return this.#recentOf(version) !== undefined;
  }

  /** Makes room for one more group; gives its order. `space`: where its frame is, if that is used again. */
  grow(records: number, bytes: number, space: FrameSpace | undefined): number {
    this.#records += records;
    this.#bytes += bytes;
    this.#order += 1;
    if (space !== undefined) this.#frames.push({ space, order: this.#order });
    return this.#order;
  }

  /**
   * Takes out what the index has, as it has everything up to and including the group with this order. Those groups have so many
   * records and bytes: there is room for as much again.
   */
  shrink(order: number, uniqueKeys: Iterable<string>, records: number, bytes: number): void {
    this.rids.forgetTaken();
    for (const key of uniqueKeys) {
      const entry = this.#uniques.get(key);
      if (entry !== undefined && entry.order <= order) this.#uniques.delete(key);
    }
    for (const [range, list] of this.#slices) {
      const keep = list.findIndex((recent) => recent.order > order);
      if (keep === -1) this.#slices.delete(range);
      else if (keep > 0) list.splice(0, keep);
    }
    const keep = this.#frames.findIndex((entry) => entry.order > order);
    for (const { space } of this.#frames.splice(0, keep === -1 ? this.#frames.length : keep)) space.release();
    this.#records -= records;
    this.#bytes -= bytes;
  }

  /** The slice whose frame has the body. */
  #recentOf({ range, lsn, place }: Version): RecentSlice | undefined {
    const recent = this.firstSliceAfter(range, lsn - 1);
    if (recent === undefined || recent.slice.segment !== place.segment) return undefined;
    const start = place.offset - recent.slice.offset;
    return start >= 0 && start + place.length <= recent.slice.length ? recent : undefined;
  }
}

const noSlices: readonly RecentSlice[] = [];
