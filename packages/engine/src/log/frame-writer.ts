// Writes frames; frame.ts has their layout. Records are written as they come, into memory that is used again, run by run;
// when the frame is closed its runs are put together and the offsets inside them moved to where they have come to lie.

import { Buffer } from 'node:buffer';
import { assert } from '@tidemark/model';
import { checksum32, checksum48, checksumHead, checksumMemory, checksumOfHead } from './checksum.ts';
import { copyBytes } from './copy-bytes.ts';
import type { OperationNumber } from './frame.ts';
import {
  recordField as at,
  FrameView,
  frameHeaderBytes,
  frameMagic,
  noTtl,
  recordBytes,
  runBytes,
  uniqueDigestBytes,
  writeUint48,
} from './frame.ts';

/** What is written behind the bytes of a body, or among them: the system members of a document, which nobody has as bytes before. */
export interface BodyTail {
  tailBytes(record: RecordInput): number;
  /** The body begins at `start` and its bytes end at `offset`. Returns the offset behind it. The target has room. */
  writeTail(record: RecordInput, target: Buffer, offset: number, start: number): number;
}

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
  /** The body is `body` followed by its tail; a delete has neither. */
  readonly body: Uint8Array | undefined;
  /** So many bytes of it. More may be there where there is a tail, which is written over them: a view would cost more than they do. */
  readonly bodyLength: number;
  readonly tail: BodyTail | undefined;
}

export interface RunInput {
  readonly container: number;
  readonly range: number;
  readonly records: readonly RecordInput[];
}

export interface FrameHead {
  readonly kind: number;
  readonly salt: Uint8Array;
  readonly sequence: number;
  readonly firstOrdinal: number;
}

export interface FrameInput extends FrameHead {
  readonly runs: readonly RunInput[];
}

const comma = 0x2c;
const recordsMin = 16;
const bytesMin = 4 * 1024;

/** What one record adds to a frame, its comma included. */
export function recordInputBytes(record: RecordInput): number {
  return recordBytes + keyBytesOf(record) + (record.body === undefined ? 0 : bodyBytesOf(record) + 1);
}

/** What the record will occupy in the segment, as FrameView.recordBytes says. */
export function occupiedBytes(record: RecordInput): number {
  return recordBytes + record.epk.length + record.partitionKey.length + record.id.length + bodyBytesOf(record);
}

function keyBytesOf(record: RecordInput): number {
  return record.epk.length + record.partitionKey.length + record.id.length + record.uniqueDigests.length;
}

function bodyBytesOf(record: RecordInput): number {
  return record.bodyLength + (record.tail === undefined ? 0 : record.tail.tailBytes(record));
}

/** The records of one range in the frame to be: table, keys and bodies, with offsets that count from the start of each. */
export class RunWriter {
  container = 0;
  range = 0;
  records = 0;
  keyBytes = 0;
  bodyBytes = 0;
  table: Buffer = Buffer.allocUnsafeSlow(recordsMin * recordBytes);
  keys: Buffer = Buffer.allocUnsafeSlow(bytesMin);
  bodies: Buffer = Buffer.allocUnsafeSlow(bytesMin);
  #fields: DataView = new DataView(this.table.buffer);

  /** Begins anew; the memory stays. */
  begin(container: number, range: number): this {
    this.container = container;
    this.range = range;
    this.records = 0;
    this.keyBytes = 0;
    this.bodyBytes = 0;
    return this;
  }

  get bytes(): number {
    return runBytes + this.records * recordBytes + this.keyBytes + this.bodyBytes;
  }

  /** What it keeps while nobody uses it. */
  get memoryBytes(): number {
    return this.table.length + this.keys.length + this.bodies.length;
  }

  add(record: RecordInput): void {
    const offset = this.records * recordBytes;
    if (offset + recordBytes > this.table.length) {
      this.table = grown(this.table, offset, offset + recordBytes);
      this.#fields = new DataView(this.table.buffer);
    }
    this.#writeTable(record, offset);
    this.#writeKeys(record);
    if (record.body !== undefined) this.#writeBody(record, record.body, offset);
    this.records += 1;
  }

