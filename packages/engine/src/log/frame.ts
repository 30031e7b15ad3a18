// FRAME: one group of commits, written with one append and one flush. Little-endian, padded with zeros to 8 bytes.
//
//   header   0  u32  magic 'TMF1'
//            4  u32  crc32 of [8, bodiesOffset): the rest of the header, runs, table and keys
//            8  8 B  salt of the segment; a frame left over from a recycled file has another one
//           16  u48  sequence: the log position, +1 for each frame      22  u16  kind (1 group, 2 meta, 3 footer)
//           24  u32  length of the whole frame, padding included
//           28  u32  records                                            32  u32  runs
//           36  u32  bodiesOffset                                       40  u32  ordinal of the first record in the segment
//           44  u32  reserved
//   runs     each 32 B: container u32, range u32, first record u32, records u32, body offset u32, body bytes u32,
//            crc32 of those body bytes u32, reserved u32. A run is the records of one range, in LSN order.
//   table    each 64 B, see the offsets below
//   keys     for each record: epk, partition key, id, unique digests (16 B each)
//   bodies   run by run; inside a run the bodies are joined by ',', so that a slice of it is the inside of a feed page.
//            A record without a body (delete) has no place there and no comma.
//
// A frame is valid when its salt is the segment's, its header crc and the crc of every run are right. Offsets inside a
// frame count from its first byte. Bodies carry a crc each as well, for reads that fetch one body alone.

import { crc32 } from 'node:zlib';
import { assert } from '@tidemark/model';

export const frameKind = { group: 1, meta: 2, footer: 3 } as const;
export const operation = { create: 1, replace: 2, delete: 3, catalog: 4 } as const;
export type OperationNumber = (typeof operation)[keyof typeof operation];
/** `endOfUnit` closes the records of one LSN; `expiry` marks a delete that happened because the time was over. */
export const recordFlag = { endOfUnit: 1, expiry: 2 } as const;

export const frameHeaderBytes = 48;
const runBytes = 32;
const recordBytes = 64;
const magic = 0x31464d54;
const comma = 0x2c;
export const uniqueDigestBytes = 16;
/** `ttl` 0 stands for none: the wire forbids it as a value. */
const noTtl = 0;

// Offsets inside a table record. lsn and time are 48 bits wide, so that they fit a double with room to spare.
const at = {
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
  bodyCrc: 44,
  keyOffset: 48,
  epkLength: 52,
  uniqueCount: 53,
  partitionKeyLength: 54,
  idLength: 56,
} as const;

export interface RecordInput {
  readonly operation: OperationNumber;
  readonly flags: number;
  readonly lsn: number;
  readonly ix: number;
  /** 0 when there is no previous version. */
  readonly previousLsn: number;
  readonly previousIx: number;
  readonly timeMs: number;
  readonly ridNumber: number;
  readonly ttl: number | undefined;
  readonly epk: Uint8Array;
  readonly partitionKey: Uint8Array;
  readonly id: Uint8Array;
  readonly uniqueDigests: Uint8Array;
  /** The body is `body` followed by `suffix` (ASCII); a delete has neither. */
  readonly body: Uint8Array | undefined;
  readonly suffix: string;
}

export interface RunInput {
  readonly container: number;
  readonly range: number;
  readonly records: readonly RecordInput[];
}

export interface FrameInput {
  readonly kind: number;
  readonly salt: Uint8Array;
  readonly sequence: number;
  readonly firstOrdinal: number;
  readonly runs: readonly RunInput[];
}

/** Whether the frame that holds these runs is at most this long; also what the committer reserves. */
export function frameBytes(runs: readonly RunInput[]): number {
  let bytes = frameHeaderBytes + runs.length * runBytes;
  for (const run of runs) for (const record of run.records) bytes += recordInputBytes(record);
  return padded(bytes);
}

/** What one record adds to a frame, its comma included. */
export function recordInputBytes(record: RecordInput): number {
  const keys = record.epk.length + record.partitionKey.length + record.id.length + record.uniqueDigests.length;
  return recordBytes + keys + (record.body === undefined ? 0 : record.body.length + record.suffix.length + 1);
}

