import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { TestChange } from './pump-bench.ts';
import { PumpBench, TestFeed } from './pump-bench.ts';

function collector(): { readonly ids: string[]; handler(changes: readonly TestChange[]): void } {
  const ids: string[] = [];
  return { ids, handler: (changes) => void ids.push(...changes.map((change) => change.id)) };
}

test('changes are handled in order, page by page, and the position follows', async () => {
  const feed = new TestFeed();
  feed.add(35);
  const { ids, handler } = collector();
  const bench = new PumpBench({ feed, handler });

  await bench.until(() => ids.length === 35);
  const end = await bench.drained();

  expect(ids).toEqual(Array.from({ length: 35 }, (_, i) => `d${i + 1}`));
  expect(end).toEqual({ kind: 'drained' });
  expect(bench.pump.stored).toBe('"35"');
  expect(bench.stored.at(-1)).toBe('"35"');
  expect(bench.clock.sleeperCount).toBe(0);
});

test('[S1] what was not stored is handled again by the next owner', async () => {
  const feed = new TestFeed();
  feed.add(20);
  const first = collector();
  const one = new PumpBench({ feed, handler: first.handler, settings: { checkpoint: { kind: 'items', items: 1000 } } });
  await one.until(() => first.ids.length === 20);
  one.abort.abort(new Error('killed'));
  const end = await one.ended();

  const second = collector();
  const two = new PumpBench({ feed, handler: second.handler });
  await two.until(() => second.ids.length === 20);
  await two.drained();

  expect(end.kind).toBe('aborted');
  expect(one.stored).toEqual(['"10"']);
  expect(second.ids).toHaveLength(20);
});

test('a failed batch is tried again with growing pauses, and is not checkpointed before it succeeds', async () => {
  const feed = new TestFeed();
  feed.add(3);
  const triesMs: number[] = [];
  const bench = new PumpBench({
    feed,
    handler: () => {
      triesMs.push(bench.clock.monotonicMs());
      if (triesMs.length < 5) throw new Error('not now');
    },
    settings: { failure: { ...bareRetry } },
  });

  await bench.until(() => triesMs.length === 4);
  expect(bench.stored).toEqual([]);
  await bench.until(() => bench.stored.length > 0);
  await bench.drained();

  const pauses = triesMs.slice(1).map((ms, i) => ms - (triesMs[i] ?? 0));
  expect(pauses).toEqual([100, 200, 400, 800]);
  expect(bench.ofType('batch.failed').map((event) => event.attempt)).toEqual([1, 2, 3, 4]);
});

const bareRetry = {
  retry: { attemptsMax: Number.POSITIVE_INFINITY, firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0 },
  action: 'halt-range',
  bisect: false,
  classify: undefined,
} as const;

test('[D8] a feed that throttles is read again in place', async () => {
  const feed = new TestFeed();
  feed.add(5);
  feed.onRead = (_read, number) => {
    if (number < 4) throw new DatabaseError('too-many-requests', 'Later.', { retryAfterMs: 250 });
  };
  const { ids, handler } = collector();
  const bench = new PumpBench({ feed, handler });

  await bench.until(() => ids.length === 5);
  await bench.drained();

  expect(bench.problems()).toEqual(['feed-failing']);
  expect(bench.ofType('healthy')).toHaveLength(1);
});

test('[S6] a feed that fails for longer than the stall time is given up', async () => {
  const feed = new TestFeed();
  feed.onRead = () => {
    throw new DatabaseError('unavailable', 'Away.');
  };
  const bench = new PumpBench({ feed, handler: () => {}, settings: { stallMs: 30_000 } });

  const end = await bench.ended();

  expect(end).toMatchObject({ kind: 'feed-failed', error: { code: 'unavailable' } });
  expect(bench.clock.monotonicMs()).toBeGreaterThanOrEqual(30_000);
  expect(bench.problems()).toEqual(['feed-failing']);
});

test('[S15] a range that is gone ends the pump at the last stored position', async () => {
  const feed = new TestFeed();
  feed.add(10);
  feed.onRead = (_read, number) => {
    if (number > 1) throw new DatabaseError('range-gone', 'Split.');
  };
  const { ids, handler } = collector();
  const bench = new PumpBench({ feed, handler });

  const end = await bench.ended();

  expect(end).toEqual({ kind: 'gone' });
  expect(bench.pump.stored).toBe(ids.length === 10 ? '"10"' : undefined);
});

test('[S4] [S29] a host whose lease ran out while the handler worked acknowledges nothing', async () => {
  const feed = new TestFeed();
  feed.add(10);
  const bench = new PumpBench({
    feed,
    handler: () => {
      bench.isHeld = false;
    },
  });

  const end = await bench.ended();

  expect(end).toMatchObject({ kind: 'aborted', error: { code: 'fenced' } });
  expect(bench.stored).toEqual([]);
});

test('[D13] after the end no handler is called', async () => {
  const feed = new TestFeed();
  feed.add(10);
  const { ids, handler } = collector();
  const bench = new PumpBench({ feed, handler });
  await bench.until(() => ids.length === 10);

  await bench.drained();
  feed.add(10);
  await bench.clock.advance(100_000);

  expect(ids).toHaveLength(10);
});
