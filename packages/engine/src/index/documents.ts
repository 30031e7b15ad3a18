// DOC VALUE: where the latest version of a document is and what decisions need of it. Little-endian, 64 bytes + digests.
//
//    0 range u32   4 lsn u48   10 ix u16   12 time ms u48   18 reserved u16   20 segment u32   24 ordinal u32
//   28 offset u32 (of the body, from the start of the segment)   32 length u32   36 crc32 u32   40 rid number u64
//   48 ttl i32 (0 none)   52 record bytes u32 (what it occupies, keys included)   56 reserved   64 unique digests

import { readUint48 } from '../log/frame.ts';

/** Where the bytes of one version are. */
export interface Place {
  readonly segment: number;
  /** The number of the record in its segment: its bit in the bitmaps. */
  readonly ordinal: number;
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
  /** What the record occupies in the segment, its table entry and keys included. */
  readonly recordBytes: number;
}

/** One version of a document, from the index or not yet in it. */
export interface Version {
  readonly range: number;
  readonly lsn: number;
  readonly ix: number;
  readonly timeMs: number;
  readonly ttl: number | undefined;
  readonly ridNumber: number;
  readonly uniqueDigests: Buffer;
  readonly place: Place;
  /** The body while it is in memory, with all system members. */
  readonly body: Buffer | undefined;
}

const fixedBytes = 64;
const noDigests: Buffer = Buffer.alloc(0);

/** Filled in anew for each version: a DataView writes numbers several times faster than a Buffer, but costs more to make. */
const scratch: Buffer = Buffer.alloc(fixedBytes);
const fields: DataView = new DataView(scratch.buffer, scratch.byteOffset, fixedBytes);

export function encodeVersion(version: Version): Buffer {
  const { place, uniqueDigests, lsn, timeMs, ridNumber } = version;
  fields.setUint32(0, version.range, true);
  fields.setUint32(4, lsn % 0x1_0000_0000, true);
  fields.setUint16(8, Math.floor(lsn / 0x1_0000_0000), true);
  fields.setUint16(10, version.ix, true);
  fields.setUint32(12, timeMs % 0x1_0000_0000, true);
  fields.setUint16(16, Math.floor(timeMs / 0x1_0000_0000), true);
  fields.setUint32(20, place.segment, true);
  fields.setUint32(24, place.ordinal, true);
  fields.setUint32(28, place.offset, true);
  fields.setUint32(32, place.length, true);
  fields.setUint32(36, place.crc, true);
  fields.setUint32(40, ridNumber % 0x1_0000_0000, true);
  fields.setUint32(44, Math.floor(ridNumber / 0x1_0000_0000), true);
  fields.setInt32(48, version.ttl ?? 0, true);
  fields.setUint32(52, place.recordBytes, true);
  const value = Buffer.allocUnsafe(fixedBytes + uniqueDigests.length);
  value.set(scratch, 0);
  value.set(uniqueDigests, fixedBytes);
  return value;
}

export function decodeVersion(value: Buffer): Version {
  const ttl = value.readInt32LE(48);
  return {
    range: value.readUInt32LE(0),
    lsn: readUint48(value, 4),
    ix: value.readUInt16LE(10),
    timeMs: readUint48(value, 12),
    ttl: ttl === 0 ? undefined : ttl,
    ridNumber: value.readUInt32LE(40) + value.readUInt32LE(44) * 0x1_0000_0000,
    // Copied: the index lends its bytes only until the next await.
    uniqueDigests: value.length > fixedBytes ? Buffer.from(value.subarray(fixedBytes)) : noDigests,
    place: {
      segment: value.readUInt32LE(20),
      ordinal: value.readUInt32LE(24),
      offset: value.readUInt32LE(28),
      length: value.readUInt32LE(32),
      crc: value.readUInt32LE(36),
      recordBytes: value.readUInt32LE(52),
    },
    body: undefined,
  };
}

/** The same version at another place, in a range of the same lineage. */
export function movedVersion(version: Version, range: number, place: Place): Version {
  const { lsn, ix, timeMs, ttl, ridNumber, uniqueDigests } = version;
  return { range, lsn, ix, timeMs, ttl, ridNumber, uniqueDigests, place, body: undefined };
}

/** Whether version `a` is newer than `b`; both of one document, whose lineage gives LSNs one order. */
export function isNewer(a: { lsn: number; ix: number }, b: { lsn: number; ix: number }): boolean {
  return a.lsn > b.lsn || (a.lsn === b.lsn && a.ix > b.ix);
}
