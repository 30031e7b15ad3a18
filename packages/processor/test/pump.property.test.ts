// Random handlers, faults, strategies and deaths over one range; what must hold whatever happens.

import { DatabaseError } from '@tidemark/model';
import { VirtualClock } from '@tidemark/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FailureAction } from '../src/failure-policy.ts';
import type { CheckpointStrategy } from '../src/settings.ts';
import type { TestChange } from './pump-bench.ts';
import { PumpBench, TestFeed, TestMemory } from './pump-bench.ts';
import { TestStore } from './test-store.ts';

const strategies: fc.Arbitrary<CheckpointStrategy> = fc.constantFrom<CheckpointStrategy>(
  { kind: 'every-batch' },
  { kind: 'items', items: 15 },
  { kind: 'interval', intervalMs: 500 },
  { kind: 'manual' },
);

interface World {
  readonly changes: number;
  readonly keys: number;
  readonly lanes: number;
  readonly checkpoint: CheckpointStrategy;
  readonly action: FailureAction;
  readonly bisect: boolean;
  /** Items that always fail. */
  readonly poison: readonly number[];
  /** Calls that fail whatever is in them. */
  readonly badCalls: readonly number[];
  readonly badReads: readonly number[];
  /** Handled changes after which the host dies, each time. */
  readonly deaths: readonly number[];
  readonly namesItems: boolean;
}

const worlds: fc.Arbitrary<World> = fc.record({
  changes: fc.integer({ min: 1, max: 80 }),
  keys: fc.integer({ min: 1, max: 9 }),
  lanes: fc.constantFrom(1, 1, 2, 4, 8),
  checkpoint: strategies,
  action: fc.constantFrom<FailureAction>('skip', 'park-item', 'park-key'),
  bisect: fc.boolean(),
  poison: fc.uniqueArray(fc.integer({ min: 1, max: 80 }), { maxLength: 3 }),
  badCalls: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 4 }),
  badReads: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 4 }),
  deaths: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }),
  namesItems: fc.boolean(),
});

test('[S24] [S25] [S51] [F19] nothing is lost, keys stay in order, and the position never passes what is not done', async () => {
  await fc.assert(fc.asyncProperty(worlds, check), { numRuns: 150 });
});

