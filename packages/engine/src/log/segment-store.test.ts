// The segments of a folder: what is durable before what, and when a file goes.

import { FaultFiles, PowerCutFiles, SeededRandom, VirtualClock } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../files/file-system.ts';
import { memoryFiles } from '../files/memory-files.ts';
import { openSegmentsMax } from '../limits.ts';
import { segmentFolder, segmentHeaderBytes, segmentPath } from './segment.ts';
import { SegmentStore } from './segment-store.ts';

const options = { sync: 'full', segmentBytesMin: 8_192, segmentBytesMax: 16_384 } as const;
const meta = Buffer.alloc(64, 1);

test('a segment that has its name has its header and first frame, whatever the power does [engine 4]', async () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const random = new SeededRandom(`roll-${seed}`);
    const files = new PowerCutFiles();
    await files.makeDirectory(segmentFolder);
    await files.syncDirectory('.');
    files.cutAfter(random.int(14));
    const store = aStore(files);
    await store.roll(1, 0, () => ({ bytes: meta, records: 1 })).catch(() => {});
    const after = files.cut(random);

    const found = aStore(after);
    await found.load(new Map());

    for (const segment of found.all) {
      expect(segment.header.firstSequence).toBe(1);
      const bytes = Buffer.alloc(meta.length);
      await (await after.open(segmentPath(segment.id))).read(bytes, segmentHeaderBytes);
      expect(bytes.equals(meta)).toBe(true);
    }
  }
});

test('reads what was appended, and nothing of a segment that is gone', async () => {
  const store = await opened(memoryFiles());
  await store.append(Buffer.from('a frame.'), 1);

  expect(String(await store.read(1, segmentHeaderBytes + meta.length, 8))).toBe('a frame.');
  await store.retire([1]);
  expect(await store.read(1, 0, 8)).toBeUndefined();
});

test('a file that is held goes when it is let go, and not before [engine 9]', async () => {
  const files = memoryFiles();
  const store = await opened(files);
  await store.roll(2, 0, () => ({ bytes: meta, records: 1 }));
  const release = store.hold(store.all);

  await store.retire([1]);

  expect(await files.list(segmentFolder)).toContain('00000001.seg');
  await release();
  expect(await files.list(segmentFolder)).not.toContain('00000001.seg');
});

test('[engine 4] the next segment keeps ahead of one that is written, and is there when it is needed', async () => {
  const done: number[] = [];
  const store = await opened(partedFiles(memoryFiles(), done));
  done.length = 0;
  await store.append(Buffer.alloc(1_024), 1);
  await new Promise((resolve) => setImmediate(resolve));
  const before = [...done];

  await store.roll(2, 0, () => ({ bytes: meta, records: 1 }));

  // 5 KiB of 8 are used: the 16 KiB of the next one may be there to the last.
  expect(before.at(-1)).toBeGreaterThanOrEqual(9 * 1_024);
  expect(store.active.id).toBe(2);
});

test('[engine 4] whoever needs the next segment early has it finished', async () => {
  const store = await opened(partedFiles(memoryFiles(), []));
  await store.roll(2, 0, () => ({ bytes: meta, records: 1 }));
  await store.append(Buffer.alloc(8), 1);
  await new Promise((resolve) => setImmediate(resolve));

  await store.roll(3, 0, () => ({ bytes: meta, records: 1 }));

  expect(store.active.id).toBe(3);
});

test('[engine 4] a store that is closed does not write the rest of the next segment', async () => {
  const done: number[] = [];
  const files = partedFiles(memoryFiles(), done);
  const store = await opened(files);
  // Of a large segment hardly anything is used.
  await store.roll(2, 0, () => ({ bytes: meta, records: 1 }));
  done.length = 0;
  await store.append(Buffer.alloc(8), 1);
  await new Promise((resolve) => setImmediate(resolve));

  await store.close();

  expect(done.at(-1) ?? 0).toBeLessThan(15 * 1_024);
  expect(await files.list(segmentFolder)).toEqual(['00000001.seg', '00000002.seg']);
});

