import { expect, test } from 'vitest';
import { systemEnvironment } from '../ambient.ts';
import type { IndexStore } from '../index/index-store.ts';
import { docKey, readUint48BE, timeKey, ttlKey } from '../index/keys.ts';
import { openLateIndex } from '../index/late-index.ts';
import { memoryIndex } from '../index/memory-index.ts';
import { findIndexedRid, RidChanges } from '../index/rid-blocks.ts';
import { indexedRangesMax } from '../limits.ts';
import { operation } from '../log/frame.ts';
import type { DurableGroup, StagedRecord } from '../state/group.ts';
import { Overlay } from '../state/overlay.ts';
import { IndexWriter } from './index-writer.ts';

test('[engine 7] the first LSN of a second stays, however many ranges are written to', async () => {
  const { store, started, goOn } = gated();
  const { writer, publish } = await aWriter(store);
  const ranges = Array.from({ length: indexedRangesMax + 1 }, (_, i) => i + 1);
  publish(ranges.map((range) => aDelete(range, 100, 1)));
  await started();
  // While the transaction is under way, after which it forgets what it remembers of so many ranges.
  publish([aDelete(7, 101, 2)]);
  goOn();
  await started();
  publish([aDelete(7, 101, 3)]);
  goOn();
  await started();
  goOn();
  await writer.drained();

  expect(readUint48BE(store.get(timeKey(7, 101)) as Buffer, 0)).toBe(2);
});

test('[engine 8] a document that takes the place of another one takes its rid out of the index', async () => {
  const store = memoryIndex();
  const { writer, publish } = await aWriter(store);
  const before = new RidChanges();
  const key = Buffer.from('where it is');
  for (const ridNumber of [5, 7]) before.put(1, ridNumber, key, 0, key.length);
  await store.apply(await before.on(store, async () => {}));
  // The delete between the two is gone by compaction, as a rebuild may find it.
  const previous = { ridNumber: 5, timeMs: 0 };
  publish([{ ...aDelete(7, 100, 9), version: { ridNumber: 6, timeMs: 100_000 }, previous } as unknown as StagedRecord]);
  await writer.drained();

  expect(findIndexedRid(store, 1, 5)).toBeUndefined();
  expect(findIndexedRid(store, 1, 7)).toEqual(key);
});

test('[engine 7] ranges that are written in turns have the first LSN of each second, each its own', async () => {
  const store = memoryIndex();
  const { writer, publish } = await aWriter(store);
  publish([aPut(1, 100, 1), aPut(2, 100, 11), aPut(1, 100, 2), aPut(2, 101, 12), aPut(1, 101, 3)]);
  publish([aPut(2, 101, 13), aPut(1, 101, 4), aPut(1, 102, 5), aPut(1, 102, 6), aPut(2, 102, 14)]);
  await writer.drained();

  const firstOf = (range: number, second: number): number =>
    readUint48BE(store.get(timeKey(range, second)) as Buffer, 0);
  expect([100, 101, 102].map((second) => firstOf(1, second))).toEqual([1, 3, 5]);
  expect([100, 101, 102].map((second) => firstOf(2, second))).toEqual([11, 12, 14]);
});

test('[engine 8] behind a write of which nothing is noted, what has to be is: a rid that goes, a time to live that ends or begins', async () => {
  const store = memoryIndex();
  const { writer, publish } = await aWriter(store);
  const key = docKey(1, Buffer.alloc(16), Buffer.from('p'), Buffer.from('i'));
  const before = new RidChanges();
  for (const ridNumber of [5, 7]) before.put(1, ridNumber, key, 0, key.length);
  await store.apply([
    ...(await before.on(store, async () => {})),
    { key: ttlKey(100, key), value: Buffer.from('over') },
  ]);
  const usual = aPut(7, 100, 1);
  const of = (more: object): StagedRecord => aPut(7, 100, 2, { key, partitionKey: Buffer.from('p'), id: key, ...more });
  publish([
    usual,
    of({ ridNumber: 6, previous: { ridNumber: 5, timeMs: 0 } }),
    usual,
    of({ previous: { ridNumber: 1, timeMs: 90_000, ttl: 10 } }),
    usual,
    of({ ttl: 20 }),
  ]);
  await writer.drained();

  expect(findIndexedRid(store, 1, 5)).toBeUndefined();
  expect(findIndexedRid(store, 1, 7)).toEqual(key);
  expect(store.get(ttlKey(100, key))).toBeUndefined();
  expect(store.get(ttlKey(120, key))).toBeDefined();
});

/** An index whose transactions wait until they are let go on. */
function gated(): { readonly store: IndexStore; started(): Promise<void>; goOn(): void } {
  const inner = memoryIndex();
  const waiting: (() => void)[] = [];
  let onStart: (() => void)[] = [];
  return {
    store: {
      keyBytesMax: inner.keyBytesMax,
      get: (key) => inner.get(key),
      range: (options) => inner.range(options),
      apply: async (changes) => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          for (const tell of onStart) tell();
          onStart = [];
        });
        await inner.apply(changes);
      },
      sync: () => inner.sync(),
      close: () => inner.close(),
    },
    started: () => (waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => onStart.push(resolve))),
    goOn: () => waiting.shift()?.(),
  };
}

async function aWriter(store: IndexStore): Promise<{ writer: IndexWriter; publish(records: StagedRecord[]): void }> {
  const overlay = new Overlay<StagedRecord>();
  const usage = { touch: () => {}, takeChanges: () => [] };
  const writer = new IndexWriter(
    {
      index: await openLateIndex(store),
      overlay,
      usage: usage as unknown as ConstructorParameters<typeof IndexWriter>[0]['usage'], // It asks for nothing else.
      environment: systemEnvironment(),
      position: () => undefined,
      segmentFacts: () => undefined,
      nextCatalogNumber: () => 1,
      standing: () => [],
      gatherMs: 0,
      flushLog: () => Promise.resolve(),
      onFailure: (error) => {
        throw error;
      },
    },
    { sequence: 0, segment: 1, offset: 0, nextNumber: 1, epoch: 1 },
    false,
  );
  const publish = (records: StagedRecord[]): void => {
    overlay.grow(records.length, 1, undefined);
    const frame = { sequence: 1, segment: 1, endOffset: 1, view: { header: { length: 1 } } };
    writer.take({ ...frame, records, slices: [], changes: [] } as unknown as DurableGroup);
  };
  return { writer, publish };
}

/** As much of one as the index asks for. */
function aDelete(range: number, second: number, lsn: number): StagedRecord {
  return { container: 1, range, lsn, timeMs: second * 1_000 } as unknown as StagedRecord;
}

/** The same, of a document that was there before and has no more than it must. */
function aPut(range: number, second: number, lsn: number, more: object = {}): StagedRecord {
  const record = {
    container: 1,
    range,
    lsn,
    timeMs: second * 1_000,
    operation: operation.replace,
    ridNumber: 1,
    previous: { ridNumber: 1, timeMs: 0 },
    ...more,
  };
  return { ...record, version: record } as unknown as StagedRecord;
}
