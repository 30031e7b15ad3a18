import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Value } from '../value/value.ts';
import { isOfType, signatureOf, typeAt } from './signature.ts';
import { vectorFunctions } from './vector.ts';

test('[query 3.10] the three measures are as documented', () => {
  const float32 = (distanceFunction: string): Value => ({ distanceFunction, dataType: 'Float32' });

  expect(distance([1, 0], [1, 0], true, float32('cosine'))).toBe(1);
  expect(distance([1, 0], [0, 1], true, float32('cosine'))).toBe(0);
  expect(distance([1, 2], [3, 4], true, float32('dotproduct'))).toBe(11);
  expect(distance([0, 0], [3, 4], true, float32('euclidean'))).toBe(5);
});

test('[query 3.10] without another word it is the cosine', () => {
  expect(distance([1, 0], [-2, 0])).toBe(-1);
  expect(distance([1, 1], [1, 0])).toBeCloseTo(Math.SQRT1_2, 15);
  expect(distance([1, 0], [1, 0], false, {})).toBe(1);
});

test('[query 3.10] options are written in any case', () => {
  expect(distance([1, 2], [3, 4], true, { distanceFunction: 'DotProduct', dataType: 'INT8' })).toBe(11);
  expect(distance([0], [2], true, { distanceFunction: 'Euclidean' })).toBe(2);
});

test('[query 3.10] an option that cannot be so makes it undefined', () => {
  const wrong: Value[] = [
    { distanceFunction: 'manhattan' },
    { distanceFunction: 1 },
    { dataType: 'float64' },
    { searchListSizeMultiplier: 0 },
    { searchListSizeMultiplier: 101 },
    { searchListSizeMultiplier: 2.5 },
    { quantizedVectorListMultiplier: '5' },
    { filterPriority: 1.5 },
  ];

  for (const options of wrong) expect(distance([1], [1], true, options)).toBeUndefined();
  expect(
    distance([1], [1], true, {
      searchListSizeMultiplier: 100,
      quantizedVectorListMultiplier: 1,
      filterPriority: 0.5,
      somethingNew: true,
    }),
  ).toBe(1);
});

test('[query 3.10] what are no two vectors of the same length makes it undefined', () => {
  expect(distance([1, 2], [1])).toBeUndefined();
  expect(distance([], [])).toBeUndefined();
  expect(distance([1, 'a'], [1, 2])).toBeUndefined();
  expect(distance([[1], [2]], [[1], [2]])).toBeUndefined();
  expect(distance([1, null], [1, 2])).toBeUndefined();
  expect(distance([Number.NaN], [1])).toBeUndefined();
  expect(distance('ab', [1, 2])).toBeUndefined();
  expect(distance([1], undefined)).toBeUndefined();
  expect(distance([1], [1], 'true')).toBeUndefined();
  expect(distance([1], [1], true, 'cosine')).toBeUndefined();
});

test('[query 3.10] a vector without a length has no cosine, but a distance', () => {
  expect(distance([0, 0], [1, 1])).toBeUndefined();
  expect(distance([0, 0], [1, 1], true, { distanceFunction: 'dotproduct' })).toBe(0);
});

test('[query 3.10] elements have to be of the data type', () => {
  const of = (dataType: string, element: number): Value =>
    distance([element], [1], true, { dataType, distanceFunction: 'dotproduct' });

  expect(of('int8', -128)).toBe(-128);
  expect(of('int8', 128)).toBeUndefined();
  expect(of('int8', 0.5)).toBeUndefined();
  expect(of('uint8', 255)).toBe(255);
  expect(of('uint8', -1)).toBeUndefined();
  expect(of('float16', 65_504)).toBe(65_504);
  expect(of('float16', 65_505)).toBeUndefined();
  expect(of('float32', 1e39)).toBeUndefined();
});

test('[query 3.10] the order of the vectors does not matter, and a cosine is never beyond 1', () => {
  const element = fc.double({ min: -1e30, max: 1e30, noNaN: true });
  const pair = fc.array(fc.tuple(element, element), { minLength: 1, maxLength: 20 });
  const distanceFunction = fc.constantFrom('cosine', 'dotproduct', 'euclidean');

  fc.assert(
    fc.property(pair, distanceFunction, (elements, name) => {
      const a = elements.map(([first]) => first);
      const b = elements.map(([, second]) => second);
      const forwards = distance(a, b, true, { distanceFunction: name });

      expect(distance(b, a, true, { distanceFunction: name })).toBe(forwards);
      if (name === 'cosine' && forwards !== undefined) expect(Math.abs(forwards as number)).toBeLessThanOrEqual(1);
    }),
  );
});

const context = { nowMs: () => 0, startMs: 0, random: () => 0 };

function distance(...args: readonly Value[]): Value {
  const [found] = vectorFunctions;
  if (found === undefined) throw new Error('no function');
  const signature = signatureOf(found.takes);
  const fits = args.every((arg, place) => isOfType(arg, typeAt(signature, place)));
  return fits ? found.call(args, context) : undefined;
}
