import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDatabaseError } from '@tidemark/model';
import { FaultFiles, freshSeed, isLong, SeededRandom } from '@tidemark/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../src/database.ts';
import { openDatabase } from '../src/database.ts';
import type { FileSystem, IndexProvider, MemoryIndexSnapshot } from '../src/internal.ts';
import { memoryFiles, memoryIndex, openLmdbIndex, systemEnvironment } from '../src/internal.ts';
import { FrameView, frameHeaderBytes, frameKind, readFrameHeader } from '../src/log/frame.ts';
import { segmentHeaderBytes } from '../src/log/segment.ts';
import { aContainer, aFolder, feedOf, openOn, parsed, refusal } from './harness.ts';

/** A byte of a segment, and whether anything depends on it. */
interface Place {
  readonly path: string;
  readonly offset: number;
  readonly kind: string;
}

interface World {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly index: MemoryIndexSnapshot;
  /** id → the value that every reader must be shown. */
  readonly documents: ReadonlyMap<string, unknown>;
  /** `id lsn` → the version as the history shows it. */
  readonly versions: ReadonlyMap<string, string>;
  readonly places: readonly Place[];
}

const documentCount = 40;
const historyMs = 3_600_000;
const seed = isLong ? freshSeed('bit rot') : 1;
let world: World;

beforeAll(async () => {
  world = await makeWorld();
});

describe('[engine 4] a flipped byte', () => {
  test('is never served and always named, wherever in a segment it is, while the database runs', async () => {
    const random = new SeededRandom(`${seed} running`);

    for (const place of choose(world.places, random, 72)) {
      const { files, index } = copyOf(world);
      const rotten = new FaultFiles(files);
      const database = await openOn(rotten, { index });
      rotten.flip(place.path, place.offset, 1 << random.int(8));
      const what = `seed ${seed}, ${describePlace(place)}`;

      await expectOnlyTruth(database, place, what);
      const report = await database.check();
      await database.close();

      expect(report.problems.join('\n'), `check, ${what}`).toContain(place.path);
    }
  });

  test('in any segment refuses the open or is never served, with the index and without it', async () => {
    const random = new SeededRandom(`${seed} opening`);
    let refused = 0;

    for (const place of choose(world.places, random, 72)) {
      for (const hasIndex of [true, false]) {
        const { files, index } = copyOf(world);
        const rotten = new FaultFiles(files);
        rotten.flip(place.path, place.offset, 1 << random.int(8));
        const what = `seed ${seed}, ${describePlace(place)}, ${hasIndex ? 'with' : 'without'} index`;
        const before = await namesIn(files);

        let database: Database;
        try {
          database = await openOn(rotten, hasIndex ? { index } : {});
        } catch (error) {
          refused += 1;
          expectNamed(error, place, what);
          expect(await namesIn(files), `nothing is cut, ${what}`).toEqual(before);
          continue;
        }
        // Without the index every frame is read: only the end of the newest segment may count as torn.
        if (!hasIndex) expect(['end of the newest segment'], what).toContain(place.kind);
        await expectOnlyTruth(database, place, what);
        await database.close();
      }
    }

    expect(refused).toBeGreaterThan(0);
  });

  test('in a sealed segment is not copied by compaction, and its files stay', async () => {
    const random = new SeededRandom(`${seed} compaction`);
    const sealed = world.places.filter(({ kind }) => kind === 'body' || kind === 'table' || kind === 'frame header');
    let found = 0;

    for (const place of choose(sealed, random, 30)) {
      const { files, index } = copyOf(world);
      const rotten = new FaultFiles(files);
      const database = await openOn(rotten, { index });
      const container = database.container('d', 'c');
      rotten.flip(place.path, place.offset, 1 << random.int(8));
      // Everything old is superseded in another container's eyes only: compaction still has to read it.
      await database.replaceContainer('d', { ...container.info.definition }, { historyMs: 0 });
      const what = `seed ${seed}, ${describePlace(place)}`;

      try {
        while (await database.engine.compact());
      } catch (error) {
        found += 1;
        expectNamed(error, place, what);
        expect(await namesIn(files), what).toContain(place.path.slice('segments/'.length));
      }
      await expectOnlyTruth(database, place, what, false);
      await database.close();
    }

    expect(found).toBeGreaterThan(0);
  });

  test('between two documents of a page is never served', async () => {
    const { files, index } = copyOf(world);
    const rotten = new FaultFiles(files);
    const database = await openOn(rotten, { index });
    const commas = world.places.filter(({ kind }) => kind === 'comma');

    for (const place of commas) {
      rotten.flip(place.path, place.offset);
      await expectOnlyTruth(database, place, describePlace(place));
      // The same bits again: it is whole for the next one.
      rotten.flip(place.path, place.offset);
    }
    await database.close();

    expect(commas.length).toBeGreaterThan(20);
    expect(new Set(commas.map(({ path }) => path)).size).toBeGreaterThan(1);
  });

  test('in a backup refuses the restored database', async () => {
    const random = new SeededRandom(`${seed} backup`);

    for (const place of choose(
      world.places.filter(({ kind }) => kind === 'body'),
      random,
      10,
    )) {
      const { files, index } = copyOf(world);
      const rotten = new FaultFiles(files);
      const database = await openOn(rotten, { index });
      rotten.flip(place.path, place.offset);
      const target = memoryFiles();

      const backedUp = await refusal(database.backup(target));
      const restored = backedUp.code === 'accepted' ? await refusal(openOn(target, { isRestored: true })) : backedUp;
      await database.close();

      expect(restored.code, describePlace(place)).toBe('corrupt');
      expect(restored.message).toContain(place.path);
    }
  });
});

