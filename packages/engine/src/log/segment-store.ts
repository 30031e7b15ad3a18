// The segments of a folder: one that grows (the active one), the sealed ones, and a spare made ready in the background.
//
// Invariant: before the first group goes into a new segment, its header and META frame are flushed and its name is durable.
// Invariant: at most one frame is written and not flushed, unless `sync` is 'os'.

import { Buffer } from 'node:buffer';
import { DatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import type { FileSystem, LogFile } from '../files/file-system.ts';
import { isMissing, isOutOfFiles } from '../files/file-system.ts';
import { openSegmentsMax, syncReadBytesMax } from '../limits.ts';
import { BufferPool } from './buffer-pool.ts';
import type { Part } from './parts.ts';
import { readAtOnce, readByThreads } from './parts.ts';
import type { SegmentHeader } from './segment.ts';
import {
  encodeSegmentHeader,
  readSegmentHeader,
  segmentFolder,
  segmentHeaderBytes,
  segmentIdOf,
  segmentPath,
} from './segment.ts';
import { SegmentKeeper } from './segment-keeper.ts';
import { Spares } from './spares.ts';
import { Warmth } from './warmth.ts';

/** Half of what Buffer.allocUnsafe takes from its pool at most. */
const pooledReadBytes = 4_096;

/** The start of a read that is quick in any case. */
const untimed = -1;

export interface SegmentOptions {
  readonly sync: 'full' | 'os';
  readonly segmentBytesMin: number;
  readonly segmentBytesMax: number;
}

export class Segment {
  readonly header: SegmentHeader;
  readonly salt: Buffer;
  /** Where the next frame goes; of a sealed segment, the end of its last frame. */
  usedBytes: number;
  /** Records in it so far: the ordinal of the next one. */
  recordCount: number;
  /** Undefined until somebody reads it, and again when too many are open. */
  file: LogFile | undefined;
  opening: Promise<LogFile> | undefined;
  /** When it was read last, counted in reads. */
  readAt = 0;
  /** Reads under way; the file is not closed or removed meanwhile. */
  pins = 0;
  isRetired = false;
  /** Who reads it still, although it is retired: its file stays open without a name. */
  keepers = 0;
  /** Its file is being removed, or has been. */
  discarded: Promise<void> | undefined;

  constructor(header: SegmentHeader, usedBytes: number, recordCount: number) {
    this.header = header;
    this.salt = Buffer.from(header.salt, 'hex');
    this.usedBytes = usedBytes;
    this.recordCount = recordCount;
  }

  get id(): number {
    return this.header.id;
  }
}

export class SegmentStore {
  readonly #files: FileSystem;
  readonly #environment: Environment;
  readonly #options: SegmentOptions;
  readonly #segments = new Map<number, Segment>();
  #active: Segment | undefined;
  #activeCapacityBytes = 0;
  #nextId = 1;
  readonly #spares: Spares;
  readonly #warmth: Warmth;
  #readCount = 0;
  /** Reads that a thread is busy with: a file is not closed under them, since its number may be another file's at once. */
  readonly #reads = new Set<Promise<unknown>>();
  readonly #keepers = new Set<SegmentKeeper>();
  #isClosed = false;
  /** For those who read much at once. */
  readonly buffers: BufferPool = new BufferPool();

  constructor(files: FileSystem, environment: Environment, options: SegmentOptions) {
    this.#files = files;
    this.#environment = environment;
    this.#options = options;
    this.#warmth = new Warmth(environment, files);
    this.#spares = new Spares({
      files,
      clock: environment.clock,
      bytesMin: options.segmentBytesMin,
      bytesMax: options.segmentBytesMax,
      logBytes: () => this.bytes,
      create: (path) => this.#openFile(path, { create: true, isLog: true }),
    });
  }

  /** Finds the segments on disk. Headers are read only of those that `known` does not tell about. */
  async load(known: ReadonlyMap<number, Segment>): Promise<void> {
    for (const name of await this.#files.list(segmentFolder)) {
      const id = segmentIdOf(name);
      if (id === undefined) {
        await this.#files.remove(`${segmentFolder}/${name}`);
        continue;
      }
      const segment = known.get(id) ?? new Segment(await readSegmentHeader(this.#files, id), 0, 0);
      this.#segments.set(id, segment);
      this.#nextId = Math.max(this.#nextId, id + 1);
    }
  }

  get active(): Segment {
    if (this.#active === undefined) throw new DatabaseError('closed', 'The log has not been opened for writing.');
    return this.#active;
  }

  get all(): readonly Segment[] {
    // Of two that begin with the same frame the older one never got any: its roll failed after it had its name.
    return [...this.#segments.values()].sort((a, b) => a.header.firstSequence - b.header.firstSequence || a.id - b.id);
  }

  find(id: number): Segment | undefined {
    return this.#segments.get(id);
  }

  get bytes(): number {
    let bytes = 0;
    for (const segment of this.#segments.values()) bytes += segment.usedBytes;
    return bytes;
  }

  /** No room for the next segment; writes go on as long as the active one has some. */
  get obstacle(): DatabaseError | undefined {
    return this.#spares.obstacle;
  }

  takeId(): number {
    return this.#nextId++;
  }

  newSalt(): Buffer {
    const salt = Buffer.alloc(8);
    this.#environment.random(salt);
    return salt;
  }

  hasRoomFor(bytes: number): boolean {
    return this.active.usedBytes + bytes <= this.#activeCapacityBytes;
  }

  /**
   * Starts the next segment. `firstFrames` makes its META frame, and the frames that recovery carries over, once id and
   * salt are known. Throws `disk-full` and changes nothing when there is no room for it.
   */
  async roll(
    firstSequence: number,
    needBytes: number,
    firstFrames: (salt: Buffer) => { readonly bytes: Buffer; readonly records: number },
  ): Promise<Segment> {
    // Without a flush for each frame the sealed segment could lose its end and keep its successor: a hole in the log.
    if (this.#options.sync === 'os') await this.flush();
    const salt = this.newSalt();
    const first = firstFrames(salt);
    const spare = await this.#spares.take(segmentHeaderBytes + first.bytes.length + needBytes);
    const id = this.takeId();
    const header: SegmentHeader = {
      id,
      salt: salt.toString('hex'),
      kind: 'log',
      sync: this.#options.sync,
      firstSequence,
    };
    await spare.file.write(encodeSegmentHeader(header), 0);
    await spare.file.write(first.bytes, segmentHeaderBytes);
    await spare.file.sync();
    await this.#files.rename(spare.path, segmentPath(id));
    await this.#files.syncDirectory(segmentFolder);
    const segment = new Segment(header, segmentHeaderBytes + first.bytes.length, first.records);
    segment.file = spare.file;
    await this.#active?.file?.seal?.();
    this.#segments.set(id, segment);
    this.#warmth.recount();
    this.#active = segment;
    this.#activeCapacityBytes = spare.bytes;
    this.#spares.rolled();
    return segment;
  }

  /** Goes on in a segment that was closed cleanly. */
  async resume(segment: Segment): Promise<void> {
    segment.file = await this.#files.open(segmentPath(segment.id), { isLog: true });
    this.#activeCapacityBytes = await segment.file.sizeBytes();
    this.#active = segment;
    this.#spares.follow(this.#activeCapacityBytes);
  }

  prepareSpare(): void {
    this.#spares.prepare();
  }

  /** Tries again whether there is room, so that it is known before somebody writes. */
  retrySpare(): void {
    this.#spares.retry();
  }

  /** Lets go of spares that are not needed yet, where room has become short. */
  giveBackSpares(): Promise<void> {
    return this.#spares.giveBack();
  }

  /** Resolves when nothing more is made ready until somebody writes. */
  rested(): Promise<void> {
    return this.#spares.rested();
  }

  /** Writes at the end of the active segment and, unless `sync` is 'os', flushes. The caller has made sure of the room. */
  async append(frame: Buffer, records: number): Promise<void> {
    const file = this.active.file as LogFile; // The active segment's is open.
    const offset = this.#advance(frame, records);
    if (this.#options.sync === 'os') return file.write(frame, offset);
    if (file.writeDurably !== undefined) await file.writeDurably(frame, offset);
    else {
      await file.write(frame, offset);
      await file.sync();
    }
    // A log whose flush takes long is not at rest meanwhile.
    this.#noteAppended();
  }

  /** Whether a flush can be waited for at once, without a thread. */
  get hasAppendSync(): boolean {
    return this.#options.sync === 'full' && this.active.file?.writeDurablySync !== undefined;
  }

  /** As `append`, blocking: nothing else goes on until it is on the disk. */
  appendSync(frame: Buffer, records: number): void {
    const file = this.active.file as Required<LogFile>; // `hasAppendSync` has said so. Better to fail than to have written nothing.
    file.writeDurablySync(frame, this.#advance(frame, records));
  }

  /** Takes the room for a frame; gives where it is. */
  #advance(frame: Buffer, records: number): number {
    const segment = this.active;
    const offset = segment.usedBytes;
    segment.usedBytes += frame.length;
    segment.recordCount += records;
    this.#noteAppended();
    return offset;
  }

  #noteAppended(): void {
    this.#spares.appended(this.active.usedBytes / this.#activeCapacityBytes);
  }

  /** Makes everything appended so far durable. Before the first append there is nothing to do. */
  flush(): Promise<void> {
    return this.#active?.file?.sync() ?? Promise.resolve();
  }

  /**
   * Bytes of a segment, at once when they are likely in memory. Undefined when the segment is gone, for the keeper too: whoever
   * named it looks again in the index, which names another place by then.
   */
  read(
    id: number,
    offset: number,
    length: number,
    keeper?: SegmentKeeper,
  ): Buffer | Promise<Buffer | undefined> | undefined {
    const segment = this.#open(id) ?? keeper?.find(id);
    if (segment === undefined) return undefined;
    const { file } = segment;
    const beganMs = length > syncReadBytesMax ? undefined : this.#beginNow(segment);
    if (file === undefined || beganMs === undefined) {
      return this.#noted(this.#readAllLater(segment, offset, length));
    }
    // Small ones come from Node's pool: a document is read and let go.
    const target = length < pooledReadBytes ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length);
    const filled = file.readSync(target, offset);
    if (beganMs !== untimed) this.#warmth.tried(beganMs, length);
    return filled === length ? target : target.subarray(0, filled);
  }

  /**
   * Reads stretches one behind the other into `target`. Resolves with how many bytes there were, fewer only at the end of
   * the file, and undefined like `read`. `inThread`: also when they are in memory, because nobody needs them yet.
   */
  readInto(
    id: number,
    parts: readonly Part[],
    target: Buffer,
    options: { readonly inThread: boolean },
  ): number | Promise<number | undefined> | undefined {
    const segment = this.#open(id);
    if (segment === undefined) return undefined;
    let bytes = 0;
    for (const part of parts) bytes += part.length;
    const { file } = segment;
    const beganMs = options.inThread || bytes > syncReadBytesMax ? undefined : this.#beginNow(segment);
    if (file === undefined || beganMs === undefined) return this.#noted(this.#readLater(segment, parts, target));
    const filled = readAtOnce(file, parts, target);
    if (beganMs !== untimed) this.#warmth.tried(beganMs, bytes);
    return filled;
  }

  /** Whether it was written last, and so is likely in memory. */
  isRecent(id: number): boolean {
    const segment = this.#segments.get(id);
    return (
      segment !== undefined && (segment === this.#active || this.#warmth.isRecent(segment, this.#segments.values()))
    );
  }

  /** When a read that nobody makes for us begins: `untimed` when it need not be watched, undefined when a thread should make it. */
  #beginNow(segment: Segment): number | undefined {
    return this.isRecent(segment.id) ? untimed : this.#warmth.trial();
  }

  #open(id: number): Segment | undefined {
    if (this.#isClosed) throw new DatabaseError('closed', 'The database has been closed.');
    const segment = this.#segments.get(id);
    if (segment !== undefined) segment.readAt = ++this.#readCount;
    return segment;
  }

  #noted<T>(read: Promise<T>): Promise<T> {
    this.#reads.add(read);
    const forget = (): void => {
      this.#reads.delete(read);
    };
    read.then(forget, forget);
    return read;
  }

  async #readAllLater(segment: Segment, offset: number, length: number): Promise<Buffer> {
    const target = Buffer.allocUnsafeSlow(length);
    const filled = await this.#readLater(segment, [{ offset, length }], target);
    return filled === length ? target : target.subarray(0, filled);
  }

  async #readLater(segment: Segment, parts: readonly Part[], target: Buffer): Promise<number> {
    segment.pins += 1;
    try {
      const file = segment.file ?? (await this.#openForReading(segment));
      return await readByThreads(file, parts, target);
    } finally {
      segment.pins -= 1;
      await this.#settle(segment);
    }
  }

  /** Adds a finished segment that compaction made; its file is already in place and durable. */
  adopt(segment: Segment): void {
    this.#segments.set(segment.id, segment);
    this.#warmth.recount();
  }

  /** Takes segments out; their files go when the last read and backup has let go of them. */
  async retire(ids: readonly number[]): Promise<void> {
    const retired = ids.flatMap((id) => this.#segments.get(id) ?? []);
    // All of them at once: between two removals nobody may take one for a segment that stays.
    for (const segment of retired) {
      this.#segments.delete(segment.id);
      segment.isRetired = true;
      for (const keeper of this.#keepers) keeper.keep(segment);
    }
    await allOf(retired.map((segment) => this.#settle(segment)));
  }

  /** Keeps the files of these segments until the returned function is called. */
  hold(segments: readonly Segment[]): () => Promise<void> {
    for (const segment of segments) segment.pins += 1;
    return async () => {
      for (const segment of segments) {
        segment.pins -= 1;
        await this.#settle(segment);
      }
    };
  }

  /**
   * What is retired from now on can be read by way of the keeper, until it is let go of. The names of the files go all the same: what
   * a crash leaves behind never depends on who was reading.
   */
  keepRetired(): SegmentKeeper {
    const keeper = new SegmentKeeper();
    this.#keepers.add(keeper);
    return keeper;
  }

  async letGo(keeper: SegmentKeeper): Promise<void> {
    if (!this.#keepers.delete(keeper)) return;
    const segments = [...keeper.segments()];
    for (const segment of segments) segment.keepers -= 1;
    await allOf(segments.map((segment) => this.#settle(segment)));
  }

  /** Lets the reads under way end and takes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#reads);
    for (const segment of this.#segments.values()) await this.#closeFile(segment);
    for (const keeper of this.#keepers) for (const segment of keeper.segments()) await this.#closeFile(segment);
    await this.#spares.close();
  }

  /** Whether the file that is written to has its name still: under a running database the folder may be deleted or moved. */
  async isNamed(): Promise<boolean> {
    const { active } = this;
    try {
      const file = await this.#files.open(segmentPath(active.id));
      await file.close();
      return true;
    } catch (error) {
      // Meanwhile it may have been rolled and compacted away.
      return !isMissing(error) || active !== this.active;
    }
  }

  /** Once for all who read it: the name of one that is retired goes when this one has it open. */
  #openForReading(segment: Segment): Promise<LogFile> {
    segment.opening ??= this.#openNow(segment).finally(() => {
      segment.opening = undefined;
    });
    return segment.opening;
  }

  async #openNow(segment: Segment): Promise<LogFile> {
    const file = await this.#openFile(segmentPath(segment.id));
    segment.file = file;
    await this.#closeIdle(openSegmentsMax);
    return file;
  }

  /** Where the process has too many files open, some of ours are closed for it. */
  async #openFile(path: string, how?: Parameters<FileSystem['open']>[1]): Promise<LogFile> {
    try {
      return await this.#files.open(path, how);
    } catch (error) {
      if (!isOutOfFiles(error)) throw error;
      await this.#closeIdle(this.#openCount / 2);
      return this.#files.open(path, how);
    }
  }

  get #openCount(): number {
    let count = 0;
    for (const segment of this.#segments.values()) if (segment.file !== undefined) count += 1;
    return count;
  }

  /** Closes what was not read for the longest time, until so many are open. */
  async #closeIdle(openMax: number): Promise<void> {
    let surplus = this.#openCount - openMax;
    if (surplus <= 0) return;
    for (const segment of [...this.#segments.values()].sort((a, b) => a.readAt - b.readAt)) {
      if (surplus <= 0) return;
      // By its name a retired one can be opened no more.
      const isNeeded = segment.pins > 0 || segment.isRetired || segment === this.#active;
      if (segment.file === undefined || isNeeded) continue;
      surplus -= 1;
      await this.#closeFile(segment);
    }
  }

  async #closeFile(segment: Segment): Promise<void> {
    const file = segment.file;
    segment.file = undefined;
    await file?.close();
  }

  /** Of a retired segment: its name goes with the last read and backup, its file with the last keeper. */
  async #settle(segment: Segment): Promise<void> {
    if (!segment.isRetired || segment.pins > 0) return;
    try {
      await this.#discard(segment);
    } finally {
      if (segment.pins === 0 && segment.keepers === 0) await this.#closeFile(segment);
    }
  }

  /** Once: while one file of several goes, the last reader may let go of the next. */
  #discard(segment: Segment): Promise<void> {
    segment.discarded ??= this.#removeFile(segment);
    return segment.discarded;
  }

  /** Whoever reads it by a keeper has to do without: room on the disk is not kept for readers. */
  #breakKeepers(segment: Segment): void {
    for (const keeper of this.#keepers) if (keeper.find(segment.id) === segment) keeper.isBroken = true;
  }

  async #removeFile(segment: Segment): Promise<void> {
    const path = segmentPath(segment.id);
    if (segment.keepers === 0) await this.#closeFile(segment);
    else if (segment.file === undefined) await this.#openForReading(segment).catch(() => this.#breakKeepers(segment));
    await this.#files.remove(path);
    await this.#files.syncDirectory(segmentFolder);
  }
}

/** Each of them to its end, whatever becomes of the others. */
async function allOf(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
