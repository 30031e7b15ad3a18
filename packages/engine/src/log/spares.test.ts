// The file of the next segment: how large it is made, and what is left to others.

import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { fileError } from '../files/file-system.ts';
import { memoryFiles } from '../files/memory-files.ts';
import { segmentFolder } from './segment.ts';
import { Spares } from './spares.ts';

const MiB = 1024 * 1024;

interface Disk {
  /** What it says of its room may be changed. */
  readonly options: { room: number; logBytes?: number; isSilent?: boolean; onPreallocate?: () => void };
  readonly spares: Spares;
  readonly clock: VirtualClock;
  /** The sizes that were tried. */
  readonly tried: number[];
  /** Files of spares that are there. */
  count(): Promise<number>;
}

/** A disk with this much room. */
function spares(options: Disk['options']): Disk {
  const files = memoryFiles();
  const clock = new VirtualClock();
  const tried: number[] = [];
  if (options.isSilent !== true) files.roomBytes = async () => options.room;
  const create = async (path: string) => {
    await files.makeDirectory(segmentFolder);
    const file = await files.open(path, { create: true });
    file.preallocate = async (bytes, pace) => {
      tried.push(bytes / MiB);
      options.onPreallocate?.();
      await pace?.(bytes / 2);
      if (bytes > options.room) throw fileError('ENOSPC', 'no room');
    };
    return file;
  };
  const logBytes = (): number => options.logBytes ?? 0;
  const made = new Spares({ files, clock, bytesMin: MiB, bytesMax: 64 * MiB, logBytes, create });
  made.follow(32 * MiB);
  return { options, spares: made, clock, tried, count: async () => (await files.list(segmentFolder)).length };
}

/** So many segments are filled, one behind the other. */
async function fill({ spares: made }: Disk, segments: number): Promise<void> {
  for (let i = 0; i < segments; i += 1) {
    made.appended(1);
    await made.take(0);
    made.rolled();
  }
}

