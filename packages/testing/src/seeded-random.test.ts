import { expect, test } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

test('one seed gives one sequence, another seed another', () => {
  const draw = (seed: number) => Array.from({ length: 20 }, (_, i) => new SeededRandom(seed).fork(`${i}`).int(1000));

  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

test('a fork depends on the seed and its name, not on what was drawn before', () => {
  const fresh = new SeededRandom(7).fork('disk').float();
  const used = new SeededRandom(7);
  used.bytes(new Uint8Array(100));

  expect(used.fork('disk').float()).toBe(fresh);
  expect(used.fork('clock').float()).not.toBe(fresh);
});

test('int reaches every value below its bound, evenly, and none beyond', () => {
  const random = new SeededRandom('dice');
  const counts = new Array<number>(6).fill(0);

  for (let i = 0; i < 60_000; i++) counts[random.int(6)]!++;

  expect(counts.every((count) => count > 9_500 && count < 10_500)).toBe(true);
});

test('bool keeps to its probability, and 0 and 1 are certain', () => {
  const random = new SeededRandom('coin');
  const heads = Array.from({ length: 10_000 }, () => random.bool(0.2)).filter(Boolean).length;

  expect(heads).toBeGreaterThan(1_800);
  expect(heads).toBeLessThan(2_200);
  expect(random.bool(0)).toBe(false);
  expect(random.bool(1)).toBe(true);
});

test('shuffle keeps every item and leaves its argument alone; pick takes from a list and refuses an empty one', () => {
  const random = new SeededRandom(3);
  const items = [1, 2, 3, 4, 5, 6, 7, 8];

  const shuffled = random.shuffle(items);

  expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(shuffled).not.toEqual(items);
  expect([...shuffled].sort()).toEqual(items);
  expect(items).toContain(random.pick(items));
  expect(() => random.pick([])).toThrow(RangeError);
});

test('bytes fills all of its target', () => {
  const target = new Uint8Array(4096);

  new SeededRandom(1).bytes(target);

  expect(new Set(target).size).toBeGreaterThan(250);
});
