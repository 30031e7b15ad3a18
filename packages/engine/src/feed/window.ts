// A window: neighbouring slices of one range that are brought from a segment together.
//
//   frames that mostly belong to the range    one read of all of them as they lie, up to 1 MiB
//   frames with the runs of many ranges       of each the bodies of this one, gathered into one buffer; and header, table
//                                             and keys only where somebody has to look at single records
//
// Which slices need their table is decided before anything is read: a run without deletes of which nothing is superseded,
// and that fits in the page, is served as it lies. Its checksum is in the index.

import type { Slice } from '../index/slices.ts';
import { firstReadBytesMax, readBytesMax } from '../limits.ts';
import { FrameView, readFrameHeader } from '../log/frame.ts';
import type { Part } from '../log/parts.ts';
import { corrupt, segmentPath } from '../log/segment.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { LoadedSlice } from './slice-walk.ts';

/** What a reader can still take. */
export interface Room {
  readonly itemsLeft: number;
  readonly bytesLeft: number;
  /** From this LSN on somebody else has records too: a run that reaches it is not taken whole. */
  readonly beforeLsn: number;
}

export interface WindowOptions {
  /** The reader has seen everything up to this LSN. */
  readonly after: number;
  readonly needsTables: boolean;
  /** A reader who begins waits for its first bytes: they are few, and the next ones are read meanwhile. */
  readonly isFirst: boolean;
}

interface Planned {
  readonly slice: Slice;
  readonly hasTable: boolean;
  /** Where its bytes begin in what is read. */
  readonly start: number;
  /** What it may put on the page at most. */
  readonly items: number;
  readonly bytes: number;
}

export class Window {
  /** The first slice that is not in it, counted like the one it begins with. */
  readonly end: number;
  readonly bytes: number;
  readonly #state: DatabaseState;
  readonly #planned: Planned[] = [];
  readonly #isShared: boolean;
  readonly #salt: Buffer | undefined;
  readonly #superseded: Buffer;
  #reading: Promise<number | undefined> | undefined;
  #buffer: Buffer | undefined;
  #filledBytes = 0;
  #next = 0;

