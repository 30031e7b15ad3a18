// What a pump remembers beside the position: it repeats nothing after a clean end, and it does not grow.

import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { PumpMemoryKind } from '../src/pump/pump.ts';
import type { DocumentBody } from '../src/store/document-store.ts';
import { PumpBench, TestFeed, TestMemory } from './pump-bench.ts';

class FailingMemory extends TestMemory {
  failuresLeft = 0;
  tries = 0;

  override async load(kind: PumpMemoryKind): Promise<DocumentBody | undefined> {
    this.#fail();
    return super.load(kind);
  }

  override async save(kind: PumpMemoryKind, value: DocumentBody | undefined): Promise<void> {
    this.#fail();
    return super.save(kind, value);
  }

  #fail(): void {
    this.tries += 1;
    if (this.failuresLeft === 0) return;
    this.failuresLeft -= 1;
    throw new DatabaseError('unavailable', 'The store is away.');
  }
}

/** Two keys in two lanes, of which one does not end before it is told to. */
function halfDone(memory: TestMemory, seen: string[], isHeldUp: () => boolean): PumpBench {
  const feed = new TestFeed();
  feed.add(10, (index) => `k${index % 2}`);
  return new PumpBench({
    feed,
    memory,
    position: '"0"',
    settings: { lanes: 2 },
    handler: async (changes) => {
      for (const { id } of changes) seen.push(id);
      if (isHeldUp() && changes.some(({ pk }) => pk === 'k1')) throw new Error('not yet');
    },
  });
}

test('[I8] a drain ends when what is done above the position is on record, not before', async () => {
  const memory = new FailingMemory();
  const seen: string[] = [];
  const first = halfDone(memory, seen, () => true);
  await first.until(() => seen.length >= 10);

  memory.failuresLeft = 5;
  await first.drained();

  expect(first.end).toEqual({ kind: 'drained' });
  expect(memory.failuresLeft).toBe(0);
  const before = seen.filter((id) => Number(id.slice(1)) % 2 === 1);
  const second = halfDone(memory, seen, () => false);
  await second.until(() => second.stored.includes('"10"'));
  expect(seen.filter((id) => Number(id.slice(1)) % 2 === 1)).toEqual(before);
  await second.drained();
});

test('[I8] nothing is delivered before it is known what the owner before has done', async () => {
  const memory = new FailingMemory();
  const seen: string[] = [];
  const first = halfDone(memory, seen, () => true);
  await first.until(() => seen.length >= 10);
  await first.drained();
  const before = seen.filter((id) => Number(id.slice(1)) % 2 === 1);

  memory.failuresLeft = 6;
  const second = halfDone(memory, seen, () => false);
  await second.until(() => second.stored.includes('"10"'));

  expect(memory.failuresLeft).toBe(0);
  expect(seen.filter((id) => Number(id.slice(1)) % 2 === 1)).toEqual(before);
  expect(second.events).toContainEqual(expect.objectContaining({ problem: 'lease-store-failing' }));
  await second.drained();
});

test('[I8] a store that will never take it does not hold up the end', async () => {
  const memory = new TestMemory();
  memory.save = async () => {
    throw new DatabaseError('forbidden', 'You may not.');
  };
  const seen: string[] = [];
  const bench = halfDone(memory, seen, () => true);
  await bench.until(() => seen.length >= 10);

  await bench.drained();

  expect(bench.end).toEqual({ kind: 'drained' });
});

test('[I8] with manual checkpoints, what was acknowledged on a later page is not repeated after a drain', async () => {
  const memory = new TestMemory();
  const seen: string[] = [];
  const acknowledged: string[] = [];
  const late: (() => void)[] = [];
  const open = (isHeldUp: boolean): PumpBench => {
    const feed = new TestFeed();
    feed.add(20, (index) => (index === 0 ? 'bad' : `k${index}`));
    return new PumpBench({
      feed,
      memory,
      position: '"0"',
      settings: { lanes: 2, itemsMax: 5, readAheadPages: 4, checkpoint: { kind: 'manual' } },
      handler: async (changes, { checkpoint }) => {
        const ids = changes.map(({ id }) => id);
        seen.push(...ids);
        if (isHeldUp && ids.includes('d1')) throw new Error('not yet');
        acknowledged.push(...ids);
        // Some in the handler, some after it has returned.
        if (late.length % 2 === 1 || !isHeldUp) void checkpoint();
        else late.push(() => void checkpoint());
      },
    });
  };
  const first = open(true);
  await first.until(() => new Set(seen).size === 20);
  for (const acknowledge of late) acknowledge();
  await first.drained();
  expect(new Set(acknowledged).size).toBeGreaterThan(14);
  const before = new Set(acknowledged);
  seen.length = 0;

  const second = open(false);
  await second.until(() => second.stored.includes('"20"'));

  expect(seen).toContain('d1');
  expect(seen.filter((id) => before.has(id))).toEqual([]);
  await second.drained();
});

test('[I8] the note follows the position: what was noted before it moved is not repeated after it', async () => {
  const memory = new TestMemory();
  const seen: string[] = [];
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const open = (position: string, isHeldUp: boolean): PumpBench => {
    const feed = new TestFeed();
    feed.add(15, (index) => `k${index}`);
    return new PumpBench({
      feed,
      memory,
      position,
      settings: { lanes: 3, itemsMax: 5, readAheadPages: 4, checkpoint: { kind: 'manual' } },
      handler: async (changes, { checkpoint }) => {
        const ids = changes.map(({ id }) => id);
        seen.push(...ids);
        if (isHeldUp && ids.includes('d1')) await held;
        if (isHeldUp && ids.includes('d6')) throw new Error('not yet');
        void checkpoint();
      },
    });
  };
  const first = open('"0"', true);
  await first.until(() => new Set(seen).size === 15);
  await first.until(() => memory.values.get('done')?.['position'] === '"0"');
  release();
  await first.until(() => first.stored.includes('"5"'));
  await first.drained();
  expect(memory.values.get('done')).toMatchObject({ position: '"5"' });
  seen.length = 0;

  const second = open('"5"', false);
  await second.until(() => second.stored.includes('"15"'));

  expect(seen.filter((id) => Number(id.slice(1)) > 10)).toEqual([]);
  await second.drained();
});

test('[I11] what an owner before had done and never comes again is forgotten when all was read', async () => {
  const memory = new TestMemory();
  memory.values.set('done', { position: '"0"', done: ['superseded', 'and gone'] });
  const feed = new TestFeed();
  feed.add(3);

  const bench = new PumpBench({ feed, memory, position: '"0"', handler: () => {} });
  await bench.until(() => bench.stored.includes('"3"'));
  await bench.until(() => !memory.values.has('done'));

  await bench.drained();
});

test('[I11] a checkpoint that is answered after its pump has ended leaves nothing that waits', async () => {
  const memory = new TestMemory();
  memory.values.set('done', { position: '"0"', done: ['of the owner before'] });
  const feed = new TestFeed();
  feed.add(3);
  let answer: (() => void) | undefined;
  const bench = new PumpBench({
    feed,
    memory,
    position: '"0"',
    handler: () => {},
    onCheckpoint: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  await bench.until(() => answer !== undefined);

  bench.abort.abort(new Error('The time of the stop is over.'));
  await bench.ended();
  answer?.();
  await bench.clock.advance(0);

  expect(bench.clock.sleeperCount).toBe(0);
});
