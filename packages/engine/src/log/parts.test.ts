import { expect, test } from 'vitest';
import type { LogFile } from '../files/file-system.ts';
import { memoryFiles } from '../files/memory-files.ts';
import { readAtOnce, readByThreads } from './parts.ts';

const text = 'abcdefghijklmnopqrstuvwxyz';

test('stretches come one behind the other, up to the end of the file', async () => {
  const file = await aFile();
  const parts = [3, 0, 20, 7, 7, 24, 1].map((offset) => ({ offset, length: 4 }));
  const atOnce = Buffer.alloc(28, '.');
  const byThreads = Buffer.alloc(28, '.');

  expect(readAtOnce(file, parts, atOnce)).toBe(22);
  expect(await readByThreads(file, parts, byThreads)).toBe(22);

  expect(atOnce.toString()).toBe('defgabcduvwxhijkhijkyz......');
  expect(byThreads.toString('latin1', 0, 22)).toBe('defgabcduvwxhijkhijkyz');
});

test('a read that fails is told when the others have ended: nobody writes into the buffer after that', async () => {
  const file = await aFile();
  let ended = 0;
  const slow: LogFile = Object.create(file, {
    read: {
      value: async (target: Uint8Array, offset: number): Promise<number> => {
        if (offset === 0) throw new Error('broken');
        for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
        ended += 1;
        return target.length;
      },
    },
  });

  const reading = readByThreads(
    slow,
    [5, 0, 9].map((offset) => ({ offset, length: 2 })),
    Buffer.alloc(6),
  );

  await expect(reading).rejects.toThrow('broken');
  expect(ended).toBe(2);
});

async function aFile(): Promise<LogFile> {
  const file = await memoryFiles().open('f', { create: true });
  await file.write(Buffer.from(text), 0);
  return file;
}
