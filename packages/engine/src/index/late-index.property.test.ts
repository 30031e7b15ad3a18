// Late entries under random histories with crashes: the index comes back as of its last sync, whatever was on its way.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Model } from '../../test/late-kit.ts';
import { applied, LateDisk, LateStore, versionOf } from '../../test/late-kit.ts';
import type { IndexChange, IndexStore } from './index-store.ts';
import { lateChunkOfKey, lateProgress, tree, treeBounds } from './keys.ts';
import { openLateIndex } from './late-index.ts';
import { memoryIndex } from './memory-index.ts';

const limits = { changesMax: 12, mergedMax: 4 };

/** Keys of documents, of a few buckets, and some others that are never late. */
const key = fc
  .tuple(fc.constantFrom<number>(tree.doc, tree.doc, tree.doc, tree.rid), fc.nat(3), fc.nat(5))
  .map(([first, bucket, last]) => Buffer.from([first, 0, 0, 0, 1, bucket * 16, 0, last]));
const change = fc
  .tuple(key, fc.option(fc.nat(255), { nil: undefined, freq: 4 }))
  .map(([key, value]): IndexChange => ({ key, value: value === undefined ? undefined : Buffer.from([value]) }));
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('apply' as const), changes: fc.array(change, { maxLength: 12 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), isPowerCut: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      after: fc.nat(2),
      isTriedAgain: fc.boolean(),
      changes: fc.array(change, { maxLength: 12 }),
    }),
  },
);

test('[engine 5] comes back after a kill or a power cut as it was, and a transaction that fails leaves nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const disk = new LateDisk();
      let models: Model[] = [new Map()];
      let index = await LateStore.open(disk.open(), limits);
      const take = async (changes: readonly IndexChange[], apply = () => index.apply(changes)): Promise<void> => {
        await apply();
        await index.sync();
        models.push(applied(models.at(-1) ?? new Map(), changes));
      };
      for (const step of steps) {
        if (step.kind === 'apply') await take(step.changes);
        else if (step.kind === 'fail') {
          disk.room = step.after;
          await take(step.changes).catch(async () => {
            disk.room = Number.POSITIVE_INFINITY;
            // Until there is room, as the index writer does; or never again.
            if (step.isTriedAgain) await take(step.changes, () => index.applyAgain());
            else index = await LateStore.open(disk.open(), limits);
          });
          disk.room = Number.POSITIVE_INFINITY;
        } else {
          // After a kill it is as of its last transaction, whoever made it; after a power cut as of a sync.
          if (step.isPowerCut) models = models.slice(0, disk.cutPower());
          index = await LateStore.open(disk.open(), limits);
        }
        expectSame(index, models.at(-1) as Model);
      }
    }),
    { numRuns: 200 },
  );
});

test('[engine 5] what is late is bounded, however often the same documents change', async () => {
  const inner = memoryIndex();
  const index = await LateStore.open(inner, limits);
  let most = 0;
  for (let round = 0; round < 200; round += 1) {
    await index.apply([{ key: document(round % 5), value: Buffer.alloc(1_000, round) }]);
    most = Math.max(most, lateBytes(inner));
  }
  // Two generations at most, each of its last change more than it may have.
  expect(most).toBeLessThan(2 * (limits.changesMax + 1) * 1_200);
  expect(index.get(document(4))?.[0]).toBe(199);
});

test('[engine 5] a transaction with more than usual leaves no more behind', async () => {
  const inner = memoryIndex();
  const index = await LateStore.open(inner, limits);
  for (let round = 0; round < 20; round += 1) {
    const changes = Array.from({ length: 100 }, (_, i) => ({ key: document(i), value: Buffer.alloc(10, round) }));
    await index.apply(changes);
    // The transaction itself, and the one before it that is on its way.
    expect(lateChanges(inner)).toBeLessThanOrEqual(200);
  }
  for (let i = 0; i < 100; i += 1) expect(index.get(document(i))?.[0]).toBe(19);
});

test('[engine 5] generations stay as small over any number of restarts, however little happens between two', async () => {
  for (const perLife of [1, 5, 12, 40]) {
    const disk = new LateDisk();
    let most = 0;
    for (let life = 0; life < 100; life += 1) {
      const inner = disk.open();
      const index = await LateStore.open(inner, limits);
      const changes = Array.from({ length: perLife }, (_, i) => ({
        key: document(life * perLife + i),
        value: Buffer.alloc(10, life),
      }));
      await index.apply(changes);
      most = Math.max(most, lateChanges(inner));
      await index.close();
    }
    const index = await LateStore.open(disk.open(), limits);
    for (let n = 0; n < 100 * perLife; n += 1) expect(index.get(document(n))?.[0]).toBe(Math.floor(n / perLife));
    expect(most).toBeLessThanOrEqual(2 * (limits.changesMax + perLife));
  }
});

