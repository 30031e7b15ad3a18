// When positions are stored, and by whom.

import { expect, test } from 'vitest';
import type { BatchContext } from '../src/observer.ts';
import { ProcessorError } from '../src/processor-error.ts';
import { PumpBench, TestFeed, TestMemory } from './pump-bench.ts';

test('with N items the position is stored every N, and the tail when the feed is idle', async () => {
  const feed = new TestFeed();
  feed.add(45);
  const bench = new PumpBench({
    feed,
    handler: () => {},
    position: '"0"',
    settings: { checkpoint: { kind: 'items', items: 20 }, idleCheckpointMs: 5000 },
  });

  await bench.until(() => bench.feed.reads.length > 7);
  expect(bench.stored).toEqual(['"20"', '"40"']);
  await bench.until(() => bench.stored.length > 2);
  expect(bench.clock.monotonicMs()).toBeLessThan(6000);
  await bench.drained();

  expect(bench.stored).toEqual(['"20"', '"40"', '"45"']);
});

test('with an interval the position is stored by the clock, not by the next batch, and by a drain', async () => {
  const feed = new TestFeed();
  feed.add(10);
  const bench = new PumpBench({
    feed,
    handler: () => {},
    position: '"0"',
    settings: { checkpoint: { kind: 'interval', intervalMs: 3000 }, idleCheckpointMs: 60_000, pollMs: 100 },
  });

  await bench.clock.advance(2900);
  expect(bench.stored).toEqual([]);
  await bench.clock.advance(200);
  expect(bench.stored).toEqual(['"10"']);
  feed.add(5);
  await bench.clock.advance(200);
  expect(bench.stored).toEqual(['"10"']);
  await bench.drained();

  expect(bench.stored).toEqual(['"10"', '"15"']);
});

test('[S48] [F22] [D9] an idle range stores its advanced position now and then, and offers it in between', async () => {
  const feed = new TestFeed();
  feed.add(1);
  feed.onRead = () => {
    feed.ticks += 1;
  };
  const bench = new PumpBench({ feed, handler: () => {}, settings: { idleCheckpointMs: 10_000, pollMs: 1000 } });

  await bench.clock.advance(61_000);
  await bench.drained();

  expect(bench.stored.length).toBeGreaterThanOrEqual(6);
  expect(bench.stored.length).toBeLessThanOrEqual(9);
  expect(bench.offered.length).toBeGreaterThan(20);
  expect(bench.ofType('idle').length).toBeGreaterThan(20);
});

test('[S44] [F22] the first position is stored at once, though nothing has changed', async () => {
  const bench = new PumpBench({ handler: () => {}, settings: { idleCheckpointMs: 1_000_000 } });

  await bench.until(() => bench.stored.length > 0);
  await bench.drained();

  expect(bench.stored).toEqual(['"0"']);
  expect(bench.clock.monotonicMs()).toBeLessThan(100);
});

test('[S12] [D11] a checkpoint that takes long skips nothing and holds up no delivery', async () => {
  const feed = new TestFeed();
  feed.add(50);
  let handled = 0;
  const bench: PumpBench = new PumpBench({
    feed,
    handler: (changes) => {
      handled += changes.length;
    },
    onCheckpoint: () => bench.clock.sleep(60_000),
  });

  await bench.until(() => handled === 50);
  expect(bench.clock.monotonicMs()).toBeLessThan(60_000);
  expect(bench.stored).toEqual([]);
  await bench.drained();

  expect(bench.stored).toEqual(['"10"', '"50"']);
});

test('a checkpoint that is refused for good ends the pump, and nothing is delivered after it', async () => {
  const feed = new TestFeed();
  feed.add(50);
  let calls = 0;
  const bench = new PumpBench({
    feed,
    handler: () => {
      calls += 1;
    },
    onCheckpoint: () => {
      throw new ProcessorError('lease-lost', 'Somebody else has it.');
    },
  });

  const end = await bench.ended();
  const callsThen = calls;
  await bench.clock.advance(10_000);

  expect(end).toMatchObject({ kind: 'aborted', error: { code: 'lease-lost' } });
  expect(calls).toBe(callsThen);
  expect(bench.pump.stored).toBeUndefined();
});

