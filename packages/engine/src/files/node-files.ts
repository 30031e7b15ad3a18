// The file seam on the operating system's files, below one root folder.
//
// Small writes are done at once: a trip through the thread pool costs more than copying a frame into the page cache, and
// the frame would queue behind whatever else the four threads are doing. Flushes and large writes do go to the pool.
//
// On Linux a write to a file opened with O_DSYNC is write and fdatasync in one, and so one trip through the pool: while the
// main thread decides the next group nobody has to tell the disk to go on. Elsewhere the flag promises less than a flush.

import { Buffer } from 'node:buffer';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs';
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import type { FileSystem, LogFile } from './file-system.ts';
import { fileError, isMissing } from './file-system.ts';
import { ThreadError } from './helper-thread.ts';
import { fillWithZeros } from './zero-thread.ts';

/** Up to here a write is a memory copy of some tens of microseconds; beyond, it would hold up the event loop. */
const writeSyncBytesMax = 256 * 1024;

/**
 * So many zeros are flushed at a time: enough to run at the disk's speed, few enough that a flush that somebody waits for
 * never has more than this before it.
 */
const preallocateFlushBytes = 2 * 1024 * 1024;
/**
 * And so many are written at a time. The page cache keeps them together as they came, and every later write looks through
 * all blocks of what it falls into: with 2 MiB that makes a small flush a third dearer.
 */
const preallocateWriteBytes = 256 * 1024;
/** A smaller file is not worth a thread of its own: the pool writes its zeros. */
const preallocateThreadBytesMin = 8 * 1024 * 1024;

const hasDurableWrites: boolean = platform() === 'linux';

/** ext2 to 4, XFS, Btrfs, F2FS: what they bring into memory is counted for the process that asked. Others may not have it counted. */
const countedTypes: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010]);

