import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineThrough, sideOf } from './side.ts';
import type { Vector } from './vector.ts';

test('[query 3.9] the side is that of exact arithmetic, also where numbers are too coarse to tell', () => {
  // Products of such numbers have three times as many digits as a number has.
  const whole = fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n });
  const small = fc.bigInt({ min: -3n, max: 3n });
  const vector = fc.tuple(whole, whole, whole);

  fc.assert(
    fc.property(vector, vector, small, small, fc.tuple(small, small, small), (a, b, p, q, [dx, dy, dz]) => {
      // In the plane of the other two, or just beside it.
      const c = [p * a[0] + q * b[0] + dx, p * a[1] + q * b[1] + dy, p * a[2] + q * b[2] + dz] as const;
      const isExact = c.every((value) => BigInt(Number(value)) === value);
      fc.pre(isExact);
      const determinant =
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);

      expect(sideOf(lineThrough(vectorOf(a), vectorOf(b)), vectorOf(c))).toBe(
        determinant > 0n ? 1 : determinant < 0n ? -1 : 0,
      );
    }),
    { numRuns: 500 },
  );
});

test('[query 3.9] whichever point is asked first, the side is the same', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  const vector = fc.record({ x: number, y: number, z: number });

  fc.assert(
    fc.property(vector, vector, vector, (a, b, c) => {
      const side = sideOf(lineThrough(a, b), c);

      expect(sideOf(lineThrough(b, c), a)).toBe(side);
      expect(sideOf(lineThrough(c, a), b)).toBe(side);
      expect(sideOf(lineThrough(b, a), c)).toBe(side === 0 ? 0 : -side);
    }),
    { numRuns: 500 },
  );
});

test('[query 3.9] the smallest and the largest numbers are told apart', () => {
  const least = Number.MIN_VALUE;
  const most = Number.MAX_VALUE;

  expect(sideOf(lineThrough({ x: most, y: 0, z: 0 }, { x: 0, y: most, z: 0 }), { x: most, y: most, z: least })).toBe(1);
  expect(sideOf(lineThrough({ x: least, y: 0, z: 0 }, { x: 0, y: least, z: 0 }), { x: 1, y: 1, z: -least })).toBe(-1);
  expect(sideOf(lineThrough({ x: most, y: most, z: 1 }, { x: most, y: most, z: 2 }), { x: most, y: most, z: 3 })).toBe(
    0,
  );
});

function vectorOf([x, y, z]: readonly [bigint, bigint, bigint]): Vector {
  return { x: Number(x), y: Number(y), z: Number(z) };
}
