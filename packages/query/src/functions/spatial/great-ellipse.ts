// Edges on the earth: where its plane through the two ends and the center cuts the ellipsoid. It is the great circle through the
// same longitudes and latitudes, and is followed here as such, on a ball of radius 1.

import { eccentricity2, equatorRadius, onReducedBall } from './ellipsoid.ts';
import { step } from './steps.ts';
import type { Vector } from './vector.ts';
import { cross, differenceOf, dot, lengthOf, scaled, sumOf } from './vector.ts';

/**
 * How long it is between two places, in metres. The shortest way is shorter: by less than 10⁻⁵ of it up to 15,000 kilometres, and
 * by less than 10⁻³ everywhere. The root of the arc's element is a series, whose third term would be less than 10⁻⁸ of the length.
 */
export function ellipseLength(from: Vector, to: Vector): number {
  step(10);
  const start = onReducedBall(from);
  const end = onReducedBall(to);
  // Of the difference, so that near places lose nothing.
  const sine = lengthOf(cross(start, differenceOf(end, start)));
  const cosine = dot(start, end);
  const angle = Math.atan2(sine, cosine);
  if (angle === 0) return 0;
  // The height above the equator is that of a wave: the steeper it is, the shorter is the arc.
  const rise = sine === 0 ? 0 : (end.z - start.z * cosine) / sine;
  const phase = Math.atan2(start.z, rise);
  const wave = eccentricity2 * (start.z ** 2 + rise ** 2);
  const doubled = (Math.sin(2 * (angle + phase)) - Math.sin(2 * phase)) / 4;
  const fourfold = (Math.sin(4 * (angle + phase)) - Math.sin(4 * phase)) / 32;
  const second = angle / 2 + doubled;
  const fourth = (3 * angle) / 8 + doubled + fourfold;
  return equatorRadius * (angle - (wave * second) / 2 - (wave ** 2 * fourth) / 8);
}

/** An arc of the ball, in the form in which one goes along it. */
export interface Arc {
  readonly from: Vector;
  /** At right angles to it, in the direction of the arc. */
  readonly ahead: Vector;
  /** How long it is, in radians. */
  readonly angle: number;
}

export function arcBetween(from: Vector, to: Vector): Arc {
  const across = cross(from, differenceOf(to, from));
  const sine = lengthOf(across);
  const ahead = sine === 0 ? from : scaled(cross(across, from), 1 / sine);
  return { from, ahead, angle: Math.atan2(sine, dot(from, to)) };
}

export function placeOnArc(arc: Arc, angle: number): Vector {
  return sumOf(scaled(arc.from, Math.cos(angle)), scaled(arc.ahead, Math.sin(angle)));
}
