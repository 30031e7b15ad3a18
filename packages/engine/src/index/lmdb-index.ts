// The index seam on LMDB (lmdb 3.5.6): one environment, one tree, bytes to bytes.
//
// Entries carry checksums (sealed-entry.ts). A key that rots is not found in this way; `check` finds it.
//
// Facts about lmdb that shape this file, read in its source and tried:
//   - A batch is queued on the main thread (about 1 µs a put) and applied by lmdb's own job in the thread pool. Keys are
//     copied when queued; values are referred to by address, so their bytes must not change before it is committed.
//     Large ones are written by a thread of ours instead (lmdb-thread.ts).
//   - `batch` with event-turn batching makes a second promise that nobody holds; when the commit fails, that one is an
//     unhandled rejection and ends the process. Hence `eventTurnBatching: false`.
//   - A commit's promise resolves after its flush (the flag it waits for is set when mdb_txn_commit returns, which includes
//     the flush). `sync` therefore seldom has anything to wait for.
//   - A failed commit rejects with `commitError`, itself a promise that rejects with the cause a moment later. When the
//     transaction cannot even begin, a lock is left held and nothing resolves ever again: hence the time limit.
//   - An error within a transaction aborts all of it, and the tree stays as it was: pages in use are never overwritten.
//     A full disk shows as ENOSPC, or as EIO when the first part of a write still found room.
//   - `noMemInit` saves nothing measurable and would write stale memory of the process into the file.

import { Buffer } from 'node:buffer';
import { mkdir, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { RootDatabase } from 'lmdb';
import type { Clock } from '../environment.ts';
import { indexBatchKeptBytesMax } from '../limits.ts';
import { batchBytes, encodeBatch, readBatch } from './entry-batch.ts';
import { checksumBytes } from './entry-slab.ts';
import type { IndexChange, IndexEntry, IndexRangeOptions, IndexStore } from './index-store.ts';
import { lmdbErrorOf } from './lmdb-error.ts';
import { checkLmdbFile, isNearlyFull } from './lmdb-file.ts';
import { LmdbThread } from './lmdb-thread.ts';
import { checksumOf, checksumOfShared, lentBytesMax } from './sealed-entry.ts';

export interface LmdbIndexOptions {
  /** Measures `writeLimitMs`. Real time, even where the database runs on a clock of its own: disks do not follow it. */
  readonly clock: Clock;
  /** How long a transaction with its flush may take before the index counts as lost. */
  readonly writeLimitMs?: number;
  /** From so many changes on a thread writes a transaction. */
  readonly threadChangesMin?: number;
  /** Told when an entry fails its checksum. */
  readonly onDamage?: () => void;
}

/** Throws `corrupt` when the folder does not hold an index that can be opened; then it can be deleted and rebuilt. */
export async function openLmdbIndex(folder: string, options: LmdbIndexOptions): Promise<IndexStore> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await checkLmdbFile(folder);
    // Only now: a database in memory does without, and loading native code takes a tenth of its start.
    const { open } = await import('lmdb');
    const { dev, ino } = await stat(join(folder, 'data.mdb'), { bigint: true });
    const thread = new LmdbThread({ folder: resolve(folder), file: { dev, ino }, options: environmentOptions });
    return new LmdbIndex(folder, open<Buffer, Buffer>(folder, environmentOptions), thread, options);
  } catch (error) {
    throw isDatabaseError(error) ? error : lmdbErrorOf(error, `The index in ${folder} cannot be opened`);
  }
}

const environmentOptions = {
  keyEncoding: 'binary',
  encoding: 'binary',
  compression: false,
  cache: false,
  maxDbs: 1,
  // Off on Windows, where lmdb flushes within the commit instead.
  overlappingSync: platform() !== 'win32',
  safeRestore: true,
  separateFlushed: true,
  eventTurnBatching: false,
  // Never start before the batch is complete: the thread would wait for the rest by polling.
  batchStartThreshold: 2 ** 31 - 1,
} as const;

// LMDB's limit is 1,978 with pages of 4 KiB; the margin keeps a node of the largest key clear of its arithmetic.
const keyBytesMax = 1_900;

/** With fewer there is little to gain, and whoever never has more needs no thread. */
const threadChangesMinDefault = 512;

const writeLimitMsDefault = 60_000;
/** The limit is waited for in so many parts; see `#limit`. */
const limitParts = 60;

