// Owners that follow each other by clean stops, at any moment, whatever fails meanwhile: every change is done exactly once (I8).

import { VirtualClock } from '@tidemark/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckpointStrategy } from '../src/settings.ts';
import { PumpBench, TestFeed, TestMemory } from './pump-bench.ts';

const stops = fc.record({
  changes: fc.integer({ min: 1, max: 90 }),
  keys: fc.integer({ min: 1, max: 12 }),
  lanes: fc.constantFrom(1, 2, 5),
  pages: fc.integer({ min: 0, max: 4 }),
  checkpoint: fc.constantFrom<CheckpointStrategy>(
    { kind: 'every-batch' },
    { kind: 'items', items: 25 },
    { kind: 'interval', intervalMs: 300 },
  ),
  badCalls: fc.uniqueArray(fc.integer({ min: 1, max: 25 }), { maxLength: 8 }),
  stopsMs: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 6 }),
  storeMs: fc.integer({ min: 0, max: 40 }),
});

test('[I8] [S55] after clean stops nothing is done twice and nothing is left out, in the order of keys', async () => {
  await fc.assert(
    fc.asyncProperty(stops, async ({ changes, keys, lanes, pages, checkpoint, badCalls, stopsMs, storeMs }) => {
      const feed = new TestFeed();
      feed.add(changes, (index) => `k${index % keys}`);
      const clock = new VirtualClock();
      const memory = new TestMemory();
      const done: number[] = [];
      let calls = 0;
      let position: string | undefined;

      for (let epoch = 1; ; epoch += 1) {
        const bench: PumpBench = new PumpBench({
          feed,
          clock,
          memory,
          epoch,
          ...(position === undefined ? {} : { position }),
          settings: { lanes, checkpoint, readAheadPages: pages, itemsMax: 9 },
          onCheckpoint: () => clock.sleep(storeMs),
          handler: async (batch) => {
            calls += 1;
            const number = calls;
            await clock.sleep(number % 7);
            if (badCalls.includes(number)) throw new Error('a bad moment');
            done.push(...batch.map(({ _lsn }) => _lsn));
          },
        });
        const stopMs = stopsMs.shift();
        if (stopMs === undefined) await bench.until(() => done.length >= changes, 20);
        else await clock.advance(stopMs);
        const end = await bench.drained();
        expect(end).toEqual({ kind: 'drained' });
        expect(clock.sleeperCount).toBe(0);
        position = bench.pump.stored;
        if (stopMs === undefined) break;
      }

      expect([...done].sort((a, b) => a - b)).toEqual(Array.from({ length: changes }, (_, i) => i + 1));
      for (let key = 0; key < keys; key += 1) {
        const lsns = done.filter((lsn) => (lsn - 1) % keys === key);
        expect(lsns).toEqual([...lsns].sort((a, b) => a - b));
      }
      expect(position).toBe(`"${changes}"`);
    }),
    { numRuns: 150 },
  );
});
