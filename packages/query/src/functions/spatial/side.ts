// On which side of an edge a point lies: the sign of a determinant, which is right for every three vectors that numbers can say.
// All that is decided about touching, crossing and being inside comes from it, so that the decisions never contradict each other.
//
// It is computed in numbers first. Only when the result is smaller than what rounding may have done to it, it is computed again
// in whole numbers, which have no rounding.

import { step } from './steps.ts';
import type { Vector } from './vector.ts';
import { differenceOf, isSameVector } from './vector.ts';

/** The straight line or great circle through two points, with all that does not depend on the third one. */
export interface Line {
  readonly from: Vector;
  readonly to: Vector;
  readonly normal: Vector;
  /** The normal, if nothing in it had been subtracted. */
  readonly magnitude: Vector;
}

export function lineThrough(from: Vector, to: Vector): Line {
  step(2);
  const left = { x: from.y * to.z, y: from.z * to.x, z: from.x * to.y };
  const right = { x: from.z * to.y, y: from.x * to.z, z: from.y * to.x };
  const magnitude = {
    x: Math.abs(left.x) + Math.abs(right.x),
    y: Math.abs(left.y) + Math.abs(right.y),
    z: Math.abs(left.z) + Math.abs(right.z),
  };
  return { from, to, normal: differenceOf(left, right), magnitude };
}

/** 1 where `c` is to the left of the way along the line, seen from outside; -1 to the right; 0 on the line. */
export function sideOf({ from, to, normal, magnitude }: Line, c: Vector): number {
  step(1);
  const x = Math.abs(c.x);
  const y = Math.abs(c.y);
  const z = Math.abs(c.z);
  const determinant = normal.x * c.x + normal.y * c.y + normal.z * c.z;
  const doubt =
    (magnitude.x * x + magnitude.y * y + magnitude.z * z) * roundingShare + smallestProduct * (1 + x + y + z);
  if (determinant > doubt) return 1;
  if (determinant < -doubt) return -1;
  step(2);
  return isPlainlyFlat(from, to, c) ? 0 : exactSideOf(from, to, c);
}

/** No term of the determinant is rounded more than five times; each time by 2⁻⁵³ of it at most. */
const roundingShare = 8 * 2 ** -53;

/** Far above what products lose that are too small for a number. */
const smallestProduct = 1e-290;

/** The common cases of 0, without whole numbers: two points are the same, or all are on one meridian, the equator or a line of the grid. */
function isPlainlyFlat(a: Vector, b: Vector, c: Vector): boolean {
  if (isSameVector(a, b) || isSameVector(b, c) || isSameVector(a, c)) return true;
  if (a.z === 0 && b.z === 0 && c.z === 0) return true;
  const isSameX = a.x === b.x && b.x === c.x;
  const isSameY = a.y === b.y && b.y === c.y;
  const isSameZ = a.z === b.z && b.z === c.z;
  return (isSameX && isSameY) || (isSameX && isSameZ) || (isSameY && isSameZ);
}

/** More where exponents are far apart. */
const exactSteps = 400;

function exactSideOf(a: Vector, b: Vector, c: Vector): number {
  step(exactSteps);
  const [ax, ay, az] = wholeNumbersOf(a);
  const [bx, by, bz] = wholeNumbersOf(b);
  const [cx, cy, cz] = wholeNumbersOf(c);
  const determinant = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  return determinant > 0n ? 1 : determinant < 0n ? -1 : 0;
}

/** The vector times a power of two that makes all its numbers whole. The sign of a determinant does not depend on such a factor. */
function wholeNumbersOf(vector: Vector): readonly [bigint, bigint, bigint] {
  const x = partsOf(vector.x);
  const y = partsOf(vector.y);
  const z = partsOf(vector.z);
  const least = Math.min(x.exponent, y.exponent, z.exponent);
  const whole = ({ mantissa, exponent }: Parts): bigint => mantissa << BigInt(exponent - least);
  return [whole(x), whole(y), whole(z)];
}

/** A number is its mantissa times two to its exponent. */
interface Parts {
  readonly mantissa: bigint;
  readonly exponent: number;
}

function partsOf(value: number): Parts {
  // Of 0 every exponent is right; this one makes nobody else's numbers longer.
  if (value === 0) return { mantissa: 0n, exponent: exponentMax };
  bytes.setFloat64(0, Math.abs(value));
  const bits = bytes.getBigUint64(0);
  const stored = Number(bits >> 52n);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const mantissa = stored === 0 ? fraction : fraction | 0x10_0000_0000_0000n;
  return { mantissa: value < 0 ? -mantissa : mantissa, exponent: Math.max(stored, 1) };
}

/** Of a number, to see its parts. */
const bytes = new DataView(new ArrayBuffer(8));

const exponentMax = 2047;