describe('[engine 4] the end of the newest segment', () => {
  test('is taken for a torn write only when nothing valid follows', async () => {
    const { newest, frames } = newestFrames(world);
    const last = frames.at(-1) as Frame;
    const oneBefore = frames.at(-2) as Frame;

    const torn = await openFlipped(newest, last.offset + frameHeaderBytes + 3);
    const damaged = await openFlipped(newest, oneBefore.offset + frameHeaderBytes + 3);

    expect(torn.code).toBe('accepted');
    expect(damaged.code).toBe('corrupt');
    expect(damaged.message).toContain(newest);
    expect(damaged.message).toContain(`offset ${oneBefore.offset}`);
  });

  test('may be cut at any byte: what was before it is all there', async () => {
    const random = new SeededRandom(`${seed} cut`);
    const { newest, frames } = newestFrames(world);
    const last = frames.at(-1) as Frame;

    for (let i = 0; i < 20; i += 1) {
      const { files } = copyOf(world);
      const cut = last.offset + random.int(last.length);
      const file = await files.open(newest);
      await file.write(Buffer.alloc(last.offset + last.length - cut), cut);
      await file.close();

      const database = await openOn(files);
      const report = await database.check();
      const feed = database.container('d', 'c').changes({ itemsMax: 1_000 });
      const found = parsed((await feed.page()).pieces);
      await database.close();

      expect(report.problems, `cut at ${cut}, seed ${seed}`).toEqual([]);
      expect(found.length).toBeGreaterThanOrEqual(documentCount - 2);
    }
  });
});

/** Every reader answers with the truth or with `corrupt`, naming the segment. */
async function expectOnlyTruth(database: Database, place: Place, what: string, hasHistory = true): Promise<void> {
  const container = database.container('d', 'c');
  const isTorn = place.kind === 'end of the newest segment';
  const check = (value: Record<string, unknown>): void => {
    const expected = world.documents.get(String(value['id']));
    if (!isTorn) expect(withoutLsn(value), `document, ${what}`).toEqual(expected);
  };
  for (const id of world.documents.keys()) {
    await truthOf(async () => {
      const found = await container.read(id, 'p');
      if (!isTorn) expect(found, `${id} is there, ${what}`).toBeDefined();
      if (found !== undefined) check(found.value);
    });
  }
  await truthOf(async () => {
    let continuation: number | undefined;
    do {
      const options = { itemsMax: 9, ...(continuation === undefined ? {} : { continuation }) };
      const page = await container.readPage('0', options);
      for (const { value } of page.documents) check(value);
      continuation = page.continuation;
    } while (continuation !== undefined);
  });
  for (const itemsMax of [3, 1_000]) {
    await truthOf(async () => {
      const feed = container.changes({ itemsMax });
      let count = 0;
      for (let page = await feed.page(); !page.isDrained; page = await feed.page()) {
        for (const value of parsed(page.pieces)) check(value);
        count += page.count;
      }
      if (!isTorn) expect(count, `documents of the feed, ${what}`).toBe(world.documents.size);
    });
    if (!hasHistory) continue;
    await truthOf(async () => {
      const feed = container.versions({ itemsMax, previousImages: true });
      let count = 0;
      for (let page = await feed.page(); !page.isDrained; page = await feed.page()) {
        for (const change of parsed(page.pieces)) {
          if (!isTorn) expect(JSON.stringify(change), `version, ${what}`).toBe(world.versions.get(versionName(change)));
        }
        count += page.count;
      }
      if (!isTorn) expect(count, `versions, ${what}`).toBe(world.versions.size);
    });
  }

  async function truthOf(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      expectNamed(error, place, what);
    }
  }
}