  /** The bytes of a body that has been added, in memory that is used again. */
  body(record: number): Buffer {
    const start = this.#fields.getUint32(record * recordBytes + at.bodyOffset, true);
    return this.bodies.subarray(start, start + this.#fields.getUint32(record * recordBytes + at.bodyLength, true));
  }

  #writeTable(record: RecordInput, offset: number): void {
    const fields = this.#fields;
    setUint48(fields, offset + at.lsn, record.lsn);
    fields.setUint16(offset + at.ix, record.ix, true);
    setUint48(fields, offset + at.previousLsn, record.previousLsn);
    fields.setUint16(offset + at.previousIx, record.previousIx, true);
    setUint48(fields, offset + at.timeMs, record.timeMs);
    fields.setUint8(offset + at.operation, record.operation);
    fields.setUint8(offset + at.flags, record.flags);
    fields.setUint32(offset + at.ridNumber, record.ridNumber % 0x1_0000_0000, true);
    fields.setUint32(offset + at.ridNumber + 4, Math.floor(record.ridNumber / 0x1_0000_0000), true);
    fields.setInt32(offset + at.ttl, record.ttl ?? noTtl, true);
    fields.setUint32(offset + at.bodyLength, 0, true);
    fields.setUint32(offset + at.bodyOffset, 0, true);
    fields.setUint32(offset + at.bodyChecksum, 0, true);
    fields.setUint32(offset + at.keyOffset, this.keyBytes, true);
    fields.setUint8(offset + at.epkLength, record.epk.length & 0xff);
    fields.setUint8(offset + at.uniqueCount, record.uniqueDigests.length / uniqueDigestBytes);
    fields.setUint16(offset + at.partitionKeyLength, record.partitionKey.length, true);
    fields.setUint16(offset + at.idLength, record.id.length, true);
    fields.setUint16(offset + at.epkLengthHigh, record.epk.length >>> 8, true);
    fields.setUint32(offset + at.idLength + 4, 0, true);
  }

  #writeKeys(record: RecordInput): void {
    const start = this.keyBytes;
    const needed = start + keyBytesOf(record);
    if (needed > this.keys.length) this.keys = grown(this.keys, start, needed);
    const { keys } = this;
    const { epk, partitionKey, id } = record;
    const epkEnd = copyBytes(epk, 0, epk.length, keys, start);
    const end = copyBytes(id, 0, id.length, keys, copyBytes(partitionKey, 0, partitionKey.length, keys, epkEnd));
    if (record.uniqueDigests.length > 0) keys.set(record.uniqueDigests, end);
    this.keyBytes = needed;
  }

  #writeBody(record: RecordInput, body: Uint8Array, tableOffset: number): void {
    const start = this.bodyBytes === 0 ? 0 : this.bodyBytes + 1;
    const end = start + bodyBytesOf(record);
    if (end > this.bodies.length) this.bodies = grown(this.bodies, this.bodyBytes, end);
    const { bodies } = this;
    if (start > 0) bodies[start - 1] = comma;
    // One of the usual size is put together where its checksum is made.
    const isSmall = end - start <= checksumMemory.length;
    writeWhole(record, body, end - start, isSmall ? checksumMemory : bodies, isSmall ? 0 : start);
    if (isSmall) bodies.set(checksumHead(end - start), start);
    const checksum = isSmall ? checksumOfHead(end - start) : checksum32(bodies, start, end);
    this.bodyBytes = end;
    const fields = this.#fields;
    fields.setUint32(tableOffset + at.bodyLength, end - start, true);
    fields.setUint32(tableOffset + at.bodyOffset, start, true);
    fields.setUint32(tableOffset + at.bodyChecksum, checksum, true);
  }
}

/** A body with its tail. */
function writeWhole(record: RecordInput, body: Uint8Array, length: number, target: Buffer, at: number): void {
  const { bodyLength, tail } = record;
  assert(
    bodyLength <= body.length && body.length <= length,
    'a body has its bytes, and more only where its tail will be',
  );
  target.set(body, at);
  const end = tail?.writeTail(record, target, at + bodyLength, at) ?? at + bodyLength;
  assert(end === at + length, 'the tail of a body is as long as it said');
}

