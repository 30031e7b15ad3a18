import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Watermark } from './watermark.ts';

test('the mark stands before the first line that is not done, in whatever order lines are done', () => {
  const orders = fc.integer({ min: 1, max: 30 }).chain((count) =>
    fc.shuffledSubarray(
      Array.from({ length: count }, (_, index) => index + 11),
      { minLength: count },
    ),
  );
  fc.assert(
    fc.property(orders, (order) => {
      const mark = new Watermark({ number: 10, end: 100 });
      for (const number of [...order].sort((a, b) => a - b)) mark.begin({ number, end: number * 10, bytes: undefined });
      const done = new Set<number>();
      for (const number of order) {
        mark.finish(number);
        done.add(number);
        let last = 10;
        while (done.has(last + 1)) last += 1;
        expect(mark.position).toEqual({ number: last, end: last * 10 });
      }
    }),
  );
});
