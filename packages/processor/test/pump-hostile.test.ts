// Handlers, letters and changes that do what nobody should: nothing is lost by it, and nothing stands still in silence.

import { expect, test, vi } from 'vitest';
import type { Handler } from '../src/observer.ts';
import type { TestChange } from './pump-bench.ts';
import { identity, PumpBench, TestFeed } from './pump-bench.ts';
import { TestStore } from './test-store.ts';

const retryOnce = { attemptsMax: 2, firstMs: 10, factor: 1, maxMs: 10, jitter: 0 };
const cumulative = { kind: 'manual', isCumulative: true } as const;

function feedOf(count: number, keyOf?: (index: number) => string): TestFeed {
  const feed = new TestFeed();
  feed.add(count, keyOf);
  return feed;
}

test('[I2] a cumulative checkpoint of half a batch does not acknowledge the other half', async () => {
  let calls = 0;
  const bench = new PumpBench({
    feed: feedOf(10),
    position: '"0"',
    settings: { checkpoint: cumulative },
    handler: async (changes, context) => {
      calls += 1;
      if (changes.some(({ id }) => id === 'd8')) throw new Error('d8');
      void context.checkpoint();
    },
  });

  await bench.until(() => calls > 4);

  expect(bench.stored).toEqual([]);
  bench.abort.abort();
  await bench.ended();
});

test('[I2] a cumulative checkpoint in one lane does not acknowledge what another lane works on', async () => {
  const started: string[] = [];
  const bench = new PumpBench({
    feed: feedOf(10, (index) => `k${index % 2}`),
    position: '"0"',
    settings: { checkpoint: cumulative, lanes: 2 },
    handler: async (changes, context) => {
      started.push(changes[0]?.pk ?? '');
      if (changes.some(({ pk }) => pk === 'k0')) await new Promise(() => {});
      void context.checkpoint();
    },
  });

  await bench.until(() => started.length === 2);
  await bench.clock.advance(1000);

  expect(bench.stored).toEqual([]);
  bench.abort.abort();
  await bench.ended();
});

test('[I1] a handler that empties the array that it was given gets every change again', async () => {
  const seen: unknown[] = [];
  let calls = 0;
  const bench = new PumpBench({
    feed: feedOf(10),
    settings: { failure: { retry: retryOnce, action: 'halt-range', bisect: true, classify: undefined } },
    handler: (changes) => {
      calls += 1;
      const own = changes as TestChange[];
      for (let next = own.shift(); next !== undefined; next = own.shift()) {
        if (calls === 1 && next.id === 'd9') throw new Error('once');
        if (calls > 1) seen.push(next.id);
      }
    },
  });

  await bench.until(() => bench.stored.includes('"10"') || bench.end !== undefined);
  await bench.drained();

  expect(seen).toEqual(Array.from({ length: 10 }, (_, i) => `d${i + 1}`));
});

test.each<[string, () => unknown]>([
  ['an object without a prototype', () => Object.create(null)],
  ['an object that cannot be shown', () => ({ toString: 1, valueOf: 1 })],
  ['an error whose message is no text', () => Object.assign(new Error(), { message: { code: 7 } })],
  ['an error without a message', () => Object.assign(new Error(), { message: undefined })],
  ['an error that cannot be asked', () => Object.defineProperty(new Error('x'), 'failed', { get: thrower })],
  ['a symbol', () => Symbol('x')],
  ['nothing', () => undefined],
])('[F10] [F12] %s that is thrown counts as a failure like any other', async (_, make) => {
  const dead = new TestStore();
  const handler: Handler<TestChange> = (changes) => {
    if (changes.some(({ id }) => id === 'd3')) throw make();
  };
  const bench = new PumpBench({
    feed: feedOf(5),
    handler,
    settings: { failure: { retry: retryOnce, action: 'park-item', bisect: true, classify: undefined } },
    parts: { deadLetters: { store: dead, group: 'g' } },
  });

  await bench.until(() => bench.stored.includes('"5"') || bench.end !== undefined);

  expect(bench.end).toBeUndefined();
  expect([...dead.documents.values()].map(({ body }) => body['itemId'])).toEqual(['d3']);
  await bench.drained();
});

