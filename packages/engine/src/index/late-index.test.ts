import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { indexStoreContract } from '../../../testing/src/index-store-contract.ts';
import { givenValue, LateStore } from '../../test/late-kit.ts';
import { systemEnvironment } from '../ambient.ts';
import { docKey, partitionBounds, treeBounds } from './keys.ts';
import { openLateIndex } from './late-index.ts';
import { openLmdbIndex } from './lmdb-index.ts';
import { memoryIndex } from './memory-index.ts';

// So small that generations fill, freeze and get to their places all the time.
const small = { changesMax: 8, mergedMax: 3 };

indexStoreContract('late, what is no document', () => openLateIndex(memoryIndex(), small));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-late-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

test('values that are longer than a chunk get to their places whole', async () => {
  const inner = await openLmdbIndex(await mkdtemp(join(folder, 'long-')), { clock: systemEnvironment().clock });
  const index = await LateStore.open(inner, small);
  const long = Buffer.alloc(20_000, 7);
  await index.apply([{ key: document('long'), value: long }]);
  // As many as bring it into the tree.
  for (let i = 0; i < 40; i += 1) await index.apply([{ key: document(`${i}`), value: Buffer.from('x') }]);

  expect(givenValue(document('long'), inner.get(document('long')))?.equals(long)).toBe(true);
  await index.close();
});

test('[engine 5] what is removed is not in the tree afterwards, although it was on its way there', async () => {
  const inner = memoryIndex();
  const index = await LateStore.open(inner, { changesMax: 8, mergedMax: 100 });
  const keys = Array.from({ length: 8 }, (_, i) => document(`${i}`));
  await index.apply(keys.map((key) => ({ key, value: Buffer.from('x') })));

  await index.apply(keys.map((key) => ({ key, value: undefined })));

  expect(inner.range({ ...treeBounds('doc'), limit: 100 })).toEqual([]);
});

test('[engine 5] changes with long keys go there before they are many, and no more than that is late', async () => {
  const inner = memoryIndex();
  const bytesMax = 64 * 1024;
  const index = await LateStore.open(inner, { changesMax: 10_000, mergedMax: 100, bytesMax });
  const changes = 400;
  const keyOf = (n: number): Buffer => document(`${n}`.padStart(240, '0'));
  const keyBytes = keyOf(1).length;
  let mostLate = 0;
  for (let count = 1; count <= changes; count += 1) {
    await index.apply([{ key: keyOf(count), value: Buffer.from('x') }]);
    mostLate = Math.max(mostLate, count - inner.range({ ...treeBounds('doc'), limit: changes }).length);
  }

  // One generation that is full and one that is filling while it goes.
  expect(keyBytes).toBeGreaterThan(200);
  expect(mostLate).toBeLessThan((2 * bytesMax) / keyBytes);
  expect(mostLate).toBeGreaterThan(bytesMax / keyBytes / 2);
});

test('[engine 5] documents of one partition key cost no more than others, whatever their ids have in common', async () => {
  const found = { alone: 0, inPartitions: 0 };
  const index = await LateStore.open(memoryIndex());
  const value = Buffer.alloc(64);
  // A hierarchical key: the beginnings of keys are the same, and so are their ends.
  const keyOf = (n: number): Buffer => {
    const user = Buffer.from(String(n).padStart(6, '0'));
    return docKey(1, Buffer.concat([Buffer.alloc(16, 9), user]), user, Buffer.from('the-settings-of-a-user'));
  };
  for (let n = 0; n < 60_000; n += 2_000) {
    await index.apply(Array.from({ length: 2_000 }, (_, i) => ({ key: keyOf(n + i), value })));
  }

  for (let n = 0; n < 60_000; n += 1) if (index.get(keyOf(n)) !== undefined) found.alone += 1;
  const user = Buffer.from('000777');
  for (let n = 0; n < 10_000; n += 1) {
    const bounds = partitionBounds(1, Buffer.concat([Buffer.alloc(16, 9), user]), user);
    found.inPartitions += index.range({ ...bounds, limit: 10 }).length;
  }
  expect(found).toEqual({ alone: 60_000, inPartitions: 10_000 });
});

function document(id: string): Buffer {
  return docKey(1, Buffer.alloc(16, 3), Buffer.from('p'), Buffer.from(id));
}
