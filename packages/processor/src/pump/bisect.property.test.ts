import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchPlan, indexesOf } from './bisect.ts';

test('[S25] one item that fails among n is alone after at most log2(n) + 1 rounds, and none is tried more often', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.nat(), (count, chance) => {
      const bad = chance % count;
      const plan = new BatchPlan(indexesOf(count));
      const tries = new Array<number>(count).fill(0);
      const settled: number[] = [];
      const roundsMax = Math.ceil(Math.log2(count)) + 1;
      for (let segment = plan.next; segment !== undefined; segment = plan.next) {
        for (const index of segment) tries[index] = (tries[index] ?? 0) + 1;
        if (!segment.includes(bad) || segment.length === 1) {
          settled.push(...segment);
          plan.settle();
        } else plan.cut();
      }

      expect(Math.max(...tries)).toBeLessThanOrEqual(roundsMax);
      expect(settled).toEqual(indexesOf(count));
    }),
  );
});

test('nothing is tried before what stands to its left is settled', () => {
  const plan = new BatchPlan(indexesOf(8));
  plan.cut();
  expect(plan.next).toEqual([0, 1, 2, 3]);
  plan.cut();
  expect(plan.next).toEqual([0, 1]);
  plan.retry([1]);
  expect(plan.next).toEqual([1]);
  expect(plan.tries).toBe(3);
  expect(plan.cut()).toBe(false);
  plan.settle();
  expect(plan.next).toEqual([2, 3]);
  plan.keep([]);
  expect(plan.next).toEqual([4, 5, 6, 7]);
  expect(plan.tries).toBe(1);
});
