// Walks the slices of one range in LSN order, from the index and then from the overlay, and brings their frames.
//
// Between two awaits slices may move from the overlay to the index, and compaction may put other slices in their place. So a
// walk keeps no cursor into either, only the LSN it has come to, and asks again from there.

import { framesKey } from '../index/keys.ts';
import type { Slice } from '../index/slices.ts';
import { decodeSlices } from '../index/slices.ts';
import { readBytesMax } from '../limits.ts';
import { FrameView, readFrameHeader } from '../log/frame.ts';
import { corrupt, segmentPath } from '../log/segment.ts';
import type { DatabaseState } from '../state/database-state.ts';

export interface LoadedSlice {
  readonly slice: Slice;
  readonly view: FrameView;
  /** Read from the disk: bodies must be verified before they are served. */
  readonly isFromDisk: boolean;
  /** Which records of the segment are superseded, as of when the slice was found. */
  readonly superseded: Buffer;
}

export class SliceWalk {
  readonly #state: DatabaseState;
  readonly #range: number;
  /** Every slice up to this LSN has been handed out. */
  #position: number;
  #slices: Slice[] = [];
  #next = 0;
  #loaded: LoadedSlice[] = [];
  /** Bytes fetched from segments so far. */
  bytesRead = 0;

  constructor(state: DatabaseState, range: number, after: number) {
    this.#state = state;
    this.#range = range;
    this.#position = after;
  }

  /** The next slice with anything after the position; undefined at the end, which may move. */
  async next(): Promise<LoadedSlice | undefined> {
    for (;;) {
      const loaded = this.#loaded.shift();
      if (loaded !== undefined) {
        if (loaded.slice.lastLsn <= this.#position) continue;
        this.#position = loaded.slice.lastLsn;
        return loaded;
      }
      if (this.#next >= this.#slices.length && !this.#refill()) {
        const recent = this.#nextRecent();
        if (recent !== undefined) this.#position = recent.slice.lastLsn;
        return recent;
      }
      await this.#load();
    }
  }

  /** Whether nothing is after the position now. Says so only for this very moment. */
  isAtEnd(): boolean {
    return (
      this.#loaded.length === 0 &&
      this.#next >= this.#slices.length &&
      this.#nextRecent() === undefined &&
      !this.#refill()
    );
  }

  #refill(): boolean {
    this.#slices = slicesAfter(this.#state, this.#range, this.#position);
    this.#next = 0;
    return this.#slices.length > 0;
  }

  #nextRecent(): LoadedSlice | undefined {
    for (const recent of this.#state.overlay.slices(this.#range)) {
      if (recent.slice.lastLsn <= this.#position) continue;
      const superseded = this.#state.usage.supersededBits(recent.slice.segment);
      return { slice: recent.slice, view: recent.view, isFromDisk: false, superseded };
    }
    return undefined;
  }

  /** Reads the next frames; neighbours in a segment with one read. */
  async #load(): Promise<void> {
    const first = this.#slices[this.#next] as Slice;
    const isShared = isMostlyOthers(first);
    let end = this.#next + 1;
    let bytes = isShared ? first.bodyOffset + first.bodyBytes : first.length;
    while (!isShared && end < this.#slices.length) {
      const slice = this.#slices[end] as Slice;
      const isNeighbour = slice.segment === first.segment && slice.offset === first.offset + bytes;
      if (!isNeighbour || isMostlyOthers(slice) || bytes + slice.length > readBytesMax) break;
      bytes += slice.length;
      end += 1;
    }
    // Taken before the wait: when the segment has been replaced meanwhile, nobody knows its bits any more.
    const superseded = this.#state.usage.supersededBits(first.segment);
    const salt = this.#state.segments.find(first.segment)?.salt;
    const hole = isShared ? { from: first.tableBytes, to: first.bodyOffset } : undefined;
    const read = this.#state.segments.read(first.segment, first.offset, bytes, hole);
    const buffer = read instanceof Promise ? await read : read;
    if (buffer === undefined || salt === undefined) {
      // The segment has been replaced; the index names its successor.
      this.#refill();
      return;
    }
    this.bytesRead += bytes;
    for (let i = this.#next; i < end; i += 1) {
      const slice = this.#slices[i] as Slice;
      const start = slice.offset - first.offset;
      const view = viewOf(salt, slice, buffer.subarray(start, isShared ? bytes : start + slice.length));
      this.#loaded.push({ slice, view, isFromDisk: true, superseded });
    }
    this.#next = end;
  }
}

/** Frames of a busy moment hold the runs of many ranges: then only what belongs to this one is read. */
function isMostlyOthers(slice: Slice): boolean {
  return (slice.tableBytes + slice.bodyBytes) * 2 < slice.length;
}

/** The frame of a slice, its header, table and keys verified. */
function viewOf(salt: Buffer, slice: Slice, bytes: Buffer): FrameView {
  const header = readFrameHeader(bytes, 0, salt);
  const view = header === undefined ? undefined : new FrameView(bytes, header);
  if (view === undefined || bytes.length < slice.bodyOffset + slice.bodyBytes || !view.verifyTable()) {
    throw corrupt(segmentPath(slice.segment), slice.offset, 'a frame that the index names is not valid');
  }
  return view;
}

/** Slices in the index with anything after `after`: the rest of one chunk, and the next one when that is used up. */
function slicesAfter(state: DatabaseState, range: number, after: number): Slice[] {
  const begin = framesKey(range, 0);
  const end = framesKey(range + 1, 0);
  const at = framesKey(range, after + 1);
  const [holding] = state.index.range({ from: begin, to: framesKey(range, after + 2), limit: 1, reverse: true });
  const slices = holding === undefined ? [] : decodeSlices(holding.value).filter((slice) => slice.lastLsn > after);
  if (slices.length > 0) return slices;
  const from = holding !== undefined && holding.key.compare(at) >= 0 ? framesKey(range, after + 2) : at;
  const [following] = state.index.range({ from, to: end, limit: 1 });
  return following === undefined ? [] : decodeSlices(following.value).filter((slice) => slice.lastLsn > after);
}
