// FRAME: one group of commits, written with one append and one flush. Little-endian, padded with zeros to 8 bytes.
//
//   header   0  u32  magic 'TMF1'
//            4  u32  checksum of [8, bodiesOffset): the rest of the header, runs, table and keys
//            8  8 B  salt of the segment; a frame left over from a recycled file has another one
//           16  u48  sequence: the log position, +1 for each frame      22  u16  kind (1 group, 2 meta, 3 footer)
//           24  u32  length of the whole frame, padding included
//           28  u32  records                                            32  u32  runs
//           36  u32  bodiesOffset                                       40  u32  ordinal of the first record in the segment
//           44  u32  reserved
//   runs     each 32 B: container u32, range u32, first record u32, records u32, body offset u32, body bytes u32,
//            checksum of those body bytes u48, reserved u16. A run is the records of one range, in LSN order.
//   table    each 64 B, see the offsets below; what is left of it is zero
//   keys     for each record: epk, partition key, id, unique digests (16 B each)
//   bodies   run by run; inside a run the bodies are joined by ',', so that a slice of it is the inside of a feed page.
//            A record without a body (delete) has no place there and no comma.
//
// A frame is valid when its salt is the segment's, its checksums of the table and of every run are right. Offsets inside a
// frame count from its first byte. Bodies carry a checksum each as well, for reads that fetch one body alone. See checksum.ts.

import { Buffer } from 'node:buffer';
import { checksum32, checksum48 } from './checksum.ts';

export const frameKind = { group: 1, meta: 2, footer: 3 } as const;
export const operation = { create: 1, replace: 2, delete: 3, catalog: 4 } as const;
export type OperationNumber = (typeof operation)[keyof typeof operation];
/** `endOfUnit` closes the records of one LSN; `expiry` marks a delete that happened because the time was over. */
export const recordFlag = { endOfUnit: 1, expiry: 2 } as const;

export const frameHeaderBytes = 48;
export const runBytes = 32;
export const recordBytes = 64;
export const frameMagic = 0x31464d54;
export const uniqueDigestBytes = 16;
/** `ttl` 0 stands for none: the wire forbids it as a value. */
export const noTtl = 0;

/** Offsets inside a table record. lsn and time are 48 bits wide, so that they fit a double with room to spare. */
export const recordField = {
  lsn: 0,
  ix: 6,
  previousLsn: 8,
  previousIx: 14,
  timeMs: 16,
  operation: 22,
  flags: 23,
  ridNumber: 24,
  ttl: 32,
  bodyLength: 36,
  bodyOffset: 40,
  bodyChecksum: 44,
  keyOffset: 48,
  epkLength: 52,
  uniqueCount: 53,
  partitionKeyLength: 54,
  idLength: 56,
  /** The high byte of the length whose low byte is at 52. It is zero in folders of format 3, whose readers do not look at it. */
  epkLengthHigh: 58,
} as const;

export interface FrameHeader {
  readonly sequence: number;
  readonly kind: number;
  readonly length: number;
  readonly recordCount: number;
  readonly runCount: number;
  readonly bodiesOffset: number;
  readonly firstOrdinal: number;
}

/** The header at `start`, or undefined when no frame of this segment begins there. Its checksum is not looked at. */
export function readFrameHeader(bytes: Buffer, start: number, salt: Uint8Array): FrameHeader | undefined {
  if (start + frameHeaderBytes > bytes.length || bytes.readUInt32LE(start) !== frameMagic) return undefined;
  if (bytes.compare(salt, 0, 8, start + 8, start + 16) !== 0) return undefined;
  const header: FrameHeader = {
    sequence: readUint48(bytes, start + 16),
    kind: bytes.readUInt16LE(start + 22),
    length: bytes.readUInt32LE(start + 24),
    recordCount: bytes.readUInt32LE(start + 28),
    runCount: bytes.readUInt32LE(start + 32),
    bodiesOffset: bytes.readUInt32LE(start + 36),
    firstOrdinal: bytes.readUInt32LE(start + 40),
  };
  const fits = header.bodiesOffset >= frameHeaderBytes && header.bodiesOffset <= header.length;
  return fits && header.length % 8 === 0 ? header : undefined;
}

