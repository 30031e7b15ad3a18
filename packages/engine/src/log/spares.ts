// The spare: the file of the next segment, made ready in the background. Its zeros are on the disk before its first frame, so that
// a full disk shows before anything is written, and a flush needs no new space.
//
// Zeros that are written beside the log cost its writers a fifth of their rate. So a log that fills segments gets a few more spares
// when it is at rest: a burst as long as the last ones takes those.
//
// Where there is less room than a segment wants it is made smaller: a log that goes on in a small segment lets compaction free
// the ones before it. The last of the room is left to the index and to compaction, which need some to free any.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Clock } from '../environment.ts';
import type { FileSystem, LogFile } from '../files/file-system.ts';
import { isDiskFull, isMissing } from '../files/file-system.ts';
import {
  roomLeftBytesMax,
  roomLeftShare,
  shortRoomShare,
  spareLogShare,
  spareRoomShare,
  sparesAheadMax,
  sparesAheadMin,
} from '../limits.ts';
import { segmentFolder } from './segment.ts';
import { SparePace } from './spare-pace.ts';

export interface Spare {
  readonly file: LogFile;
  readonly path: string;
  readonly bytes: number;
}

export interface SparesOptions {
  readonly files: FileSystem;
  readonly clock: Clock;
  readonly bytesMin: number;
  readonly bytesMax: number;
  /** What is in the log. */
  logBytes(): number;
  /** Makes a file that the log will be written to. */
  create(path: string): Promise<LogFile>;
}

const blockBytes = 4_096;
/** So much of its share the log leaves to what compaction writes, and to the end of the active segment. */
const sparesOfCompaction = 2;

export class Spares {
  readonly #options: SparesOptions;
  readonly #pace: SparePace;
  #nextBytes: number;
  #ready: Promise<Spare> | undefined;
  /** Those made at rest, all of the largest size. */
  readonly #ahead: Spare[] = [];
  #stocking: Promise<void> | undefined;
  /** Segments of the largest size that the log has taken. */
  #largeTaken = 0;
  #number = 0;
  #obstacle: DatabaseError | undefined;
  #isRetrying = false;
  #isClosed = false;

  constructor(options: SparesOptions) {
    this.#options = options;
    this.#pace = new SparePace(options.clock);
    this.#nextBytes = options.bytesMin;
  }

  /** Why the last spare that was tried could not be made. */
  get obstacle(): DatabaseError | undefined {
    return this.#obstacle;
  }

  /** The log goes on in a segment of this size: the next one is larger. */
  follow(activeBytes: number): void {
    this.#nextBytes = Math.min(Math.max(this.#nextBytes, activeBytes * 2), this.#options.bytesMax);
  }

  /** Such a share of the active segment is full. */
  appended(usedShare: number): void {
    this.#pace.appended(usedShare);
  }