test.each<[string, () => unknown]>([
  ['an answer that cannot be asked', () => Object.defineProperty({}, 'failed', { get: thrower })],
  [
    'a list with entries that cannot be asked',
    () => ({ failed: [Object.defineProperty({}, 'index', { get: thrower })] }),
  ],
  ['a list with holes', () => ({ failed: [undefined, null, 5] })],
])('[F10] %s is a failure, and no crash', async (_, make) => {
  const crashes = vi.fn();
  process.on('unhandledRejection', crashes);
  let calls = 0;
  const bench = new PumpBench({
    feed: feedOf(1),
    settings: { failure: { retry: retryOnce, action: 'skip', bisect: true, classify: undefined } },
    handler: () => {
      calls += 1;
      return make() as never;
    },
  });

  await bench.until(() => bench.ofType('item.skipped').length === 1, 10, 60_000);
  await bench.drained();
  process.off('unhandledRejection', crashes);

  expect(calls).toBe(2);
  expect(crashes).not.toHaveBeenCalled();
});

const unshowable = { toString: 1, valueOf: 1 };

test('[S62] documents among the dead letters that somebody spoilt hold up no replay', async () => {
  const dead = new TestStore();
  let isWell = false;
  const seen: string[] = [];
  const options = {
    handler: (changes: readonly TestChange[]) => {
      if (!isWell) throw new Error('not yet');
      seen.push(...changes.map(({ id }) => id));
    },
    settings: { failure: { retry: retryOnce, action: 'park-item', bisect: true, classify: undefined } } as const,
    parts: { deadLetters: { store: dead, group: 'g' } },
  };
  const bench = new PumpBench({ feed: feedOf(1), ...options });
  await bench.until(() => dead.documents.size === 1);
  const letter = [...dead.documents.values()][0];
  const laneKey = letter?.body['laneKey'];
  await dead.create({ id: 'g.again.spoilt1', laneKey: unshowable, keysMin: unshowable });
  await dead.create({ id: 'g.again.spoilt2', laneKey: '[1e999]' });
  await dead.create({ id: 'g.again.spoilt3', laneKey: '[{"__proto__":{"x":1}},null,[]]' });
  await dead.create({ id: 'g.again.spoilt4', laneKey, letterId: 'g.dead.spoilt' });
  await dead.create({ id: 'g.dead.spoilt', laneKey, identity: 'x', attempts: unshowable, error: unshowable, item: 5 });
  await dead.create({ id: 'g.held.spoilt', laneKey: '[1e999]' });
  await dead.create({ id: 'g.again.good', laneKey, letterId: letter?.id });
  isWell = true;

  await bench.until(() => seen.length > 0, 100, 60_000);

  expect(seen).toEqual(['d1']);
  expect(bench.end).toBeUndefined();
  await bench.drained();
});

test('[F35] changes of strange shape fail alone', async () => {
  const feed = new TestFeed();
  const strange: Record<string, unknown>[] = [
    {},
    { id: unshowable, pk: 'a', _lsn: 'x', _etag: unshowable },
    { id: 5, pk: { a: 1 } },
    { id: null, pk: null, _lsn: 1e308 },
    JSON.parse('{"__proto__":{"id":"x"},"id":"p","pk":[1,2]}'),
  ];
  for (const value of strange) feed.items.push({ value });
  for (const lanes of [1, 3]) {
    const dead = new TestStore();
    const bench = new PumpBench({
      feed,
      settings: { lanes, failure: { retry: retryOnce, action: 'park-key', bisect: true, classify: undefined } },
      parts: { deadLetters: { store: dead, group: 'g' } },
      handler: () => {
        throw new Error('all of them');
      },
    });

    await bench.until(() => bench.stored.includes('"5"') || bench.end !== undefined);

    expect(bench.end).toBeUndefined();
    expect([...dead.documents.keys()].filter((id) => id.startsWith('g.dead.')).length).toBe(5);
    await bench.drained();
  }
});

