// FRAMES VALUE: up to 64 slices of one range in LSN order, 54 bytes each, little-endian:
//
//   0 first lsn u48   6 last lsn u48   12 segment u32   16 frame offset u32   20 frame length u32   24 records u32
//   28 run u16   30 flags u16 (1: has deletes)   32 bytes of header, runs, table and keys u32
//   36 offset of the bodies in the frame u32   40 their bytes u32   44 ordinal of the first record u32
//   48 checksum of the bodies u48
//
// A slice is one run of one frame. The key of a chunk is the first LSN of its first slice, so the chunk that holds an LSN
// is the last one whose key is not above it. Bits, ordinal and checksum are enough to serve a run whole: of most slices the
// feed never reads the table.

import { Buffer } from 'node:buffer';
import { writeUint48 } from '../log/frame.ts';

export interface Slice {
  readonly firstLsn: number;
  readonly lastLsn: number;
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
  readonly records: number;
  readonly run: number;
  /** What comes before the bodies in the frame. */
  readonly tableBytes: number;
  /** Where the bodies of the run are, from the first byte of the frame. */
  readonly bodyOffset: number;
  readonly bodyBytes: number;
  /** Of all of them with the commas between: what the run says of itself in the frame. */
  readonly bodyChecksum: number;
  /** The number in the segment of the run's first record. */
  readonly firstOrdinal: number;
  /** A run with deletes has records without a body. */
  readonly hasDeletes: boolean;
}

const sliceBytes = 54;
const flagDeletes = 1;

export function encodeSlices(slices: readonly Slice[]): Buffer {
  const value = Buffer.allocUnsafe(slices.length * sliceBytes);
  for (let i = 0; i < slices.length; i += 1) {
    const slice = slices[i] as Slice;
    const offset = i * sliceBytes;
    writeUint48(value, slice.firstLsn, offset);
    writeUint48(value, slice.lastLsn, offset + 6);
    value.writeUInt32LE(slice.segment, offset + 12);
    value.writeUInt32LE(slice.offset, offset + 16);
    value.writeUInt32LE(slice.length, offset + 20);
    value.writeUInt32LE(slice.records, offset + 24);
    value.writeUInt16LE(slice.run, offset + 28);
    value.writeUInt16LE(slice.hasDeletes ? flagDeletes : 0, offset + 30);
    value.writeUInt32LE(slice.tableBytes, offset + 32);
    value.writeUInt32LE(slice.bodyOffset, offset + 36);
    value.writeUInt32LE(slice.bodyBytes, offset + 40);
    value.writeUInt32LE(slice.firstOrdinal, offset + 44);
    writeUint48(value, slice.bodyChecksum, offset + 48);
  }
  return value;
}

/** Those that end after an LSN. */
export function decodeSlices(value: Buffer, after = -1): Slice[] {
  const slices: Slice[] = [];
  // Several times faster with numbers than a Buffer is.
  const fields = new DataView(value.buffer, value.byteOffset, value.byteLength);
  for (let offset = 0; offset + sliceBytes <= value.length; offset += sliceBytes) {
    if (uint48At(fields, offset + 6) <= after) continue;
    slices.push({
      firstLsn: uint48At(fields, offset),
      lastLsn: uint48At(fields, offset + 6),
      segment: fields.getUint32(offset + 12, true),
      offset: fields.getUint32(offset + 16, true),
      length: fields.getUint32(offset + 20, true),
      records: fields.getUint32(offset + 24, true),
      run: fields.getUint16(offset + 28, true),
      tableBytes: fields.getUint32(offset + 32, true),
      bodyOffset: fields.getUint32(offset + 36, true),
      bodyBytes: fields.getUint32(offset + 40, true),
      firstOrdinal: fields.getUint32(offset + 44, true),
      bodyChecksum: uint48At(fields, offset + 48),
      hasDeletes: (fields.getUint16(offset + 30, true) & flagDeletes) !== 0,
    });
  }
  return slices;
}

function uint48At(fields: DataView, offset: number): number {
  return fields.getUint32(offset, true) + fields.getUint16(offset + 4, true) * 0x1_0000_0000;
}
