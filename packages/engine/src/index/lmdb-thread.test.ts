import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programOf } from '@tidemark/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Threads } from '../../test/threads-kit.ts';
import { systemEnvironment } from '../ambient.ts';
import type { IndexChange, IndexStore } from './index-store.ts';

const { clock } = systemEnvironment();
const threads = new Threads();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-lmdb-thread-'));
});

beforeEach(() => threads.begin());

afterEach(() => threads.end());

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function openIndex(name: string): Promise<IndexStore> {
  const { openLmdbIndex } = await import('./lmdb-index.ts');
  return openLmdbIndex(join(folder, name), { clock });
}

function changes(count: number, value: string): IndexChange[] {
  return Array.from({ length: count }, (_, i) => ({ key: keyOf(i), value: Buffer.from(value) }));
}

function keyOf(i: number): Buffer {
  return Buffer.from(`key-${String(i).padStart(6, '0')}`);
}

function valuesOf(index: IndexStore): string[] {
  const entries = index.range({ from: Buffer.from('key-'), to: Buffer.from('key-z'), limit: 1_000_000 });
  return [...new Set(entries.map(({ value }) => value.toString()))].concat(String(entries.length));
}

test('[engine 5] a thread writes the large transactions of an index, and who has small ones needs none', async () => {
  threads.watch();
  const small = await openIndex('small');
  await small.apply(changes(100, 'small'));
  const startedBefore = threads.started.length;
  const [one, other] = await Promise.all([openIndex('one'), openIndex('other')]);

  await Promise.all([one.apply(changes(2_000, '1')), other.apply(changes(3_000, '2'))]);
  await one.apply(changes(2_000, '3'));

  expect(startedBefore).toBe(0);
  expect(threads.started).toHaveLength(2);
  expect(valuesOf(small)).toEqual(['small', '100']);
  expect(valuesOf(one)).toEqual(['3', '2000']);
  expect(valuesOf(other)).toEqual(['2', '3000']);
  for (const index of [small, one, other]) await index.close();
});

test('[engine 5] a closed index has no thread any more', async () => {
  threads.watch();
  const index = await openIndex('closed');
  await index.apply(changes(2_000, 'all'));

  await index.close();

  // What has no number any more has ended.
  expect(threads.started.map(({ threadId }) => threadId)).toEqual([-1]);
});

test('[engine 12] many indexes listen once for the end of the process', async () => {
  const before = process.listenerCount('exit');

  for (let round = 0; round < 2; round += 1) {
    const indexes = await Promise.all(Array.from({ length: 3 }, (_, i) => openIndex(`many-${i}`)));
    await Promise.all(indexes.map((index) => index.apply(changes(600, 'all'))));
    for (const index of indexes) await index.close();
  }

  expect(process.listenerCount('exit') - before).toBeLessThanOrEqual(1);
});

test('[engine 12] a folder that was moved away gets no second index in its place', async () => {
  const path = join(folder, 'moved');
  const index = await openIndex('moved');
  await index.apply(changes(100, 'small'));
  await rename(path, `${path}-away`);

  await index.apply(changes(2_000, 'large'));

  expect(valuesOf(index)).toEqual(['large', '2000']);
  await index.close();
  expect(existsSync(path)).toBe(false);
});

test('[engine 5] small and large transactions are applied in the order in which they came', async () => {
  const index = await openIndex('order');

  const applied = ['a', 'b', 'c', 'd', 'e'].map((value, i) => index.apply(changes(i % 2 === 0 ? 1_000 : 400, value)));
  await Promise.all(applied);

  expect(valuesOf(index)).toEqual(['e', '1000']);
  await index.close();
});

test('[engine 5] a folder that was closed and removed can be opened anew', async () => {
  const index = await openIndex('again');
  await index.apply(changes(2_000, 'old'));
  await index.close();
  await rm(join(folder, 'again'), { recursive: true });

  const again = await openIndex('again');
  await again.apply(changes(1_000, 'new'));

  expect(valuesOf(again)).toEqual(['new', '1000']);
  await again.close();
});

test('[engine 5] values of any size come as they were given', async () => {
  const index = await openIndex('sizes');
  const sizes = [0, 1, 3, 4, 5, 95, 96, 97, 4_032, 8_191, 8_192, 8_193, 70_000, 5_000_000];
  const given = sizes.map((size, i) => ({ key: Buffer.from(`size-${i}`), value: Buffer.alloc(size, i + 1) }));

  await index.apply([...given, ...changes(1_000, 'more')]);
  await index.apply([{ key: Buffer.from('size-1'), value: undefined }, ...changes(1_000, 'again')]);

  const wrong = given.filter(({ key, value }, i) => i !== 1 && index.get(key)?.equals(value) !== true);
  expect(wrong).toEqual([]);
  expect(index.get(Buffer.from('size-1'))).toBeUndefined();
  expect(valuesOf(index)).toEqual(['again', '1000']);
  await index.close();
});

test('[engine 12] where there can be no threads everything is written without', async () => {
  threads.refuse();
  const index = await openIndex('none');

  await index.apply(changes(2_000, 'first'));
  await index.apply(changes(1_000, 'second'));

  expect(valuesOf(index)).toEqual(['second', 'first', '2000']);
  await index.close();
});

test('[engine 12] a transaction whose thread has ended is told at once, and reads go on', async () => {
  threads.watch((worker) => void worker.once('online', () => void worker.terminate()));
  const index = await openIndex('ended');
  await index.apply(changes(100, 'small'));

  const refusal = await index.apply(changes(2_000, 'large')).catch((error: unknown) => error);

  expect(refusal).toMatchObject({ code: 'unavailable', message: expect.stringContaining('has ended') });
  expect(valuesOf(index)).toEqual(['small', '100']);
  await index.close();
});

test('[engine 12] a process may end in the middle of a transaction, and what was applied before is there', async () => {
  const program = programOf(new URL('../../test/apply-and-end.ts', import.meta.url));
  for (let round = 0; round < 5; round += 1) {
    const path = join(folder, `exit-${round}`);

    const { stdout } = await promisify(execFile)(process.execPath, [program, path]);

    const index = await openIndex(`exit-${round}`);
    const last = Number(stdout.trim().split('\n').at(-1));
    expect(last).toBeGreaterThan(0);
    expect(Number(valuesOf(index)[0])).toBeGreaterThanOrEqual(last);
    expect(valuesOf(index)).toHaveLength(2);
    await index.close();
  }
});
