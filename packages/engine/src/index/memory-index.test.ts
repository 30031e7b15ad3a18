import { expect, test } from 'vitest';
import { indexStoreContract } from '../../../testing/src/index-store-contract.ts';
import type { MemoryIndexSnapshot } from './memory-index.ts';
import { memoryIndex } from './memory-index.ts';

indexStoreContract('memory', async () => memoryIndex());

test('a snapshot stays as it is while the index goes on, over many chunks', async () => {
  const index = memoryIndex();
  await index.apply(numbers(0, 5000).map((n) => ({ key: keyOf(n), value: Buffer.from('old') })));
  const snapshot = index.snapshot();

  await index.apply(numbers(0, 5000).map((n) => ({ key: keyOf(n), value: n % 2 ? undefined : Buffer.from('new') })));
  await index.apply([{ key: keyOf(9000), value: Buffer.from('new') }]);

  const restored = memoryIndex({ from: snapshot });
  expect(restored.entryCount).toBe(5000);
  expect(numbers(0, 5000).every((n) => restored.get(keyOf(n))?.toString() === 'old')).toBe(true);
  expect(restored.get(keyOf(9000))).toBeUndefined();
  expect(index.entryCount).toBe(2501);
});

test('two indexes from one snapshot do not see each other', async () => {
  const index = memoryIndex();
  await index.apply([{ key: keyOf(1), value: Buffer.from('1') }]);
  const snapshot = index.snapshot();
  const left = memoryIndex({ from: snapshot });
  const right = memoryIndex({ from: snapshot });

  await left.apply([{ key: keyOf(1), value: Buffer.from('left') }]);
  await right.apply([{ key: keyOf(1), value: undefined }]);

  expect(left.get(keyOf(1))?.toString()).toBe('left');
  expect(right.get(keyOf(1))).toBeUndefined();
  expect(index.get(keyOf(1))?.toString()).toBe('1');
});

test('[engine 5] every sync hands out the state it made durable', async () => {
  const synced: MemoryIndexSnapshot[] = [];
  const index = memoryIndex({ onSync: (snapshot) => synced.push(snapshot) });

  await index.sync();
  await index.apply([{ key: keyOf(1), value: Buffer.from('1') }]);
  await index.sync();
  await index.apply([{ key: keyOf(2), value: Buffer.from('2') }]);

  expect(synced.map((snapshot) => snapshot.entryCount)).toEqual([0, 1]);
});

test('ascending, descending and scattered inserts all end up in order', async () => {
  const orders = [numbers(0, 3000), numbers(0, 3000).reverse(), numbers(0, 3000).map((n) => (n * 1009) % 3000)];
  for (const order of orders) {
    const index = memoryIndex();
    for (const n of order) await index.apply([{ key: keyOf(n), value: keyOf(n) }]);

    const found = index.range({ from: keyOf(0), to: keyOf(3000), limit: 10_000 });

    expect(found.map((entry) => entry.key.readUInt32BE())).toEqual(numbers(0, 3000));
  }
});

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

function keyOf(n: number): Buffer {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(n);
  return key;
}
