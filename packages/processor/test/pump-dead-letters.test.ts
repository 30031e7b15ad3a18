// Dead letters: what is in them, what happens without them, and replaying them.

import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { FailurePolicy } from '../src/failure-policy.ts';
import { openDeadLetters } from '../src/pump/dead-letter-office.ts';
import type { TestChange } from './pump-bench.ts';
import { PumpBench, TestFeed } from './pump-bench.ts';
import { TestStore } from './test-store.ts';

const group = 'g';

function parking(action: 'park-item' | 'park-key'): FailurePolicy {
  return {
    retry: { attemptsMax: 1, firstMs: 10, factor: 2, maxMs: 100, jitter: 0 },
    action,
    bisect: true,
    classify: undefined,
  };
}

test('[S26] [F35] an item that cannot be parsed is parked with its bytes, and its page goes on', async () => {
  const feed = new TestFeed();
  feed.add(2);
  feed.items.push({ raw: Buffer.from('{"id": oops'), reason: 'Unexpected token' });
  feed.add(2);
  const store = new TestStore();
  const ids: string[] = [];
  const bench = new PumpBench({
    feed,
    handler: (changes) => void ids.push(...changes.map(({ id }) => id)),
    parts: { deadLetters: { store, group } },
  });

  await bench.until(() => bench.pump.stored === '"5"');
  await bench.drained();

  expect(ids).toEqual(['d1', 'd2', 'd4', 'd5']);
  const [letter] = await openDeadLetters(store, group).list();
  expect(letter).toMatchObject({ reason: 'unparseable', attempts: 0, state: 'parked' });
  expect(Buffer.from(letter?.raw ?? '', 'base64').toString()).toBe('{"id": oops');
});

test('[S26] [F35] without dead letters such an item halts the range, and is skipped only when that was asked for', async () => {
  const feed = new TestFeed();
  feed.items.push({ raw: Buffer.from('?'), reason: 'Unexpected token' });
  const halting = new PumpBench({ feed, handler: () => {} });
  expect(await halting.ended()).toMatchObject({ kind: 'halted', scope: 'range' });
  expect(halting.pump.stored).toBeUndefined();

  const skipping = new PumpBench({
    feed,
    handler: () => {},
    settings: { failure: { ...parking('park-item'), action: 'skip' } },
  });
  await skipping.until(() => skipping.pump.stored === '"1"');
  await skipping.drained();
  expect(skipping.ofType('item.skipped')).toHaveLength(1);
});

test('[S26] [F35] an item that fails its schema is parked, and its key with it where keys are parked', async () => {
  const feed = new TestFeed();
  feed.add(6, (index) => (index % 2 === 0 ? 'even' : 'odd'));
  const store = new TestStore();
  const ids: string[] = [];
  const schema = {
    '~standard': {
      validate: (value: unknown) => (Object(value).id === 'd3' ? { issues: [{ message: 'wrong' }] } : { value }),
    },
  };
  const bench = new PumpBench({
    feed,
    handler: (changes) => void ids.push(...changes.map(({ id }) => id)),
    settings: { itemsMax: 2, failure: parking('park-key') },
    parts: { deadLetters: { store, group }, schema },
  });

  await bench.until(() => bench.pump.stored === '"6"');
  await bench.drained();

  expect(ids).toEqual(['d1', 'd2', 'd4', 'd6']);
  const letters = await openDeadLetters(store, group).list();
  expect(letters.map(({ itemId, reason }) => [itemId, reason])).toEqual([
    ['d3', 'schema'],
    ['d5', 'behind'],
  ]);
});

test('[S27] while dead letters cannot be written the range stands still and nothing is skipped', async () => {
  const feed = new TestFeed();
  feed.add(5);
  const store = new TestStore();
  let isDown = true;
  store.onCall = (operation) => {
    if (isDown && operation === 'create') throw new DatabaseError('unavailable', 'Down.');
  };
  const ids: string[] = [];
  const bench = new PumpBench({
    feed,
    handler: (changes) => {
      if (changes.some(({ id }) => id === 'd2')) throw new Error('no good');
      ids.push(...changes.map(({ id }) => id));
    },
    settings: { itemsMax: 1, failure: parking('park-item') },
    parts: { deadLetters: { store, group } },
  });

  await bench.clock.advance(10 * 60_000);
  expect(ids).toEqual(['d1']);
  expect(bench.pump.stored).toBe('"1"');
  expect(bench.problems()).toContain('dead-letters-failing');

  isDown = false;
  await bench.until(() => bench.pump.stored === '"5"');
  await bench.drained();
  expect(ids).toEqual(['d1', 'd3', 'd4', 'd5']);
  expect(bench.ofType('healthy').map(({ problem }) => problem)).toContain('dead-letters-failing');
});

