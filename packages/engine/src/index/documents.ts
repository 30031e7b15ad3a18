// DOC VALUE: where the latest version of a document is and what decisions need of it. Little-endian, 64 bytes + digests.
//
//    0 range u32   4 lsn u48   10 ix u16   12 time ms u48   18 reserved u16   20 segment u32   24 ordinal u32
//   28 offset u32 (of the body, from the start of the segment)   32 length u32   36 crc32 u32   40 rid number u64
//   48 ttl i32 (0 none)   52 record bytes u32 (what it occupies, keys included)   56 reserved   64 unique digests

import { readUint48, writeUint48 } from '../log/frame.ts';

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

export function encodeVersion(version: Version): Buffer {
  const value = Buffer.allocUnsafe(fixedBytes + version.uniqueDigests.length);
  const place = version.place;
  value.writeUInt32LE(version.range, 0);
  writeUint48(value, version.lsn, 4);
  value.writeUInt16LE(version.ix, 10);
  writeUint48(value, version.timeMs, 12);
  value.writeUInt16LE(0, 18);
  value.writeUInt32LE(place.segment, 20);
  value.writeUInt32LE(place.ordinal, 24);
  value.writeUInt32LE(place.offset, 28);
  value.writeUInt32LE(place.length, 32);
  value.writeUInt32LE(place.crc, 36);
  value.writeUInt32LE(version.ridNumber % 0x1_0000_0000, 40);
  value.writeUInt32LE(Math.floor(version.ridNumber / 0x1_0000_0000), 44);
  value.writeInt32LE(version.ttl ?? 0, 48);
  value.writeUInt32LE(place.recordBytes, 52);
  value.fill(0, 56, fixedBytes);
  version.uniqueDigests.copy(value, fixedBytes);
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
