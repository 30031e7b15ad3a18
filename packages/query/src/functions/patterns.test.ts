import { expect, test } from 'vitest';
import { Patterns } from './patterns.ts';

test('patterns are known by their text and what else they depend on', () => {
  const patterns = new Patterns<number>();

  patterns.set(undefined, 'a', 1, 1);
  patterns.set('i', 'a', 2, 1);

  expect([patterns.get(undefined, 'a'), patterns.get('i', 'a'), patterns.get('i', 'b')]).toEqual([1, 2, undefined]);
});

test('no more of them are kept than a bounded number of parts', () => {
  const patterns = new Patterns<number>();
  const kept = (): number =>
    Array.from({ length: 20 }, (_, at) => patterns.get(undefined, `p${at}`)).filter(Boolean).length;

  for (let at = 0; at < 20; at += 1) patterns.set(undefined, `p${at}`, at + 1, 10_000);
  patterns.set(undefined, 'large', 1, 100_000);

  expect(kept()).toBeLessThan(7);
  expect(patterns.get(undefined, 'large')).toBeUndefined();
});
