// Walks the frames of a segment from the disk, for recovery, rebuild, compaction and check.
//
// Where a walk ends decides what is believed:
//   the expected sequence is there and valid    → the frame is handed on
//   nothing of this segment at the next place   → the end
//   anything else                               → an invalid frame; whether that is a torn end or corruption is the
//                                                 caller's to judge, with `findLaterFrame`

import { Buffer } from 'node:buffer';
import type { FileSystem, LogFile } from '../files/file-system.ts';
import { FrameView, frameHeaderBytes, readFrameHeader } from './frame.ts';
import type { SegmentHeader } from './segment.ts';
import { segmentPath } from './segment.ts';

const windowBytes = 4 * 1024 * 1024;

export interface ScannedFrame {
  readonly view: FrameView;
  readonly offset: number;
}

export interface ScanEnd {
  /** Where the next frame would have begun. */
  readonly offset: number;
  readonly nextSequence: number;
  readonly recordCount: number;
  /** False: zeros. True: something that is not a valid frame of this segment. */
  readonly isInvalid: boolean;
}

export class SegmentScan {
  readonly #file: LogFile;
  readonly #salt: Buffer;
  readonly #sizeBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #windowOffset = 0;
  #offset: number;
  #sequence: number;
  #records = 0;
  #isInvalid = false;

  private constructor(file: LogFile, header: SegmentHeader, sizeBytes: number, offset: number, sequence: number) {
    this.#file = file;
    this.#salt = Buffer.from(header.salt, 'hex');
    this.#sizeBytes = sizeBytes;
    this.#offset = offset;
    this.#sequence = sequence;
  }

  /** Starts at `offset`, where the frame with `sequence` is expected. */
  static async open(
    files: FileSystem,
    header: SegmentHeader,
    start: { readonly offset: number; readonly sequence: number },
  ): Promise<SegmentScan> {
    const file = await files.open(segmentPath(header.id));
    return new SegmentScan(file, header, await file.sizeBytes(), start.offset, start.sequence);
  }

  /** The next valid frame, or undefined at the end; its bytes stay valid until the next call. */
  async next(): Promise<ScannedFrame | undefined> {
    if (!(await this.#fill(frameHeaderBytes))) return undefined;
    const start = this.#offset - this.#windowOffset;
    const header = readFrameHeader(this.#window, start, this.#salt);
    if (header === undefined) {
      this.#isInvalid = !isBlank(this.#window, start, frameHeaderBytes);
      return undefined;
    }
    if (header.sequence !== this.#sequence || !(await this.#fill(header.length))) {
      this.#isInvalid = true;
      return undefined;
    }
    const from = this.#offset - this.#windowOffset;
    const view = new FrameView(this.#window.subarray(from, from + header.length), header);
    if (!view.verifyAll()) {
      this.#isInvalid = true;
      return undefined;
    }
    const offset = this.#offset;
    this.#offset += header.length;
    this.#sequence += 1;
    this.#records = header.firstOrdinal + header.recordCount;
    return { view, offset };
  }

  get end(): ScanEnd {
    return {
      offset: this.#offset,
      nextSequence: this.#sequence,
      recordCount: this.#records,
      isInvalid: this.#isInvalid,
    };
  }

  /** The place of a whole frame of this segment beyond the end of the walk with a sequence not yet seen, if there is one. */
  async findLaterFrame(): Promise<number | undefined> {
    for (let offset = this.#offset + 8; offset + frameHeaderBytes <= this.#sizeBytes; offset += 8) {
      this.#offset = offset;
      if (!(await this.#fill(frameHeaderBytes))) return undefined;
      const from = this.#window.indexOf(this.#salt, offset - this.#windowOffset + 8) - 8;
      if (from < 0) {
        // Keep enough of the end of the window that a header across the border is not missed.
        offset = Math.max(offset, this.#windowOffset + this.#window.length - frameHeaderBytes - 8);
        offset -= offset % 8;
        if (this.#windowOffset + this.#window.length >= this.#sizeBytes) return undefined;
        continue;
      }
      offset = this.#windowOffset + from;
      this.#offset = offset;
      // The window may end inside the header.
      const isWhole = offset % 8 === 0 && (await this.#fill(frameHeaderBytes));
      const start = offset - this.#windowOffset;
      const header = isWhole ? readFrameHeader(this.#window, start, this.#salt) : undefined;
      if (header !== undefined && header.sequence >= this.#sequence && (await this.#fill(header.length))) {
        const begin = this.#offset - this.#windowOffset;
        const view = new FrameView(this.#window.subarray(begin, begin + header.length), header);
        if (view.verifyAll()) return offset;
      }
      offset -= offset % 8;
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Makes the window hold `bytes` from the current offset on. False when the file is too short for that. */
  async #fill(bytes: number): Promise<boolean> {
    if (this.#offset + bytes > this.#sizeBytes) return false;
    const start = this.#offset - this.#windowOffset;
    if (start >= 0 && start + bytes <= this.#window.length) return true;
    const target = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(windowBytes, this.#sizeBytes - this.#offset)));
    const read = await this.#file.read(target, this.#offset);
    this.#window = target.subarray(0, read);
    this.#windowOffset = this.#offset;
    return read >= bytes;
  }
}

/** A preallocated or recycled file holds zeros, or frames with another salt, where nothing has been written yet. */
function isBlank(window: Buffer, start: number, length: number): boolean {
  for (let i = start; i < start + length; i += 1) if (window[i] !== 0) return false;
  return true;
}
