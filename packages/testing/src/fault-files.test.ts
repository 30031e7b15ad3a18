import type { LogFile } from '@tidemark/engine/internal';
import { memoryFiles } from '@tidemark/engine/internal';
import { beforeEach, expect, test } from 'vitest';
import { FaultFiles } from './fault-files.ts';
import { filesContract } from './files-contract.ts';

filesContract('faults, none injected', () => new FaultFiles(memoryFiles()));

let files: FaultFiles;
let file: LogFile;

beforeEach(async () => {
  files = new FaultFiles(memoryFiles());
  file = await files.open('a', { create: true });
});

test('a failure happens as often as asked, where asked, with the code asked for', async () => {
  const other = await files.open('b', { create: true });
  files.fail('sync', { path: /^a/, times: 2, code: 'EROFS' });

  await other.sync();
  await expect(file.sync()).rejects.toMatchObject({ code: 'EROFS' });
  await expect(file.sync()).rejects.toMatchObject({ code: 'EROFS' });
  await file.sync();
});

test('a failure for ever ends with heal', async () => {
  files.fail('write', { times: Number.POSITIVE_INFINITY });
  await expect(file.write(Buffer.from('x'), 0)).rejects.toMatchObject({ code: 'EIO' });
  await expect(file.write(Buffer.from('x'), 0)).rejects.toMatchObject({ code: 'EIO' });
  expect(await file.sizeBytes()).toBe(0);

  files.heal();

  await file.write(Buffer.from('x'), 0);
});

test('[engine 12] a full disk refuses preallocation, has room for what is preallocated, and recovers', async () => {
  files.freeBytes = 1500;
  await file.preallocate(1000);

  const other = await files.open('b', { create: true });
  await expect(other.preallocate(1000)).rejects.toMatchObject({ code: 'ENOSPC' });
  await file.write(Buffer.alloc(1000, 1), 0);
  await expect(file.write(Buffer.alloc(600), 1000)).rejects.toMatchObject({ code: 'ENOSPC' });

  await files.remove('a');
  await other.preallocate(1000);
  expect(files.freeBytes).toBe(500);
});

test('a held sync waits until it is released, while others go on', async () => {
  const gate = files.hold('sync', { path: 'a' });
  let isSynced = false;
  const synced = file.sync().then(() => {
    isSynced = true;
  });

  await gate.reached;
  await file.write(Buffer.from('x'), 0);
  expect(isSynced).toBe(false);

  gate.release();
  await synced;
  await file.sync();
});

test('a held sync may be made to fail', async () => {
  const gate = files.hold('sync');
  const failed = expect(file.sync()).rejects.toMatchObject({ code: 'EIO' });
  await gate.reached;

  gate.fail();

  await failed;
});

test('a flipped bit is seen by every read of that byte and no other', async () => {
  await file.write(Buffer.from([1, 2, 3, 4]), 0);

  files.flip('a', 2, 0x80);

  const target = Buffer.alloc(4);
  await file.read(target, 0);
  expect([...target]).toEqual([1, 2, 0x83, 4]);
  file.readSync(target.subarray(0, 2), 2);
  expect([...target.subarray(0, 2)]).toEqual([0x83, 4]);
  files.flip('a', 2, 0x80);
  file.readSync(target, 0);
  expect([...target]).toEqual([1, 2, 3, 4]);
});

test('the log tells what was done, in order', async () => {
  files.log.length = 0;
  await file.write(Buffer.from('abc'), 5);
  await file.sync();
  await files.rename('a', 'b');

  expect(files.log).toEqual([
    { operation: 'write', path: 'a', offset: 5, length: 3 },
    { operation: 'sync', path: 'a' },
    { operation: 'rename', path: 'a' },
  ]);
  expect(files.count('sync')).toBe(1);
});