async function check(world: World): Promise<void> {
  const feed = new TestFeed();
  feed.add(world.changes, (index) => `k${index % world.keys}`);
  const memory = new TestMemory();
  const store = new TestStore();
  const clock = new VirtualClock();
  const done = new Set<number>();
  const given = new Set<number>();
  const skipped = new Set<number>();
  /** Per key, LSNs in the order in which they were done for the first time. */
  const order = new Map<string, number[]>();
  const violations: string[] = [];
  let calls = 0;
  let reads = 0;
  let position: string | undefined;
  const deaths = [...world.deaths];
  feed.onRead = () => {
    reads += 1;
    if (world.badReads.includes(reads)) throw new DatabaseError('unavailable', 'Not now.');
  };

  for (let epoch = 1; ; epoch += 1) {
    let handledHere = 0;
    const death = deaths.shift();
    const bench: PumpBench = new PumpBench({
      feed,
      clock,
      memory,
      epoch,
      ...(position === undefined ? {} : { position }),
      parts: { deadLetters: { store, group: 'g' } },
      settings: {
        lanes: world.lanes,
        checkpoint: world.checkpoint,
        failure: {
          retry: { attemptsMax: 3, firstMs: 10, factor: 2, maxMs: 100, jitter: 0.5 },
          action: world.action,
          bisect: world.bisect,
          classify: undefined,
        },
      },
      handler: async (changes, context) => {
        calls += 1;
        for (const change of changes) {
          given.add(change._lsn);
          if (world.action === 'park-key') assertNotHeld(change);
        }
        await clock.sleep(calls % 4);
        if (world.badCalls.includes(calls)) throw new Error('a bad moment');
        const failed = changes.flatMap((change, index) =>
          world.poison.includes(change._lsn) ? [{ index, error: new Error('poison') }] : [],
        );
        if (failed.length > 0 && !world.namesItems) throw new Error('poison somewhere');
        const good = changes.filter((change) => !world.poison.includes(change._lsn));
        for (const change of good) finish(change);
        handledHere += changes.length;
        // Inside the call where nothing of it failed; else after it has returned, when it is known what of it is done.
        if (world.checkpoint.kind === 'manual') {
          if (failed.length === 0 && calls % 2 === 0) await context.checkpoint().catch(() => {});
          else void clock.sleep(calls % 3).then(() => context.checkpoint().catch(() => {}));
        }
        return failed.length > 0 ? { failed } : undefined;
      },
      onCheckpoint: (next) => assertSafe(next),
    });

    const finish = (change: TestChange): void => {
      if (!done.has(change._lsn)) order.set(change.pk, [...(order.get(change.pk) ?? []), change._lsn]);
      done.add(change._lsn);
    };
    const parked = (): Set<number> =>
      new Set(
        [...store.documents.values()].flatMap(({ body }) => (typeof body['lsn'] === 'number' ? [body['lsn']] : [])),
      );
    const assertNotHeld = (change: TestChange): void => {
      for (const lsn of parked()) {
        if (lsn < change._lsn && `k${(lsn - 1) % world.keys}` === change.pk)
          violations.push(`${change._lsn} passes ${lsn}`);
      }
    };
    const assertSafe = (next: string): void => {
      for (const event of bench.ofType('item.skipped')) skipped.add(Number(event.id.slice(1)));
      const letters = parked();
      for (let lsn = 1; lsn <= Number.parseInt(next.slice(1), 10); lsn += 1) {
        if (!done.has(lsn) && !letters.has(lsn) && !skipped.has(lsn)) throw new Error(`${next} passes ${lsn}`);
      }
      if (position !== undefined) expect(Number.parseInt(next.slice(1), 10)).toBeGreaterThanOrEqual(toNumber(position));
      if (bench.isHeld) position = next;
    };

    if (death === undefined) {
      await bench.until(() => position === `"${world.changes}"` || bench.end !== undefined, 20);
      expect(bench.end).toBeUndefined();
      const end = await bench.drained();
      expect(end).toEqual({ kind: 'drained' });
      expect(clock.sleeperCount).toBe(0);
      break;
    }
    await bench.until(() => handledHere >= death || position === `"${world.changes}"`, 5);
    const callsBefore = calls;
    bench.isHeld = false;
    bench.abort.abort(new Error('dead'));
    await bench.ended();
    for (const event of bench.ofType('item.skipped')) skipped.add(Number(event.id.slice(1)));
    expect(calls - callsBefore).toBe(0);
    expect(bench.pump.stored).toBe(position);
  }

  const letters = [...store.documents.values()].flatMap(({ body }) =>
    typeof body['lsn'] === 'number' ? [body['lsn']] : [],
  );
  for (let lsn = 1; lsn <= world.changes; lsn += 1) {
    expect(done.has(lsn) || letters.includes(lsn) || skipped.has(lsn), `${lsn} is accounted for`).toBe(true);
    if (world.poison.includes(lsn)) expect(given.has(lsn) || letters.includes(lsn)).toBe(true);
  }
  expect(new Set(letters).size).toBe(letters.length);
  expect(violations).toEqual([]);
  for (const [key, all] of order) {
    // What was given up with its batch and came again after a death had its turn before.
    const lsns = all.filter((lsn) => !skipped.has(lsn) && !letters.includes(lsn));
    expect(lsns, `order of ${key}`).toEqual([...lsns].sort((a, b) => a - b));
  }
}

function toNumber(position: string): number {
  return Number.parseInt(position.slice(1), 10);
}
