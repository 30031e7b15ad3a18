// A page of the feed in the making: pieces of bytes, counted, ended only between two LSNs.

import { Buffer } from 'node:buffer';
import type { Slice } from '../index/slices.ts';
import { checksum48 } from '../log/checksum.ts';
import type { FrameView } from '../log/frame.ts';
import { corrupt, segmentPath } from '../log/segment.ts';
import type { LoadedSlice } from './slice-walk.ts';

/** Shorter runs are cut: a page of few documents should be as full as it can be. */
const uncutRecordsMin = 16;
const comma: Buffer = Buffer.from(',');

export class PageBuilder {
  readonly pieces: Buffer[] = [];
  count = 0;
  bytes = 0;
  /** The LSN of the last record that was looked at. */
  lastLsn: number;
  readonly #itemsMax: number;
  readonly #bytesMax: number;

  constructor(after: number, itemsMax: number, bytesMax: number) {
    this.lastLsn = after;
    this.#itemsMax = itemsMax;
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.isFullWith(0, 0);
  }

  get isHalfFull(): boolean {
    return this.isFullWith(this.count, this.bytes);
  }

  /** Whether it is over before this run. A long one is rather left to the next page than cut, which costs both of them. */
  endsBefore(run: Slice | undefined): boolean {
    if (this.isFull || run === undefined || run.records < uncutRecordsMin) return this.isFull;
    return this.bytes * 2 >= this.#bytesMax && run.bodyBytes > this.bytesLeft;
  }

  get itemsLeft(): number {
    return this.#itemsMax - this.count;
  }

  get bytesLeft(): number {
    return this.#bytesMax - this.bytes;
  }

  /** Whether the page would be full with this much more on it. */
  isFullWith(count: number, bytes: number): boolean {
    return this.count + count >= this.#itemsMax || this.bytes + bytes >= this.#bytesMax;
  }

  /** Adds JSON values that are already joined by commas. */
  add(piece: Buffer, count: number): void {
    if (this.count > 0) this.pieces.push(comma);
    this.pieces.push(piece);
    this.count += count;
    this.bytes += piece.length;
  }
}

/** A run that came from the disk is checked as a whole before it leaves. */
export function verifyRun(loaded: LoadedSlice): void {
  if (!loaded.isUnverified || isRight(loaded)) return;
  const { slice } = loaded;
  const offset = slice.offset + slice.bodyOffset;
  throw corrupt(segmentPath(slice.segment), offset, 'the checksum of a run of documents is wrong');
}

/** Single bodies that came from the disk are checked before they leave: all of the run at once when that is cheaper. */
export function verifyBodies(loaded: LoadedSlice, view: FrameView, records: Uint32Array, count: number): void {
  if (!loaded.isUnverified || count === 0) return;
  const { slice } = loaded;
  if (count * 4 > slice.records && isRight(loaded)) return;
  let end = 0;
  for (let i = 0; i < count; i += 1) {
    const record = records[i] as number;
    const start = view.bodyStart(record);
    // Neighbours are served in one piece, with the comma that no checksum of theirs covers.
    if (!view.verifyBody(record) || (start === end + 1 && view.bytes[end] !== comma[0])) {
      const offset = slice.offset + view.bodyOffset(record);
      throw corrupt(segmentPath(slice.segment), offset, 'the checksum of a document is wrong');
    }
    end = start + view.bodyLength(record);
  }
  // None of them, and no comma between them: the checksum of the run must have rotted, or what it covers.
  if (count === slice.records) verifyRun(loaded);
}

/** All of the run; it need not be verified again. */
function isRight(loaded: LoadedSlice): boolean {
  loaded.isUnverified = checksum48(loaded.bodies) !== loaded.slice.bodyChecksum;
  return !loaded.isUnverified;
}
