// Feeds over more than one read fetches: windows that are read ahead, memory that is given back and used again, frames with
// the runs of many ranges, and runs of which some records are superseded.

import { isDatabaseError } from '@tidemark/model';
import { FaultFiles } from '@tidemark/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import { Database } from '../src/database.ts';
import type { LogFile } from '../src/files/file-system.ts';
import type { FileSystem, IndexProvider } from '../src/internal.ts';
import { EmbeddedEngine, memoryFiles, systemEnvironment } from '../src/internal.ts';
import { aContainer, keptIndex, parsed } from './harness.ts';

const MiB = 1024 * 1024;
/** About 10 MiB of them. */
const documentCount = 900;

interface World {
  readonly database: Database;
  readonly container: Container;
  readonly files: FaultFiles;
  /** id → how long its text is. */
  readonly expected: ReadonlyMap<string, number>;
}

for (const ranges of [1, 5]) {
  describe(`[engine 7] a large feed of ${ranges} ${ranges === 1 ? 'range' : 'ranges'}`, () => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld(ranges);
    });

    test('has every document once, whatever the pages, whether their memory is given back or not', async () => {
      for (const bytesMax of [200_000, 1 * MiB, 4 * MiB]) {
        for (const itemsMax of [7, 100, 10_000]) {
          expect(await readAll(world.container, { itemsMax, bytesMax })).toEqual(world.expected);
        }
      }
    });

    test('is the same for readers who take turns, one of whom gives nothing back', async () => {
      const options = { itemsMax: 10_000, bytesMax: 1 * MiB };
      const careful = world.container.changes(options);
      const careless = world.container.changes(options);
      const kept: { readonly pieces: readonly Buffer[] }[] = [];
      const found = new Map<string, number>();
      for (let isDone = false; !isDone; ) {
        const [a, b] = await Promise.all([careful.page(), careless.page()]);
        note(found, a.pieces);
        a.release?.();
        kept.push(b);
        isDone = a.isDrained && b.isDrained;
      }
      const keptFound = new Map<string, number>();
      for (const page of kept) note(keptFound, page.pieces);

      expect(found).toEqual(world.expected);
      expect(keptFound).toEqual(world.expected);
    });

    test('answers with the truth or with the place of the damage, also in what was read ahead', async () => {
      let found = 0;
      const sealed = [...(await world.files.list('segments'))].sort();
      for (const [i, name] of sealed.entries()) {
        const path = `segments/${name}`;
        const offset = 100_000 + i * 7_919;
        world.files.flip(path, offset);
        try {
          expect(await readAll(world.container, { itemsMax: 10_000, bytesMax: 4 * MiB })).toEqual(world.expected);
        } catch (error) {
          if (!isDatabaseError(error)) throw error;
          found += 1;
          expect(error.code).toBe('corrupt');
          expect(error.message).toContain(path);
        }
        world.files.flip(path, offset);
      }
      expect(found).toBeGreaterThan(0);
    });

    test('is the same after compaction', async () => {
      while (await world.database.engine.compact());

      for (const bytesMax of [200_000, 4 * MiB]) {
        expect(await readAll(world.container, { itemsMax: 10_000, bytesMax })).toEqual(world.expected);
      }
      expect((await world.database.check()).problems).toEqual([]);
    });
  });
}

describe('a document that was replaced again and again', () => {
  test('[engine 11] leaves everybody else their turns, while it is written and while a small page looks for it', async () => {
    const files = new CountingFiles(memoryFiles());
    const database = await openLarge(files, keptIndex());
    const container = await aContainer(database);
    const turns = new TurnCounter();
    for (let n = 0; n < 4_000; n += 1) await container.upsert({ id: 'hot', pk: 'p', n });
    const turnsOfWrites = turns.stop();
    await database.engine.settle();
    files.reads = 0;
    const turnsWhileRead = new TurnCounter();
    const page = await container.changes({ itemsMax: 1 }).page();
    const turnsOfPage = turnsWhileRead.stop();
    await database.close();

    expect(parsed(page.pieces)).toMatchObject([{ id: 'hot', n: 3_999 }]);
    expect(turnsOfWrites).toBeGreaterThan(20);
    expect(turnsOfPage).toBeGreaterThan(3);
    // 2 MiB of them, in reads of up to 1 MiB; one index entry lists 64 frames.
    expect(files.reads).toBeLessThan(100);
  });
});