test('[engine 5] what comes while a transaction is under way makes it no longer, and generations not endlessly larger', async () => {
  const inner = memoryIndex();
  const [changesMax, mergedMax, atOnce] = [200, 10, 8];
  let transactions = 0;
  let next = 0;
  const watched: IndexStore = {
    keyBytesMax: inner.keyBytesMax,
    get: (key) => inner.get(key),
    range: (options) => inner.range(options),
    apply: async (changes) => {
      transactions += 1;
      await inner.apply(changes);
      // Nearly as quickly as a transaction takes them.
      for (let i = 0; i < atOnce; i += 1) put(next++);
    },
    sync: () => inner.sync(),
    close: () => inner.close(),
  };
  const index = await openLateIndex(watched, { changesMax, mergedMax });
  const put = (n: number): void => {
    const key = document(n);
    index.put(key, 0, key.length, index.hashOf(key), versionOf(Buffer.alloc(10, n)));
  };
  let most = 0;
  let longest = 0;
  for (let round = 0; round < 200; round += 1) {
    put(next++);
    const before = transactions;
    await index.apply(index.take());
    longest = Math.max(longest, transactions - before);
    most = Math.max(most, lateChanges(inner));
  }
  expect(next).toBeGreaterThan(changesMax * 10);
  expect(longest).toBeLessThan(changesMax / mergedMax / 2);
  expect(most).toBeLessThan(changesMax * 2.5);
});

test('[engine 5] those that go to their places together are neighbours there', async () => {
  const inner = memoryIndex();
  const spans: number[] = [];
  const watched: IndexStore = {
    keyBytesMax: inner.keyBytesMax,
    get: (key) => inner.get(key),
    range: (options) => inner.range(options),
    apply: async (changes) => {
      const places = changes.filter(({ key }) => key[0] === tree.doc).map(({ key }) => key.readUInt16BE(5));
      if (places.length > 0) spans.push(Math.max(...places) - Math.min(...places));
      await inner.apply(changes);
    },
    sync: () => inner.sync(),
    close: () => inner.close(),
  };
  const index = await LateStore.open(watched, { changesMax: 1_000, mergedMax: 100 });
  // A multiplicative hash, as scattered as any.
  const scattered = (n: number): Buffer => {
    const key = Buffer.from([tree.doc, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    key.writeUInt16BE((Math.imul(n, 0x9e37_79b1) >>> 18) & 0x3fff, 5);
    key.writeUInt32BE(n, 7);
    return key;
  };
  for (let n = 0; n < 5_000; n += 50) {
    await index.apply(Array.from({ length: 50 }, (_, i) => ({ key: scattered(n + i), value: Buffer.alloc(8) })));
  }
  expect(spans.length).toBeGreaterThan(50);
  // 63 of a thousand: a sixteenth of all places, and what chance adds.
  expect(Math.max(...spans)).toBeLessThan(0x4000 / 8);
});

test('chunks have a bounded size', async () => {
  const inner = memoryIndex();
  const index = await LateStore.open(inner);
  for (let round = 0; round < 50; round += 1) {
    const changes = Array.from({ length: 20 }, (_, i) => ({
      key: document(round * 20 + i),
      value: Buffer.alloc(8, i),
    }));
    await index.apply(changes);
  }
  const chunks = inner.range({ ...treeBounds('late'), limit: 1_000 });
  expect(Math.max(...chunks.map(({ value }) => value.length))).toBeLessThanOrEqual(4_032);
  // And they are filled, also by transactions that need less than one.
  expect(chunks.length).toBeLessThan((1_000 * 98) / 3_900);
});

test('[engine 5] chunks that make no sense are refused', async () => {
  const inner = memoryIndex();
  const index = await LateStore.open(inner);
  await index.apply([{ key: document(1), value: Buffer.from('x') }]);
  const [chunk] = inner.range({ ...treeBounds('late'), limit: 1 });
  const { key: chunkKey, value } = chunk as { key: Buffer; value: Buffer };

  for (const damaged of [value.subarray(0, value.length - 1), Buffer.concat([value, Buffer.alloc(3)])]) {
    const other = memoryIndex();
    await other.apply([{ key: chunkKey, value: damaged }]);
    await expect(openLateIndex(other)).rejects.toMatchObject({ code: 'corrupt' });
  }
});

function document(n: number): Buffer {
  return Buffer.from([tree.doc, 0, 0, 0, 1, n & 0x3f, 0, n >> 8, n & 0xff]);
}

/** But for how far they have got. */
function lateBytes(inner: Pick<IndexStore, 'range'>): number {
  const chunks = inner
    .range({ ...treeBounds('late'), limit: 10_000 })
    .filter(({ key }) => lateChunkOfKey(key).chunk !== lateProgress);
  return chunks.reduce((sum, { value }) => sum + value.length, 0);
}

/** Each has a head of eight bytes, a key of nine, a value of 64 and four for its checksum, up to a multiple of four. */
function lateChanges(inner: Pick<IndexStore, 'range'>): number {
  return lateBytes(inner) / 88;
}

function expectSame(index: LateStore, model: Model): void {
  const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
  const bounds = { from: Buffer.from([tree.doc]), to: Buffer.from([tree.frames]) };
  const describe = (entries: { key: Buffer; value: Buffer }[]): (readonly [string, string])[] =>
    entries.map(({ key, value }) => [key.toString('latin1'), value.toString('latin1')] as const);
  expect(describe(index.range({ ...bounds, limit: 1_000 }))).toEqual(sorted);
  expect(describe(index.range({ ...bounds, limit: 3, reverse: true }))).toEqual([...sorted].reverse().slice(0, 3));
  const bucket = { from: Buffer.from([1, 0, 0, 0, 1, 16, 0]), to: Buffer.from([1, 0, 0, 0, 1, 16, 1]) };
  const inBucket = sorted.filter(([text]) => text.startsWith('\x01\0\0\0\x01\x10\0'));
  expect(describe(index.range({ ...bucket, limit: 2 }))).toEqual(inBucket.slice(0, 2));
  for (const [text, value] of model) expect(index.get(Buffer.from(text, 'latin1'))?.toString('latin1')).toBe(value);
}
