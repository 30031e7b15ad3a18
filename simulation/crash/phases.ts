// Watches what the engine does through its two seams, announces the phases, and holds an operation where it is told to.

import { writeSync } from 'node:fs';
import type { FileSystem, IndexChange, IndexProvider, IndexStore, LogFile } from '@tidemark/engine/internal';
import type { Message, Orders, Phase } from './protocol.ts';

const reportFd = 3;

/** Blocks until the kernel has the line: it outlives this process. */
export function report(message: Message): void {
  const line = Buffer.from(`${JSON.stringify(message)}\n`);
  let written = 0;
  while (written < line.length) {
    try {
      written += writeSync(reportFd, line, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

export class Phases {
  acks = 0;
  readonly #hold: Orders['hold'];
  readonly #on = new Set<Phase>();
  #step = 0;
  #isHeld = false;

  constructor(hold: Orders['hold']) {
    this.#hold = hold;
  }

  async during<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    this.begin(phase);
    try {
      return await work();
    } finally {
      this.end(phase);
    }
  }

  begin(phase: Phase): void {
    if (this.#on.has(phase)) return;
    this.#on.add(phase);
    report({ kind: 'phase', phase, isOn: true });
  }

  end(phase: Phase): void {
    if (this.#on.delete(phase)) report({ kind: 'phase', phase, isOn: false });
  }

  /** A place where the phase that is to be held may stop for ever. */
  async step(name: string): Promise<void> {
    const hold = this.#hold;
    if (hold === undefined || this.#isHeld || !this.#on.has(hold.phase) || this.acks < hold.afterAcks) return;
    this.#step += 1;
    if (this.#step <= hold.step) return;
    this.#isHeld = true;
    report({ kind: 'held', phase: hold.phase, step: name });
    await new Promise(() => {});
  }
}

export function watchedFiles(inner: FileSystem, phases: Phases): FileSystem {
  const around = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    await phases.step(`before ${name}`);
    const result = await work();
    await phases.step(`after ${name}`);
    return result;
  };
  return {
    open: async (path, options) => new WatchedFile(path, await inner.open(path, options), phases),
    list: (directory) => inner.list(directory),
    rename: (from, to) => around(`rename ${to}`, () => inner.rename(from, to)),
    remove: (path) => around(`remove ${path}`, () => inner.remove(path)),
    makeDirectory: (path) => inner.makeDirectory(path),
    syncDirectory: async (path) => {
      await around(`sync of folder ${path}`, () => inner.syncDirectory(path));
      phases.end('roll');
    },
  };
}

class WatchedFile implements LogFile {
  readonly #path: string;
  readonly #inner: LogFile;
  readonly #phases: Phases;

  constructor(path: string, inner: LogFile, phases: Phases) {
    this.#path = path;
    this.#inner = inner;
    this.#phases = phases;
  }

  preallocate(sizeBytes: number, pace?: (doneBytes: number) => Promise<void>): Promise<void> {
    return this.#inner.preallocate(sizeBytes, pace);
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    // A spare gets its header when the log rolls over to it, and is given its name right after.
    if (offset === 0 && this.#path.startsWith('segments/spare-')) this.#phases.begin('roll');
    // The output of a compaction; the phase ends when `compact` does.
    if (offset === 0 && /^segments\/\d+\.tmp$/.test(this.#path)) this.#phases.begin('compaction');
    await this.#phases.step(`before write of ${this.#path}`);
    await this.#inner.write(bytes, offset);
    await this.#phases.step(`after write of ${this.#path}`);
  }

  async writeDurably(bytes: Uint8Array, offset: number): Promise<void> {
    await this.#phases.step(`before durable write of ${this.#path}`);
    if (this.#inner.writeDurably !== undefined) await this.#inner.writeDurably(bytes, offset);
    else {
      await this.#inner.write(bytes, offset);
      await this.#inner.sync();
    }
    await this.#phases.step(`after durable write of ${this.#path}`);
  }

  async seal(): Promise<void> {
    await this.#inner.seal?.();
  }

  async sync(): Promise<void> {
    await this.#phases.step(`before sync of ${this.#path}`);
    await this.#inner.sync();
    await this.#phases.step(`after sync of ${this.#path}`);
  }

  readSync(target: Uint8Array, offset: number): number {
    return this.#inner.readSync(target, offset);
  }

  read(target: Uint8Array, offset: number): Promise<number> {
    return this.#inner.read(target, offset);
  }

  sizeBytes(): Promise<number> {
    return this.#inner.sizeBytes();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

export function watchedIndex(provider: IndexProvider, phases: Phases): IndexProvider {
  return { ...provider, open: async () => new WatchedIndex(await provider.open(), phases) };
}

class WatchedIndex implements IndexStore {
  readonly keyBytesMax: number;
  readonly #inner: IndexStore;
  readonly #phases: Phases;

  constructor(inner: IndexStore, phases: Phases) {
    this.keyBytesMax = inner.keyBytesMax;
    this.#inner = inner;
    this.#phases = phases;
  }

  get(key: Buffer): Buffer | undefined {
    return this.#inner.get(key);
  }

  range(options: Parameters<IndexStore['range']>[0]): ReturnType<IndexStore['range']> {
    return this.#inner.range(options);
  }

  async apply(changes: readonly IndexChange[]): Promise<void> {
    this.#phases.begin('index');
    await this.#phases.step('before an index transaction');
    await this.#inner.apply(changes);
    await this.#phases.step('after an index transaction');
  }

  async sync(): Promise<void> {
    await this.#inner.sync();
    await this.#phases.step('after the flush of an index transaction');
    this.#phases.end('index');
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
