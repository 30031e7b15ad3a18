import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdtemp, open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { indexStoreContract } from '../../../testing/src/index-store-contract.ts';
import { systemEnvironment } from '../ambient.ts';
import type { Clock } from '../environment.ts';
import type { IndexChange } from './index-store.ts';
import { openLmdbIndex } from './lmdb-index.ts';

const { clock } = systemEnvironment();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-lmdb-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

indexStoreContract('LMDB', async () => openLmdbIndex(await mkdtemp(join(folder, 'index-')), { clock }));
indexStoreContract('LMDB, written by a thread', async () =>
  openLmdbIndex(await mkdtemp(join(folder, 'index-')), { clock, threadChangesMin: 1 }),
);

test('[engine 5] what was synced is there after a reopen', async () => {
  const path = await aSyncedIndex();

  const index = await openLmdbIndex(path, { clock });

  expect(index.get(Buffer.from('key-0001'))?.toString()).toBe('value');
  expect(index.range({ from: Buffer.from('key-'), to: Buffer.from('key-z'), limit: 10_000 })).toHaveLength(5000);
  await index.close();
});

test('a write that does not end within its limit rejects, and the index stays refused', async () => {
  const impatient: Clock = { ...clock, sleep: () => Promise.resolve() };
  const index = await openLmdbIndex(await mkdtemp(join(folder, 'slow-')), { clock: impatient, writeLimitMs: 5 });

  const refused = expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('5 ms') });
  await expect(index.apply([{ key: Buffer.from('a'), value: Buffer.from('1') }])).rejects.toEqual(refused);
  await expect(index.apply([{ key: Buffer.from('b'), value: Buffer.from('1') }])).rejects.toEqual(refused);
  await expect(index.sync()).rejects.toEqual(refused);
  expect(index.get(Buffer.from('b'))).toBeUndefined();
  await index.close();
});

test('[engine 12] a process that was stopped in the middle of a write goes on with it', async () => {
  // As after `docker pause`: the first timer is over the moment the process runs again, before it hears of the disk.
  let isStopped = true;
  const stopped: Clock = {
    ...clock,
    sleep: (ms, signal) => {
      const wasStopped = isStopped;
      isStopped = false;
      return wasStopped ? Promise.resolve() : clock.sleep(ms, signal);
    },
  };
  const index = await openLmdbIndex(await mkdtemp(join(folder, 'stopped-')), { clock: stopped });

  await index.apply([{ key: Buffer.from('a'), value: Buffer.from('1') }]);
  await index.sync();

  expect(isStopped).toBe(false);
  expect(index.get(Buffer.from('a'))?.toString()).toBe('1');
  await index.close();
});

