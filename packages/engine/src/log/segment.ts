// SEGMENT: a file of the log. `segments/<id in eight hex digits>.seg`
//
//      0   8 B  'TIDEMARK'
//      8   u32  format of the folder
//     12   u32  checksum of the header text
//     16   u32  length of the header text
//     20        header text, JSON: id, salt, kind, sync, first and last sequence, inputs
//   4096        frames, one after the other, each aligned to 8 bytes
//
// A segment of kind `log` begins with a META frame, is written in the order of the sequence and ends where the next segment
// begins: what may stand behind that is void. A segment of kind `compacted` replaces its inputs; its frames count their own
// sequence from 0 and a footer frame closes it. A file gets its `.seg` name only when header, and META or footer, are on
// disk; the names of everything unfinished end in `.tmp`.

import { Buffer } from 'node:buffer';
import { DatabaseError } from '@tidemark/model';
import type { FileSystem, LogFile } from '../files/file-system.ts';
import { checksum32 } from './checksum.ts';

export const segmentHeaderBytes = 4096;
/** 1 and 2 were in use before the first release: other checksums, other entries in the index. 3 is read: see frame.ts. */
export const folderFormat = 4;
const oldestFolderFormat = 3;
const mark = 'TIDEMARK';
export const segmentFolder = 'segments';

export interface SegmentHeader {
  readonly id: number;
  /** Eight bytes in hex. */
  readonly salt: string;
  readonly kind: 'log' | 'compacted';
  readonly sync: 'full' | 'os';
  readonly firstSequence: number;
  /** Of a compacted segment: the last sequence of its inputs. */
  readonly lastSequence?: number;
  /** Of a compacted segment: the ids of the segments it stands for. */
  readonly inputs?: readonly number[];
}

export function segmentPath(id: number): string {
  return `${segmentFolder}/${id.toString(16).padStart(8, '0')}.seg`;
}

/** The id in a file name, or undefined when the name is not a segment's. */
export function segmentIdOf(name: string): number | undefined {
  return /^[0-9a-f]{8}\.seg$/.test(name) ? Number.parseInt(name, 16) : undefined;
}

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const bytes = Buffer.alloc(segmentHeaderBytes);
  if (20 + text.length > bytes.length) throw new DatabaseError('internal', 'A segment header does not fit its place.');
  bytes.write(mark, 0, 'latin1');
  bytes.writeUInt32LE(folderFormat, 8);
  bytes.writeUInt32LE(checksum32(text), 12);
  bytes.writeUInt32LE(text.length, 16);
  text.copy(bytes, 20);
  return bytes;
}

export async function readSegmentHeader(files: FileSystem, id: number): Promise<SegmentHeader> {
  const file = await files.open(segmentPath(id));
  try {
    return decodeSegmentHeader(await readHeaderBytes(file), id);
  } finally {
    await file.close();
  }
}

async function readHeaderBytes(file: LogFile): Promise<Buffer> {
  const bytes = Buffer.alloc(segmentHeaderBytes);
  await file.read(bytes, 0);
  return bytes;
}

function decodeSegmentHeader(bytes: Buffer, id: number): SegmentHeader {
  const path = segmentPath(id);
  if (bytes.toString('latin1', 0, mark.length) !== mark) {
    throw corrupt(path, 0, 'it does not begin like a segment');
  }
  checkFormat(bytes.readUInt32LE(8), `The segment ${path}`);
  const length = bytes.readUInt32LE(16);
  if (20 + length > bytes.length || checksum32(bytes, 20, 20 + length) !== bytes.readUInt32LE(12)) {
    throw corrupt(path, 12, 'the checksum of its header is wrong');
  }
  // The checksum vouches for the text: it is what encodeSegmentHeader wrote.
  const header = JSON.parse(bytes.toString('utf8', 20, 20 + length)) as SegmentHeader;
  if (header.id !== id) throw corrupt(path, 20, `its header says that it is segment ${header.id}`);
  return header;
}

export function checkFormat(format: number, what = 'The data folder'): void {
  if (format >= oldestFolderFormat && format <= folderFormat) return;
  const message = `${what} has format ${format}; this version reads formats ${oldestFolderFormat} and ${folderFormat}.`;
  if (format > folderFormat) throw new DatabaseError('format-newer', `${message} Use a newer version of Tidemark.`);
  const advice =
    'Nothing upgrades it: export its documents with the version that wrote it, and import them into a new one.';
  throw new DatabaseError('format-older', `${message} ${advice}`);
}

/** Whoever is told that a segment is gone looks again in the index; one that names the same place again is wrong. */
export function segmentMissing({
  segment,
  offset,
}: {
  readonly segment: number;
  readonly offset: number;
}): DatabaseError {
  return corrupt(segmentPath(segment), offset, 'the segment is missing, but the index names it');
}

/** Corruption always names the file and the place, so that a person can look. */
export function corrupt(path: string, offset: number, reason: string): DatabaseError {
  return new DatabaseError('corrupt', `Corrupt data in ${path} at offset ${offset}: ${reason}.`, {
    detail: { path, offset, reason },
  });
}