test('[S27] [S63] a letter that can never be written halts the range', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const store = new TestStore();
  store.onCall = (operation) => {
    if (operation === 'create') throw new DatabaseError('document-too-large', 'Too large.');
  };
  const bench = new PumpBench({
    feed,
    handler: () => {
      throw new Error('no good');
    },
    settings: { failure: parking('park-item') },
    parts: { deadLetters: { store, group } },
  });

  expect(await bench.ended()).toMatchObject({ kind: 'halted', error: { code: 'dead-letter-failed' } });
  expect(bench.pump.stored).toBeUndefined();
  expect(bench.problems()).toEqual(['dead-letters-failing', 'halted']);
  expect(bench.ofType('healthy').map(({ problem }) => problem)).toEqual(['dead-letters-failing']);
});

test('[S64] a store of dead letters that refuses credentials for a while does not halt the range for good', async () => {
  const feed = new TestFeed();
  feed.add(2);
  const store = new TestStore();
  let isRefused = true;
  store.onCall = () => {
    if (isRefused) throw new DatabaseError('unauthorized', 'The token has expired.');
  };
  const bench = new PumpBench({ feed, handler: () => {}, parts: { deadLetters: { store, group } } });

  await bench.clock.advance(60_000);
  expect(bench.stored).toEqual([]);
  isRefused = false;
  await bench.until(() => bench.pump.stored === '"2"');
  await bench.drained();

  expect(bench.problems()).toEqual(['dead-letters-failing']);
});

test.each([1, 4])(
  '[S62] [F13] a held key is replayed in order while new changes of it arrive, with %i lanes',
  async (lanes) => {
    const feed = new TestFeed();
    const store = new TestStore();
    const done: TestChange[] = [];
    let isBroken = true;
    const bench: PumpBench = new PumpBench({
      feed,
      handler: async (changes) => {
        await bench.clock.sleep(5);
        if (isBroken && changes.some(({ id }) => id === 'd3')) throw new Error('no good');
        done.push(...changes);
      },
      settings: { itemsMax: 4, lanes, failure: parking('park-key') },
      parts: { deadLetters: { store, group } },
    });
    const office = openDeadLetters(store, group);
    feed.add(12, (index) => `k${index % 3}`);
    await bench.until(() => bench.pump.stored === '"12"');
    expect((await office.list()).map(({ itemId }) => itemId)).toEqual(['d3', 'd6', 'd9', 'd12']);

    isBroken = false;
    expect(await office.replay({ filter: { itemId: 'd6' } })).toBe(1);
    expect((await office.list()).map(({ state }) => state)).toEqual(['replay', 'replay', 'replay', 'replay']);
    for (let n = 0; n < 40; n += 1) {
      feed.add(3, (index) => `k${index % 3}`);
      await bench.clock.advance(500);
    }
    await bench.until(() => bench.pump.stored === '"132"');
    await bench.drained();

    expect(store.documents.size).toBe(0);
    for (const key of ['k0', 'k1', 'k2']) {
      const lsns = done.filter(({ pk }) => pk === key).map(({ _lsn }) => _lsn);
      expect(lsns).toEqual([...lsns].sort((a, b) => a - b));
      expect(lsns).toHaveLength(44);
    }
  },
);

test('[F13] a letter that fails again stays, with its new error, and is not tried for ever', async () => {
  const feed = new TestFeed();
  feed.add(3);
  const store = new TestStore();
  let tries = 0;
  const bench = new PumpBench({
    feed,
    handler: (changes) => {
      if (!changes.some(({ id }) => id === 'd2')) return;
      if (changes.length === 1) tries += 1;
      throw new Error(`no good ${tries}`);
    },
    settings: { failure: parking('park-item') },
    parts: { deadLetters: { store, group } },
  });
  const office = openDeadLetters(store, group);
  await bench.until(() => bench.pump.stored === '"3"');

  expect(await office.replay()).toBe(1);
  await bench.clock.advance(60_000);
  await bench.drained();

  expect(tries).toBe(2);
  expect(await office.list()).toMatchObject([{ itemId: 'd2', attempts: 2, error: 'no good 2', state: 'parked' }]);
  expect(bench.ofType('item.refused')).toMatchObject([{ id: 'd2', error: { message: 'no good 2' } }]);
  expect(bench.ofType('item.replayed')).toEqual([]);
});