  constructor(state: DatabaseState, slices: readonly Slice[], first: number, room: Room, options: WindowOptions) {
    const one = slices[first] as Slice;
    this.#state = state;
    this.#isShared = isMostlyOthers(one);
    this.#salt = state.segments.find(one.segment)?.salt;
    // Taken before the read: when the segment has been replaced meanwhile, nobody knows its bits any more.
    this.#superseded = state.usage.supersededBits(one.segment);
    const bytesMax = options.isFirst ? firstReadBytesMax : readBytesMax;
    let { itemsLeft, bytesLeft } = room;
    let bytes = 0;
    let end = first;
    for (; end < slices.length; end += 1) {
      const slice = slices[end] as Slice;
      const superseded = countBits(this.#superseded, slice.firstOrdinal, slice.records);
      const hasTable =
        options.needsTables ||
        slice.hasDeletes ||
        slice.firstLsn <= options.after ||
        slice.lastLsn >= room.beforeLsn ||
        slice.records > itemsLeft ||
        slice.bodyBytes > bytesLeft ||
        superseded > 0;
      const length = this.#isShared ? (hasTable ? slice.tableBytes : 0) + slice.bodyBytes : slice.length;
      if (end > first) {
        const isNeighbour = this.#isShared ? isMostlyOthers(slice) : slice.offset === one.offset + bytes;
        if (!isNeighbour || slice.segment !== one.segment || (!this.#isShared && isMostlyOthers(slice))) break;
        if (itemsLeft <= 0 || bytesLeft <= 0 || bytes + length > bytesMax) break;
      }
      // What is superseded takes no room: a page of few documents must not be looked for with as many small reads.
      const items = slice.records - superseded;
      const planned = { slice, hasTable, start: bytes, items, bytes: items === 0 ? 0 : slice.bodyBytes };
      this.#planned.push(planned);
      bytes += length;
      itemsLeft -= planned.items;
      bytesLeft -= planned.bytes;
    }
    this.end = end;
    this.bytes = bytes;
  }

  get first(): Slice {
    return (this.#planned[0] as Planned).slice; // It begins with one.
  }

  /** Likely in memory. */
  get isRecent(): boolean {
    return this.#state.segments.isRecent(this.first.segment);
  }

  /** What a reader with this much room can take after everything in the window. */
  roomBehind(room: Room): Room {
    let { itemsLeft, bytesLeft } = room;
    for (const { items, bytes } of this.#planned) {
      itemsLeft -= items;
      bytesLeft -= bytes;
    }
    return { itemsLeft, bytesLeft, beforeLsn: room.beforeLsn };
  }

  /** Has it read by a thread. Only long reads are worth the trip; of others the answer is false, and nothing happens. */
  begin(): boolean {
    if (this.#isShared || this.bytes < firstReadBytesMax) return false;
    const reading = this.#start(true);
    if (!(reading instanceof Promise)) return false;
    this.#reading = reading;
    // Whoever needs the bytes hears of the failure; perhaps nobody does.
    reading.catch(() => {});
    return true;
  }

  /** False when the segment is gone. */
  read(): boolean | Promise<boolean> {
    const filled = this.#reading ?? this.#start(false);
    if (filled instanceof Promise) return filled.then((bytes) => this.#hold(bytes));
    return this.#hold(filled);
  }

  /** Gives the bytes back: nobody has anything of what was taken from the window any more. */
  release(): void {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    if (buffer === undefined) return;
    const { buffers } = this.#state.segments;
    // A read that was begun and is not needed goes on writing until it is over.
    if (this.#reading === undefined) buffers.give(buffer);
    else this.#reading.then(() => buffers.give(buffer)).catch(() => {});
  }

  /** Gives the bytes back unless they are among these. */
  releaseBut(kept: ReadonlySet<ArrayBufferLike>): void {
    if (this.#buffer !== undefined && !kept.has(this.#buffer.buffer)) this.release();
  }

  peek(position: number): Slice | undefined {
    for (; this.#next < this.#planned.length; this.#next += 1) {
      const { slice } = this.#planned[this.#next] as Planned;
      if (slice.lastLsn > position) return slice;
    }
    return undefined;
  }

  /** The next slice with anything after the position; the window has been read. */
  take(position: number): LoadedSlice | undefined {
    if (this.peek(position) === undefined) return undefined;
    const planned = this.#planned[this.#next] as Planned;
    this.#next += 1;
    return this.#loaded(planned, this.#buffer as Buffer);
  }

  #start(inThread: boolean): number | Promise<number | undefined> | undefined {
    const { segments } = this.#state;
    this.#buffer = segments.buffers.take(this.bytes);
    return segments.readInto(this.first.segment, this.#parts(), this.#buffer, { inThread });
  }

  #parts(): Part[] {
    if (!this.#isShared) return [{ offset: this.first.offset, length: this.bytes }];
    const parts: Part[] = [];
    for (const { slice, hasTable } of this.#planned) {
      if (hasTable) parts.push({ offset: slice.offset, length: slice.tableBytes });
      parts.push({ offset: slice.offset + slice.bodyOffset, length: slice.bodyBytes });
    }
    return parts;
  }

  #hold(filledBytes: number | undefined): boolean {
    this.#reading = undefined;
    this.#filledBytes = filledBytes ?? 0;
    return filledBytes !== undefined && this.#salt !== undefined;
  }

  #loaded({ slice, hasTable, start }: Planned, buffer: Buffer): LoadedSlice {
    const superseded = this.#superseded;
    const gapBytes = this.#isShared ? slice.bodyOffset - (hasTable ? slice.tableBytes : 0) : 0;
    const bodiesAt = start + slice.bodyOffset - gapBytes;
    const end = bodiesAt + slice.bodyBytes;
    if (end > this.#filledBytes) throw invalid(slice);
    const bodies = buffer.subarray(bodiesAt, end);
    const view = hasTable ? viewOf(this.#salt as Buffer, slice, buffer.subarray(start, end), gapBytes) : undefined;
    return { slice, view, bodies, isRead: true, isUnverified: true, superseded };
  }
}

/** Frames of a busy moment hold the runs of many ranges: then only what belongs to this one is read. */
function isMostlyOthers(slice: Slice): boolean {
  return (slice.tableBytes + slice.bodyBytes) * 2 < slice.length;
}

/** How many of these bits are set; of most slices none. */
function countBits(bits: Buffer, first: number, count: number): number {
  const end = Math.min(first + count, bits.length * 8);
  let found = 0;
  for (let bit = first; bit < end; ) {
    const byte = bits[bit >>> 3] as number;
    if (byte === 0) {
      bit = (bit | 7) + 1;
      continue;
    }
    found += (byte >>> (bit & 7)) & 1;
    bit += 1;
  }
  return found;
}

/** The frame of a slice, its header, table and keys verified. */
function viewOf(salt: Buffer, slice: Slice, bytes: Buffer, gapBytes: number): FrameView {
  const header = readFrameHeader(bytes, 0, salt);
  const view = header === undefined ? undefined : new FrameView(bytes, header, gapBytes);
  if (view === undefined || !view.verifyTable()) throw invalid(slice);
  return view;
}

function invalid(slice: Slice): Error {
  return corrupt(segmentPath(slice.segment), slice.offset, 'a frame that the index names is not valid');
}