test.each(['latest', 'all-versions'] as const)('[F26] envelopes of strange shape fail alone, mode %s', async (mode) => {
  const feed = new TestFeed();
  const envelopes: Record<string, unknown>[] = [
    { metadata: { operationType: 'delete', lsn: 1, id: 'a' }, current: {} },
    { metadata: { operationType: 'delete', lsn: 2, id: 'b', partitionKey: { pk: { x: 1 } } }, current: null },
    { metadata: { operationType: 'create', lsn: 3 }, current: { id: 'c', pk: [] } },
    { metadata: { operationType: 'toString', lsn: 4 }, current: { id: 'd' } },
    { metadata: null, current: 5 },
    {
      metadata: { operationType: 'replace', lsn: 5, crts: unshowable },
      current: { id: 'e', _etag: unshowable },
      previous: 7,
    },
  ];
  for (const value of envelopes) feed.items.push({ value });
  const dead = new TestStore();
  const bench = new PumpBench({
    feed,
    mode,
    settings: { lanes: 2, failure: { retry: retryOnce, action: 'park-item', bisect: true, classify: undefined } },
    parts: { deadLetters: { store: dead, group: 'g' }, identity: { ...identity, partitionKeyPaths: ['/pk'] } },
    handler: () => {
      throw new Error('all of them');
    },
  });

  await bench.until(() => bench.stored.includes('"6"') || bench.end !== undefined);

  expect(bench.end).toBeUndefined();
  expect(dead.documents.size).toBe(6);
  await bench.drained();
});

function thrower(): never {
  throw new Error('not to be asked');
}

test('[F16] [I1] a drain does not wait for ever for what nobody acknowledges, and leaves it to the next', async () => {
  let handled = 0;
  const bench = new PumpBench({
    feed: feedOf(10),
    position: '"0"',
    settings: { checkpoint: { kind: 'manual' }, stallMs: 30_000 },
    handler: (changes) => {
      handled += changes.length;
    },
  });
  await bench.until(() => handled === 10);

  bench.pump.drain();
  await bench.until(() => bench.end !== undefined, 100, 60_000);

  expect(bench.end).toEqual({ kind: 'drained' });
  expect(bench.stored).toEqual([]);
});

test.each(['latest', 'all-versions'] as const)(
  '[F12] [F19] a handler that changes what tells changes apart confuses nobody, mode %s',
  async (mode) => {
    const feed = new TestFeed();
    for (let lsn = 1; lsn <= 6; lsn += 1) {
      const document = { id: `d${lsn}`, pk: `k${lsn % 2}`, _lsn: lsn, _etag: `e${lsn}` };
      const envelope = { current: document, metadata: { operationType: 'create', lsn, crts: 1 } };
      feed.items.push({ value: mode === 'latest' ? document : envelope });
    }
    const dead = new TestStore();
    const keys: string[] = [];
    const spoil: Handler<TestChange> = (changes, { idempotencyKey }) => {
      changes.forEach((change, index) => {
        const { current = change } = change as { current?: TestChange };
        keys.push(`${idempotencyKey(index)} ${current.id}`);
        if (mode === 'all-versions') Object.assign(change, { id: 'spoilt', lsn: 99 });
        Object.assign(current, { id: 'spoilt', pk: 'spoilt', _lsn: 99, _etag: 'spoilt' });
      });
      throw new Error('all of them');
    };
    const bench = new PumpBench({
      feed,
      mode,
      handler: spoil,
      settings: { lanes: 2, failure: { retry: retryOnce, action: 'park-key', bisect: true, classify: undefined } },
      parts: { deadLetters: { store: dead, group: 'g' } },
    });

    await bench.until(() => bench.stored.includes('"6"') || bench.end !== undefined);
    await bench.drained();

    const letters = [...dead.documents.values()].map(({ body }) => body).filter(({ itemId }) => itemId !== undefined);
    const facts = letters.map(({ itemId, laneKey, lsn }) => [itemId, laneKey, lsn]);
    expect(facts.sort()).toEqual([1, 2, 3, 4, 5, 6].map((lsn) => [`d${lsn}`, `["k${lsn % 2}"]`, lsn]));
    for (const { item, lsn } of letters) {
      const document = mode === 'latest' ? item : (item as { current: unknown }).current;
      expect(document).toMatchObject({ id: `d${lsn}`, pk: `k${Number(lsn) % 2}`, _etag: `e${lsn}` });
    }
    // The same key for every delivery of a change, whatever became of it in the first.
    const first = keys.find((key) => key.endsWith(' d1'))?.split(' ')[0];
    expect(keys.filter((key) => key.startsWith(`${first} `)).length).toBeGreaterThan(1);
  },
);