test('[F13] letters parked after `stopAt` stay, and so does their key', async () => {
  const feed = new TestFeed();
  feed.add(2, () => 'k');
  const store = new TestStore();
  let isBroken = true;
  const done: string[] = [];
  const bench = new PumpBench({
    feed,
    handler: (changes) => {
      if (isBroken) throw new Error('no good');
      done.push(...changes.map(({ id }) => id));
    },
    settings: { failure: parking('park-key') },
    parts: { deadLetters: { store, group } },
  });
  const office = openDeadLetters(store, group);
  await bench.until(() => bench.pump.stored === '"2"');
  const stopAt = bench.clock.nowMs();
  await bench.clock.advance(1000);
  feed.add(1, () => 'k');
  await bench.until(() => bench.pump.stored === '"3"');

  isBroken = false;
  await office.replay({ stopAt });
  await bench.until(() => done.length === 2);
  await bench.clock.advance(60_000);
  expect((await office.list()).map(({ itemId }) => itemId)).toEqual(['d3']);
  await office.replay();
  await bench.until(() => done.length === 3);
  await bench.drained();

  expect(done).toEqual(['d1', 'd2', 'd3']);
  expect(bench.ofType('item.replayed').map(({ id }) => id)).toEqual(done);
  expect(store.documents.size).toBe(0);
});

test('[F13] a letter whose removal has an open outcome is not handled again', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const store = new TestStore();
  let isBroken = true;
  let tries = 0;
  let removals = 0;
  store.onCall = (operation, id) => {
    if (operation !== 'remove' || !id.includes('.dead.')) return;
    removals += 1;
    if (removals === 1) throw new DatabaseError('outcome-unknown', 'No answer.');
    if (removals === 2) throw new DatabaseError('precondition-failed', 'It has changed.');
  };
  const bench = new PumpBench({
    feed,
    handler: () => {
      if (isBroken) throw new Error('no good');
      tries += 1;
    },
    settings: { failure: parking('park-key') },
    parts: { deadLetters: { store, group } },
  });
  await bench.until(() => bench.pump.stored === '"1"');

  isBroken = false;
  await openDeadLetters(store, group).replay();
  await bench.until(() => store.documents.size === 0);
  await bench.clock.advance(30_000);
  await bench.drained();

  expect(tries).toBe(1);
  expect(bench.problems()).toEqual([]);
});

test('letters are chosen by what they say', async () => {
  const feed = new TestFeed();
  feed.add(6, (index) => `k${index % 2}`);
  const store = new TestStore();
  const bench = new PumpBench({
    feed,
    handler: (changes) => ({ failed: changes.map(({ id }, index) => ({ index, error: new Error(`bad ${id}`) })) }),
    settings: { failure: parking('park-item') },
    parts: { deadLetters: { store, group } },
  });
  await bench.until(() => bench.pump.stored === '"6"');
  await bench.drained();
  const office = openDeadLetters(store, group);
  const ids = async (filter: Parameters<typeof office.list>[0]): Promise<string[]> =>
    (await office.list(filter)).map(({ itemId }) => itemId).sort();

  expect(await ids({ filter: { laneKey: '["k1"]' } })).toEqual(['d2', 'd4', 'd6']);
  expect(await ids({ filter: { error: 'bad d5' } })).toEqual(['d5']);
  expect(await ids({ filter: ({ lsn }) => (lsn ?? 0) > 4 })).toEqual(['d5', 'd6']);
  expect(await ids({ filter: { reason: 'schema' } })).toEqual([]);
});

test('parking without a place to park is refused before anything runs', () => {
  expect(() => new PumpBench({ handler: () => {}, settings: { failure: parking('park-key') } })).toThrow(
    /container for dead letters/,
  );
});

test('[F13] [S55] an abort while a letter is looked at begins no handler', async () => {
  const feed = new TestFeed();
  feed.add(1);
  const store = new TestStore();
  let calls = 0;
  let isReplaying = false;
  let looks = 0;
  let look: () => void = () => {};
  const schema = {
    '~standard': {
      validate: async (value: unknown) => {
        if (isReplaying) {
          looks += 1;
          await new Promise<void>((resolve) => {
            look = resolve;
          });
        }
        return { value };
      },
    },
  };
  const bench = new PumpBench({
    feed,
    handler: () => {
      calls += 1;
      throw new Error('no good');
    },
    settings: { failure: parking('park-item') },
    parts: { deadLetters: { store, group }, schema },
  });
  await bench.until(() => bench.pump.stored === '"1"');
  isReplaying = true;
  await openDeadLetters(store, group).replay();
  await bench.until(() => looks > 0);

  bench.abort.abort(new Error('time is over'));
  expect(bench.pump.isHandling).toBe(false);
  look();
  await bench.ended();

  expect(calls).toBe(1);
});
