// The embedded engine as the contract takes it: in memory, and in a folder with LMDB.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileSystem, IndexProvider, RangeEngine } from '@tidemark/engine/internal';
import { EmbeddedEngine, lmdbIndexProvider, maintainOnce, memoryFiles, nodeFiles } from '@tidemark/engine/internal';
import { FaultFiles } from '../fault-files.ts';
import type { Gate } from '../gate.ts';
import { MemoryIndexDisk } from '../memory-index-disk.ts';
import { PoisonedFrames } from '../poisoned-frames.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import type { EngineUnderTest, MakeEngine } from './bench.ts';

export interface EmbeddedVariation {
  /** Puts something between the engine and its files. */
  files?(files: FileSystem): FileSystem;
  /** Puts something between the engine and the contract. */
  engine?(engine: EmbeddedEngine): RangeEngine;
}

const segmentBytesMin: number = 256 * 1024;
const segmentBytesMax: number = 4 * 1024 * 1024;

/** Files and index in memory; both survive a reopen. */
export function memoryEngine(variation: EmbeddedVariation = {}): MakeEngine {
  return async ({ clock }) => {
    const files = memoryFiles();
    let disk = new MemoryIndexDisk();
    const index: IndexProvider = {
      open: async () => disk.open(),
      discard: async () => {
        disk = new MemoryIndexDisk();
      },
    };
    return EmbeddedUnderTest.open({ files, index, clock, variation, remove: async () => {} });
  };
}

/** A folder of its own below the system's temporary one, removed with the engine. */
export function folderEngine(variation: EmbeddedVariation = {}): MakeEngine {
  return async ({ clock }) => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-contract-'));
    const files = nodeFiles(folder);
    const index = lmdbIndexProvider(folder, files, environmentOf(clock));
    const remove = () => rm(folder, { recursive: true, force: true });
    return EmbeddedUnderTest.open({ files, index, clock, variation, remove });
  };
}

interface Parts {
  readonly files: FileSystem;
  readonly index: IndexProvider;
  readonly clock: VirtualClock;
  readonly variation: EmbeddedVariation;
  remove(): Promise<void>;
}

class EmbeddedUnderTest implements EngineUnderTest {
  readonly #parts: Parts;
  readonly #faults: FaultFiles;
  #embedded: EmbeddedEngine;
  #engine: RangeEngine;

  private constructor(parts: Parts, faults: FaultFiles, embedded: EmbeddedEngine) {
    this.#parts = parts;
    this.#faults = faults;
    this.#embedded = embedded;
    this.#engine = parts.variation.engine?.(embedded) ?? embedded;
  }

  static async open(parts: Parts): Promise<EmbeddedUnderTest> {
    const faults = new FaultFiles(parts.files);
    return new EmbeddedUnderTest(parts, faults, await openEmbedded(parts, faults));
  }

  get engine(): RangeEngine {
    return this.#engine;
  }

  settle(): Promise<void> {
    return this.#embedded.settle();
  }

  runJobs(): Promise<void> {
    return maintainOnce(this.#embedded);
  }

  async reopen(): Promise<void> {
    await this.#embedded.close();
    this.#embedded = await openEmbedded(this.#parts, this.#faults);
    this.#engine = this.#parts.variation.engine?.(this.#embedded) ?? this.#embedded;
  }

  holdFlush(): Gate {
    // Not just any sync: the next segment is made ready in the background.
    const active = this.#faults.log.findLast(({ operation }) => operation === 'write');
    if (active === undefined) throw new Error('nothing has been written yet');
    return this.#faults.hold('sync', { path: active.path });
  }

  async close(): Promise<void> {
    await this.#embedded.close();
    await this.#parts.remove();
  }
}

function openEmbedded({ index, clock, variation }: Parts, faults: FaultFiles): Promise<EmbeddedEngine> {
  const files = variation.files?.(faults) ?? faults;
  const segments = { sync: 'full', segmentBytesMin, segmentBytesMax } as const;
  const frames = new PoisonedFrames();
  return EmbeddedEngine.open({ files, index, environment: environmentOf(clock), segments, frames, isRestored: false });
}

function environmentOf(clock: VirtualClock): { clock: VirtualClock; random(target: Uint8Array): void } {
  const random = new SeededRandom('contract');
  return { clock, random: (target) => random.bytes(target) };
}
