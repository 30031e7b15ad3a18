// A machine that loses power at a chosen operation, of its files or of its index, and remembers what it was doing then.

import type { FileSystem, IndexProvider, IndexStore, LogFile } from '@tidemark/engine/internal';
import type { PowerCutFiles, SeededRandom } from '@tidemark/testing';
import { PowerCutError } from '@tidemark/testing';

/** What the power cut interrupted. */
export type Interrupted =
  | 'append'
  | 'flush'
  | 'flush at once'
  | 'roll'
  | 'spare'
  | 'compaction write'
  | 'compaction retire'
  | 'index transaction'
  | 'names';

/** The index as it is on the disk: whatever was synced may come back. */
export interface IndexDisk {
  open(): Promise<IndexStore>;
  discard(): Promise<void>;
  /** Comes back as of a synced state, or as nothing. */
  afterCut(random: SeededRandom): Promise<void>;
  /** As of the last synced state. */
  afterKill(): Promise<void>;
  end(): Promise<void>;
}

export class Machine {
  readonly files: FileSystem;
  readonly index: IndexProvider;
  readonly disk: PowerCutFiles;
  readonly #isLying: boolean;
  #left = Number.POSITIVE_INFINITY;
  #isOut = false;
  #onOut: () => void = () => {};
  readonly out: Promise<void> = new Promise((resolve) => {
    this.#onOut = resolve;
  });
  interrupted: Interrupted | undefined;

  /** `isLying`: the flush of a group says that it is done before it is, as an engine would that does not wait for it. */
  constructor(disk: PowerCutFiles, index: IndexDisk, random: SeededRandom, isLying: boolean) {
    this.disk = disk;
    this.#isLying = isLying;
    this.files = this.#files();
    this.index = { open: async () => this.#index(await index.open(), random), discard: () => index.discard() };
  }

  get isOut(): boolean {
    return this.#isOut;
  }

  /** During the operation after this many the power fails. */
  cutAfter(operations: number): void {
    this.#left = operations;
  }

  end(): void {
    this.#isOut = true;
    this.#onOut();
  }

  async #mutate<T>(kind: Interrupted, operation: () => Promise<T>): Promise<T> {
    this.#count(kind);
    return operation();
  }

  /** Gives whether the power fails during the operation that follows, of which the disk does so many steps before. */
  #count(kind: Interrupted, stepsBefore = 0): boolean {
    if (this.#isOut) throw new PowerCutError();
    this.#left -= 1;
    if (this.#left >= 0) return false;
    this.interrupted = kind;
    // The disk does it, half of it or nothing of it: that is decided when the power is back.
    this.disk.cutAfter(stepsBefore);
    this.end();
    return true;
  }

  #files(): FileSystem {
    const { disk } = this;
    return {
      open: async (path, options) => this.#file(await disk.open(path, options), path),
      list: (directory) => disk.list(directory),
      rename: (from, to) =>
        this.#mutate(from.includes('spare') ? 'roll' : isOutput(from) ? 'compaction write' : 'names', () =>
          disk.rename(from, to),
        ),
      remove: (path) => this.#mutate(path.endsWith('.seg') ? 'compaction retire' : 'names', () => disk.remove(path)),
      makeDirectory: (path) => disk.makeDirectory(path),
      syncDirectory: (path) => this.#mutate('names', () => disk.syncDirectory(path)),
    };
  }

  #file(file: LogFile, path: string): LogFile {
    const spare = path.includes('spare');
    // A segment keeps the handle that its spare was made with: once it has got its header it is the active segment.
    let isActive = !spare;
    let hasGroup = false;
    const kindOf = (kind: Interrupted): Interrupted => {
      if (isOutput(path)) return 'compaction write';
      return spare && !isActive ? 'spare' : kind;
    };
    return {
      preallocate: (bytes, pace) => this.#mutate(kindOf('spare'), () => file.preallocate(bytes, pace)),
      write: (bytes, offset) => {
        if (spare && offset === 0) isActive = true;
        if (isActive && offset > 4096 && !isOutput(path)) hasGroup = true;
        return this.#mutate(kindOf(offset <= 4096 ? 'roll' : 'append'), () => file.write(bytes, offset));
      },
      sync: () =>
        this.#mutate(kindOf('flush'), () => {
          // The roll's own flush is a good one: what is broken here is the flush of a group, and nothing else.
          const isOfGroup = hasGroup;
          return this.#isLying && isOfGroup ? this.#flushLater(file) : file.sync();
        }),
      // One that lies cannot do so at once.
      ...(this.#isLying ? {} : { writeDurablySync: (bytes, offset) => this.#writeAtOnce(file, bytes, offset) }),
      readSync: (target, offset) => file.readSync(target, offset),
      read: (target, offset) => file.read(target, offset),
      sizeBytes: () => file.sizeBytes(),
      close: () => file.close(),
    };
  }

  /** The power fails during the write or during the flush. */
  #writeAtOnce(file: LogFile, bytes: Uint8Array, offset: number): void {
    if (!this.#count('flush at once')) this.#count('flush at once', 1);
    file.writeDurablySync?.(bytes, offset);
  }

  /** Says that it is done and does it a little later: what it covers is acknowledged and shown before it is durable. */
  async #flushLater(file: LogFile): Promise<void> {
    const flush = async (): Promise<void> => {
      for (let turns = 0; turns < 6; turns += 1) await turn();
      await file.sync();
    };
    flush().catch(() => {}); // Without power it never comes to it.
    await turn();
  }

  #index(index: IndexStore, random: SeededRandom): IndexStore {
    const step = async (): Promise<void> => {
      if (random.bool()) await turn();
      await this.#mutate('index transaction', async () => {
        if (this.#isOut) throw new PowerCutError();
      });
    };
    return {
      keyBytesMax: index.keyBytesMax,
      get: (key) => index.get(key),
      range: (options) => index.range(options),
      apply: async (changes) => {
        await step();
        await index.apply(changes);
        if (random.bool(0.3)) await turn();
      },
      sync: async () => {
        await step();
        await index.sync();
        if (random.bool(0.3)) await turn();
      },
      close: () => index.close(),
    };
  }
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isOutput(path: string): boolean {
  return /\/\d+\.tmp$/.test(path);
}