export function encodeFrame(input: FrameInput): Buffer {
  let recordCount = 0;
  let keyBytes = 0;
  for (const run of input.runs) {
    recordCount += run.records.length;
    for (const r of run.records) {
      keyBytes += r.epk.length + r.partitionKey.length + r.id.length + r.uniqueDigests.length;
    }
  }
  const tableOffset = frameHeaderBytes + input.runs.length * runBytes;
  const keysOffset = tableOffset + recordCount * recordBytes;
  const bodiesOffset = keysOffset + keyBytes;
  const buffer = Buffer.allocUnsafeSlow(frameBytes(input.runs));
  buffer.fill(0, 0, keysOffset);

  let record = 0;
  let keyOffset = keysOffset;
  let bodyOffset = bodiesOffset;
  for (let i = 0; i < input.runs.length; i += 1) {
    const run = input.runs[i] as RunInput;
    const runOffset = frameHeaderBytes + i * runBytes;
    const firstBody = bodyOffset;
    buffer.writeUInt32LE(run.container, runOffset);
    buffer.writeUInt32LE(run.range, runOffset + 4);
    buffer.writeUInt32LE(record, runOffset + 8);
    buffer.writeUInt32LE(run.records.length, runOffset + 12);
    for (const r of run.records) {
      const offset = tableOffset + record * recordBytes;
      writeTableRecord(buffer, offset, r, keyOffset);
      keyOffset = writeKeys(buffer, keyOffset, r);
      if (r.body !== undefined) {
        if (bodyOffset > firstBody) buffer[bodyOffset++] = comma;
        bodyOffset = writeBody(buffer, offset, bodyOffset, r.body, r.suffix);
      }
      record += 1;
    }
    buffer.writeUInt32LE(firstBody, runOffset + 16);
    buffer.writeUInt32LE(bodyOffset - firstBody, runOffset + 20);
    buffer.writeUInt32LE(crc32(buffer.subarray(firstBody, bodyOffset)), runOffset + 24);
  }
  const length = padded(bodyOffset);
  assert(length <= buffer.length, 'a frame outgrew the space computed for it');
  buffer.fill(0, bodyOffset, length);
  writeHeader(buffer, input, { length, recordCount, bodiesOffset });
  return length === buffer.length ? buffer : buffer.subarray(0, length);
}

function writeHeader(
  buffer: Buffer,
  input: FrameInput,
  sizes: { readonly length: number; readonly recordCount: number; readonly bodiesOffset: number },
): void {
  buffer.writeUInt32LE(magic, 0);
  buffer.set(input.salt, 8);
  writeUint48(buffer, input.sequence, 16);
  buffer.writeUInt16LE(input.kind, 22);
  buffer.writeUInt32LE(sizes.length, 24);
  buffer.writeUInt32LE(sizes.recordCount, 28);
  buffer.writeUInt32LE(input.runs.length, 32);
  buffer.writeUInt32LE(sizes.bodiesOffset, 36);
  buffer.writeUInt32LE(input.firstOrdinal, 40);
  buffer.writeUInt32LE(crc32(buffer.subarray(8, sizes.bodiesOffset)), 4);
}

function writeTableRecord(buffer: Buffer, offset: number, r: RecordInput, keyOffset: number): void {
  writeUint48(buffer, r.lsn, offset + at.lsn);
  buffer.writeUInt16LE(r.ix, offset + at.ix);
  writeUint48(buffer, r.previousLsn, offset + at.previousLsn);
  buffer.writeUInt16LE(r.previousIx, offset + at.previousIx);
  writeUint48(buffer, r.timeMs, offset + at.timeMs);
  buffer[offset + at.operation] = r.operation;
  buffer[offset + at.flags] = r.flags;
  buffer.writeUInt32LE(r.ridNumber % 0x1_0000_0000, offset + at.ridNumber);
  buffer.writeUInt32LE(Math.floor(r.ridNumber / 0x1_0000_0000), offset + at.ridNumber + 4);
  buffer.writeInt32LE(r.ttl ?? noTtl, offset + at.ttl);
  buffer.writeUInt32LE(keyOffset, offset + at.keyOffset);
  buffer[offset + at.epkLength] = r.epk.length;
  buffer[offset + at.uniqueCount] = r.uniqueDigests.length / uniqueDigestBytes;
  buffer.writeUInt16LE(r.partitionKey.length, offset + at.partitionKeyLength);
  buffer.writeUInt16LE(r.id.length, offset + at.idLength);
}

function writeKeys(buffer: Buffer, start: number, r: RecordInput): number {
  let offset = start;
  buffer.set(r.epk, offset);
  offset += r.epk.length;
  buffer.set(r.partitionKey, offset);
  offset += r.partitionKey.length;
  buffer.set(r.id, offset);
  offset += r.id.length;
  buffer.set(r.uniqueDigests, offset);
  return offset + r.uniqueDigests.length;
}

