// What becomes of changes that the handler cannot handle.

import { expect, test } from 'vitest';
import type { FailureAction, FailurePolicy } from '../src/failure-policy.ts';
import { BatchError } from '../src/observer.ts';
import type { TestChange } from './pump-bench.ts';
import { PumpBench, TestFeed, TestMemory } from './pump-bench.ts';
import { TestStore } from './test-store.ts';

function policy(action: FailureAction, more: Partial<FailurePolicy> = {}, attemptsMax = 3): FailurePolicy {
  return {
    retry: { attemptsMax, firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0 },
    action,
    bisect: true,
    classify: undefined,
    ...more,
  };
}

function failing(...ids: readonly string[]): {
  readonly calls: string[][];
  readonly done: string[];
  handler(changes: readonly TestChange[]): void;
} {
  const calls: string[][] = [];
  const done: string[] = [];
  return {
    calls,
    done,
    handler: (changes) => {
      calls.push(changes.map(({ id }) => id));
      if (changes.some(({ id }) => ids.includes(id))) throw new Error('no good');
      done.push(...changes.map(({ id }) => id));
    },
  };
}

test('[S24] [F12] an item that always fails is parked after its attempts, once, and the rest flows', async () => {
  const feed = new TestFeed();
  feed.add(25);
  const store = new TestStore();
  const { calls, done, handler } = failing('d7');
  const bench = new PumpBench({
    feed,
    handler,
    settings: { failure: policy('park-item') },
    parts: { deadLetters: { store, group: 'g' } },
  });

  await bench.until(() => bench.pump.stored === '"25"');
  await bench.drained();

  expect(done).toHaveLength(24);
  expect(calls.filter((ids) => ids.length === 1 && ids[0] === 'd7')).toHaveLength(3);
  const letters = [...store.documents.values()];
  expect(letters).toHaveLength(1);
  expect(letters[0]?.body).toMatchObject({
    itemId: 'd7',
    laneKey: '["k6"]',
    attempts: 3,
    error: 'no good',
    epoch: 1,
    lsn: 7,
  });
  expect(letters[0]?.body['item']).toMatchObject({ id: 'd7', _lsn: 7 });
  expect(bench.ofType('item.parked').map(({ id }) => id)).toEqual(['d7']);
  expect(bench.memory.values.size).toBe(0);
});

test('[S24] [F10] attempts go on counting after a restart, and the pause before the next one too', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const memory = new TestMemory();
  const store = new TestStore();
  const parts = { deadLetters: { store, group: 'g' } };
  const settings = { failure: policy('park-item', {}, 4) };
  const attempts: number[] = [];
  const handler = (_: unknown, { attempt }: { readonly attempt: number }): void => {
    attempts.push(attempt);
    throw new Error('no good');
  };
  const one = new PumpBench({ feed, handler, memory, settings, parts });
  await one.until(() => attempts.length === 2 && memory.values.size === 1);
  one.abort.abort(new Error('killed'));
  await one.ended();

  const beganMs = one.clock.monotonicMs();
  let againMs = 0;
  const two = new PumpBench({
    feed,
    memory,
    settings,
    parts,
    clock: one.clock,
    handler: (changes, context) => {
      againMs ||= one.clock.monotonicMs();
      handler(changes, context);
    },
  });
  await two.until(() => two.pump.stored === '"1"');
  await two.drained();

  expect(attempts).toEqual([1, 2, 3, 4]);
  expect(againMs - beganMs).toBe(200);
  expect(store.documents.size).toBe(1);
});