/**
 * Reads a frame from bytes that begin with it. Records are read where they lie: a view holds the buffer, no objects.
 * `verifyTable` must have answered true before anything of runs, table or keys is believed, and `verifyRun` or
 * `verifyBody` before a body is.
 */
export class FrameView {
  readonly bytes: Buffer;
  readonly header: FrameHeader;
  readonly #tableOffset: number;
  readonly #gapBytes: number;

  /** `gapBytes`: so many bytes of other runs' bodies were left out behind the keys when the frame was read. */
  constructor(bytes: Buffer, header: FrameHeader, gapBytes = 0) {
    this.bytes = bytes;
    this.header = header;
    this.#tableOffset = frameHeaderBytes + header.runCount * runBytes;
    this.#gapBytes = gapBytes;
  }

  verifyTable(): boolean {
    const { bodiesOffset, runCount, recordCount } = this.header;
    if (this.bytes.length < bodiesOffset) return false;
    if (this.#tableOffset + recordCount * recordBytes > bodiesOffset) return false;
    if (runCount > recordCount) return false;
    return checksum32(this.bytes, 8, bodiesOffset) === this.bytes.readUInt32LE(4);
  }

  verifyRun(run: number): boolean {
    const start = this.bodyOffsetOfRun(run) - this.#gapBytes;
    const length = this.bodyBytesOfRun(run);
    if (start + length > this.bytes.length) return false;
    return checksum48(this.bytes, start, start + length) === this.checksumOfRun(run);
  }

  verifyBody(record: number): boolean {
    const start = this.bodyStart(record);
    const end = start + this.bodyLength(record);
    return end <= this.bytes.length && checksum32(this.bytes, start, end) === this.bodyChecksum(record);
  }

  /** Header, runs, table, keys, every body and the padding. */
  verifyAll(): boolean {
    if (this.bytes.length < this.header.length || !this.verifyTable()) return false;
    let end = this.header.bodiesOffset;
    for (let run = 0; run < this.header.runCount; run += 1) {
      if (!this.verifyRun(run)) return false;
      end = Math.max(end, this.bodyOffsetOfRun(run) + this.bodyBytesOfRun(run));
    }
    // The padding has no checksum and needs none: it is zero.
    for (; end < this.header.length; end += 1) if (this.bytes[end] !== 0) return false;
    return true;
  }

  containerOfRun(run: number): number {
    return this.bytes.readUInt32LE(this.#runAt(run));
  }

  rangeOfRun(run: number): number {
    return this.bytes.readUInt32LE(this.#runAt(run) + 4);
  }

  firstRecordOfRun(run: number): number {
    return this.bytes.readUInt32LE(this.#runAt(run) + 8);
  }

  recordCountOfRun(run: number): number {
    return this.bytes.readUInt32LE(this.#runAt(run) + 12);
  }

  bodyOffsetOfRun(run: number): number {
    return this.bytes.readUInt32LE(this.#runAt(run) + 16);
  }

  bodyBytesOfRun(run: number): number {
    return this.bytes.readUInt32LE(this.#runAt(run) + 20);
  }

  checksumOfRun(run: number): number {
    return readUint48(this.bytes, this.#runAt(run) + 24);
  }

  hasDeletes(run: number): boolean {
    const first = this.firstRecordOfRun(run);
    const end = first + this.recordCountOfRun(run);
    for (let record = first; record < end; record += 1) if (this.operation(record) === operation.delete) return true;
    return false;
  }

  lsn(record: number): number {
    return readUint48(this.bytes, this.#recordAt(record) + recordField.lsn);
  }

  ix(record: number): number {
    return this.bytes.readUInt16LE(this.#recordAt(record) + recordField.ix);
  }

  previousLsn(record: number): number {
    return readUint48(this.bytes, this.#recordAt(record) + recordField.previousLsn);
  }

  previousIx(record: number): number {
    return this.bytes.readUInt16LE(this.#recordAt(record) + recordField.previousIx);
  }

  timeMs(record: number): number {
    return readUint48(this.bytes, this.#recordAt(record) + recordField.timeMs);
  }

  operation(record: number): number {
    return this.bytes[this.#recordAt(record) + recordField.operation] as number;
  }

  flags(record: number): number {
    return this.bytes[this.#recordAt(record) + recordField.flags] as number;
  }

  ridNumber(record: number): number {
    const offset = this.#recordAt(record) + recordField.ridNumber;
    return this.bytes.readUInt32LE(offset) + this.bytes.readUInt32LE(offset + 4) * 0x1_0000_0000;
  }

  ttl(record: number): number | undefined {
    const ttl = this.bytes.readInt32LE(this.#recordAt(record) + recordField.ttl);
    return ttl === noTtl ? undefined : ttl;
  }

  bodyLength(record: number): number {
    return this.bytes.readUInt32LE(this.#recordAt(record) + recordField.bodyLength);
  }

  /** Where the body is in the frame. */
  bodyOffset(record: number): number {
    return this.bytes.readUInt32LE(this.#recordAt(record) + recordField.bodyOffset);
  }

  /** Where the body is in `bytes`. */
  bodyStart(record: number): number {
    return this.bodyOffset(record) - this.#gapBytes;
  }

  bodyChecksum(record: number): number {
    return this.bytes.readUInt32LE(this.#recordAt(record) + recordField.bodyChecksum);
  }

  body(record: number): Buffer {
    const start = this.bodyStart(record);
    return this.bytes.subarray(start, start + this.bodyLength(record));
  }

  epk(record: number): Buffer {
    const offset = this.#keyOffset(record);
    return this.bytes.subarray(offset, offset + this.#epkLength(record));
  }

  partitionKey(record: number): Buffer {
    const offset = this.#keyOffset(record) + this.#epkLength(record);
    return this.bytes.subarray(offset, offset + this.#partitionKeyLength(record));
  }

  id(record: number): Buffer {
    const offset = this.#keyOffset(record) + this.#epkLength(record) + this.#partitionKeyLength(record);
    return this.bytes.subarray(offset, offset + this.#idLength(record));
  }

  uniqueDigests(record: number): Buffer {
    const at0 = this.#recordAt(record);
    const offset =
      this.#keyOffset(record) + this.#epkLength(record) + this.#partitionKeyLength(record) + this.#idLength(record);
    return this.bytes.subarray(
      offset,
      offset + (this.bytes[at0 + recordField.uniqueCount] as number) * uniqueDigestBytes,
    );
  }

  /** What the record occupies in the segment, for the accounting of live bytes. */
  recordBytes(record: number): number {
    const keys = this.#epkLength(record) + this.#partitionKeyLength(record) + this.#idLength(record);
    return recordBytes + keys + this.bodyLength(record);
  }

  #runAt(run: number): number {
    return frameHeaderBytes + run * runBytes;
  }

  #recordAt(record: number): number {
    return this.#tableOffset + record * recordBytes;
  }

  #keyOffset(record: number): number {
    return this.bytes.readUInt32LE(this.#recordAt(record) + recordField.keyOffset);
  }

  #epkLength(record: number): number {
    const at = this.#recordAt(record);
    return (
      (this.bytes[at + recordField.epkLength] as number) + 256 * (this.bytes[at + recordField.epkLengthHigh] as number)
    );
  }

  #partitionKeyLength(record: number): number {
    return this.bytes.readUInt16LE(this.#recordAt(record) + recordField.partitionKeyLength);
  }

  #idLength(record: number): number {
    return this.bytes.readUInt16LE(this.#recordAt(record) + recordField.idLength);
  }
}

function readUint48(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset) + bytes.readUInt16LE(offset + 4) * 0x1_0000_0000;
}

export function writeUint48(bytes: Buffer, value: number, offset: number): void {
  bytes.writeUInt32LE(value % 0x1_0000_0000, offset);
  bytes.writeUInt16LE(Math.floor(value / 0x1_0000_0000), offset + 4);
}

/** The same frame for another place in the log: recovery copies frames into a fresh segment. */
export function relocateFrame(
  frame: Buffer,
  target: { readonly salt: Uint8Array; readonly sequence: number; readonly firstOrdinal: number },
): Buffer {
  const copy = Buffer.from(frame);
  copy.set(target.salt, 8);
  writeUint48(copy, target.sequence, 16);
  copy.writeUInt32LE(target.firstOrdinal, 40);
  copy.writeUInt32LE(checksum32(copy, 8, copy.readUInt32LE(36)), 4);
  return copy;
}
