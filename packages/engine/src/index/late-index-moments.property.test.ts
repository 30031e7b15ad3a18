// Late entries at every moment of random histories: after a kill between any two transactions of the index, and for readers
// who come while one is under way. Keys are those of documents, of all kinds of partition keys, over LMDB and memory.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Model } from '../../test/late-kit.ts';
import { applied, LateDisk, LateStore } from '../../test/late-kit.ts';
import { systemEnvironment } from '../ambient.ts';
import { makeSlab, SlabPut, slabBytesOf } from './entry-slab.ts';
import type { IndexChange, IndexStore } from './index-store.ts';
import type { KeyBounds } from './keys.ts';
import { docKey, partitionBounds, ridKey, treeBounds } from './keys.ts';
import { openLmdbIndex } from './lmdb-index.ts';
import { memoryIndex } from './memory-index.ts';

/** Of hashes, of numbers as the first version of hashing has them, of none, and at the edges of buckets. */
const epks = [
  '',
  '00',
  '0000ff',
  '003f',
  '0040',
  '00ff',
  '05c1d40000',
  '05c1d40001',
  '0bff',
  '3fbf',
  '3fc0',
  '3fff',
  '40',
  'c0ff',
  'ff',
].map((hex) => Buffer.from(hex, 'hex'));
const partitionKeys = ['', '\0', 'tenant', '\xff'].map((text) => Buffer.from(text, 'latin1'));
const containers = [1, 2, 0xffff_ffff];

const place = fc.record({
  container: fc.constantFrom(...containers),
  epk: fc.constantFrom(...epks),
  partitionKey: fc.constantFrom(...partitionKeys),
});
const documentKey = fc
  .tuple(place, fc.constantFrom('', 'a', 'b', '\0', '\xff\xff', 'a-rather-long-id-of-a-document'))
  .map(([{ container, epk, partitionKey }, id]) => docKey(container, epk, partitionKey, Buffer.from(id, 'latin1')));
const anyKey = fc.oneof(
  { weight: 6, arbitrary: documentKey },
  { weight: 1, arbitrary: fc.nat(9).map((n) => ridKey(1, n)) },
);
const value = fc.uint8Array({ minLength: 0, maxLength: 5 }).map((bytes) => Buffer.from(bytes));
const change = fc.tuple(anyKey, fc.option(value, { nil: undefined, freq: 3 }), fc.boolean()).map(changeOf);
const changes = fc.array(change, { maxLength: 30 });
const bounds: fc.Arbitrary<KeyBounds> = fc.oneof(
  place.map(({ container, epk, partitionKey }) => partitionBounds(container, epk, partitionKey)),
  fc.constantFrom(...containers).map((container) => treeBounds('doc', container)),
  fc.constant(treeBounds('doc')),
  fc.tuple(anyKey, anyKey).map(([from, to]) => ({ from, to })),
  fc.constant({ from: Buffer.alloc(0), to: Buffer.from([3]) }),
);
const look = fc.record({ bounds, limit: fc.constantFrom(0, 1, 2, 5, 1_000), reverse: fc.boolean() });

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-late-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

test('[engine 5] a kill between any two transactions leaves all of a change or nothing', async () => {
  const step = fc.record({
    changes,
    diesAfter: fc.option(fc.nat(9), { nil: undefined, freq: 3 }),
    isFull: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.array(look, { maxLength: 6 }), async (steps, looks) => {
      const limits = { changesMax: 10, mergedMax: 3 };
      const disk = new LateDisk();
      let index = await LateStore.open(disk.open(), limits);
      let model: Model = new Map();
      for (const { changes, diesAfter = Number.POSITIVE_INFINITY, isFull } of steps) {
        disk.room = diesAfter;
        const isTaken = await index.apply(changes).then(
          () => true,
          () => false,
        );
        disk.room = Number.POSITIVE_INFINITY;
        // A full disk leaves the process alive, which tries it again until there is room; a kill does not.
        if (!isTaken && isFull) await index.applyAgain();
        if (isTaken || isFull) model = applied(model, changes);
        if (!isFull) index = await LateStore.open(disk.open(), limits);
        expectSame(index, model, looks);
      }
      // What is on the disk is enough.
      expectSame(await LateStore.open(disk.open(), limits), model, looks);
    }),
    { numRuns: 100 },
  );
});

