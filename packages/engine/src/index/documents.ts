// DOC VALUE: where the latest version of a document is and what decisions need of it. Little-endian, 54 bytes + digests.
//
//    0 range u32   4 lsn u48   10 ix u16   12 time ms u48   18 segment u32   22 ordinal u32
//   26 offset u32 (of the body, from the start of the segment)   30 length u32   34 checksum u32   38 rid number u64
//   46 ttl i32 (0 none)   50 record bytes u32 (what it occupies, keys included)   54 unique digests

import { Buffer } from 'node:buffer';
import { copyBytes } from '../log/copy-bytes.ts';

/** Where the bytes of one version are. */
export interface Place {
  readonly segment: number;
  /** The number of the record in its segment: its bit in the bitmaps. */
  readonly ordinal: number;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
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

const fixedBytes = 54;
const noDigests: Buffer = Buffer.alloc(0);

// Used anew for each version: a DataView is several times faster with numbers than a Buffer, but costs more to make.
const scratch: Buffer = Buffer.alloc(fixedBytes);
const fields: DataView = new DataView(scratch.buffer, scratch.byteOffset, fixedBytes);
const decoded: Buffer = Buffer.alloc(fixedBytes);
const read: DataView = new DataView(decoded.buffer, decoded.byteOffset, fixedBytes);

export function versionBytes({ uniqueDigests }: Version): number {
  return fixedBytes + uniqueDigests.length;
}

/** Gives the offset behind it. */
export function writeVersion(version: Version, target: Buffer, offset: number): number {
  const { place, uniqueDigests, lsn, timeMs, ridNumber } = version;
  fields.setUint32(0, version.range, true);
  fields.setUint32(4, lsn % 0x1_0000_0000, true);
  fields.setUint16(8, Math.floor(lsn / 0x1_0000_0000), true);
  fields.setUint16(10, version.ix, true);
  fields.setUint32(12, timeMs % 0x1_0000_0000, true);
  fields.setUint16(16, Math.floor(timeMs / 0x1_0000_0000), true);
  fields.setUint32(18, place.segment, true);
  fields.setUint32(22, place.ordinal, true);
  fields.setUint32(26, place.offset, true);
  fields.setUint32(30, place.length, true);
  fields.setUint32(34, place.checksum, true);
  fields.setUint32(38, ridNumber % 0x1_0000_0000, true);
  fields.setUint32(42, Math.floor(ridNumber / 0x1_0000_0000), true);
  fields.setInt32(46, version.ttl ?? 0, true);
  fields.setUint32(50, place.recordBytes, true);
  target.set(scratch, offset);
  if (uniqueDigests.length > 0) target.set(uniqueDigests, offset + fixedBytes);
  return offset + fixedBytes + uniqueDigests.length;
}

/** Of bytes [start, end). */
export function decodeVersion(value: Buffer, start = 0, end: number = value.length): Version {
  copyBytes(value, start, start + fixedBytes, decoded, 0);
  // Copied: the index lends its bytes only until the next await.
  const digests = end - start > fixedBytes ? Buffer.from(value.subarray(start + fixedBytes, end)) : noDigests;
  return new DecodedVersion(digests);
}

/** Of what `read` shows. It is its own place: an object less for each write. */
class DecodedVersion implements Version, Place {
  readonly range: number = read.getUint32(0, true);
  readonly lsn: number = read.getUint32(4, true) + read.getUint16(8, true) * 0x1_0000_0000;
  readonly ix: number = read.getUint16(10, true);
  readonly timeMs: number = read.getUint32(12, true) + read.getUint16(16, true) * 0x1_0000_0000;
  readonly segment: number = read.getUint32(18, true);
  readonly ordinal: number = read.getUint32(22, true);
  readonly offset: number = read.getUint32(26, true);
  readonly length: number = read.getUint32(30, true);
  readonly checksum: number = read.getUint32(34, true);
  readonly ridNumber: number = read.getUint32(38, true) + read.getUint32(42, true) * 0x1_0000_0000;
  readonly ttl: number | undefined = read.getInt32(46, true) || undefined;
  readonly recordBytes: number = read.getUint32(50, true);
  readonly uniqueDigests: Buffer;

  constructor(uniqueDigests: Buffer) {
    this.uniqueDigests = uniqueDigests;
  }

  get place(): Place {
    return this;
  }

  get body(): undefined {
    return undefined;
  }
}

/** The same version at another place, in a range of the same lineage. */
export function movedVersion(version: Version, range: number, place: Place): Version {
  const { lsn, ix, timeMs, ttl, ridNumber, uniqueDigests } = version;
  return { range, lsn, ix, timeMs, ttl, ridNumber, uniqueDigests, place, body: undefined };
}

/** What readers need of a version, in memory that it shares with nothing. */
export function readableVersion({ range, lsn, ix, timeMs, ttl, ridNumber, place }: Version): Version {
  const { segment, ordinal, offset, length, checksum, recordBytes } = place;
  const own = { segment, ordinal, offset, length, checksum, recordBytes };
  return { range, lsn, ix, timeMs, ttl, ridNumber, uniqueDigests: noDigests, place: own, body: undefined };
}

/** Whether version `a` is newer than `b`; both of one document, whose lineage gives LSNs one order. */
export function isNewer(a: { lsn: number; ix: number }, b: { lsn: number; ix: number }): boolean {
  return a.lsn > b.lsn || (a.lsn === b.lsn && a.ix > b.ix);
}