test('[S25] [F11] item 57 of 100 is found in log2(100) + 1 rounds, and those before it are not handled more often', async () => {
  const feed = new TestFeed();
  feed.add(100);
  const { calls, done, handler } = failing('d57');
  const bench = new PumpBench({ feed, handler, settings: { itemsMax: 100, failure: policy('skip', {}, 1) } });

  await bench.until(() => bench.pump.stored === '"100"');
  await bench.drained();

  const alone = calls.findIndex((ids) => ids.length === 1 && ids[0] === 'd57');
  expect(calls.slice(0, alone + 1).filter((ids) => ids.includes('d57')).length).toBeLessThanOrEqual(
    Math.ceil(Math.log2(100)) + 1,
  );
  for (let n = 1; n <= 100; n += 1) {
    expect(calls.filter((ids) => ids.includes(`d${n}`)).length).toBeLessThanOrEqual(Math.ceil(Math.log2(100)) + 1);
  }
  expect(done).toEqual(Array.from({ length: 100 }, (_, i) => `d${i + 1}`).filter((id) => id !== 'd57'));
  expect(bench.ofType('item.skipped').map(({ id }) => id)).toEqual(['d57']);
});

test('[F11] items that the handler names are tried again without the others', async () => {
  const feed = new TestFeed();
  feed.add(10);
  const calls: string[][] = [];
  const bench = new PumpBench({
    feed,
    handler: (changes) => {
      calls.push(changes.map(({ id }) => id));
      if (calls.length === 1) throw new BatchError([2, 5].map((index) => ({ index, error: new Error('later') })));
      if (calls.length === 2) return { failed: [{ index: 0, error: new Error('later') }] };
      return undefined;
    },
    settings: { failure: policy('halt-range') },
  });

  await bench.until(() => bench.pump.stored === '"10"');
  await bench.drained();

  expect(calls.slice(1)).toEqual([['d3', 'd6'], ['d3']]);
});

test('names of items that are not there are not believed', async () => {
  const feed = new TestFeed();
  feed.add(2);
  const calls: number[] = [];
  const bench = new PumpBench({
    feed,
    handler: (changes) => {
      calls.push(changes.length);
      return calls.length === 1 ? { failed: [{ index: 9, error: 'x' }] } : undefined;
    },
  });

  await bench.until(() => bench.pump.stored === '"2"');
  await bench.drained();

  expect(calls).toEqual([2, 1, 1]);
});

test('a batch that may not be cut is given up as one', async () => {
  const feed = new TestFeed();
  feed.add(4);
  const { calls, handler } = failing('d2');
  const bench = new PumpBench({ feed, handler, settings: { failure: policy('skip', { bisect: false }, 2) } });

  await bench.until(() => bench.pump.stored === '"4"');
  await bench.drained();

  expect(calls).toHaveLength(2);
  expect(bench.ofType('item.skipped')).toHaveLength(4);
});

test('[F12] later changes of a key whose change is parked are parked behind it, across a restart', async () => {
  const feed = new TestFeed();
  feed.add(10, (index) => (index % 2 === 0 ? 'even' : 'odd'));
  const store = new TestStore();
  const parts = { deadLetters: { store, group: 'g' } };
  const settings = { failure: policy('park-key'), itemsMax: 4 };
  const first = failing('d3');
  const one = new PumpBench({ feed, handler: first.handler, settings, parts });
  await one.until(() => one.pump.stored === '"10"');
  await one.drained();

  feed.add(4, (index) => (index % 2 === 0 ? 'even' : 'odd'));
  const second = failing();
  const two = new PumpBench({ feed, handler: second.handler, settings, parts, position: '"10"' });
  await two.until(() => two.pump.stored === '"14"');
  await two.drained();

  expect(first.done).toEqual(['d1', 'd2', 'd4', 'd6', 'd8', 'd10']);
  expect(second.done).toEqual(['d12', 'd14']);
  const letters = [...store.documents.values()]
    .filter(({ id }) => id.includes('.dead.'))
    .map(({ body }) => body['itemId']);
  expect(letters).toEqual(['d3', 'd5', 'd7', 'd9', 'd11', 'd13']);
});

