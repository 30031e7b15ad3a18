// On which side of an edge a point lies: the sign of a determinant, which is right for every three vectors that numbers can say.
// All that is decided about touching, crossing and being inside comes from it, so that the decisions never contradict each other.
//
// It is computed in numbers first. Only when the result is smaller than what rounding may have done to it, it is computed again
// in whole numbers, which have no rounding.

import type { Vector } from './vector.ts';
import { isSameVector } from './vector.ts';

/** 1 where `c` is to the left of the way from `a` to `b`, seen from outside; -1 to the right; 0 on the line through both. */
export function sideOf(a: Vector, b: Vector, c: Vector): number {
  const bycz = b.y * c.z;
  const bzcy = b.z * c.y;
  const bzcx = b.z * c.x;
  const bxcz = b.x * c.z;
  const bxcy = b.x * c.y;
  const bycx = b.y * c.x;
  const determinant = a.x * (bycz - bzcy) + a.y * (bzcx - bxcz) + a.z * (bxcy - bycx);
  const magnitude =
    Math.abs(a.x) * (Math.abs(bycz) + Math.abs(bzcy)) +
    Math.abs(a.y) * (Math.abs(bzcx) + Math.abs(bxcz)) +
    Math.abs(a.z) * (Math.abs(bxcy) + Math.abs(bycx));
  const doubt = magnitude * roundingShare + smallestProduct * (1 + Math.abs(a.x) + Math.abs(a.y) + Math.abs(a.z));
  if (determinant > doubt) return 1;
  if (determinant < -doubt) return -1;
  return isPlainlyFlat(a, b, c) ? 0 : exactSideOf(a, b, c);
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

function exactSideOf(a: Vector, b: Vector, c: Vector): number {
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
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const stored = Number(bits >> 52n);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const mantissa = stored === 0 ? fraction : fraction | 0x10_0000_0000_0000n;
  return { mantissa: value < 0 ? -mantissa : mantissa, exponent: Math.max(stored, 1) };
}

const exponentMax = 2047;
