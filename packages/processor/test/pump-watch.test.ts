// Handlers that are slow, hang, or block; feeds that do.

import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { FailurePolicy } from '../src/failure-policy.ts';
import { deathsBeforeCaution } from '../src/limits.ts';
import { PumpBench, TestFeed, TestMemory } from './pump-bench.ts';
import { TestStore } from './test-store.ts';

const never = (): Promise<void> => new Promise(() => {});

test('[S28] [F29] a slow handler is told of, and so is its end', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const bench: PumpBench = new PumpBench({
    feed,
    handler: () => bench.clock.sleep(5000),
    settings: { handlerWarnMs: 2000, handlerMsMax: 60_000 },
  });

  await bench.until(() => bench.pump.stored === '"1"');
  await bench.drained();

  expect(bench.problems()).toEqual(['handler-slow']);
  expect(bench.ofType('healthy').map(({ problem }) => problem)).toEqual(['handler-slow']);
  expect(bench.clock.sleeperCount).toBe(0);
});

test('[S28] [F29] at its limit the signal aborts, and a handler that obeys is tried again', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const reasons: unknown[] = [];
  let calls = 0;
  const bench = new PumpBench({
    feed,
    handler: (_, { signal }) => {
      calls += 1;
      if (calls > 1) return undefined;
      return new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      });
    },
    settings: { handlerMsMax: 10_000 },
  });

  await bench.until(() => bench.pump.stored === '"1"');
  await bench.drained();

  expect(reasons).toMatchObject([{ code: 'handler-hung' }]);
  expect(calls).toBe(2);
  expect(bench.clock.monotonicMs()).toBeGreaterThanOrEqual(10_000);
});

test('[S28] a handler that ignores its signal is given up with its range, and nothing of it is acknowledged', async () => {
  const feed = new TestFeed();
  feed.add(20);
  const memory = new TestMemory();
  const bench = new PumpBench({
    feed,
    memory,
    handler: (changes) => (changes.some(({ id }) => id === 'd15') ? never() : undefined),
    settings: { handlerWarnMs: 1000, handlerMsMax: 10_000 },
  });

  const end = await bench.ended();

  expect(end).toMatchObject({ kind: 'aborted', isHung: true, error: { code: 'handler-hung' } });
  expect(bench.pump.stored).toBe('"10"');
  expect(bench.problems()).toEqual(['handler-slow', 'handler-hung']);
  expect(bench.ofType('health').at(-1)?.message).toMatch(
    /The process lives until it returns; .*Ctrl-C once more ends it/,
  );
  expect(bench.clock.sleeperCount).toBe(0);
  expect(memory.values.get('retry')).toMatchObject({ items: {} });
});

test('[S28] [F10] an item that hangs every handler is found by owner after owner, and parked', async () => {
  const feed = new TestFeed();
  feed.add(8);
  const memory = new TestMemory();
  const store = new TestStore();
  const failure: FailurePolicy = {
    retry: { attemptsMax: 2, firstMs: 10, factor: 2, maxMs: 100, jitter: 0 },
    action: 'park-item',
    bisect: true,
    classify: undefined,
  };
  const done = new Set<string>();
  let position: string | undefined;
  for (let epoch = 1; position !== '"8"'; epoch += 1) {
    expect(epoch).toBeLessThan(12);
    const bench: PumpBench = new PumpBench({
      feed,
      memory,
      epoch,
      ...(position === undefined ? {} : { position }),
      handler: (changes) => {
        if (changes.some(({ id }) => id === 'd6')) return never();
        for (const { id } of changes) done.add(id);
        return undefined;
      },
      settings: { handlerMsMax: 1000, failure },
      parts: { deadLetters: { store, group: 'g' } },
    });
    await bench.until(() => bench.end !== undefined || bench.pump.stored === '"8"');
    position = bench.pump.stored;
    if (bench.end === undefined) await bench.drained();
  }

  expect([...store.documents.values()].map(({ body }) => body['itemId'])).toEqual(['d6']);
  expect(done.size).toBe(7);
});

test('[S28] [S55] [D16] an abort ends the pump whether the handler obeys or not', async () => {
  const feed = new TestFeed();
  feed.add(1);
  let isAborted = false;
  const bench = new PumpBench({
    feed,
    handler: (_, { signal }) => {
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      return never();
    },
  });
  await bench.until(() => bench.feed.reads.length > 1);

  bench.pump.drain();
  await bench.clock.advance(60_000);
  expect(bench.end).toBeUndefined();
  bench.abort.abort(new Error('time is over'));
  const end = await bench.ended();

  expect(isAborted).toBe(true);
  expect(end).toMatchObject({ kind: 'aborted', isHung: true, error: { message: 'time is over' } });
  expect(bench.clock.sleeperCount).toBe(0);
});

test('[S56] a handler that obeys an abort ends the pump at once, unacknowledged', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const bench = new PumpBench({
    feed,
    handler: (_, { signal }) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
      }),
  });
  await bench.until(() => bench.feed.reads.length > 1);
  const beforeMs = bench.clock.monotonicMs();

  bench.abort.abort(new Error('time is over'));
  const end = await bench.ended();

  expect(end).toEqual({ kind: 'aborted', error: new Error('time is over') });
  expect(bench.clock.monotonicMs() - beforeMs).toBeLessThan(100);
  expect(bench.stored).toEqual([]);
});

