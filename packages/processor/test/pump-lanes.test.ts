import { expect, test } from 'vitest';
import { digest } from '../src/pump/digest.ts';
import type { TestChange } from './pump-bench.ts';
import { PumpBench, TestFeed, TestMemory } from './pump-bench.ts';

test('[S51] [F19] with a hot key the others are handled at once, the order is kept, and memory is bounded', async () => {
  const feed = new TestFeed();
  feed.add(400, (index) => (index % 20 === 0 ? `cold${index}` : 'hot'));
  const done: { readonly change: TestChange; readonly atMs: number }[] = [];
  const bench: PumpBench = new PumpBench({
    feed,
    handler: async (changes) => {
      const isHot = changes.some(({ pk }) => pk === 'hot');
      if (isHot) expect(changes.every(({ pk }) => pk === 'hot')).toBe(true);
      await bench.clock.sleep(isHot ? changes.length * 10 : 10);
      for (const change of changes) done.push({ change, atMs: bench.clock.monotonicMs() });
    },
    settings: { lanes: 64, itemsMax: 100, readAheadPages: 3 },
  });

  await bench.until(() => bench.pump.stored === '"400"');
  await bench.drained();

  const hot = done.filter(({ change }) => change.pk === 'hot').map(({ change }) => change._lsn);
  expect(hot).toEqual([...hot].sort((a, b) => a - b));
  expect(done).toHaveLength(400);
  // The first four pages fit into what is read ahead: their cold keys are done while the hot one has hardly begun.
  const cold = done.filter(({ change }) => change.pk !== 'hot');
  expect(cold).toHaveLength(20);
  expect(Math.max(...cold.map(({ atMs }) => atMs))).toBeLessThan(100);
});

test('[S52] a slow key holds the position and bounds what is read ahead; after a crash only it is handled again', async () => {
  const feed = new TestFeed();
  feed.add(500, (index) => (index === 3 ? 'slow' : `k${index % 9}`));
  const memory = new TestMemory();
  const done: string[] = [];
  const one: PumpBench = new PumpBench({
    feed,
    memory,
    handler: async (changes, { signal }) => {
      if (changes.some(({ pk }) => pk === 'slow')) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        throw new Error('aborted');
      }
      done.push(...changes.map(({ id }) => id));
    },
    settings: { lanes: 4, itemsMax: 10, readAheadPages: 5 },
  });
  await one.clock.advance(30_000);

  expect(one.pump.stored).toBeUndefined();
  expect(feed.reads.length).toBeLessThanOrEqual(7);
  expect(memory.values.get('done')?.['done']).toHaveLength(done.length);
  expect(done.length).toBeGreaterThan(40);
  one.abort.abort(new Error('killed'));
  await one.ended();

  const again: string[] = [];
  const two = new PumpBench({
    feed,
    memory,
    handler: (changes) => void again.push(...changes.map(({ id }) => id)),
    settings: { lanes: 4, itemsMax: 10, readAheadPages: 5 },
  });
  await two.until(() => two.pump.stored === '"500"');
  await two.drained();

  expect(again.filter((id) => done.includes(id))).toEqual([]);
  expect(new Set([...done, ...again]).size).toBe(500);
  expect(memory.values.size).toBe(0);
});

test('[S52] what was done counts only for who begins where it was done', async () => {
  const feed = new TestFeed();
  feed.add(4);
  const memory = new TestMemory();
  memory.values.set('done', { position: '"2"', done: [digest('coll==/1/d1/["k0"]')] });
  const ids: string[] = [];
  const bench = new PumpBench({ feed, memory, handler: (changes) => void ids.push(...changes.map(({ id }) => id)) });

  await bench.until(() => bench.pump.stored === '"4"');
  await bench.drained();

  expect(ids).toHaveLength(4);

  const same = new TestMemory();
  same.values.set('done', { position: null, done: [digest('coll==/1/d1/["k0"]')] });
  const rest: string[] = [];
  const other = new PumpBench({
    feed,
    memory: same,
    handler: (changes) => void rest.push(...changes.map(({ id }) => id)),
  });
  await other.until(() => other.pump.stored === '"4"');
  await other.drained();
  expect(rest).toEqual(['d2', 'd3', 'd4']);
});

test('[S50] a transaction larger than a page comes as one batch, and the position never stands inside it', async () => {
  const feed = new TestFeed();
  feed.add(40, () => 'k');
  feed.transactions.set(5, 30);
  const sizes: number[] = [];
  const bench = new PumpBench({ feed, handler: (changes) => void sizes.push(changes.length) });

  await bench.until(() => bench.pump.stored === '"40"');
  await bench.drained();

  expect(sizes).toEqual([35, 5]);
  expect(bench.stored).toEqual(['"35"', '"40"']);
});

test('lanes share the changes of a page', async () => {
  const feed = new TestFeed();
  feed.add(100, (index) => `k${index}`);
  let running = 0;
  let most = 0;
  const bench: PumpBench = new PumpBench({
    feed,
    handler: async (changes) => {
      running += 1;
      most = Math.max(most, running);
      expect(changes.length).toBeLessThanOrEqual(25);
      await bench.clock.sleep(10);
      running -= 1;
    },
    settings: { lanes: 4, itemsMax: 100 },
  });

  await bench.until(() => bench.pump.stored === '"100"');
  await bench.drained();

  expect(most).toBe(4);
});
