import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexesOf } from './bisect.ts';
import type { LaneBatch } from './lanes.ts';
import { Lanes } from './lanes.ts';

interface TestPage {
  readonly number: number;
  readonly count: number;
  readonly keys: readonly string[];
}

test('[F19] each key is in one batch at a time and in its order, and everything comes once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 6 }),
      fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 12 }), { maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      (laneCount, pages, chance) => {
        const lanes = new Lanes<TestPage>(laneCount);
        const waiting = pages.map((keys, number) => ({
          number,
          count: keys.length,
          keys: keys.map((key) => `k${key}`),
        }));
        const open: LaneBatch<TestPage>[] = [];
        const seen = new Map<string, number[]>();
        let total = 0;
        for (;;) {
          const roll = Number(chance.next().value) % 3;
          const page = roll === 0 ? waiting.shift() : undefined;
          if (page !== undefined) lanes.add(page, indexesOf(page.count), (index) => page.keys[index] as string);
          const batch = open.length < laneCount && roll !== 2 ? lanes.take() : undefined;
          if (batch !== undefined) {
            for (const other of open) expect(other.keys.filter((key) => batch.keys.includes(key))).toEqual([]);
            for (const index of batch.indexes) {
              const key = batch.page.keys[index] as string;
              seen.set(key, [...(seen.get(key) ?? []), batch.page.number * 100 + index]);
              total += 1;
            }
            open.push(batch);
          } else if (open.length > 0) {
            const [done] = open.splice(Number(chance.next().value) % open.length, 1);
            lanes.release(done?.keys ?? []);
          } else if (waiting.length === 0 && lanes.waitingCount === 0) break;
        }

        expect(total).toBe(pages.reduce((sum, keys) => sum + keys.length, 0));
        for (const order of seen.values()) expect(order).toEqual([...order].sort((a, b) => a - b));
        expect([lanes.busyCount, lanes.waitingCount]).toEqual([0, 0]);
      },
    ),
  );
});

test('[S51] a key with most of the changes has a lane for itself', () => {
  const lanes = new Lanes<TestPage>(4);
  const keys = indexesOf(100).map((index) => (index % 20 === 0 ? `cold${index}` : 'hot'));
  lanes.add({ number: 0, count: 100, keys }, indexesOf(100), (index) => keys[index] as string);

  const batches = [lanes.take(), lanes.take(), lanes.take()];

  expect(batches.map((batch) => batch?.keys)).toEqual([['cold0'], ['hot'], ['cold20', 'cold40', 'cold60', 'cold80']]);
  expect(lanes.reserve('hot')).toBe(false);
  lanes.release(['hot']);
  expect(lanes.reserve('hot')).toBe(true);
});