test('a file that is let go while those before it are being removed goes once [engine 9]', async () => {
  const files = memoryFiles();
  const store = await opened(files);
  await store.roll(2, 0, () => ({ bytes: meta, records: 1 }));
  await store.roll(3, 0, () => ({ bytes: meta, records: 1 }));
  const letGo = store.hold(store.all.filter(({ id }) => id === 2));

  const retired = store.retire([1, 2]);
  await Promise.all([retired, letGo()]);

  expect(await files.list(segmentFolder)).not.toContain(segmentPath(2).slice(segmentFolder.length + 1));
});

test('all segments of a retirement are gone at once, also while the first file is being removed', async () => {
  const store = await opened(memoryFiles());
  for (const sequence of [2, 3]) await store.roll(sequence, 0, () => ({ bytes: meta, records: 1 }));

  const retired = store.retire([1, 2]);

  expect(store.all.map((segment) => segment.id)).toEqual([3]);
  await retired;
});

test('leftovers without a name of their own are removed, and a spare goes with the store', async () => {
  const files = memoryFiles();
  const store = await opened(files);
  await files.open(`${segmentFolder}/7.tmp`, { create: true });
  await store.close();

  await aStore(files).load(new Map());

  expect(await files.list(segmentFolder)).toEqual(['00000001.seg']);
});

test('of two segments that begin with the same frame the younger one counts', async () => {
  const store = await opened(memoryFiles());
  await store.roll(5, 0, () => ({ bytes: meta, records: 1 }));
  await store.roll(5, 0, () => ({ bytes: meta, records: 1 }));

  expect(store.all.map((segment) => segment.id)).toEqual([1, 2, 3]);
});

test('a frame larger than a segment gets one of its own size', async () => {
  const store = await opened(memoryFiles());

  await store.roll(2, 100_000, () => ({ bytes: meta, records: 1 }));

  expect(store.hasRoomFor(100_000)).toBe(true);
});

test("with sync: 'os' a segment is flushed before the next one has its name [engine 6]", async () => {
  const files = new FaultFiles(memoryFiles());
  await files.makeDirectory(segmentFolder);
  const store = new SegmentStore(files, environment(), { ...options, sync: 'os' });
  await store.roll(1, 0, () => ({ bytes: meta, records: 1 }));
  await store.append(Buffer.from('not flushed'), 1);
  const before = files.log.length;

  await store.roll(2, 0, () => ({ bytes: meta, records: 1 }));

  const done = files.log.slice(before).map((entry) => entry.operation);
  expect(done.indexOf('sync')).toBeLessThan(done.indexOf('rename'));
  expect(done.indexOf('sync')).toBeGreaterThanOrEqual(0);
});

test('old segments are read at once while hardly any read is slow, and else by threads for a while', async () => {
  const clock = new SlowClock();
  const files = memoryFiles();
  await files.makeDirectory(segmentFolder);
  const store = new SegmentStore(timedFiles(files, clock), { ...environment(), clock, memoryBytes: 1 }, options);
  for (const sequence of [1, 2]) await store.roll(sequence, 0, () => ({ bytes: meta, records: 1 }));
  /** How many of 1,000 reads are made at once, when one in so many takes so long. */
  const madeAtOnce = (slowMs: number, oneIn: number): number => {
    let count = 0;
    for (let i = 0; i < 1_000; i += 1) {
      clock.readMs = i % oneIn === oneIn - 1 ? slowMs : 0;
      if (Buffer.isBuffer(store.read(1, segmentHeaderBytes, 8))) count += 1;
    }
    return count;
  };

  expect(madeAtOnce(0, 1)).toBe(1_000);
  expect(madeAtOnce(0.05, 1)).toBe(1_000);
  // Interrupted by others now and then, for however long.
  expect(madeAtOnce(100, 300)).toBe(1_000);
  // A disk, from which some come.
  expect(madeAtOnce(4, 10)).toBe(20);
  await clock.advance(499);
  expect(madeAtOnce(0, 1)).toBe(0);
  expect(Buffer.isBuffer(store.read(2, segmentHeaderBytes, 8))).toBe(true);
  await clock.advance(1);
  expect(madeAtOnce(0, 1)).toBe(1_000);
});