test('[engine 5] readers who come while a change is under way see each key as it was or as it will be', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { maxLength: 20 }), async (history) => {
      const keys = new Set<string>();
      let before: Model = new Map();
      let after: Model = before;
      let index: LateStore | undefined;
      const inner = memoryIndex();
      const expectBoth = (): void => {
        for (const text of keys) {
          const found = index?.get(Buffer.from(text, 'latin1'))?.toString('latin1');
          expect([before.get(text), after.get(text)]).toContain(found);
        }
      };
      const watched: IndexStore = {
        keyBytesMax: inner.keyBytesMax,
        get: (key) => inner.get(key),
        range: (options) => inner.range(options),
        apply: async (changes) => {
          expectBoth();
          await inner.apply(changes);
          expectBoth();
        },
        sync: () => inner.sync(),
        close: () => inner.close(),
      };
      index = await LateStore.open(watched, { changesMax: 10, mergedMax: 3 });
      for (const all of history) {
        // The writer of the index has each key once.
        const changes = [...new Map(all.map((change) => [change.key.toString('latin1'), change])).values()];
        for (const { key } of changes) keys.add(key.toString('latin1'));
        after = applied(before, changes);
        await index.apply(changes);
        before = after;
        expectSame(index, after, []);
      }
    }),
    { numRuns: 60 },
  );
});

test('[engine 5] over LMDB, opened again and again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ changes, isOpenedAgain: fc.boolean() }), { maxLength: 12 }),
      fc.array(look, { maxLength: 6 }),
      async (steps, looks) => {
        const path = await mkdtemp(join(folder, 'index-'));
        const { clock } = systemEnvironment();
        const open = async (): Promise<LateStore> =>
          LateStore.open(await openLmdbIndex(path, { clock }), { changesMax: 10, mergedMax: 3 });
        let index = await open();
        let model: Model = new Map();
        for (const { changes, isOpenedAgain } of steps) {
          await index.apply(changes);
          model = applied(model, changes);
          expectSame(index, model, looks);
          if (!isOpenedAgain) continue;
          await index.close();
          index = await open();
          expectSame(index, model, looks);
        }
        await index.close();
      },
    ),
    { numRuns: 15 },
  );
});

function changeOf([key, value, isInSlab]: readonly [Buffer, Buffer | undefined, boolean]): IndexChange {
  if (!isInSlab || value === undefined) return { key, value };
  const slab = makeSlab(slabBytesOf(key.length, value.length));
  slab.bytes.set(key, 0);
  slab.bytes.set(value, key.length);
  return new SlabPut(slab, 0, key.length, value.length);
}

function expectSame(
  index: LateStore,
  model: Model,
  looks: readonly { readonly bounds: KeyBounds; readonly limit: number; readonly reverse: boolean }[],
): void {
  const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
  const all = { bounds: { from: Buffer.alloc(1), to: Buffer.from([3]) }, limit: 10_000, reverse: false };
  for (const { bounds, limit, reverse } of [all, ...looks]) {
    const from = bounds.from.toString('latin1');
    const to = bounds.to.toString('latin1');
    const wanted = sorted.filter(([text]) => text >= from && text < to);
    if (reverse) wanted.reverse();
    const found = index.range({ ...bounds, limit, reverse });
    expect(found.map(({ key, value }) => [key.toString('latin1'), value.toString('latin1')])).toEqual(
      wanted.slice(0, limit),
    );
  }
  for (const container of containers) {
    for (const epk of epks) {
      const key = docKey(container, epk, partitionKeys[2] as Buffer, Buffer.from('a'));
      const text = key.toString('latin1');
      expect(index.get(key)?.toString('latin1')).toBe(model.get(text));
      expect(index.lend?.(key)?.toString('latin1')).toBe(model.get(text));
    }
  }
  for (const [text, value] of model) expect(index.get(Buffer.from(text, 'latin1'))?.toString('latin1')).toBe(value);
}