  prepare(): void {
    if (this.#ready !== undefined) return;
    this.#ready = this.#make(this.#nextBytes, 0);
    // The failure is looked at when the spare is needed; by then there may be room again.
    this.#ready.catch(() => {});
  }

  /**
   * Gives back what was made ahead where room has become short, since the index and compaction need it more, and what is too much
   * for a log that has become smaller.
   */
  async giveBack(): Promise<void> {
    if (this.#ahead.length === 0) return;
    const kept = (await this.#hasRoomFor(shortRoomShare)) ? this.#aheadMax : 0;
    await this.#discardAhead(kept);
  }

  /** Tries again whether there is room, so that it is known before somebody writes. */
  retry(): void {
    if (this.#obstacle === undefined || this.#isRetrying || this.#isClosed) return;
    this.#isRetrying = true;
    const spare = this.#make(this.#nextBytes, 0);
    const done = (): void => {
      this.#isRetrying = false;
    };
    spare.then(done, done);
    this.#ready = spare;
  }

  /** The spare becomes a segment, which has room for this much. Throws `disk-full`. */
  async take(needBytes: number): Promise<Spare> {
    const spare = (await this.#next(needBytes)) ?? (await this.#makeAtAnyPrice(needBytes));
    this.#nextBytes = Math.min(this.#nextBytes * 2, this.#options.bytesMax);
    if (spare.bytes >= this.#options.bytesMax) this.#largeTaken += 1;
    return spare;
  }

  /** What was taken is the active segment. */
  rolled(): void {
    this.#pace.rolled();
    this.prepare();
    this.#stock();
  }

  /** Resolves when nothing more is made ready until the log is written to again. */
  async rested(): Promise<void> {
    await this.#ready?.catch(() => {});
    await this.#stocking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pace.close();
    await this.#stocking;
    const spare = await this.#ready?.catch(() => undefined);
    this.#ready = undefined;
    if (spare !== undefined) this.#ahead.unshift(spare);
    await this.#discardAhead();
  }

  async #next(needBytes: number): Promise<Spare | undefined> {
    if (needBytes <= this.#options.bytesMax && this.#ahead.length > 0) return this.#ahead.shift();
    const ready = this.#ready;
    this.#ready = undefined;
    this.#pace.hurry();
    return this.#taken(ready, needBytes);
  }

  /** Where the disk is full, what was made ahead is given up first. */
  async #makeAtAnyPrice(needBytes: number): Promise<Spare> {
    try {
      return await this.#make(this.#nextBytes, needBytes);
    } catch (error) {
      if (this.#ahead.length === 0 || !(isDatabaseError(error) && error.code === 'disk-full')) throw error;
      await this.#discardAhead();
      return this.#make(this.#nextBytes, needBytes);
    }
  }

  #stock(): void {
    this.#stocking ??= this.#makeAhead()
      // A spare that nobody needs yet: what is wrong shows when the next one is made.
      .catch(() => {})
      .finally(() => {
        this.#stocking = undefined;
      });
  }

  async #makeAhead(): Promise<void> {
    while (this.#ahead.length < Math.min(this.#largeTaken, this.#aheadMax)) {
      // The next one comes first.
      await this.#ready;
      await this.#goOnAhead(spareRoomShare);
      // What is being made is given up, too, when room becomes short.
      this.#ahead.push(await this.#makeOf(this.#options.bytesMax, () => this.#goOnAhead(shortRoomShare)));
    }
  }

  get #aheadMax(): number {
    const { bytesMax, logBytes } = this.#options;
    const ofLog = Math.floor((logBytes() * spareLogShare) / bytesMax) - sparesOfCompaction;
    return Math.min(sparesAheadMax, sparesAheadMin + Math.max(0, ofLog));
  }

  /** Resolves when the log is at rest and there is room; rejects where there is not. */
  async #goOnAhead(roomShare: number): Promise<void> {
    await this.#pace.atRest();
    if (!(await this.#hasRoomFor(roomShare))) throw new DatabaseError('disk-full', 'There is no room for more spares.');
  }

  /** Whether one of the largest size takes at most this share of the room. */
  async #hasRoomFor(share: number): Promise<boolean> {
    const roomBytes = await this.#options.files.roomBytes?.();
    return roomBytes !== undefined && this.#options.bytesMax <= roomBytes * share;
  }

  /** All but so many of them, whatever becomes of one; then what went wrong is told. */
  async #discardAhead(kept = 0): Promise<void> {
    const failures: unknown[] = [];
    while (this.#ahead.length > kept) {
      await this.#discard(this.#ahead.pop() as Spare).catch((error: unknown) => {
        if (!isMissing(error)) failures.push(error); // Somebody has deleted the folder.
      });
    }
    if (failures.length > 0) throw failures[0];
  }

  async #taken(ready: Promise<Spare> | undefined, needBytes: number): Promise<Spare | undefined> {
    try {
      const spare = await ready;
      if (spare === undefined || spare.bytes >= needBytes) return spare;
      await this.#discard(spare);
    } catch (error) {
      // A spare that could not be made while the disk was full is tried again now; anything else shows again as well.
      if (!(isDatabaseError(error) && error.code === 'disk-full')) throw error;
    }
    return undefined;
  }

  async #make(wantedBytes: number, needBytes: number): Promise<Spare> {
    const leastBytes = Math.max(needBytes, Math.min(wantedBytes, this.#options.bytesMin));
    let bytes = await this.#fitting(Math.max(wantedBytes, needBytes), leastBytes);
    for (;;) {
      try {
        const spare = await this.#makeOf(bytes, (doneBytes) => this.#pace.next(doneBytes / bytes));
        this.#obstacle = undefined;
        return spare;
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        // Others may take room meanwhile, and not every disk says how much there is.
        if (bytes <= leastBytes) throw this.#full(error);
        bytes = Math.max(leastBytes, blocksOf(bytes / 2));
      }
    }
  }

  /** As many bytes as wanted, or as there is room for. Looked at first: to find out by writing would take all the room for as long. */
  async #fitting(wantedBytes: number, leastBytes: number): Promise<number> {
    const roomBytes = await this.#options.files.roomBytes?.();
    if (roomBytes === undefined) return wantedBytes;
    const usableBytes = blocksOf(roomBytes - Math.min(roomLeftBytesMax, roomBytes * roomLeftShare));
    if (usableBytes >= wantedBytes) return wantedBytes;
    if (usableBytes < leastBytes) throw this.#full();
    return usableBytes;
  }

  async #makeOf(bytes: number, pace: (doneBytes: number) => Promise<void>): Promise<Spare> {
    this.#number += 1;
    const path = `${segmentFolder}/spare-${this.#number}.tmp`;
    const file = await this.#options.create(path);
    try {
      await file.preallocate(bytes, pace);
      await file.sync();
      return { file, path, bytes };
    } catch (error) {
      await this.#discard({ file, path });
      throw error;
    }
  }

  #full(cause?: unknown): DatabaseError {
    const message = 'There is no room for the next log segment. Free space on the disk.';
    this.#obstacle = new DatabaseError('disk-full', message, { cause });
    return this.#obstacle;
  }

  async #discard({ file, path }: Pick<Spare, 'file' | 'path'>): Promise<void> {
    await file.close();
    await this.#options.files.remove(path);
  }
}

function blocksOf(bytes: number): number {
  return Math.floor(bytes / blockBytes) * blockBytes;
}