class LmdbIndex implements IndexStore {
  readonly keyBytesMax: number = keyBytesMax;
  readonly #folder: string;
  readonly #tree: RootDatabase<Buffer, Buffer>;
  readonly #clock: Clock;
  readonly #writeLimitMs: number;
  readonly #onDamage: (() => void) | undefined;
  /** One apply after the other: two threads may write. Never rejects. */
  #last: Promise<void> = Promise.resolve();
  readonly #threadChangesMin: number;
  readonly #thread: LmdbThread;
  /** Doubted: after a failure, until a transaction has shown that the next one can begin; see lmdb-thread.ts. */
  #trust: 'trusted' | 'doubted' | 'missing' = 'trusted';
  /** For batches that the thread writes. Shared: V8 counts each buffer that is sent and comes back, and collects garbage for it. */
  #shared = new SharedArrayBuffer(0);
  /** The flush of the last transaction that was committed. */
  #flushed: Promise<unknown> = Promise.resolve();
  #changes = 0;
  /** Set once what the disk holds is no longer known. From then on nothing is written, and reads go on. */
  #lost: DatabaseError | undefined;
  #closing: Promise<void> | undefined;
  /** Views of lmdb's buffer by their length, for `lend`: a new one for each look-up would cost more than the copy it saves. */
  readonly #lentHeads: Buffer[] = [];
  #lentFrom: ArrayBufferLike | undefined;

  constructor(folder: string, tree: RootDatabase<Buffer, Buffer>, thread: LmdbThread, options: LmdbIndexOptions) {
    this.#folder = folder;
    this.#thread = thread;
    this.#tree = tree;
    this.#clock = options.clock;
    this.#writeLimitMs = options.writeLimitMs ?? writeLimitMsDefault;
    this.#threadChangesMin = options.threadChangesMin ?? threadChangesMinDefault;
    this.#onDamage = options.onDamage;
  }

  /** Once it is lost nobody knows: a transaction that took too long may still be committed. */
  get changes(): number | undefined {
    return this.#lost === undefined ? this.#changes : undefined;
  }

  get(key: Buffer): Buffer | undefined {
    this.#assertOpen();
    try {
      // A copy of its own for every call. lmdb's shared buffer would be about a tenth faster, and overwritten by the
      // caller's next get.
      const sealed = this.#tree.getBinary(key);
      return sealed === undefined ? undefined : this.#opened(key, sealed);
    } catch (error) {
      throw isDatabaseError(error) ? error : lmdbErrorOf(error, 'The index cannot be read');
    }
  }

  lend(key: Buffer): Buffer | undefined {
    this.#assertOpen();
    try {
      const shared = this.#tree.getBinaryFast(key);
      if (shared === undefined) return undefined;
      // Of lmdb's own buffer only `length` says how much of it is the value; native calls do not look at that.
      const length = shared.length - checksumBytes;
      if (length > lentBytesMax || shared.buffer.byteLength < length) return this.get(key);
      if (length < 0 || checksumOfShared(key, shared, length) !== readChecksum(shared, length)) throw this.#damaged();
      return this.#checksumHead(shared, length);
    } catch (error) {
      throw isDatabaseError(error) ? error : lmdbErrorOf(error, 'The index cannot be read');
    }
  }