function writeBody(buffer: Buffer, recordOffset: number, start: number, body: Uint8Array, suffix: string): number {
  buffer.set(body, start);
  const end = start + body.length + (suffix === '' ? 0 : buffer.write(suffix, start + body.length, 'latin1'));
  buffer.writeUInt32LE(end - start, recordOffset + at.bodyLength);
  buffer.writeUInt32LE(start, recordOffset + at.bodyOffset);
  // Over the parts it was put together from: a view of the frame for every body would cost more than its checksum.
  const crc = suffix === '' ? crc32(body) : crc32(suffix, crc32(body));
  buffer.writeUInt32LE(crc, recordOffset + at.bodyCrc);
  return end;
}

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
  if (start + frameHeaderBytes > bytes.length || bytes.readUInt32LE(start) !== magic) return undefined;
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
    return crc32(this.bytes.subarray(8, bodiesOffset)) === this.bytes.readUInt32LE(4);
  }

  verifyRun(run: number): boolean {
    const start = this.bodyOffsetOfRun(run) - this.#gapBytes;
    const length = this.bodyBytesOfRun(run);
    if (start + length > this.bytes.length) return false;
    return crc32(this.bytes.subarray(start, start + length)) === this.bodyCrcOfRun(run);
  }

  verifyBody(record: number): boolean {
    const start = this.bodyStart(record);
    const end = start + this.bodyLength(record);
    return end <= this.bytes.length && crc32(this.bytes.subarray(start, end)) === this.bodyCrc(record);
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

  bodyCrcOfRun(run: number): number {
    return this.bytes.readUInt32LE(this.#runAt(run) + 24);
  }

  hasDeletes(run: number): boolean {
    const first = this.firstRecordOfRun(run);
    const end = first + this.recordCountOfRun(run);
    for (let record = first; record < end; record += 1) if (this.operation(record) === operation.delete) return true;
    return false;
  }

  lsn(record: number): number {
    return readUint48(this.bytes, this.#recordAt(record) + at.lsn);
  }

  ix(record: number): number {
    return this.bytes.readUInt16LE(this.#recordAt(record) + at.ix);
  }

  previousLsn(record: number): number {
    return readUint48(this.bytes, this.#recordAt(record) + at.previousLsn);
  }

  previousIx(record: number): number {
    return this.bytes.readUInt16LE(this.#recordAt(record) + at.previousIx);
  }

  timeMs(record: number): number {
    return readUint48(this.bytes, this.#recordAt(record) + at.timeMs);
  }

  operation(record: number): number {
    return this.bytes[this.#recordAt(record) + at.operation] as number;
  }

  flags(record: number): number {
    return this.bytes[this.#recordAt(record) + at.flags] as number;
  }

  ridNumber(record: number): number {
    const offset = this.#recordAt(record) + at.ridNumber;
    return this.bytes.readUInt32LE(offset) + this.bytes.readUInt32LE(offset + 4) * 0x1_0000_0000;
  }

  ttl(record: number): number | undefined {
    const ttl = this.bytes.readInt32LE(this.#recordAt(record) + at.ttl);
    return ttl === noTtl ? undefined : ttl;
  }

  bodyLength(record: number): number {
    return this.bytes.readUInt32LE(this.#recordAt(record) + at.bodyLength);
  }

  /** Where the body is in the frame. */
  bodyOffset(record: number): number {
    return this.bytes.readUInt32LE(this.#recordAt(record) + at.bodyOffset);
  }

  /** Where the body is in `bytes`. */
  bodyStart(record: number): number {
    return this.bodyOffset(record) - this.#gapBytes;
  }

  bodyCrc(record: number): number {
    return this.bytes.readUInt32LE(this.#recordAt(record) + at.bodyCrc);
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
    return this.bytes.subarray(offset, offset + (this.bytes[at0 + at.uniqueCount] as number) * uniqueDigestBytes);
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
    return this.bytes.readUInt32LE(this.#recordAt(record) + at.keyOffset);
  }

  #epkLength(record: number): number {
    return this.bytes[this.#recordAt(record) + at.epkLength] as number;
  }

  #partitionKeyLength(record: number): number {
    return this.bytes.readUInt16LE(this.#recordAt(record) + at.partitionKeyLength);
  }

  #idLength(record: number): number {
    return this.bytes.readUInt16LE(this.#recordAt(record) + at.idLength);
  }
}

export function readUint48(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset) + bytes.readUInt16LE(offset + 4) * 0x1_0000_0000;
}

export function writeUint48(bytes: Buffer, value: number, offset: number): void {
  bytes.writeUInt32LE(value % 0x1_0000_0000, offset);
  bytes.writeUInt16LE(Math.floor(value / 0x1_0000_0000), offset + 4);
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
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
  copy.writeUInt32LE(crc32(copy.subarray(8, copy.readUInt32LE(36))), 4);
  return copy;
}