test('[S16] [D1] with manual checkpoints batches may be acknowledged in any order, and the position waits for the first', async () => {
  const feed = new TestFeed();
  feed.add(50);
  const contexts: BatchContext[] = [];
  const bench = new PumpBench({
    feed,
    handler: (_, context) => void contexts.push(context),
    settings: { checkpoint: { kind: 'manual' } },
  });
  await bench.until(() => contexts.length === 5);
  expect(bench.stored).toEqual([]);

  const second = contexts[1]?.checkpoint();
  void contexts[2]?.checkpoint();
  await bench.clock.advance(1000);
  expect(bench.stored).toEqual([]);
  await contexts[0]?.checkpoint();
  await second;
  expect(bench.stored).toEqual(['"30"']);
  bench.abort.abort(new Error('killed'));
  await bench.ended();

  expect(bench.pump.stored).toBe('"30"');
  await expect(contexts[4]?.checkpoint()).rejects.toMatchObject({ code: 'fenced' });
});

test('with cumulative ones a checkpoint counts for all batches before it', async () => {
  const feed = new TestFeed();
  feed.add(50);
  const contexts: BatchContext[] = [];
  const bench = new PumpBench({
    feed,
    handler: (_, context) => void contexts.push(context),
    settings: { checkpoint: { kind: 'manual', isCumulative: true } },
  });
  await bench.until(() => contexts.length === 5);

  await contexts[3]?.checkpoint();
  const end = await bench.drained();

  expect(bench.stored).toEqual(['"40"']);
  expect(end).toEqual({ kind: 'drained' });
});

test('[S16] a drain waits long for acknowledgements, a range that is gone only for a while', async () => {
  const feed = new TestFeed();
  feed.add(20);
  const contexts: BatchContext[] = [];
  const bench = new PumpBench({
    feed,
    handler: (_, context) => void contexts.push(context),
    settings: { checkpoint: { kind: 'manual' } },
  });
  await bench.until(() => contexts.length === 2);
  bench.pump.drain();
  await bench.clock.advance(50_000);
  expect(bench.end).toBeUndefined();

  void contexts[1]?.checkpoint();
  void contexts[0]?.checkpoint();
  const end = await bench.ended();

  expect(end).toEqual({ kind: 'drained' });
  expect(bench.stored.at(-1)).toBe('"20"');
  expect(bench.clock.sleeperCount).toBe(0);
});

test('a checkpoint by hand is refused where the strategy takes them, and nobody crashes by it', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const refusals: unknown[] = [];
  const bench = new PumpBench({
    feed,
    handler: async (_, context) => {
      void context.checkpoint();
      await context.checkpoint().catch((error: unknown) => refusals.push(error));
    },
  });

  await bench.until(() => bench.pump.stored === '"1"');
  await bench.drained();

  expect(refusals).toMatchObject([{ code: 'invalid-option' }]);
});

test('a batch tells of itself, and gives each change a key for sinks', async () => {
  const feed = new TestFeed();
  feed.add(2);
  const seen: unknown[] = [];
  const bench = new PumpBench({
    feed,
    epoch: 7,
    handler: (changes, context) => {
      seen.push({ ...context, signal: undefined, checkpoint: undefined, idempotencyKey: undefined });
      seen.push(changes.map((_, index) => context.idempotencyKey(index)));
      expect(() => context.idempotencyKey(2)).toThrow(RangeError);
    },
  });

  await bench.until(() => seen.length > 0);
  await bench.drained();

  expect(seen[0]).toMatchObject({
    leaseToken: '0',
    epoch: 7,
    instance: 'host-a',
    position: '"2"',
    attempt: 1,
    charge: 1,
  });
  expect(seen[1]).toEqual(['coll==/1/d1/["k0"]', 'coll==/2/d2/["k1"]']);
});