describe('readers who take turns with small pages', () => {
  test('[engine 7] read no more from the disk together than each would alone', async () => {
    const files = new CountingFiles(memoryFiles());
    const index = keptIndex();
    const first = await openLarge(files, index);
    await aContainer(first);
    await writeAll(first.container('d', 'c'), 240);
    await first.close();
    const database = await openLarge(files, index);
    const container = database.container('d', 'c');
    const readers = (count: number) => Array.from({ length: count }, () => container.changes({ itemsMax: 5 }));
    files.reads = 0;
    await readInTurns(readers(1));
    const readsOfOne = files.reads;
    files.reads = 0;

    await readInTurns(readers(12));
    await database.close();

    expect(readsOfOne).toBeGreaterThan(0);
    expect(files.reads).toBeLessThanOrEqual(12 * readsOfOne);
  });
});

async function readInTurns(feeds: readonly ReturnType<Container['changes']>[]): Promise<void> {
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const feed of feeds) {
      const page = await feed.page();
      if (!page.isDrained) isDone = false;
      page.release?.();
    }
  }
}

/** Turns of the event loop since it was made. */
class TurnCounter {
  #turns = 0;
  #next: NodeJS.Immediate = this.#wait();

  stop(): number {
    clearImmediate(this.#next);
    return this.#turns;
  }

  #wait(): NodeJS.Immediate {
    return setImmediate(() => {
      this.#turns += 1;
      this.#next = this.#wait();
    });
  }
}

/** Counts the reads of all its files. */
class CountingFiles implements FileSystem {
  reads = 0;
  readonly #files: FileSystem;

  constructor(files: FileSystem) {
    this.#files = files;
  }

  async open(path: string, options?: { readonly create?: boolean }): Promise<LogFile> {
    const file = await this.#files.open(path, options);
    const count = (): void => {
      this.reads += 1;
    };
    return new Proxy(file, {
      get(target, name) {
        if (name === 'read' || name === 'readSync') count();
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  list = (directory: string): Promise<string[]> => this.#files.list(directory);
  rename = (from: string, to: string): Promise<void> => this.#files.rename(from, to);
  remove = (path: string): Promise<void> => this.#files.remove(path);
  makeDirectory = (path: string): Promise<void> => this.#files.makeDirectory(path);
  syncDirectory = (path: string): Promise<void> => this.#files.syncDirectory(path);
}

/** Half of the pages are given back. */
async function readAll(
  container: Container,
  options: { readonly itemsMax: number; readonly bytesMax: number },
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const feed = container.changes(options);
  let pages = 0;
  for (let page = await feed.page(); !page.isDrained; page = await feed.page()) {
    expect(page.count).toBeLessThanOrEqual(options.itemsMax);
    expect(note(found, page.pieces)).toBe(page.count);
    pages += 1;
    if (pages % 2 === 0) page.release?.();
  }
  return found;
}

/** Adds the documents; each only once, and whole. Returns how many there were. */
function note(found: Map<string, number>, pieces: readonly Buffer[]): number {
  const values = parsed(pieces);
  for (const { id, text, n } of values as { id: string; text: string; n: number }[]) {
    expect(found.has(id), `${id} came before`).toBe(false);
    expect(text).toBe(textOf(n));
    found.set(id, text.length);
  }
  return values.length;
}

/** Every one another. */
function textOf(n: number): string {
  return `${n}-`.repeat(Math.ceil((8_000 + (n % 17) * 500) / `${n}-`.length));
}

function write(container: Container, n: number, as: number): Promise<unknown> {
  return container.upsert({ id: `d${n}`, pk: `p${n % 50}`, n: as, text: textOf(as) });
}

async function writeAll(container: Container, count: number): Promise<void> {
  for (let n = 0; n < count; n += 60) {
    await Promise.all(Array.from({ length: 60 }, (_, i) => write(container, n + i, n + i)));
  }
}

async function makeWorld(ranges: number): Promise<World> {
  const files = new FaultFiles(memoryFiles());
  const index = keptIndex();
  const first = await openLarge(files, index);
  const container = await aContainer(first, { ranges });
  await writeAll(container, documentCount);
  const expected = new Map(Array.from({ length: documentCount }, (_, n) => [`d${n}`, textOf(n).length]));
  // Some runs stay whole, of some a record is superseded or deleted.
  for (let n = 0; n < documentCount / 2; n += 90) {
    await write(container, n, n + 100_000);
    expected.set(`d${n}`, textOf(n + 100_000).length);
    await container.delete(`d${n + 1}`, `p${(n + 1) % 50}`);
    expected.delete(`d${n + 1}`);
  }
  await first.close();
  // Opened again it has its files under the names by which the test damages them.
  const database = await openLarge(files, index);
  return { database, container: database.container('d', 'c'), files, expected };
}

async function openLarge(files: FileSystem, index: IndexProvider): Promise<Database> {
  const environment = systemEnvironment();
  const segments = { sync: 'full', segmentBytesMin: 4 * MiB, segmentBytesMax: 4 * MiB } as const;
  const engine = await EmbeddedEngine.open({ files, index, environment, segments, isRestored: false });
  return new Database(engine, { files, environment, runsMaintenance: false, release: async () => {} });
}