test('[I13] a position that nothing moves is told of', async () => {
  const feed = new TestFeed();
  feed.add(100);
  const bench = new PumpBench({ feed, handler: never, settings: { stallMs: 20_000 } });

  await bench.clock.advance(30_000);
  bench.abort.abort();
  await bench.ended();

  expect(bench.problems()).toContain('no-progress');
});

test('[S53] a read that never answers is broken off and repeated', async () => {
  const feed = new TestFeed();
  feed.add(3);
  const signals: (AbortSignal | undefined)[] = [];
  feed.onRead = async (read, number) => {
    signals.push(read.signal);
    if (number === 1) await never();
  };
  const ids: string[] = [];
  const bench = new PumpBench({
    feed,
    handler: (changes) => void ids.push(...changes.map(({ id }) => id)),
    settings: { stallMs: 600_000 },
  });

  await bench.until(() => bench.pump.stored === '"3"', 1000);
  await bench.drained();

  expect(ids).toEqual(['d1', 'd2', 'd3']);
  expect(signals[0]?.aborted).toBe(true);
});

test('[S64] refused credentials are told of and retried without haste, then the range is given up', async () => {
  const feed = new TestFeed();
  feed.onRead = () => {
    throw new DatabaseError('unauthorized', 'The key is not valid any more.');
  };
  const bench = new PumpBench({ feed, handler: () => {}, settings: { stallMs: 60_000 } });

  const end = await bench.ended();

  expect(end).toMatchObject({ kind: 'feed-failed', error: { code: 'unauthorized' } });
  expect(bench.problems()).toEqual(['credentials-refused']);
  expect(feed.reads.length).toBeLessThan(30);
});

test('[S23] a position that the feed refuses ends the pump at once', async () => {
  const feed = new TestFeed();
  feed.onRead = () => {
    throw new DatabaseError('retention-passed', 'Too old.');
  };
  const bench = new PumpBench({ feed, handler: () => {}, position: '"1"' });

  expect(await bench.ended()).toMatchObject({ kind: 'feed-failed', error: { code: 'retention-passed' } });
  expect(feed.reads).toHaveLength(1);
});

test('a page that is too large is asked for with fewer items, and with more again when that is over', async () => {
  const feed = new TestFeed();
  feed.add(200);
  feed.onRead = ({ itemsMax, from }) => {
    const at = typeof from === 'object' && 'position' in from ? Number.parseInt(from.position.slice(1), 10) : 0;
    if (at < 40 && (itemsMax ?? 100) > 16) throw new DatabaseError('batch-answer-too-large', 'Reduce page size.');
  };
  const bench = new PumpBench({ feed, handler: () => {}, settings: { itemsMax: 64 } });

  await bench.until(() => bench.pump.stored === '"200"');
  await bench.drained();

  const asked = feed.reads.map(({ itemsMax }) => itemsMax);
  expect(asked.slice(0, 3)).toEqual([64, 32, 16]);
  expect(asked.at(-1)).toBe(64);
  expect(bench.problems()).toEqual([]);
});

test('[S55] [D16] an abort while a change is counted before it is handled begins no handler', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const memory = new TestMemory();
  // Owners died here before: changes are counted before they are handled.
  memory.values.set('retry', { starts: [null, deathsBeforeCaution] });
  let counting = 0;
  const save = memory.save.bind(memory);
  memory.save = (kind, value) => {
    if (Object.keys(Object(value?.['items'])).length === 0) return save(kind, value);
    counting += 1;
    return never();
  };
  let calls = 0;
  const handler = (): void => {
    calls += 1;
  };
  const bench = new PumpBench({ feed, memory, isTakeover: true, handler });
  await bench.until(() => counting > 0);

  bench.abort.abort(new Error('time is over'));
  const end = await bench.ended();

  expect(end).toEqual({ kind: 'aborted', error: new Error('time is over') });
  expect(calls).toBe(0);
});

test.each([
  ['', 0],
  [', and a change comes in between', 1],
])(
  'owners that died before an idle range are forgotten also when the feed answers before their record does%s',
  async (_, changes) => {
    const feed = new TestFeed();
    const memory = new TestMemory();
    memory.values.set('retry', { starts: [null, deathsBeforeCaution] });
    const load = memory.load.bind(memory);
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    memory.load = (kind) => answered.then(() => load(kind));
    const bench = new PumpBench({ feed, memory, isTakeover: true, handler: () => {} });
    await bench.until(() => bench.ofType('idle').length > 0);
    feed.add(changes);
    const reads = feed.reads.length;
    await bench.until(() => feed.reads.length > reads + 1);

    answer();
    await bench.until(() => memory.saves > 0);
    await bench.drained();

    expect(bench.problems()).toEqual([]);
    expect(memory.values.get('retry')?.['starts']).toBeUndefined();
  },
);