test('where reads from the disk are counted, a slow read that none of them was does not count', async () => {
  const clock = new SlowClock();
  const inner = memoryFiles();
  await inner.makeDirectory(segmentFolder);
  let blocks = 7;
  const files: FileSystem = Object.assign(timedFiles(inner, clock), { blocksRead: () => blocks });
  const store = new SegmentStore(files, { ...environment(), clock, memoryBytes: 1 }, options);
  for (const sequence of [1, 2]) await store.roll(sequence, 0, () => ({ bytes: meta, records: 1 }));
  const isMadeAtOnce = (): boolean => Buffer.isBuffer(store.read(1, segmentHeaderBytes, 8));
  clock.readMs = 4;
  const interrupted = Array.from({ length: 100 }, isMadeAtOnce);

  const fromDisk = Array.from({ length: 100 }, () => {
    blocks += 8;
    return isMadeAtOnce();
  });

  expect(interrupted).not.toContain(false);
  expect(fromDisk.filter(Boolean).length).toBeLessThan(5);
});

test('of many segments those read last stay open, and no more than the limit', async () => {
  const files = new FaultFiles(memoryFiles());
  const store = await reopened(files, openSegmentsMax + 2);
  const readAll = async (ids: readonly number[]): Promise<number> => {
    const before = files.count('open');
    for (const id of ids) expect(await store.read(id, segmentHeaderBytes, 8)).toHaveLength(8);
    return files.count('open') - before;
  };
  const ids = store.all.map((segment) => segment.id).filter((id) => id !== store.active.id);

  expect(await readAll(ids)).toBe(openSegmentsMax + 2);
  expect(store.all.filter((segment) => segment.file !== undefined)).toHaveLength(openSegmentsMax);
  // The first three were closed, since the active one counts too; the last ones were not.
  expect(await readAll(ids.slice(-100))).toBe(0);
  expect(await readAll(ids.slice(0, 1))).toBe(1);
});

test('when the process may open no more files, the store closes some of its own', async () => {
  const files = new FaultFiles(memoryFiles());
  const store = await reopened(files, 20);
  for (let id = 1; id <= 19; id += 1) await store.read(id, segmentHeaderBytes, 8);
  files.fail('open', { code: 'EMFILE' });

  expect(await store.read(20, segmentHeaderBytes, 8)).toHaveLength(8);
  expect(store.all.filter((segment) => segment.file !== undefined)).toHaveLength(11);

  await store.roll(22, 0, () => ({ bytes: meta, records: 1 }));
  files.fail('open', { code: 'EMFILE' });
  await store.roll(23, 0, () => ({ bytes: meta, records: 1 }));
  expect(store.active.header.firstSequence).toBe(23);
});