function expectNamed(error: unknown, place: Place, what: string): void {
  if (!isDatabaseError(error)) throw error;
  const codes = place.kind === 'segment header' ? ['corrupt', 'format-newer', 'format-older'] : ['corrupt'];
  expect(codes, `${error.message}, ${what}`).toContain(error.code);
  expect(error.message, what).toContain(place.path);
  if (error.code === 'corrupt') expect(error.message, what).toMatch(/at offset \d+/);
}

async function openFlipped(path: string, offset: number): Promise<{ code: string; message: string }> {
  const { files } = copyOf(world);
  const rotten = new FaultFiles(files);
  rotten.flip(path, offset);
  return refusal(openOn(rotten).then((database) => database.close()));
}

async function makeWorld(): Promise<World> {
  const files = memoryFiles();
  let snapshot: MemoryIndexSnapshot = memoryIndex().snapshot();
  const onSync = (synced: MemoryIndexSnapshot): void => {
    snapshot = synced;
  };
  const index: IndexProvider = { open: async () => memoryIndex({ onSync }), discard: async () => {} };
  const database = await openOn(files, { index });
  const container = await aContainer(database, { historyMs });
  // A container that is deleted leaves dead bytes, so that there is a compacted segment.
  await database.createContainer('d', { id: 'gone', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } });
  const gone = database.container('d', 'gone');
  for (let n = 0; n < documentCount; n += 1) {
    await Promise.all([
      container.upsert({ id: `d${n}`, pk: 'p', n, text: 'a'.repeat(100 + n) }),
      gone.upsert({ id: `d${n}`, pk: 'p', text: 'b'.repeat(900) }),
    ]);
  }
  await database.deleteContainer('d', 'gone');
  for (let n = 0; n < documentCount; n += 8) {
    // Several documents in a frame: the commas between them count too.
    const eight = Array.from({ length: 8 }, (_, i) => ({ id: `d${n + i}`, pk: 'p', text: 'c'.repeat(20 + n + i) }));
    await Promise.all(eight.map((document) => container.upsert(document)));
  }
  await database.engine.settle();
  while (await database.engine.compact());
  for (let n = 0; n < 6; n += 1) await container.upsert({ id: `d${n}`, pk: 'p', n, text: 'f'.repeat(300) });
  await container.delete('d9', 'p');
  await database.engine.settle();
  const documents = new Map<string, unknown>();
  const feed = container.changes({ itemsMax: 1_000 });
  for (const value of parsed((await feed.page()).pieces)) documents.set(String(value['id']), withoutLsn(value));
  const versions = new Map<string, string>();
  const history = container.versions({ itemsMax: 1_000, previousImages: true });
  for (const change of parsed((await history.page()).pieces)) versions.set(versionName(change), JSON.stringify(change));
  await database.close();
  const copies = await bytesOf(files);
  return { files: copies, index: snapshot, documents, versions, places: placesIn(copies) };
}

function copyOf(from: World): { readonly files: FileSystem; readonly index: IndexProvider } {
  let snapshot: MemoryIndexSnapshot | undefined = from.index;
  const index: IndexProvider = {
    open: async () => memoryIndex(snapshot === undefined ? {} : { from: snapshot }),
    discard: async () => {
      snapshot = undefined;
    },
  };
  return { files: filesWith(from.files), index };
}

