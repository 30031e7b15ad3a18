import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programOf } from '@tidemark/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Threads } from '../../test/threads-kit.ts';
import type { LogFile } from './file-system.ts';

const fileBytes = (8 << 20) + 5;
const threads = new Threads();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-zeros-'));
});

beforeEach(() => threads.begin());

afterEach(() => threads.end());

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function openFile(name: string, root: string = folder): Promise<LogFile> {
  const { nodeFiles } = await import('./node-files.ts');
  return nodeFiles(root).open(name, { create: root === folder });
}

async function holdsZeros(name: string): Promise<boolean> {
  const bytes = await readFile(join(folder, name));
  return bytes.length === fileBytes && bytes.every((byte) => byte === 0);
}

test('[engine 4] one thread fills all large files, also those that are filled at the same time', async () => {
  threads.watch();
  const files = await Promise.all(['a', 'b', 'c'].map((name) => openFile(name)));
  for (const file of files) await file.write(Buffer.alloc(100, 'x'), 4 << 20);

  await Promise.all(files.map((file) => file.preallocate(fileBytes)));
  await Promise.all(files.map((file) => file.close()));

  expect(threads.started).toHaveLength(1);
  for (const name of ['a', 'b', 'c']) expect(await holdsZeros(name)).toBe(true);
});

test('[engine 4] a small file needs no thread', async () => {
  threads.watch();
  const file = await openFile('small');

  await file.preallocate(1 << 20);
  await file.close();

  expect(threads.started).toHaveLength(0);
  expect((await stat(join(folder, 'small'))).size).toBe(1 << 20);
});

test('[engine 4] where there can be no threads the pool writes the zeros', async () => {
  threads.refuse();
  const file = await openFile('pool');

  await file.preallocate(fileBytes);
  await file.close();

  expect(await holdsZeros('pool')).toBe(true);
});

test('[engine 4] a thread that ends leaves the rest to the pool, and the next file gets another one', async () => {
  threads.watch((worker) => {
    if (threads.started.length === 1) worker.once('online', () => void worker.terminate());
  });
  const file = await openFile('left');
  await file.preallocate(fileBytes);
  await file.close();
  const next = await openFile('next');

  await next.preallocate(fileBytes);
  await next.close();

  expect(await holdsZeros('left')).toBe(true);
  expect(await holdsZeros('next')).toBe(true);
  expect(threads.started).toHaveLength(2);
});

test.runIf(platform() === 'linux')('[engine 4] a full disk is told as node:fs tells it', async () => {
  threads.watch();
  const file = await openFile('full', '/dev');

  await expect(file.preallocate(fileBytes)).rejects.toMatchObject({ code: 'ENOSPC', syscall: 'write' });
  await file.close();

  expect(threads.started).toHaveLength(1);
});

test('[engine 4] a file that is closed meanwhile is closed when nobody writes into it any more', async () => {
  threads.watch();
  const file = await openFile('closed');
  const filled = file.preallocate(fileBytes);
  const refused = expect(filled).rejects.toMatchObject({ code: 'EBADF' });

  await file.close();

  // One part of it, and nothing behind that, whoever has the number of the file by now.
  expect((await stat(join(folder, 'closed'))).size).toBe(2 << 20);
  await refused;
});

test('[engine 4] a process stays for zeros that it waits for, and ends when there is nothing to do', async () => {
  const program = programOf(new URL('../../test/fill-and-end.ts', import.meta.url));

  const { stdout } = await promisify(execFile)(process.execPath, [program, folder]);

  expect(stdout).toBe('filled\n');
});