describe('a damaged environment is an error of open, not the end of the process', () => {
  const damages: Record<string, (path: string) => Promise<void>> = {
    'random bytes': async (path) => writeFile(path, randomFillSync(Buffer.alloc((await stat(path)).size))),
    'a few random bytes': (path) => writeFile(path, randomFillSync(Buffer.alloc(100))),
    zeros: (path) => writeFile(path, Buffer.alloc(1 << 20)),
    'half of it': async (path) => truncate(path, Math.floor((await stat(path)).size / 2)),
    'the meta pages only': (path) => truncate(path, 8192),
    'one page': (path) => truncate(path, 4096),
    'zeros behind the meta pages': async (path) => overwrite(path, 8192, Buffer.alloc((await stat(path)).size - 8192)),
    'a second meta page of noise': (path) => overwrite(path, 4096, randomFillSync(Buffer.alloc(4096))),
    'insane sizes': (path) => overwrite(path, 40, Buffer.alloc(128, 0x7f)),
    'a wild last page': (path) => overwrite(path, 144, Buffer.alloc(8, 0x7f)),
  };

  for (const [what, damage] of Object.entries(damages)) {
    test(`[engine 5] ${what}`, async () => {
      const path = await aSyncedIndex();
      await damage(join(path, 'data.mdb'));

      await expect(openLmdbIndex(path, { clock })).rejects.toMatchObject({ code: 'corrupt' });
    });
  }

  test('an empty file is a new index', async () => {
    const path = await aSyncedIndex();
    await truncate(join(path, 'data.mdb'), 0);

    const index = await openLmdbIndex(path, { clock });

    expect(index.get(Buffer.from('key-0001'))).toBeUndefined();
    await index.close();
  });

  test('a noisy lock file does not matter', async () => {
    const path = await aSyncedIndex();
    await writeFile(join(path, 'lock.mdb'), randomFillSync(Buffer.alloc(8192)));

    const index = await openLmdbIndex(path, { clock });

    expect(index.get(Buffer.from('key-0001'))?.toString()).toBe('value');
    await index.close();
  });

  test('a path that is no folder is refused', async () => {
    const path = join(folder, 'file');
    await writeFile(path, 'x');

    await expect(openLmdbIndex(path, { clock })).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a full disk', () => {
  const small = mkdtempSync(join(tmpdir(), 'tidemark-small-'));
  const isMounted = mountSmall(small);

  afterAll(() => {
    if (isMounted) run('umount', small);
    rmdirSync(small);
  });

  // Needs the right to mount; elsewhere the file seam's ENOSPC is all there is.
  test.skipIf(!isMounted).each([
    { who: 'this thread', threadChangesMin: Number.POSITIVE_INFINITY },
    { who: 'another thread', threadChangesMin: 1 },
  ])('[engine 12] refuses a transaction of $who as a whole, and takes it when there is room', async (how) => {
    const path = join(small, 'index');
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => {}); // lmdb reports a failed commit there.
    await writeFile(join(small, 'ballast'), Buffer.alloc(1_500_000));
    const index = await openLmdbIndex(path, { clock, threadChangesMin: how.threadChangesMin });
    let applied = 0;
    let refusal: unknown;
    while (refusal === undefined) {
      const changes = someChanges(applied, 500);
      refusal = await index.apply(changes).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refusal === undefined) applied += changes.length;
    }

    expect(refusal).toMatchObject({ code: 'disk-full' });
    expect(index.range({ from: Buffer.alloc(0), to: Buffer.alloc(4, 0xff), limit: 1e6 })).toHaveLength(applied);
    await index.sync();
    await rm(join(small, 'ballast'));
    await index.apply(someChanges(applied, 500));
    await index.apply(someChanges(applied + 500, 500));
    expect(index.range({ from: Buffer.alloc(0), to: Buffer.alloc(4, 0xff), limit: 1e6 })).toHaveLength(applied + 1_000);
    await index.close();
    await rm(path, { recursive: true });
    silenced.mockRestore();
  });
});

function mountSmall(path: string): boolean {
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path);
    return true;
  } catch {
    return false;
  }
}

function run(command: string, ...flags: string[]): void {
  execFileSync(command, flags, { stdio: 'ignore' });
}

function someChanges(from: number, count: number): IndexChange[] {
  return Array.from({ length: count }, (_, i) => {
    const key = Buffer.alloc(60);
    key.writeUInt32BE(Math.imul(from + i, 0x9e3779b1) >>> 0);
    return { key, value: Buffer.alloc(60, 1) };
  });
}

async function aSyncedIndex(): Promise<string> {
  const path = await mkdtemp(join(folder, 'index-'));
  const index = await openLmdbIndex(path, { clock });
  for (let round = 0; round < 5; round++) {
    const keys = Array.from({ length: 1000 }, (_, i) => Buffer.from(`key-${String(i * 5 + round).padStart(4, '0')}`));
    await index.apply(keys.map((key) => ({ key, value: Buffer.from('value') })));
  }
  await index.sync();
  await index.close();
  return path;
}

async function overwrite(path: string, offset: number, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, offset);
  await file.close();
}
