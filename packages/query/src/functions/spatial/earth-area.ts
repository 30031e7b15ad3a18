// Areas on the ellipsoid, with edges that are great ellipses.
//
// First as on a ball, whose area is that of the earth, by adding up triangles. The ellipsoid has a little more or less than that
// between an edge and the equator: q(sin φ) - sin φ per longitude, where q is the sine of the authalic latitude. It is odd, and 0
// at the equator and the poles, so that poles inside of a ring need no care. As a series in s = sin φ,
//
//   q(s) = Σ cₙ s²ⁿ⁺¹,  cₙ ∝ (2n + 2) / (2n + 1) e²ⁿ,  Σ cₙ = 1,
//
// it has the factor 1 - s², which just cancels that of the longitude along an edge: what is left is integrated without trouble.

import { eccentricity2, equatorRadius } from './ellipsoid.ts';
import { arcBetween, placeOnArc } from './great-ellipse.ts';
import { integral } from './quadrature.ts';
import type { Polygon, Ring } from './shape.ts';
import type { Vector } from './vector.ts';
import { cross, differenceOf, dot, unitOf } from './vector.ts';

/** In square metres. */
export function areaOnEarth({ rings }: Polygon): number {
  const [outer, ...holes] = rings;
  const cutOut = holes.reduce((sum, hole) => sum + wholeAngle - angleLeftOf(hole), 0);
  return Math.max(0, angleLeftOf(outer) - cutOut) * authalicRadius2;
}

/** Of all directions in space. */
const wholeAngle = 4 * Math.PI;

const coefficients: readonly number[] = ((): readonly number[] => {
  const raw = Array.from({ length: 9 }, (_, n) => ((2 * n + 2) / (2 * n + 1)) * eccentricity2 ** n);
  const sum = raw.reduce((total, one) => total + one, 0);
  return raw.map((one) => one / sum);
})();

/** Of the ball with the area of the earth. */
const authalicRadius2 = ((): number => {
  const e = Math.sqrt(eccentricity2);
  return (equatorRadius ** 2 / 2) * (1 + ((1 - eccentricity2) * Math.atanh(e)) / e);
})();

/** What is to the left of the ring, as part of the whole angle. */
function angleLeftOf(ring: Ring): number {
  const places = ring.map(({ from }) => from.at);
  const origin = originFor(places);
  let angle = 0;
  for (const { from, to } of ring) angle += triangleAngle(origin, from.at, to.at) + flatteningAngle(from.at, to.at);
  // A triangle may be counted with the whole ball too much or too little.
  const turns = angle % wholeAngle;
  // A ring without an area is so only up to rounding.
  if (Math.abs(turns) < 1e-15 * places.length) return 0;
  return turns < 0 ? turns + wholeAngle : turns;
}

/** The triangles have a corner in common, which must not be opposite to a corner of the ring. Best is one of the ring itself. */
function originFor(places: readonly Vector[]): Vector {
  const first = places[0] ?? north;
  const leastOf = (origin: Vector): number => places.reduce((least, place) => Math.min(least, dot(origin, place)), 1);
  if (leastOf(first) > -0.99) return first;
  return spread.reduce((best, origin) => (leastOf(origin) > leastOf(best) ? origin : best));
}

const north: Vector = { x: 0, y: 0, z: 1 };

/** Directions that are far from each other. */
const spread: readonly Vector[] = [-1, 0, 1].flatMap((x) =>
  [-1, 0, 1].flatMap((y) => [-1, 0, 1].flatMap((z) => (x === 0 && y === 0 && z === 0 ? [] : [unitOf({ x, y, z })]))),
);

/** The solid angle of a triangle, negative where it goes around clockwise. */
function triangleAngle(a: Vector, b: Vector, c: Vector): number {
  const volume = dot(a, cross(differenceOf(b, a), differenceOf(c, a)));
  return 2 * Math.atan2(volume, 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

function flatteningAngle(from: Vector, to: Vector): number {
  const arc = arcBetween(from, to);
  // The northern part of the axis around which the edge turns.
  const axis = arc.from.x * arc.ahead.y - arc.from.y * arc.ahead.x;
  return axis * integral(0, arc.angle, (angle) => excessAt(placeOnArc(arc, angle).z));
}

/** s Σ cₙ (1 + s² + … + s²ⁿ⁻²), which is (s - q(s)) / (1 - s²). */
function excessAt(s: number): number {
  let powers = 0;
  let sum = 0;
  for (let n = 1; n < coefficients.length; n += 1) {
    powers = 1 + powers * s * s;
    sum += (coefficients[n] ?? 0) * powers;
  }
  return s * sum;
}