describe('what is retired while a keeper is there [M20]', () => {
  test('has no name any more, is read by the keeper alone, and is closed when that lets go', async () => {
    const files = new FaultFiles(memoryFiles());
    const store = await reopened(files, 4);
    const segments = store.all;
    const keeper = store.keepRetired();
    await store.retire([1, 2]);
    const late = store.keepRetired();
    await store.retire([3]);

    expect(await files.list(segmentFolder)).not.toContain('00000001.seg');
    expect(await store.read(1, segmentHeaderBytes, 8)).toBeUndefined();
    expect(await store.read(1, segmentHeaderBytes, 8, late)).toBeUndefined();
    for (const id of [1, 2, 3]) expect(await store.read(id, segmentHeaderBytes, 8, keeper)).toHaveLength(8);
    expect(await store.read(3, segmentHeaderBytes, 8, late)).toHaveLength(8);
    await store.letGo(keeper);
    expect(segments.map(({ file }) => file !== undefined).slice(0, 3)).toEqual([false, false, true]);
    await store.letGo(late);
    expect(segments[2]?.file).toBeUndefined();
  });

  test('goes also when its file cannot be opened: the keeper is broken', async () => {
    const files = new FaultFiles(memoryFiles());
    const store = await reopened(files, 4);
    const keeper = store.keepRetired();
    files.fail('open', { code: 'EIO' });

    await store.retire([1, 2]);

    expect(await files.list(segmentFolder)).not.toContain('00000001.seg');
    expect(keeper.isBroken).toBe(true);
    await store.letGo(keeper);
  });

  test('is closed and removed also when the removal of another one fails', async () => {
    const files = new FaultFiles(memoryFiles());
    const store = await reopened(files, 4);
    const segments = store.all;
    const keeper = store.keepRetired();
    files.fail('remove', { code: 'EIO' });

    await expect(store.retire([1, 2, 3])).rejects.toThrow();
    await store.letGo(keeper).catch(() => {});

    expect(segments.slice(0, 3).map(({ file }) => file)).toEqual([undefined, undefined, undefined]);
    expect((await files.list(segmentFolder)).filter((name) => /^0000000[123]/.test(name))).toHaveLength(1);
  });

  test('stays open when the process has too many files open', async () => {
    const files = new FaultFiles(memoryFiles());
    const store = await reopened(files, 20);
    for (let id = 1; id <= 19; id += 1) await store.read(id, segmentHeaderBytes, 8);
    const keeper = store.keepRetired();
    files.fail('open', { code: 'EMFILE' });

    // The oldest are being closed when they are retired.
    const read = store.read(20, segmentHeaderBytes, 8);
    await store.retire(Array.from({ length: 15 }, (_, at) => at + 1));
    await read;

    for (let id = 1; id <= 15; id += 1) expect(await store.read(id, segmentHeaderBytes, 8, keeper)).toHaveLength(8);
    await store.letGo(keeper);
  });
});

/** With so many sealed segments, of which none is open, and an active one. */
async function reopened(files: FileSystem, count: number): Promise<SegmentStore> {
  const before = await opened(files);
  for (let sequence = 2; sequence <= count; sequence += 1) {
    await before.roll(sequence, 0, () => ({ bytes: meta, records: 1 }));
  }
  await before.close();
  const store = aStore(files);
  await store.load(new Map());
  await store.roll(count + 1, 0, () => ({ bytes: meta, records: 1 }));
  return store;
}

/** The zeros of a segment come in parts of 1 KiB, each when its pace lets it. */
function partedFiles(files: FileSystem, done: number[]): FileSystem {
  const open = files.open.bind(files);
  files.open = async (path, how) => {
    const file = await open(path, how);
    const preallocate = file.preallocate.bind(file);
    file.preallocate = async (sizeBytes, pace) => {
      for (let bytes = 1_024; bytes < sizeBytes; bytes += 1_024) {
        done.push(bytes);
        await pace?.(bytes);
      }
      await preallocate(sizeBytes);
    };
    return file;
  };
  return files;
}

/** Time passes with each read that blocks. */
class SlowClock extends VirtualClock {
  readMs = 0;
  readingMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.readingMs;
  }
}

function timedFiles(files: FileSystem, clock: SlowClock): FileSystem {
  const open = files.open.bind(files);
  files.open = async (path, how) => {
    const file = await open(path, how);
    const readSync = file.readSync.bind(file);
    file.readSync = (target, offset) => {
      clock.readingMs += clock.readMs;
      return readSync(target, offset);
    };
    return file;
  };
  return files;
}

async function opened(files: FileSystem): Promise<SegmentStore> {
  await files.makeDirectory(segmentFolder);
  const store = aStore(files);
  await store.roll(1, 0, () => ({ bytes: meta, records: 1 }));
  return store;
}

function aStore(files: FileSystem): SegmentStore {
  return new SegmentStore(files, environment(), options);
}

function environment(): { clock: VirtualClock; random: (target: Uint8Array) => void } {
  const random = new SeededRandom('salts');
  return { clock: new VirtualClock(), random: (target) => random.bytes(target) };
}