  range(options: IndexRangeOptions): IndexEntry[] {
    this.#assertOpen();
    const { from, to, limit, reverse = false } = options;
    if (limit <= 0 || Buffer.compare(from, to) >= 0) return [];
    const bounds = reverse
      ? { start: to, exclusiveStart: true, end: from, inclusiveEnd: true, reverse, limit }
      : { start: from, end: to, limit };
    try {
      // To the end, never broken off: only a finished iteration gives its cursor back.
      const entries = Array.from(this.#tree.getRange(bounds));
      return entries.map(({ key, value }) => ({ key, value: this.#opened(key, value) }));
    } catch (error) {
      throw isDatabaseError(error) ? error : lmdbErrorOf(error, 'The index cannot be read');
    }
  }

  async apply(changes: readonly IndexChange[]): Promise<void> {
    this.#assertWritable();
    const applied = this.#last.then(() => this.#apply(changes));
    this.#last = applied.catch(ignore);
    return applied;
  }

  async sync(): Promise<void> {
    this.#assertWritable();
    await this.#last;
    await this.#withinLimit(this.#flushed);
    this.#assertWritable();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #apply(changes: readonly IndexChange[]): Promise<void> {
    if (this.#lost) throw this.#lost;
    if (changes.length === 0) return;
    const bytes = batchBytes(changes, keyBytesMax);
    const transactionIdBefore = this.#environment.lastTxnId;
    try {
      await this.#withinLimit(this.#write(changes, bytes));
    } catch (error) {
      throw await this.#failed(error, transactionIdBefore);
    } finally {
      this.#tree.resetReadTxn();
      this.#changes += 1;
    }
  }

  async #write(changes: readonly IndexChange[], bytes: number): Promise<void> {
    if (this.#trust === 'trusted' && changes.length >= this.#threadChangesMin) {
      const written = await this.#thread.write(encodeBatch(changes, this.#sharedMemory(bytes)));
      if (written === 'done') return;
      // Whoever gets through without the thread where it has failed needs none, whatever it is that is wrong with it.
      this.#trust = 'missing';
      if (this.#lost) throw this.#lost;
    }
    await this.#writeHere(changes, bytes);
    if (this.#trust === 'doubted') this.#trust = 'trusted';
  }

  async #writeHere(changes: readonly IndexChange[], bytes: number): Promise<void> {
    const tree = this.#tree;
    const batch = encodeBatch(changes, new ArrayBuffer(bytes));
    const put = (key: Buffer, value: Buffer): void => void tree.put(key, value);
    const committed = tree.batch(() => readBatch(batch, put, (key) => void tree.remove(key)));
    await committed;
    this.#flushed = flushOf(committed);
  }

  /** That of the batch before, where it has room enough: one apply comes after the other. */
  #sharedMemory(bytes: number): SharedArrayBuffer {
    if (this.#shared.byteLength >= bytes) return this.#shared;
    const memory = new SharedArrayBuffer(2 ** Math.ceil(Math.log2(bytes)));
    if (memory.byteLength <= indexBatchKeptBytesMax) this.#shared = memory;
    return memory;
  }

  /** The value without its checksum, which must be right. */
  #opened(key: Buffer, value: Buffer): Buffer {
    const length = value.length - checksumBytes;
    const bytes = value.subarray(0, Math.max(0, length));
    if (length < 0 || checksumOf(key, bytes) !== value.readUInt32LE(length)) throw this.#damaged();
    return bytes;
  }

  #damaged(): DatabaseError {
    this.#onDamage?.();
    const advice = 'Open the database again to have the index rebuilt from the log; nothing is lost.';
    return new DatabaseError('corrupt', `An entry of the index in ${this.#folder} fails its checksum. ${advice}`);
  }

  /** The first bytes of lmdb's buffer. */
  #checksumHead(shared: Buffer, length: number): Buffer {
    if (this.#lentFrom !== shared.buffer) {
      this.#lentFrom = shared.buffer;
      this.#lentHeads.length = 0;
    }
    let head = this.#lentHeads[length];
    if (head === undefined) {
      head = Buffer.from(shared.buffer, shared.byteOffset, length);
      this.#lentHeads[length] = head;
    }
    return head;
  }

  // An aborted transaction left nothing behind and may be tried again. One that is visible although it failed was not
  // flushed: a later flush that succeeds says nothing about the pages this one has lost.
  async #failed(error: unknown, transactionIdBefore: number): Promise<DatabaseError> {
    const isAborted = !this.#lost && this.#environment.lastTxnId === transactionIdBefore;
    const cause = await causeOf(error);
    const isFull = isAborted && (await isNearlyFull(this.#folder).catch(() => false));
    this.#trust = 'doubted';
    const failure = isDatabaseError(cause) ? cause : lmdbErrorOf(cause, 'The index cannot be written', isFull);
    if (!isAborted || failure.code !== 'disk-full') this.#lost ??= failure;
    return failure;
  }

  async #withinLimit(work: PromiseLike<unknown>): Promise<void> {
    const finished = new AbortController();
    try {
      await Promise.race([work, this.#limit(finished.signal)]);
    } finally {
      finished.abort();
    }
  }

  /** In parts: of the time in which the whole process was stopped (a paused container, a debugger) only one of them counts. */
  async #limit(finished: AbortSignal): Promise<void> {
    for (let part = 0; part < limitParts; part += 1) {
      await this.#clock.sleep(this.#writeLimitMs / limitParts, finished);
      if (finished.aborted) return;
    }
    const message = `The index did not finish a write within ${this.#writeLimitMs} ms.`;
    this.#lost ??= new DatabaseError('unavailable', message);
    throw this.#lost;
  }

  async #close(): Promise<void> {
    await this.#last;
    const closed = this.#closeTree();
    // lmdb waits for the flush of a lost transaction for ever; the operating system takes the file back with the process.
    if (this.#lost) closed.catch(ignore);
    else await this.#withinLimit(closed);
  }

  async #closeTree(): Promise<void> {
    await this.#thread.close();
    await this.#tree.close();
  }

  get #environment(): { readonly lastTxnId: number } {
    // The part of getStats that does not walk the free list; lmdb does not declare it.
    const { env } = this.#tree as unknown as { env: { info(): { lastTxnId: number } } };
    return env.info();
  }

  #assertOpen(): void {
    if (this.#closing) throw new DatabaseError('closed', 'The database has been closed.');
  }

  #assertWritable(): void {
    this.#assertOpen();
    if (this.#lost) throw this.#lost;
  }
}

/** Native calls do not look at the length that lmdb gives its own buffer. */
function readChecksum(shared: Buffer, at: number): number {
  const low = (shared[at] as number) | ((shared[at + 1] as number) << 8) | ((shared[at + 2] as number) << 16);
  return low + (shared[at + 3] as number) * 0x100_0000;
}

// With `separateFlushed` lmdb hangs the flush on the promise of the commit; its declarations do not say so.
function flushOf(committed: Promise<boolean>): Promise<unknown> {
  return (committed as { flushed?: Promise<unknown> }).flushed ?? committed;
}

async function causeOf(error: unknown): Promise<unknown> {
  if (typeof error !== 'object' || error === null || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

function ignore(): void {}
