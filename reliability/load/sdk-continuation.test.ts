import { expect, test } from 'vitest';
import { isTiled, withoutTwins } from './sdk-continuation.ts';

const continuation = (...parts: (readonly [min: string, max: string, position: number])[]): string =>
  JSON.stringify({
    rid: 'r',
    Continuation: parts.map(([minInclusive, maxExclusive, position]) => ({
      minInclusive,
      maxExclusive,
      continuationToken: `"${position}"`,
    })),
  });

test('a continuation that covers every key once stays as it is', () => {
  expect(withoutTwins(continuation(['20', 'FF', 7], ['', '20', 3]))).toBeUndefined();
});

test('of parts that are there twice the one that has come further stays', () => {
  const twice = continuation(['20', 'FF', 7], ['', '20', 3], ['20', 'FF', 9]);

  expect(withoutTwins(twice)).toBe(continuation(['', '20', 3], ['20', 'FF', 9]));
});

test('of a part that another one covers only a piece is taken', () => {
  const overlapping = continuation(['', '20', 3], ['20', 'FF', 9], ['20', '30', 7], ['30', 'FF', 11]);

  expect(withoutTwins(overlapping)).toBe(continuation(['', '20', 3], ['20', '30', 9], ['30', 'FF', 11]));
});

test('ranges tile when they cover every key once', () => {
  const ranges = (...bounds: (readonly [string, string])[]) => bounds.map(([min, max]) => ({ min, max }));

  expect(isTiled(ranges(['20', 'FF'], ['', '20']))).toBe(true);
  expect(isTiled(ranges(['', '20'], ['20', 'FF'], ['20', 'FF']))).toBe(false);
  expect(isTiled(ranges(['', '20'], ['30', 'FF']))).toBe(false);
  expect(isTiled(ranges(['', '20']))).toBe(false);
});
