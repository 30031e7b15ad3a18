import { DatabaseError } from '@tidemark/model';
import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { systemEnvironment } from '../ambient.ts';
import type { Clock } from '../environment.ts';
import type { Version } from '../index/documents.ts';
import type { IndexStore } from '../index/index-store.ts';
import { docKey, readUint48BE, timeKey, treeBounds, ttlKey } from '../index/keys.ts';
import type { LateIndex, LateLimits } from '../index/late-index.ts';
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

test('[engine 5] what is late goes to its place when nobody has written for a while, and not before', async () => {
  const store = memoryIndex();
  const clock = new VirtualClock();
  const late = await aWriter(store, { late: small, clock, restMs: 100 });
  await enter(late, 8);
  await clock.advance(99);
  expect(placed(store)).toBe(0);

  await clock.advance(1);
  await late.writer.rested();

  expect(placed(store)).toBe(8);
  expect(late.index.isMerging).toBe(false);
});

test('[engine 5] somebody who writes ends the rest: the next one is waited for anew', async () => {
  const inner = memoryIndex();
  const { store, started, goOn } = gated(inner);
  const clock = new VirtualClock();
  const late = await aWriter(store, { late: small, clock, restMs: 100 });
  const entered = enter(late, 8);
  await started();
  goOn();
  await entered;
  await clock.advance(100);
  await started();
  late.writer.noteEntered();
  goOn();
  await started();
  goOn();
  await late.writer.drained();
  await clock.advance(99);
  const before = placed(inner);

  for (let part = 0; part < 2; part += 1) {
    await clock.advance(1);
    await started();
    goOn();
  }
  await late.writer.rested();

  expect([before, placed(inner)]).toEqual([3, 8]);
});

test('[engine 5] a rest ends with the database, wherever it is', async () => {
  const inner = memoryIndex();
  const { store, started, goOn } = gated(inner);
  const late = await aWriter(store, { late: small, restMs: 0 });
  const entered = enter(late, 8);
  await started();
  goOn();
  await entered;
  await started();
  late.writer.stopWaiting();
  goOn();
  await late.writer.rested();

  expect(placed(inner)).toBe(3);
});

test('[engine 12] what comes while nobody was writing, and the disk is full, is done all the same', async () => {
  const inner = memoryIndex();
  const { store, started, goOn } = gated(inner);
  let isFull = false;
  const full = async (): Promise<void> => {
    if (isFull) throw new DatabaseError('disk-full', 'There is no room.');
  };
  const tried: IndexStore = { ...store, apply: (changes) => store.apply(changes).then(full) };
  const late = await aWriter(tried, { late: small, restMs: 0 });
  const entered = enter(late, 8);
  await started();
  goOn();
  await entered;
  await started();
  isFull = true;
  let isRun = false;
  late.writer.noteEntered();
  const exclusive = late.writer.exclusively(async () => {
    isRun = true;
  });
  goOn();
  await exclusive;
  isFull = false;
  await started();
  goOn();
  await late.writer.drained();

  expect(isRun).toBe(true);
});

test('[engine 5] work that needs the index for itself is no rest', async () => {
  const store = memoryIndex();
  const clock = new VirtualClock();
  const late = await aWriter(store, { late: small, clock, restMs: 100 });
  await enter(late, 8);
  await late.writer.exclusively(async () => {});
  await clock.advance(99);
  expect(placed(store)).toBe(0);

  await clock.advance(1);
  await late.writer.rested();

  expect(placed(store)).toBe(8);
});

test('[engine 12] a disk that is full while nobody writes is no failure of the index, and one that fails again and again is', async () => {
  for (const [code, failure] of [
    ['disk-full', undefined],
    ['internal', 'unavailable'],
  ] as const) {
    const inner = memoryIndex();
    let applied = 0;
    const store: IndexStore = {
      keyBytesMax: inner.keyBytesMax,
      changes: undefined,
      get: (key) => inner.get(key),
      range: (options) => inner.range(options),
      apply: (changes) =>
        applied++ === 0 ? inner.apply(changes) : Promise.reject(new DatabaseError(code, 'It cannot.')),
      sync: () => inner.sync(),
      close: () => inner.close(),
    };
    const failures: DatabaseError[] = [];
    const late = await aWriter(store, { late: small, restMs: 0, onFailure: (error) => failures.push(error) });
    await enter(late, 8);
    await late.writer.rested();

    expect(failures.map((error) => error.code)).toEqual(failure === undefined ? [] : [failure]);
    expect(late.writer.obstacle?.code).toBe(failure);
    expect(applied).toBe(failure === undefined ? 2 : 4);
  }
});

/** An index whose transactions wait until they are let go on. */
function gated(inner: IndexStore = memoryIndex()): {
  readonly store: IndexStore;
  started(): Promise<void>;
  goOn(): void;
} {
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

async function aWriter(
  store: IndexStore,
  more: {
    readonly late?: LateLimits;
    readonly clock?: Clock;
    readonly restMs?: number;
    readonly onFailure?: (error: DatabaseError) => void;
  } = {},
): Promise<{ writer: IndexWriter; index: LateIndex; publish(records: StagedRecord[]): void }> {
  const overlay = new Overlay<StagedRecord>();
  const index = await openLateIndex(store, more.late);
  const usage = { touch: () => {}, takeChanges: () => [] };
  const writer = new IndexWriter(
    {
      index,
      overlay,
      usage: usage as unknown as ConstructorParameters<typeof IndexWriter>[0]['usage'], // It asks for nothing else.
      environment: { ...systemEnvironment(), clock: more.clock ?? systemEnvironment().clock },
      position: () => undefined,
      segmentFacts: () => undefined,
      nextCatalogNumber: () => 1,
      standing: () => [],
      gatherMs: 0,
      restMs: more.restMs,
      flushLog: () => Promise.resolve(),
      onFailure:
        more.onFailure ??
        ((error) => {
          throw error;
        }),
    },
    { sequence: 0, segment: 1, offset: 0, nextNumber: 1, epoch: 1 },
    false,
  );
  const publish = (records: StagedRecord[]): void => {
    overlay.grow(records.length, 1, undefined);
    const frame = { sequence: 1, segment: 1, endOffset: 1, view: { header: { length: 1 } } };
    writer.take({ ...frame, records, slices: [], changes: [] } as unknown as DurableGroup);
  };
  return { writer, index, publish };
}

/** Eight documents fill a generation, and three go to their places with a transaction. */
const small: LateLimits = { changesMax: 8, mergedMax: 3 };

/** So many documents, from this one on, are in the index when this resolves, and not at their places. */
async function enter(
  { writer, index }: { writer: IndexWriter; index: LateIndex },
  count: number,
  from = 0,
): Promise<void> {
  for (let n = from; n < from + count; n += 1) {
    const key = docKey(1, Buffer.alloc(16, n), Buffer.from('p'), Buffer.from(`${n}`));
    index.put(key, 0, key.length, index.hashOf(key), aVersion);
  }
  writer.noteEntered();
  await writer.drained();
}

const aVersion: Version = {
  range: 1,
  lsn: 1,
  ix: 0,
  timeMs: 0,
  ridNumber: 1,
  ttl: undefined,
  uniqueDigests: Buffer.alloc(0),
  place: { segment: 1, ordinal: 0, offset: 0, length: 0, checksum: 0, recordBytes: 0 },
  body: undefined,
};

function placed(store: IndexStore): number {
  return store.range({ ...treeBounds('doc'), limit: 100 }).length;
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