test.each(['halt-range', 'halt-all'] as const)(
  '%s stops the pump where it is, with everything before it stored',
  async (action) => {
    const feed = new TestFeed();
    feed.add(20);
    const { done, handler } = failing('d15');
    const bench = new PumpBench({ feed, handler, settings: { failure: policy(action) } });

    const end = await bench.ended();

    expect(end).toMatchObject({
      kind: 'halted',
      scope: action === 'halt-all' ? 'all' : 'range',
      error: { code: 'halted' },
    });
    expect(bench.pump.stored).toBe('"10"');
    expect(done.at(-1)).toBe('d14');
    expect(bench.problems()).toContain('halted');
    expect(bench.memory.values.get('retry')).toBeUndefined();
  },
);

test('[S52] after a halt in the middle of a page only the rest of it is handled again', async () => {
  const feed = new TestFeed();
  feed.add(10);
  const memory = new TestMemory();
  const settings = { failure: policy('halt-range') };
  const one = new PumpBench({ feed, memory, settings, handler: failing('d6').handler });
  await one.ended();
  const second = failing();
  const two = new PumpBench({ feed, memory, settings, handler: second.handler });
  await two.until(() => two.pump.stored === '"10"');
  await two.drained();

  expect(second.done).toEqual(['d6', 'd7', 'd8', 'd9', 'd10']);
  expect(memory.values.size).toBe(0);
});

test('an error may be poison, which is not tried again, or fatal, which halts whatever the action', async () => {
  const feed = new TestFeed();
  feed.add(2);
  const tries: string[] = [];
  const bench = new PumpBench({
    feed,
    handler: ([change]) => {
      tries.push(change?.id ?? '');
      throw new Error(change?.id === 'd1' ? 'poison' : 'fatal');
    },
    settings: {
      itemsMax: 1,
      failure: policy('skip', {
        classify: (error) => (error instanceof Error && error.message === 'poison' ? 'poison' : 'fatal'),
      }),
    },
  });

  const end = await bench.ended();

  expect(end).toMatchObject({ kind: 'halted', scope: 'range' });
  expect(tries).toEqual(['d1', 'd2']);
  expect(bench.pump.stored).toBe('"1"');
});

test('[S7] a sink that is down is asked ever less often, also when each item may fail only once', async () => {
  const feed = new TestFeed();
  feed.add(2000);
  const store = new TestStore();
  let calls = 0;
  const bench = new PumpBench({
    feed,
    handler: () => {
      calls += 1;
      throw new Error('down');
    },
    settings: { itemsMax: 1, failure: policy('park-item', {}, 1) },
    parts: { deadLetters: { store, group: 'g' } },
  });

  await bench.clock.advance(10 * 60_000);

  expect(calls).toBeLessThan(40);
  expect(bench.problems()).toEqual(['handler-failing']);
  await bench.drained();
});

test('[I13] a handler that keeps failing is told of, and so is the end of it', async () => {
  const feed = new TestFeed();
  feed.add(1);
  let calls = 0;
  const bench = new PumpBench({
    feed,
    handler: () => {
      calls += 1;
      if (calls < 6) throw new Error('not yet');
    },
  });

  await bench.until(() => bench.pump.stored === '"1"');
  await bench.drained();

  expect(bench.problems()).toEqual(['handler-failing']);
  expect(bench.ofType('healthy').map(({ problem }) => problem)).toEqual(['handler-failing']);
});

test('[I13] of a handler that still fails when its range is let go nobody says that it is well again', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const bench = new PumpBench({
    feed,
    handler: () => {
      throw new Error('always');
    },
  });

  await bench.until(() => bench.problems().length > 0);
  await bench.drained();

  expect(bench.ofType('healthy')).toEqual([expect.objectContaining({ problem: 'handler-failing', isLeft: true })]);
});

