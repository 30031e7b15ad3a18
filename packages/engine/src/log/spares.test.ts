// The file of the next segment: how large it is made, and what is left to others.

import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { fileError } from '../files/file-system.ts';
import { memoryFiles } from '../files/memory-files.ts';
import { segmentFolder } from './segment.ts';
import { Spares } from './spares.ts';

const MiB = 1024 * 1024;

/** A disk with this much room; what it says of it, and the sizes that were tried. */
function spares(options: { room: number; isSilent?: boolean }): { spares: Spares; tried: number[] } {
  const files = memoryFiles();
  const tried: number[] = [];
  if (options.isSilent !== true) files.roomBytes = async () => options.room;
  const create = async (path: string) => {
    await files.makeDirectory(segmentFolder);
    const file = await files.open(path, { create: true });
    file.preallocate = async (bytes) => {
      tried.push(bytes / MiB);
      if (bytes > options.room) throw fileError('ENOSPC', 'no room');
    };
    return file;
  };
  const made = new Spares({ files, clock: new VirtualClock(), bytesMin: MiB, bytesMax: 64 * MiB, create });
  made.follow(32 * MiB);
  return { spares: made, tried };
}

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
