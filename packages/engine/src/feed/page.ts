// A page of the feed in the making: pieces of bytes, counted, ended only between two LSNs.

import { corrupt, segmentPath } from '../log/segment.ts';
import type { LoadedSlice } from './slice-walk.ts';

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

/** Bodies that came from the disk are checked before they leave: all of a run at once when all of it is served. */
export function verifyBodies(loaded: LoadedSlice, records: Uint32Array, count: number): void {
  if (!loaded.isFromDisk || count === 0) return;
  const { view, slice } = loaded;
  if (count === slice.records) {
    if (view.verifyRun(slice.run)) return;
  }
  let end = 0;
  for (let i = 0; i < count; i += 1) {
    const record = records[i] as number;
    const start = view.bodyOffset(record);
    // Neighbours are served in one piece, with the comma that no checksum of theirs covers.
    if (!view.verifyBody(record) || (start === end + 1 && view.bytes[end] !== comma[0])) {
      throw corrupt(segmentPath(slice.segment), slice.offset + start, 'the checksum of a document is wrong');
    }
    end = start + view.bodyLength(record);
  }
  if (count === slice.records) {
    throw corrupt(segmentPath(slice.segment), slice.offset, 'the checksum of a run of documents is wrong');
  }
}