export function nodeFiles(rootFolder: string): FileSystem {
  const pathOf = (path: string): string => join(rootFolder, path);
  let isCounted: boolean | undefined;
  return {
    async open(path, options) {
      const flags = fs.constants.O_RDWR | (options?.create ? fs.constants.O_CREAT : 0);
      const fd = await call<number>((done) => fs.open(pathOf(path), flags, 0o644, done));
      if (options?.isLog !== true || !hasDurableWrites) return new NodeFile(path, fd);
      try {
        const durable = fs.constants.O_WRONLY | fs.constants.O_DSYNC;
        return new DurableFile(path, fd, await call<number>((done) => fs.open(pathOf(path), durable, done)));
      } catch {
        // A file system that does not take the flag: write and flush do it as well, with two trips.
        return new NodeFile(path, fd);
      }
    },
    async list(directory) {
      try {
        return await readdir(pathOf(directory));
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
    rename(from, to) {
      return rename(pathOf(from), pathOf(to));
    },
    remove(path) {
      return rm(pathOf(path));
    },
    async makeDirectory(path) {
      // What is inside is nobody's business but the server's. The folder itself is its user's, who says who may look into it.
      await makeFolder(pathOf(path), path === '.' ? undefined : ownerOnly);
    },
    syncDirectory(path) {
      return syncFolder(pathOf(path));
    },
    async roomBytes() {
      try {
        const { bavail, blocks, bsize } = await statfs(rootFolder);
        // Without any blocks it is one that does not tell, as some in user space.
        return blocks === 0 ? undefined : bavail * bsize;
      } catch {
        // Nobody knows; whoever writes will see.
        return undefined;
      }
    },
    blocksRead() {
      isCounted ??= isCountedIn(rootFolder);
      return isCounted ? process.resourceUsage().fsRead : undefined;
    },
  };
}

function isCountedIn(folder: string): boolean {
  try {
    // A kernel that does not count has no such file.
    return fs.existsSync('/proc/self/io') && countedTypes.has(fs.statfsSync(folder).type);
  } catch {
    // It has been deleted under the database: whoever reads goes on.
    return false;
  }
}

const ownerOnly = 0o700;
const isWritten: Promise<void> = Promise.resolve();

class NodeFile implements LogFile {
  readonly #path: string;
  /** Undefined once closed. The number must not be used after that: the next open of anything may be given the same one. */
  #fd: number | undefined;
  /** What a thread does with that number; the file is closed behind it. Never rejects. */
  #zeroing: Promise<unknown> = Promise.resolve();

  constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  async preallocate(sizeBytes: number, pace?: (doneBytes: number) => Promise<void>): Promise<void> {
    let isThreads = sizeBytes >= preallocateThreadBytesMin;
    for (let from = 0; from < sizeBytes; ) {
      if (from > 0) await pace?.(from);
      const to = Math.min(from + preallocateFlushBytes, sizeBytes);
      if (isThreads) isThreads = await this.#zeroInThread(from, to);
      if (!isThreads) await this.#zeroInPool(from, to);
      from = to;
    }
  }

  write(bytes: Uint8Array, offset: number): Promise<void> {
    if (bytes.byteLength > writeSyncBytesMax) return this.writeInPool(bytes, offset);
    try {
      this.writeNow(bytes, offset);
      return isWritten;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  writeNow(bytes: Uint8Array, offset: number): void {
    const fd = this.#openFd();
    let written = 0;
    while (written < bytes.byteLength) {
      written += fs.writeSync(fd, bytes, written, bytes.byteLength - written, offset + written);
    }
  }

  sync(): Promise<void> {
    return call<void>((done) => fs.fdatasync(this.#openFd(), done));
  }

  readSync(target: Uint8Array, offset: number): number {
    const fd = this.#openFd();
    let filled = 0;
    while (filled < target.byteLength) {
      const count = fs.readSync(fd, target, filled, target.byteLength - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  async read(target: Uint8Array, offset: number): Promise<number> {
    let filled = 0;
    while (filled < target.byteLength) {
      const from = filled;
      const count = await call<number>((done) =>
        fs.read(this.#openFd(), target, from, target.byteLength - from, offset + from, done),
      );
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  async sizeBytes(): Promise<number> {
    const stats = await call<Stats>((done) => fs.fstat(this.#openFd(), done));
    return stats.size;
  }

  async close(): Promise<void> {
    const fd = this.#fd;
    if (fd === undefined) return;
    this.#fd = undefined;
    await this.#zeroing;
    await call<void>((done) => fs.close(fd, done));
  }

  async writeInPool(bytes: Uint8Array, offset: number): Promise<void> {
    let written = 0;
    while (written < bytes.byteLength) {
      const from = written;
      written += await call<number>((done) =>
        fs.write(this.#openFd(), bytes, from, bytes.byteLength - from, offset + from, done),
      );
    }
  }

  /** Gives whether there was a thread for it. */
  #zeroInThread(from: number, to: number): Promise<boolean> {
    const filled = fillWithZeros({ fd: this.#openFd(), from, to, writeBytes: preallocateWriteBytes }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ThreadError) return false;
        throw error;
      },
    );
    this.#zeroing = filled.catch(() => {});
    return filled;
  }

  async #zeroInPool(from: number, to: number): Promise<void> {
    const zeros = Buffer.alloc(Math.min(to - from, preallocateWriteBytes));
    for (let offset = from; offset < to; offset += zeros.length) {
      await this.writeInPool(zeros.subarray(0, Math.min(zeros.length, to - offset)), offset);
    }
    await this.sync();
  }

  #openFd(): number {
    if (this.#fd === undefined) throw fileError('EBADF', `The file ${this.#path} has been closed.`);
    return this.#fd;
  }
}

/** The same file, opened a second time with O_DSYNC. */
class DurableFile extends NodeFile {
  readonly #durable: NodeFile;

  constructor(path: string, fd: number, durableFd: number) {
    super(path, fd);
    this.#durable = new NodeFile(path, durableFd);
  }

  writeDurably(bytes: Uint8Array, offset: number): Promise<void> {
    return this.#durable.writeInPool(bytes, offset);
  }

  writeDurablySync(bytes: Uint8Array, offset: number): void {
    this.#durable.writeNow(bytes, offset);
  }

  seal(): Promise<void> {
    return this.#durable.close();
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#durable.close();
  }
}

/** With those above it. Node's own loop (`recursive`) never ends where nothing can be made, as in /proc. */
async function makeFolder(folder: string, mode: number | undefined): Promise<void> {
  const missing: string[] = [];
  for (let above = folder; !(await isFolder(above)) && above !== dirname(above); above = dirname(above)) {
    missing.push(above);
  }
  for (const path of missing.reverse()) {
    try {
      await mkdir(path, { mode });
    } catch (error) {
      // Somebody else may have made it meanwhile.
      if (!(await isFolder(path))) throw error;
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  let fd: number | undefined;
  try {
    fd = await call<number>((done) => fs.open(folder, 'r', done));
    const opened = fd;
    await call<void>((done) => fs.fsync(opened, done));
  } catch (error) {
    if (!isUnsyncableFolder(error)) throw error;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

// Windows cannot open a folder as a file or flush it; NTFS journals creates, renames and removes in order by itself.
function isUnsyncableFolder(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPERM' || code === 'EISDIR' || code === 'EINVAL';
}

type Callback<T> = (error: NodeJS.ErrnoException | null, result?: T) => void;

// The callback forms of node:fs are measurably cheaper than its promises, and flushes are on every writer's path.
function call<T>(start: (done: Callback<T>) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    start((error, result) => {
      if (error) reject(error);
      else resolve(result as T); // node:fs passes the result whenever it passes no error.
    });
  });
}