/** The length of the frame that holds these runs. */
export function frameBytes(runs: readonly RunWriter[]): number {
  let bytes = frameHeaderBytes;
  for (const run of runs) bytes += run.bytes;
  return padded(bytes);
}

/** Into memory of exactly that length. */
export function writeFrame(head: FrameHead, runs: readonly RunWriter[], frame: Buffer): FrameView {
  let recordCount = 0;
  let keyBytes = 0;
  for (const run of runs) {
    recordCount += run.records;
    keyBytes += run.keyBytes;
  }
  const tableOffset = frameHeaderBytes + runs.length * runBytes;
  const keysOffset = tableOffset + recordCount * recordBytes;
  const bodiesOffset = keysOffset + keyBytes;
  const { length } = frame;
  assert(length === frameBytes(runs), 'a frame fills its memory');
  const fields = new DataView(frame.buffer, frame.byteOffset, length);
  let record = 0;
  let keyOffset = keysOffset;
  let bodyOffset = bodiesOffset;
  for (let i = 0; i < runs.length; i += 1) {
    const run = runs[i] as RunWriter;
    const runOffset = frameHeaderBytes + i * runBytes;
    run.table.copy(frame, tableOffset + record * recordBytes, 0, run.records * recordBytes);
    run.keys.copy(frame, keyOffset, 0, run.keyBytes);
    run.bodies.copy(frame, bodyOffset, 0, run.bodyBytes);
    fields.setUint32(runOffset, run.container, true);
    fields.setUint32(runOffset + 4, run.range, true);
    fields.setUint32(runOffset + 8, record, true);
    fields.setUint32(runOffset + 12, run.records, true);
    fields.setUint32(runOffset + 16, bodyOffset, true);
    fields.setUint32(runOffset + 20, run.bodyBytes, true);
    setUint48(fields, runOffset + 24, checksum48(frame, bodyOffset, bodyOffset + run.bodyBytes));
    fields.setUint16(runOffset + 30, 0, true);
    for (const end = record + run.records; record < end; record += 1) {
      const offset = tableOffset + record * recordBytes;
      move(fields, offset + at.keyOffset, keyOffset);
      if (fields.getUint32(offset + at.bodyLength, true) > 0) move(fields, offset + at.bodyOffset, bodyOffset);
    }
    keyOffset += run.keyBytes;
    bodyOffset += run.bodyBytes;
  }
  frame.fill(0, bodyOffset, length);
  fields.setUint32(0, frameMagic, true);
  frame.set(head.salt, 8);
  writeUint48(frame, head.sequence, 16);
  fields.setUint16(22, head.kind, true);
  fields.setUint32(24, length, true);
  fields.setUint32(28, recordCount, true);
  fields.setUint32(32, runs.length, true);
  fields.setUint32(36, bodiesOffset, true);
  fields.setUint32(40, head.firstOrdinal, true);
  fields.setUint32(44, 0, true);
  fields.setUint32(4, checksum32(frame, 8, bodiesOffset), true);
  const { kind, sequence, firstOrdinal } = head;
  const runCount = runs.length;
  return new FrameView(frame, { sequence, kind, length, recordCount, runCount, bodiesOffset, firstOrdinal });
}

/** A frame of records that are all there already. */
export function encodeFrame(input: FrameInput): Buffer {
  const runs = input.runs.map(({ container, range, records }) => {
    const run = new RunWriter().begin(container, range);
    for (const record of records) run.add(record);
    return run;
  });
  return writeFrame(input, runs, Buffer.allocUnsafeSlow(frameBytes(runs))).bytes;
}

function move(fields: DataView, at: number, by: number): void {
  fields.setUint32(at, fields.getUint32(at, true) + by, true);
}

function setUint48(fields: DataView, at: number, value: number): void {
  fields.setUint32(at, value % 0x1_0000_0000, true);
  fields.setUint16(at + 4, Math.floor(value / 0x1_0000_0000), true);
}

function grown(bytes: Buffer, used: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(larger, 0, 0, used);
  return larger;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
