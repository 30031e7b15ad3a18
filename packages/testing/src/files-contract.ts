// The contract of the file seam, run against every implementation: what a caller may rely on while the power stays on.
// What a power cut may do is in power-cut-files.test.ts.

import type { FileSystem } from '@tidemark/engine/internal';
import { beforeEach, describe, expect, test } from 'vitest';

/** `make` returns an empty file system; `files` may keep its root anywhere. */
export function filesContract(name: string, make: () => FileSystem | Promise<FileSystem>): void {
  describe(`the file seam: ${name}`, () => {
    let files: FileSystem;

    beforeEach(async () => {
      files = await make();
      await files.makeDirectory('log');
    });

    test('[engine 12] an absent file is ENOENT, and create makes an empty one', async () => {
      await expect(files.open('log/a')).rejects.toMatchObject({ code: 'ENOENT' });

      const file = await files.open('log/a', { create: true });

      expect(await file.sizeBytes()).toBe(0);
      expect(await files.list('log')).toEqual(['a']);
      await file.close();
    });

    test('a file cannot be created in a folder that is not there', async () => {
      await expect(files.open('nowhere/a', { create: true })).rejects.toMatchObject({ code: 'ENOENT' });
    });

    test('create leaves the bytes of an existing file alone', async () => {
      await writeText(files, 'log/a', 'kept');

      const file = await files.open('log/a', { create: true });

      expect(await file.sizeBytes()).toBe(4);
      await file.close();
      expect(await readText(files, 'log/a')).toBe('kept');
    });

    test('an absent folder is empty, and a folder may be made twice', async () => {
      expect(await files.list('nowhere')).toEqual([]);

      await files.makeDirectory('x/y/z');
      await files.makeDirectory('x/y/z');

      expect(await files.list('x/y')).toEqual(['z']);
      expect((await files.list('')).sort()).toEqual(['log', 'x']);
    });

    test('what is written is read back, by either read, from anywhere', async () => {
      const file = await files.open('log/a', { create: true });
      await file.write(Buffer.from('hello world'), 0);
      await file.write(Buffer.from('W'), 6);

      const target = Buffer.alloc(5);

      expect(file.readSync(target, 6)).toBe(5);
      expect(target.toString()).toBe('World');
      expect(await file.read(target, 0)).toBe(5);
      expect(target.toString()).toBe('hello');
      await file.close();
    });

    test('a read is short only at the end of the file, and leaves the rest of its target alone', async () => {
      await writeText(files, 'log/a', 'abc');
      const file = await files.open('log/a');
      const target = Buffer.from('-----');

      expect(file.readSync(target, 1)).toBe(2);
      expect(target.toString()).toBe('bc---');
      expect(await file.read(target, 2)).toBe(1);
      expect(await file.read(target, 3)).toBe(0);
      expect(file.readSync(target, 1000)).toBe(0);
      await file.close();
    });

    test('a write beyond the end leaves zeros in the gap', async () => {
      const file = await files.open('log/a', { create: true });

      await file.write(Buffer.from('x'), 3);

      expect(await file.sizeBytes()).toBe(4);
      const target = Buffer.alloc(4, 1);
      expect(file.readSync(target, 0)).toBe(4);
      expect([...target]).toEqual([0, 0, 0, 'x'.charCodeAt(0)]);
      await file.close();
    });

    test('writes too large for one call to the system arrive whole', async () => {
      const file = await files.open('log/a', { create: true });
      const bytes = Buffer.alloc(3 * 1024 * 1024 + 17);
      for (let i = 0; i < bytes.length; i += 4) bytes.writeUInt8((i * 31) & 0xff, i);

      await file.write(bytes, 5);

      const target = Buffer.alloc(bytes.length);
      expect(await file.read(target, 5)).toBe(bytes.length);
      expect(target.equals(bytes)).toBe(true);
      await file.close();
    });

    test('the writer may reuse its bytes as soon as the write has resolved', async () => {
      const file = await files.open('log/a', { create: true });
      const bytes = Buffer.from('one');
      await file.write(bytes, 0);

      bytes.fill('-');

      await file.sync();
      await file.close();
      expect(await readText(files, 'log/a')).toBe('one');
    });

    test('what is written durably is read back, also through other handles and after a rename', async () => {
      const file = await files.open('log/a', { create: true, isLog: true });
      await file.preallocate(600_000);
      await files.rename('log/a', 'log/b');

      await file.writeDurably?.(Buffer.alloc(500_000, 'd'), 7);

      if (file.writeDurably !== undefined) {
        const target = Buffer.alloc(4);
        expect(file.readSync(target, 500_005)).toBe(4);
        expect([...target]).toEqual(['d'.charCodeAt(0), 'd'.charCodeAt(0), 0, 0]);
      }
      await file.seal?.();
      expect(file.readSync(Buffer.alloc(1), 0)).toBe(1);
      await file.close();
      await expect(file.writeDurably?.(Buffer.from('x'), 0) ?? file.sync()).rejects.toMatchObject({ code: 'EBADF' });
    });

    test('what is written durably at once is read back, also through other handles', async () => {
      const file = await files.open('log/a', { create: true, isLog: true });
      await file.preallocate(1_000);

      file.writeDurablySync?.(Buffer.from('at once'), 7);

      if (file.writeDurablySync !== undefined) expect(await readText(files, 'log/a')).toContain('\0at once\0');
      await file.close();
      if (file.writeDurablySync !== undefined) {
        expect(() => file.writeDurablySync?.(Buffer.from('x'), 0)).toThrow(expect.objectContaining({ code: 'EBADF' }));
      }
    });

    test('[engine 4] preallocate fills with zeros, also over old bytes, and never shrinks', async () => {
      const file = await files.open('log/a', { create: true });
      await file.write(Buffer.alloc(3000, 7), 0);

      await file.preallocate(2500);

      expect(await file.sizeBytes()).toBe(3000);
      const target = Buffer.alloc(3000);
      await file.read(target, 0);
      expect(target.subarray(0, 2500).every((byte) => byte === 0)).toBe(true);
      expect(target.subarray(2500).every((byte) => byte === 7)).toBe(true);

      await file.preallocate(2 * 1024 * 1024 + 3);

      expect(await file.sizeBytes()).toBe(2 * 1024 * 1024 + 3);
      await file.close();
    });

    test('[engine 4] preallocation goes on when its pace lets it', async () => {
      const file = await files.open('log/a', { create: true });
      const sizeBytes = 5 * 1024 * 1024;
      const seen: number[] = [];

      await file.preallocate(sizeBytes, async (doneBytes) => {
        expect(await file.sizeBytes()).toBe(doneBytes);
        seen.push(doneBytes);
      });

      expect(await file.sizeBytes()).toBe(sizeBytes);
      // Where nothing takes long nobody is asked; elsewhere between any two parts.
      expect(seen).toEqual(seen.length === 0 ? [] : [2 * 1024 * 1024, 4 * 1024 * 1024]);
      await file.close();
    });

    test('a rename replaces the target, and the open handle follows the file', async () => {
      await writeText(files, 'log/a', 'new');
      await writeText(files, 'log/b', 'old');
      const file = await files.open('log/a');

      await files.rename('log/a', 'log/b');
      await file.write(Buffer.from('N'), 0);
      await file.close();
      await files.syncDirectory('log');

      expect(await files.list('log')).toEqual(['b']);
      expect(await readText(files, 'log/b')).toBe('New');
    });

    test('a removed file is gone, its handle still reads, and removing it again is ENOENT', async () => {
      await writeText(files, 'log/a', 'abc');
      const file = await files.open('log/a');

      await files.remove('log/a');

      expect(await files.list('log')).toEqual([]);
      expect(file.readSync(Buffer.alloc(3), 0)).toBe(3);
      await file.close();
      await expect(files.remove('log/a')).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(files.rename('log/a', 'log/b')).rejects.toMatchObject({ code: 'ENOENT' });
    });

    test('a closed handle refuses everything, and closing twice is harmless', async () => {
      const file = await files.open('log/a', { create: true });
      await file.close();
      await file.close();

      await expect(file.write(Buffer.from('x'), 0)).rejects.toMatchObject({ code: 'EBADF' });
      await expect(file.sync()).rejects.toMatchObject({ code: 'EBADF' });
      await expect(file.read(Buffer.alloc(1), 0)).rejects.toMatchObject({ code: 'EBADF' });
      expect(() => file.readSync(Buffer.alloc(1), 0)).toThrow(/EBADF/);
    });
  });
}

async function writeText(files: FileSystem, path: string, text: string): Promise<void> {
  const file = await files.open(path, { create: true });
  await file.write(Buffer.from(text), 0);
  await file.sync();
  await file.close();
}

async function readText(files: FileSystem, path: string): Promise<string> {
  const file = await files.open(path);
  const target = Buffer.alloc(await file.sizeBytes());
  await file.read(target, 0);
  await file.close();
  return target.toString();
}
