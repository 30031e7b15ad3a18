// One simulated machine: a disk that knows what is durable, an index beside it, a clock, and the engine on top. One seed, one
// world: everything in it happens in the same order again.

import type { EmbeddedEngineOptions, FileSystem } from '@tidemark/engine/internal';
import { Container, checkDatabase, EmbeddedEngine, Queries } from '@tidemark/engine/internal';
import { MemoryIndexDisk, PoisonedFrames, PowerCutFiles, SeededRandom, VirtualClock } from '@tidemark/testing';
import { turningFiles, turningIndex } from './turning.ts';

/** So small that entries of the index get to their places all the time. */
const lateLimits = { changesMax: 24, mergedMax: 8 };

export interface WorldOptions {
  readonly seed: string;
  readonly segmentBytesMin: number;
  readonly segmentBytesMax: number;
  readonly sync: 'full' | 'os';
}

export class World {
  readonly clock: VirtualClock = new VirtualClock();
  readonly random: SeededRandom;
  readonly #options: WorldOptions;
  #disk: PowerCutFiles;
  #index = new MemoryIndexDisk();
  #files: FileSystem;
  #engine: EmbeddedEngine | undefined;
  #isRestored = false;

  constructor(options: WorldOptions, disk: PowerCutFiles = new PowerCutFiles()) {
    this.#options = options;
    this.random = new SeededRandom(options.seed);
    this.#disk = disk;
    this.#files = this.#through(disk);
  }

  get engine(): EmbeddedEngine {
    if (this.#engine === undefined) throw new Error('The world has no open database.');
    return this.#engine;
  }

  get files(): FileSystem {
    return this.#files;
  }

  container(database: string, id: string): Container {
    const found = this.engine.containers(database).find((info) => info.id === id);
    if (found === undefined) throw new Error(`There is no container ${id}.`);
    return new Container(
      this.engine,
      found.number,
      new Queries({ clock: this.clock, random: (target) => this.random.bytes(target) }),
    );
  }

  async open(): Promise<void> {
    const options: EmbeddedEngineOptions = {
      files: this.#files,
      index: {
        open: async () => {
          const disk = this.#disk;
          return turningIndex(this.#index.open(), this.random.fork('index'), () => disk.isOut);
        },
        discard: async () => {
          this.#index = new MemoryIndexDisk();
        },
      },
      environment: { clock: this.clock, random: (target) => this.random.bytes(target) },
      segments: {
        sync: this.#options.sync,
        segmentBytesMin: this.#options.segmentBytesMin,
        segmentBytesMax: this.#options.segmentBytesMax,
      },
      late: lateLimits,
      ...(this.random.fork('rest').bool(0.5) ? { indexRestMs: 0 } : {}),
      frames: new PoisonedFrames(),
      isRestored: this.#isRestored,
    };
    this.#engine = await EmbeddedEngine.open(options);
    this.#isRestored = false;
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    this.#engine = undefined;
  }

  /** The process dies between two turns. What the index had not synced may be there or not. */
  kill(): void {
    this.#disk = this.#disk.kill();
    this.#files = this.#through(this.#disk);
    this.#engine = undefined;
  }

  loseIndex(): void {
    this.#index = new MemoryIndexDisk();
  }

  /** The index comes back as of an earlier synced state. */
  ageIndex(random: SeededRandom): void {
    this.#index.open(random.int(this.#index.stateCount));
  }

  /** Goes on with other files, which a backup was restored to. */
  moveTo(disk: PowerCutFiles): void {
    this.#disk = disk;
    this.#files = this.#through(disk);
    this.#index = new MemoryIndexDisk();
    this.#isRestored = true;
    this.#engine = undefined;
  }

  async check(): Promise<readonly string[]> {
    return (await checkDatabase(this.engine, this.#files)).problems;
  }

  #through(disk: PowerCutFiles): FileSystem {
    return turningFiles(disk, this.random.fork('files'));
  }
}
