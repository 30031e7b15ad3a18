// Looks at an LMDB environment before LMDB does.
//
// lmdb 3.5.6 kills the process (SIGSEGV) whenever opening an environment fails, whatever the reason: foreign or damaged
// bytes, a folder that may not be written, no room for the first two pages. A file that is shorter than it claims opens
// well and kills with SIGBUS at the first read. So everything that can make the open fail is tried here first, and the
// page that LMDB would start from is read as LMDB reads it. Damage inside the tree is not found here; `check` finds it.
//
// DATA.MDB, little-endian; a page has `page size` bytes. There are three meta records: A at 0, B at one page, and F
// (`overlappingSync`) at half a page. A and B take turns and are written before their pages are flushed; F repeats the
// newest one after that. F has no page header of its own: only the fields from `map size` on are ever written.
//   offset  size  field
//        0     8  page number (A 0, B 1)
//       18     2  page flags; 0x08 = meta
//       24     4  magic 0xBEEFC0DE
//       28     4  data version, lower half
//       40     8  map size
//       48     4  page size
//       52     2  flags; 0x1000 = not known to be flushed
//       88     8  root page of the free list, all ones = none
//      136     8  root page of the tree, all ones = none
//      144     8  last page used
//      152     8  transaction id, 0 = never written
// Other pages begin with page number (8) and, at 18, flags; 0x01 = branch, 0x02 = leaf.

import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { open, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseError } from '@tidemark/model';

/** A new environment needs two pages and a lock file, a transaction a few MiB; less than this is a full disk. */
const freeBytesMin = 1024 * 1024;

export async function isNearlyFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < freeBytesMin;
}

/** What the environment takes of the disk; the file may have holes. */
export async function lmdbBytes(folder: string): Promise<number> {
  const { blocks } = await stat(join(folder, 'data.mdb'));
  return blocks * 512;
}

/** Throws rather than let LMDB fail to open the folder's environment. An absent or empty file is a new environment. */
export async function checkLmdbFile(folder: string): Promise<void> {
  if (await isNearlyFull(folder)) {
    throw new DatabaseError('disk-full', `There is no room to open the index in ${folder}: free at least 1 MiB.`);
  }
  // LMDB creates both when they are absent; made here, a folder that may not be written is an error and not a crash.
  const lock = await open(join(folder, 'lock.mdb'), 'a+');
  await lock.close();
  const create = await open(join(folder, 'data.mdb'), 'a+');
  await create.close();
  const file = await open(join(folder, 'data.mdb'), 'r+');
  try {
    const problem = await problemOf(file);
    if (problem === undefined) return;
    const message = `The index in ${folder} is damaged (${problem}). Delete the folder; it is rebuilt from the log.`;
    throw new DatabaseError('corrupt', message);
  } finally {
    await file.close();
  }
}

interface Meta {
  readonly mapBytes: bigint;
  readonly pageBytes: number;
  readonly isFlushed: boolean;
  readonly freeRoot: bigint;
  readonly treeRoot: bigint;
  readonly lastPage: bigint;
  readonly transactionId: bigint;
}

const metaBytes = 168;
const magic = 0xbeefc0de;
const noRoot = 2n ** 64n - 1n;
const mapBytesMax = 2n ** 46n;

async function problemOf(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  if (size === 0) return undefined;
  const first = await readMeta(file, 0);
  const pageBytes = first?.pageBytes ?? 0;
  if (first === undefined || !isPageSize(pageBytes)) return 'it does not begin with a meta page';
  const second = await readMeta(file, pageBytes);
  const flushed = await readMeta(file, pageBytes / 2, false);
  if (second === undefined || flushed === undefined) return 'a meta page is missing';
  for (const meta of [first, second, flushed]) {
    const problem = meta.transactionId === 0n ? undefined : metaProblem(meta, pageBytes);
    if (problem) return problem;
  }
  const start = pick(pick(first, second), flushed);
  if ((start.lastPage + 1n) * BigInt(pageBytes) > BigInt(size)) return 'it is shorter than its meta page says';
  for (const root of [start.freeRoot, start.treeRoot]) {
    if (!(await isRoot(file, root, start))) return `page ${root} is not the root of a tree`;
  }
  return undefined;
}

async function readMeta(file: FileHandle, offset: number, hasHeader = true): Promise<Meta | undefined> {
  const bytes = Buffer.alloc(metaBytes);
  const { bytesRead } = await file.read(bytes, 0, metaBytes, offset);
  if (bytesRead < metaBytes) return undefined;
  if (hasHeader && (bytes.readUInt32LE(24) !== magic || (bytes.readUInt16LE(18) & 0x08) === 0)) return undefined;
  return {
    mapBytes: bytes.readBigUInt64LE(40),
    pageBytes: bytes.readUInt32LE(48),
    isFlushed: (bytes.readUInt16LE(52) & 0x1000) === 0,
    freeRoot: bytes.readBigUInt64LE(88),
    treeRoot: bytes.readBigUInt64LE(136),
    lastPage: bytes.readBigUInt64LE(144),
    transactionId: bytes.readBigUInt64LE(152),
  };
}

// Insane sizes make LMDB's memory map fail, and so the open.
function metaProblem(meta: Meta, pageBytes: number): string | undefined {
  if (meta.pageBytes !== pageBytes) return 'its meta pages disagree about the page size';
  if (meta.mapBytes > mapBytesMax || meta.lastPage > mapBytesMax / BigInt(pageBytes)) return 'a size is out of range';
  return undefined;
}

// As mdb_pick_meta with MDB_PREVSNAPSHOT, MDB_OVERLAPPINGSYNC and MDB_SAFE_RESTORE, the flags the index is opened with.
function pick(a: Meta, b: Meta): Meta {
  if (b.transactionId === 0n) return a;
  const latest = a.transactionId >= b.transactionId ? a : b;
  if (latest.isFlushed) return latest;
  return a.transactionId > b.transactionId ? b : a;
}

async function isRoot(file: FileHandle, root: bigint, meta: Meta): Promise<boolean> {
  if (root === noRoot) return true;
  if (root < 2n || root > meta.lastPage) return false;
  const header = Buffer.alloc(24);
  await file.read(header, 0, header.length, Number(root) * meta.pageBytes);
  return header.readBigUInt64LE(0) === root && (header.readUInt16LE(18) & 0x03) !== 0;
}

function isPageSize(bytes: number): boolean {
  return bytes >= 4096 && bytes <= 65536 && (bytes & (bytes - 1)) === 0;
}
