// FRAMES VALUE: up to 64 slices of one range in LSN order, 32 bytes each, little-endian:
//
//   0 first lsn u48   6 last lsn u48   12 segment u32   16 frame offset u32   20 frame length u32   24 records u32
//   28 run u32
//
// A slice is one run of one frame. The key of a chunk is the first LSN of its first slice, so the chunk that holds an LSN
// is the last one whose key is not above it.

import { readUint48, writeUint48 } from '../log/frame.ts';

export interface Slice {
  readonly firstLsn: number;
  readonly lastLsn: number;
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
  readonly records: number;
  readonly run: number;
}

const sliceBytes = 32;

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
    value.writeUInt32LE(slice.run, offset + 28);
  }
  return value;
}

export function decodeSlices(value: Buffer): Slice[] {
  const slices: Slice[] = [];
  for (let offset = 0; offset + sliceBytes <= value.length; offset += sliceBytes) {
    slices.push({
      firstLsn: readUint48(value, offset),
      lastLsn: readUint48(value, offset + 6),
      segment: value.readUInt32LE(offset + 12),
      offset: value.readUInt32LE(offset + 16),
      length: value.readUInt32LE(offset + 20),
      records: value.readUInt32LE(offset + 24),
      run: value.readUInt32LE(offset + 28),
    });
  }
  return slices;
}
