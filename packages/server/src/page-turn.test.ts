import { expect, test } from 'vitest';
import { pagesAtOnceMax } from './limits.ts';
import { inTurn } from './page-turn.ts';

test('no more than a few are read at a time, in the order in which they came, and one that fails passes its turn on', async () => {
  let underWay = 0;
  let most = 0;
  const done: number[] = [];
  const read = (n: number) =>
    inTurn(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      done.push(n);
      if (n % 10 === 0) throw new Error('no page');
    });

  const outcomes = await Promise.allSettled(Array.from({ length: 200 }, (_, n) => read(n)));

  expect(most).toBe(pagesAtOnceMax);
  expect(done).toEqual(Array.from({ length: 200 }, (_, n) => n));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20);
  await inTurn(async () => {});
});