async function turns(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

const spacious = 64 * 1024 * MiB;

test('[engine 12] with room enough a spare has the size that is wanted', async () => {
  const { spares: made } = spares({ room: 1024 * MiB });

  expect((await made.take(0)).bytes).toBe(64 * MiB);
});

test('[engine 12] with less it is as large as fits, and some room is left', async () => {
  const { spares: made, tried } = spares({ room: 40 * MiB });

  expect((await made.take(0)).bytes).toBe(35 * MiB);
  expect(tried).toEqual([35]);
});

test('[engine 12] a disk without room is not filled to find that out', async () => {
  const { spares: made, tried } = spares({ room: MiB });

  await expect(made.take(0)).rejects.toMatchObject({ code: 'disk-full' });
  made.retry();
  await new Promise((resolve) => setImmediate(resolve));

  expect(made.obstacle).toMatchObject({ code: 'disk-full' });
  expect(tried).toEqual([]);
});

test('[engine 12] a disk that does not say how much room it has is tried with half and half again', async () => {
  const { spares: made, tried } = spares({ room: 10 * MiB, isSilent: true });

  expect((await made.take(3 * MiB)).bytes).toBe(8 * MiB);
  expect(tried).toEqual([64, 32, 16, 8]);
  expect(made.obstacle).toBeUndefined();
});

test('[engine 12] what has to fit decides how small it may be', async () => {
  const { spares: made } = spares({ room: 10 * MiB, isSilent: true });
  const { spares: telling } = spares({ room: 10 * MiB });

  expect((await made.take(9 * MiB)).bytes).toBe(9 * MiB);
  await expect(made.take(11 * MiB)).rejects.toMatchObject({ code: 'disk-full' });
  await expect(telling.take(9 * MiB)).rejects.toMatchObject({ code: 'disk-full' });
  expect((await telling.take(8 * MiB)).bytes).toBe(8.75 * MiB);
});

test('[engine 4] a log that has filled segments has as many more ready when it is at rest, up to a few', async () => {
  for (const [filled, logBytes, ready] of [
    [1, 0, 2],
    [2, 0, 3],
    [9, 0, 4],
    [9, 1024 * MiB, 4],
    [9, 2 * 1024 * MiB, 6],
    [9, 4 * 1024 * MiB, 8],
    [2, 4 * 1024 * MiB, 3],
  ] as const) {
    const disk = spares({ room: spacious, logBytes });
    await fill(disk, filled);
    await turns();
    expect(disk.tried).toHaveLength(filled + 1);

    await disk.clock.advance(50);
    await disk.spares.rested();

    expect(disk.tried).toHaveLength(filled + ready);
    expect(await disk.count()).toBe(filled + ready);
  }
});

test('[engine 4] a log that has become smaller gives back those that only a large one has', async () => {
  const disk = spares({ room: spacious, logBytes: 4 * 1024 * MiB });
  await fill(disk, 9);
  await disk.clock.advance(50);
  await disk.spares.rested();
  await disk.spares.giveBack();
  const before = await disk.count();

  disk.options.logBytes = 0;
  await disk.spares.giveBack();

  expect([before, await disk.count()]).toEqual([9 + 8, 9 + 4]);
});

test('[engine 4] a burst takes what is ready, and nothing is made beside it', async () => {
  const disk = spares({ room: spacious });
  await fill(disk, 3);
  await disk.clock.advance(50);
  await disk.spares.rested();
  const before = disk.tried.length;

  await fill(disk, 3);
  await turns();
  expect(disk.tried).toHaveLength(before);
  await fill(disk, 1);
  await turns();
  expect(disk.tried).toHaveLength(before + 1);
});

test('[engine 4] what is being made ahead stops while the log is written, and goes on behind it', async () => {
  const disk = spares({ room: spacious });
  await fill(disk, 1);
  await turns();
  await disk.clock.advance(49);
  disk.spares.appended(0.1);
  await disk.clock.advance(1);
  await turns();
  expect(disk.tried).toHaveLength(2);

  await disk.clock.advance(60);
  await disk.spares.rested();
  expect(disk.tried).toHaveLength(3);
});

test('[engine 12] nothing is made ahead where it would take much of the room, or nobody knows how much there is', async () => {
  for (const options of [{ room: 2048 * MiB }, { room: spacious, isSilent: true }]) {
    const disk = spares(options);
    await fill(disk, 2);
    await disk.clock.advance(1_000);
    await disk.spares.rested();

    expect(disk.tried).toHaveLength(3);
  }
});

test('[engine 12] what was made ahead is given back when room becomes short, and the next segment stays', async () => {
  const disk = spares({ room: spacious });
  await fill(disk, 2);
  await disk.clock.advance(50);
  await disk.spares.rested();
  const before = await disk.count();

  disk.options.room = 2048 * MiB;
  await disk.spares.giveBack();
  expect(await disk.count()).toBe(before);
  disk.options.room = 512 * MiB;
  await disk.spares.giveBack();

  expect(await disk.count()).toBe(before - 2);
  const tried = disk.tried.length;
  expect((await disk.spares.take(0)).bytes).toBe(64 * MiB);
  expect(disk.tried).toHaveLength(tried);
});

test('[engine 4] a close ends what is being made ahead and leaves no spare behind', async () => {
  const disk = spares({ room: spacious });
  await fill(disk, 2);
  await disk.clock.advance(50);
  await disk.spares.rested();
  await fill(disk, 1);

  await disk.spares.close();

  // Those that the log has taken are its own by now.
  expect(await disk.count()).toBe(3);
});

test('[engine 12] room that has gone while the log was written is not taken for one that is there', async () => {
  const disk = spares({ room: spacious });
  await fill(disk, 1);
  await turns();

  disk.options.room = 100 * MiB;
  await disk.clock.advance(60);
  await disk.spares.rested();

  expect(disk.tried).toHaveLength(2);
});

test('[engine 12] one that is being made ahead is given up when room becomes short', async () => {
  const disk = spares({ room: spacious });
  await fill(disk, 1);
  await turns();
  disk.options.onPreallocate = () => {
    disk.options.room = 100 * MiB;
  };
  await disk.clock.advance(60);
  await disk.spares.rested();

  expect(disk.tried).toHaveLength(3);
  expect(await disk.count()).toBe(2);
});

test('[engine 12] a frame that no spare has room for gets that of those made ahead before it is refused', async () => {
  const disk = spares({ room: spacious });
  await fill(disk, 3);
  await disk.clock.advance(60);
  await disk.spares.rested();
  const before = await disk.count();
  disk.options.room = 20 * MiB;

  await expect(disk.spares.take(65 * MiB)).rejects.toMatchObject({ code: 'disk-full' });

  // The next one, which was too small, and three more.
  expect(await disk.count()).toBe(before - 4);
});