function filesWith(contents: ReadonlyMap<string, Buffer>): FileSystem {
  const inner = memoryFiles();
  const ready = (async () => {
    await inner.makeDirectory('segments');
    for (const [path, bytes] of contents) {
      const file = await inner.open(path, { create: true });
      await file.write(bytes, 0);
      await file.close();
    }
  })();
  return {
    open: async (path, options) => {
      await ready;
      return inner.open(path, options);
    },
    list: async (directory) => {
      await ready;
      return inner.list(directory);
    },
    rename: (a, b) => inner.rename(a, b),
    remove: (path) => inner.remove(path),
    makeDirectory: async (path) => {
      await ready;
      await inner.makeDirectory(path);
    },
    syncDirectory: (path) => inner.syncDirectory(path),
  };
}

async function bytesOf(files: FileSystem): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for (const name of await files.list('segments')) {
    const file = await files.open(`segments/${name}`);
    const bytes = Buffer.alloc(await file.sizeBytes());
    await file.read(bytes, 0);
    await file.close();
    contents.set(`segments/${name}`, bytes);
  }
  return contents;
}

interface Frame {
  readonly offset: number;
  readonly length: number;
  readonly kind: number;
  readonly bodiesOffset: number;
}

function framesIn(bytes: Buffer): Frame[] {
  const { salt } = headerOf(bytes);
  const frames: Frame[] = [];
  for (let offset = segmentHeaderBytes; ; ) {
    const header = readFrameHeader(bytes, offset, Buffer.from(salt, 'hex'));
    if (header === undefined) return frames;
    const { length, kind, bodiesOffset } = header;
    frames.push({ offset, length, kind, bodiesOffset });
    offset += length;
  }
}

function headerOf(bytes: Buffer): { salt: string; firstSequence: number; kind: string; textEnd: number } {
  const length = bytes.readUInt32LE(16);
  return { ...JSON.parse(bytes.toString('utf8', 20, 20 + length)), textEnd: 20 + length };
}

function newestFrames(from: World): { readonly newest: string; readonly frames: Frame[] } {
  const logs = [...from.files].filter(([, bytes]) => headerOf(bytes).kind === 'log');
  const [newest] = logs.sort(([, a], [, b]) => headerOf(b).firstSequence - headerOf(a).firstSequence);
  return { newest: (newest as [string, Buffer])[0], frames: framesIn((newest as [string, Buffer])[1]) };
}

/** Every byte that means something, with the kind of place it is in. */
function placesIn(files: ReadonlyMap<string, Buffer>): Place[] {
  const places: Place[] = [];
  const newest = newestOf(files);
  for (const [path, bytes] of files) {
    const add = (kind: string, from: number, to: number): void => {
      for (let offset = from; offset < to; offset += 1) places.push({ path, offset, kind });
    };
    add('segment header', 0, headerOf(bytes).textEnd);
    const frames = framesIn(bytes);
    for (const [i, frame] of frames.entries()) {
      const { offset, length, kind, bodiesOffset } = frame;
      const isEnd = path === newest && i === frames.length - 1;
      const name = isEnd ? 'end of the newest segment' : undefined;
      const isMeta = kind === frameKind.meta;
      const other = kind === frameKind.footer ? 'footer' : undefined;
      add(name ?? other ?? (isMeta ? 'META' : 'frame header'), offset, offset + frameHeaderBytes);
      add(name ?? (isMeta ? 'META' : 'table'), offset + frameHeaderBytes, offset + bodiesOffset);
      add(name ?? (isMeta ? 'META' : 'body'), offset + bodiesOffset, offset + length);
      if (name === undefined) for (const comma of commasIn(bytes, frame)) add('comma', comma, comma + 1);
    }
  }
  return places;
}

/** The commas between the documents of a run: they are served with them. */
function commasIn(bytes: Buffer, { offset, length }: Frame): number[] {
  const header = readFrameHeader(bytes, offset, Buffer.from(headerOf(bytes).salt, 'hex'));
  if (header === undefined) return [];
  const view = new FrameView(bytes.subarray(offset, offset + length), header);
  const commas: number[] = [];
  for (let run = 0; run < header.runCount; run += 1) {
    const first = view.firstRecordOfRun(run);
    for (let record = first; record < first + view.recordCountOfRun(run); record += 1) {
      const isFirst = view.bodyOffset(record) <= view.bodyOffsetOfRun(run);
      if (!isFirst) commas.push(offset + view.bodyOffset(record) - 1);
    }
  }
  return commas;
}