test('[F26] in mode all-versions handlers get the union', async () => {
  const feed = new TestFeed();
  feed.items.push(
    { value: { current: { id: 'a', pk: 'k', _etag: '1' }, metadata: { lsn: 1, crts: 5, operationType: 'create' } } },
    {
      value: {
        current: {},
        metadata: { lsn: 2, crts: 6, operationType: 'delete', id: 'a', partitionKey: { pk: 'k' } },
      },
    },
  );
  const seen: unknown[] = [];
  const bench = new PumpBench({ feed, mode: 'all-versions', handler: (changes) => void seen.push(...changes) });

  await bench.until(() => seen.length === 2);
  await bench.drained();

  expect(seen).toMatchObject([
    { type: 'create', id: 'a', lsn: 1, timeMs: 5000, current: { id: 'a' } },
    { type: 'delete', id: 'a', lsn: 2, partitionKey: ['k'] },
  ]);
});

test('what is read ahead is bounded by pages and by bytes', async () => {
  const feed = new TestFeed();
  feed.add(1000);
  const never = (): Promise<void> => new Promise(() => {});
  const byPages = new PumpBench({ feed, handler: never, settings: { readAheadPages: 3 } });
  await byPages.clock.advance(5000);
  expect(feed.reads).toHaveLength(4);
  byPages.abort.abort();
  await byPages.ended();

  const other = new TestFeed();
  other.add(1000);
  const byBytes = new PumpBench({
    feed: other,
    handler: never,
    settings: { readAheadPages: 100, readAheadBytes: 25 * 1024 },
  });
  await byBytes.clock.advance(5000);
  expect(other.reads).toHaveLength(3);
  byBytes.abort.abort();
  await byBytes.ended();
});

test.each([1, 3])(
  'a handler may wait for its checkpoint though the rest of its page comes later, with %i lanes',
  async (lanes) => {
    const feed = new TestFeed();
    feed.add(30);
    const bad = new Set(['d4', 'd17']);
    const done: string[] = [];
    const bench = new PumpBench({
      feed,
      handler: async (changes, context) => {
        for (const { id } of changes) if (bad.delete(id)) throw new Error('not now');
        done.push(...changes.map(({ id }) => id));
        await context.checkpoint();
      },
      settings: { checkpoint: { kind: 'manual' }, lanes },
    });

    await bench.until(() => bench.pump.stored === '"30"', 10, 60_000);
    await bench.drained();

    expect(done).toHaveLength(30);
    expect(bench.memory.values.size).toBe(0);
  },
);

test('what was acknowledged within a page is not handled again after a crash', async () => {
  const feed = new TestFeed();
  feed.add(8);
  const memory = new TestMemory();
  const settings = { checkpoint: { kind: 'manual' } } as const;
  const kept: string[] = [];
  const one: PumpBench = new PumpBench({
    feed,
    memory,
    settings,
    handler: async (changes, context) => {
      if (changes.some(({ id }) => id === 'd6')) throw new Error('no good');
      await context.checkpoint();
      kept.push(...changes.map(({ id }) => id));
    },
  });
  await one.until(() => kept.length === 5);
  one.abort.abort(new Error('killed'));
  await one.ended();
  const again: string[] = [];
  const two = new PumpBench({
    feed,
    memory,
    settings,
    handler: async (changes, context) => {
      again.push(...changes.map(({ id }) => id));
      void context.checkpoint();
    },
  });
  await two.until(() => two.pump.stored === '"8"');
  await two.drained();

  expect(kept).toEqual(['d1', 'd2', 'd3', 'd4', 'd5']);
  expect(again).toEqual(['d6', 'd7', 'd8']);
});

test('a cumulative checkpoint never passes what no handler was given, on the same page or before it', async () => {
  const feed = new TestFeed();
  feed.add(8);
  const memory = new TestMemory();
  const bench = new PumpBench({
    feed,
    memory,
    handler: (changes, context) => {
      if (changes.some(({ id }) => id === 'd6')) throw new Error('no good');
      if (changes.some(({ id }) => id === 'd5')) void context.checkpoint();
    },
    settings: { checkpoint: { kind: 'manual', isCumulative: true } },
  });

  await bench.until(() => bench.ofType('batch.failed').length > 6);
  expect(bench.stored).toEqual([]);
  await bench.drained();

  expect(bench.pump.stored).toBeUndefined();
});
