import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesContract } from '../../../testing/src/files-contract.ts';
import { nodeFiles } from './node-files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-files-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

filesContract('node:fs', async () => nodeFiles(await mkdtemp(join(folder, 'root-'))));

test('[engine 4] zeros of a long file wait for their pace, and what it rejects with ends them', async () => {
  const files = nodeFiles(await mkdtemp(join(folder, 'root-')));
  const file = await files.open('f', { create: true, isLog: true });
  let asked = 0;

  const refused = file.preallocate(8 << 20, async (doneBytes) => {
    asked += 1;
    if (doneBytes > 4 << 20) throw new Error('enough');
  });

  await expect(refused).rejects.toThrow('enough');
  expect(asked).toBe(3);
  expect(await file.sizeBytes()).toBe(6 << 20);
  await file.close();
});

test('what comes from the disk is counted, where the file system is one of which that is known', async () => {
  const root = await mkdtemp(join(folder, 'root-'));
  const files = nodeFiles(root);
  const file = await files.open('f', { create: true });
  await file.write(Buffer.alloc(1 << 20, 'x'), 0);
  await file.sync();
  const before = files.blocksRead?.();
  // Out of the page cache; of others than Linux nothing is counted.
  if (before !== undefined) execFileSync('dd', [`if=${join(root, 'f')}`, 'iflag=nocache', 'count=0', 'status=none']);

  const read = file.readSync(Buffer.alloc(4096), 1 << 19);
  await file.close();

  expect(read).toBe(4096);
  if (before === undefined) expect(files.blocksRead?.()).toBeUndefined();
  else expect(files.blocksRead?.()).toBeGreaterThan(before);
});

test('[engine 4] zeros that cannot be written end when none of them is on its way any more', async () => {
  const files = nodeFiles(await mkdtemp(join(folder, 'root-')));
  const file = await files.open('f', { create: true, isLog: true });
  const { write } = fs;
  let begun = 0;
  let ended = 0;
  // The second fails at once, the others are written as ever.
  const replaced = (...args: unknown[]): void => {
    const done = args.pop() as (error: unknown, written?: number) => void;
    begun += 1;
    if (begun === 2) done(Object.assign(new Error('no room'), { code: 'ENOSPC' }));
    else
      Reflect.apply(write, fs, [
        ...args,
        (error: unknown, written?: number) => {
          ended += 1;
          done(error, written);
        },
      ]);
  };
  Object.assign(fs, { write: replaced });
  syncBuiltinESMExports();
  try {
    await expect(file.preallocate(2 << 20)).rejects.toThrow('no room');

    expect(begun).toBeGreaterThan(1);
    expect(ended).toBe(begun - 1);
  } finally {
    Object.assign(fs, { write });
    syncBuiltinESMExports();
  }
  await file.close();
});

test('makes a folder with those above it, also when it is there', async () => {
  const root = join(await mkdtemp(join(folder, 'root-')), 'a', 'b');

  await nodeFiles(root).makeDirectory('.');
  await nodeFiles(root).makeDirectory('c');
  await nodeFiles(root).makeDirectory('c');

  expect((await stat(join(root, 'c'))).isDirectory()).toBe(true);
});

test('refuses a folder where a file is', async () => {
  const path = join(await mkdtemp(join(folder, 'root-')), 'file');
  await writeFile(path, '');

  await expect(nodeFiles(path).makeDirectory('.')).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(nodeFiles(join(path, 'a', 'b')).makeDirectory('.')).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.runIf(platform() === 'linux')('refuses a folder where none can be made, and does not try for ever', async () => {
  await expect(nodeFiles('/proc/nope/x').makeDirectory('.')).rejects.toMatchObject({ code: 'ENOENT' });
});