function newestOf(files: ReadonlyMap<string, Buffer>): string {
  const logs = [...files].filter(([, bytes]) => headerOf(bytes).kind === 'log');
  const sorted = logs.sort(([, a], [, b]) => headerOf(b).firstSequence - headerOf(a).firstSequence);
  return (sorted[0] as [string, Buffer])[0];
}

/** The same number of every kind of place, at random. */
function choose(places: readonly Place[], random: SeededRandom, count: number): Place[] {
  const kinds = [...new Set(places.map(({ kind }) => kind))];
  const byKind = kinds.map((kind) => places.filter((place) => place.kind === kind));
  return Array.from({ length: count }, (_, i) => random.pick(byKind[i % kinds.length] as Place[]));
}

function describePlace({ kind, path, offset }: Place): string {
  return `${kind} at ${path} offset ${offset}`;
}

async function namesIn(files: FileSystem): Promise<string[]> {
  return (await files.list('segments')).filter((name) => name.endsWith('.seg')).sort();
}

function withoutLsn(value: Record<string, unknown>): unknown {
  const { _lsn, ...rest } = value;
  return rest;
}

function versionName(change: Record<string, unknown>): string {
  const { current, metadata } = change as { current: { id?: string }; metadata: { lsn: number; id?: string } };
  return `${current.id ?? metadata.id} ${metadata.lsn}`;
}

describe('[engine 5] a flipped byte in the index', () => {
  test('in what the open reads has the index rebuilt, and everything is there', async () => {
    const folder = aFolder();
    try {
      const first = await openDatabase({ folder, maintenance: false });
      const container = await aContainer(first);
      await Promise.all(Array.from({ length: 200 }, (_, n) => container.upsert({ id: `d${n}`, pk: 'p', n })));
      await first.close();
      const flipped = flipAll(join(folder, 'index', 'data.mdb'), '"sequence":');

      const database = await openDatabase({ folder, maintenance: false });
      const found = await feedOf(database.container('d', 'c'));
      const report = await database.check();
      await database.close();

      expect(flipped).toBeGreaterThan(0);
      expect(found.size).toBe(200);
      expect(report.problems).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('in an entry is found when the entry is read, and the next open rebuilds the index', async () => {
    const folder = aFolder();
    try {
      let damage = 0;
      const onDamage = (): void => {
        damage += 1;
      };
      const options = { clock: systemEnvironment().clock, onDamage };
      const index = await openLmdbIndex(folder, options);
      const entry = { key: Buffer.from('some key'), value: Buffer.from('-value of an entry-') };
      await index.apply([entry, { key: Buffer.from('other key'), value: Buffer.from('whole') }]);
      await index.sync();
      await index.close();
      const flipped = flipAll(join(folder, 'data.mdb'), '-value of ');

      const again = await openLmdbIndex(folder, options);
      const whole = again.get(Buffer.from('other key'))?.toString();
      const got = await refusal(Promise.resolve().then(() => again.get(entry.key)));
      const bounds = { from: Buffer.from('a'), to: Buffer.from('z'), limit: 10 };
      const lent = await refusal(Promise.resolve().then(() => again.lend?.(entry.key)));
      const ranged = await refusal(Promise.resolve().then(() => again.range(bounds)));
      await again.close();

      expect(flipped).toBeGreaterThan(0);
      expect(whole).toBe('whole');
      expect(got.code).toBe('corrupt');
      expect(got.message).toContain(folder);
      expect(lent).toEqual(got);
      expect(ranged.code).toBe('corrupt');
      expect(damage).toBe(3);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Flips a bit behind every occurrence of a text in a file; resolves with how many there were. */
function flipAll(path: string, text: string): number {
  const bytes = readFileSync(path);
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const offset = at + text.length;
    bytes[offset] = (bytes[offset] as number) ^ 1;
    count += 1;
  }
  writeFileSync(path, bytes);
  return count;
}