test('[I13] what is told of a failing handler carries its error and the document that the batch began with', async () => {
  const feed = new TestFeed();
  feed.add(3);
  const error = new TypeError('no street');
  const bench = new PumpBench({
    feed,
    handler: (changes) => {
      if (changes.some(({ id }) => id === 'd2')) throw error;
    },
    settings: { failure: policy('halt-range', {}, 4) },
  });

  await bench.ended();

  expect(bench.ofType('health')).toMatchObject([
    { problem: 'handler-failing', error, documentId: 'd2' },
    { problem: 'halted', error, documentId: 'd2' },
  ]);
});

test('a drain does not wait for what keeps failing', async () => {
  const feed = new TestFeed();
  feed.add(30);
  const bench = new PumpBench({
    feed,
    handler: failing('d12').handler,
    settings: { failure: policy('skip', {}, 1e9) },
  });
  await bench.until(() => bench.ofType('batch.failed').length > 8);

  const beforeMs = bench.clock.monotonicMs();
  const end = await bench.drained();

  expect(end).toEqual({ kind: 'drained' });
  expect(bench.clock.monotonicMs() - beforeMs).toBeLessThan(50);
  expect(bench.pump.stored).toBe('"10"');
});

test('[S24] [F29] a change that kills every process that handles it is found, death by death, and parked', async () => {
  const feed = new TestFeed();
  feed.add(9);
  const memory = new TestMemory();
  const store = new TestStore();
  const done = new Set<string>();
  const problems: string[] = [];
  let position: string | undefined;
  let deaths = 0;
  while (position !== '"9"') {
    expect(deaths).toBeLessThan(15);
    const bench: PumpBench = new PumpBench({
      feed,
      memory,
      epoch: deaths + 1,
      isTakeover: deaths > 0,
      ...(position === undefined ? {} : { position }),
      handler: (changes) => {
        if (changes.some(({ id }) => id === 'd6')) {
          deaths += 1;
          bench.isHeld = false;
          bench.abort.abort(new Error('the process is gone'));
          return new Promise<void>(() => {});
        }
        for (const { id } of changes) done.add(id);
        return undefined;
      },
      settings: { failure: policy('park-item', {}, 2) },
      parts: { deadLetters: { store, group: 'g' } },
    });
    await bench.until(() => bench.end !== undefined || bench.pump.stored === '"9"');
    problems.push(...bench.problems());
    position = bench.pump.stored;
    if (bench.end === undefined) await bench.drained();
  }

  expect([...store.documents.values()].map(({ body }) => body['itemId'])).toEqual(['d6']);
  expect(done.size).toBe(8);
  expect(problems).toContain('no-progress');
  expect(memory.values.size).toBe(0);
});

test('[F29] a takeover counts deaths only while the position stands', async () => {
  const feed = new TestFeed();
  feed.add(4);
  const memory = new TestMemory();
  const one = new PumpBench({ feed, memory, handler: () => {}, isTakeover: true });
  await one.until(() => one.pump.stored === '"4"');
  expect(memory.values.get('retry')?.['starts']).toEqual([null, 1]);
  await one.drained();

  expect(memory.values.size).toBe(0);
  expect(one.problems()).toEqual([]);
});

test('[F29] owners that died while there was nothing to do are no reason for concern', async () => {
  const feed = new TestFeed();
  feed.add(4);
  feed.onRead = ({ waitMs }) => (waitMs === undefined ? undefined : new Promise(() => {})); // Nothing comes.
  const memory = new TestMemory();
  const problems: string[] = [];
  for (let deaths = 1; deaths <= 4; deaths += 1) {
    const bench = new PumpBench({ feed, memory, position: '"4"', handler: () => {}, isTakeover: true });
    await bench.until(() => bench.ofType('idle').length > 0 && memory.values.size === 0);
    problems.push(...bench.problems());
    bench.isHeld = false;
    bench.abort.abort(new Error('the process is gone'));
    await bench.until(() => bench.end !== undefined);
  }

  expect(problems).toEqual([]);
});
