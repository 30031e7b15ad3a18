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

test('what one run has done the next one leaves out, wherever it was interrupted', () => {
  const lines = (from: number) => Array.from({ length: 30 - from }, (_, index) => index + from + 1);
  const sizes = fc.tuple(fc.shuffledSubarray(lines(0)), fc.integer({ min: 0, max: 30 }), fc.shuffledSubarray(lines(0)));
  fc.assert(
    fc.property(sizes, ([first, begunBySecond, second]) => {
      const one = new Watermark({ number: 0, end: 0 });
      for (const number of lines(0)) one.begin({ number, end: number, bytes: undefined });
      for (const number of first) one.finish(number);
      const two = new Watermark(one.position, one.beyond);
      const left = lines(one.position.number)
        .slice(0, begunBySecond)
        .filter((number) => two.begin({ number, end: number, bytes: undefined }));
      const done = new Set([...first, ...second.filter((number) => left.includes(number))]);
      for (const number of done) if (left.includes(number)) two.finish(number);
      const three = new Watermark(two.position, two.beyond);
      const rest = lines(two.position.number).filter((number) =>
        three.begin({ number, end: number, bytes: undefined }),
      );

      expect(left.filter((number) => first.includes(number))).toEqual([]);
      expect(rest).toEqual(lines(0).filter((number) => !done.has(number)));
    }),
  );
});
