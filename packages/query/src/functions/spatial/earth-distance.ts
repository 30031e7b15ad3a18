// The distance of shapes that have no point in common, on the earth: the length of the shortest way, the geodesic, between their
// nearest points. These are found by the lengths of great ellipses, which are quick to compute, and longer than geodesics by less
// than a hundred-thousandth, or a thousandth between nearly opposite places; so much longer than the very shortest way may the
// result be.

import type { Ball } from './ball.ts';
import { gapBetween } from './ball.ts';
import type { Edge } from './edge.ts';
import type { EdgeTree } from './edge-tree.ts';
import { eccentricity2, equatorRadius } from './ellipsoid.ts';
import type { Coordinates } from './geodesic.ts';
import { geodesicLength } from './geodesic.ts';
import type { Arc } from './great-ellipse.ts';
import { arcBetween, ellipseLength, placeOnArc } from './great-ellipse.ts';
import type { Measure } from './nearest.ts';
import { nearestOf } from './nearest.ts';
import { step } from './steps.ts';
import type { Vector } from './vector.ts';
import { dot, lengthOf, scaled, squaredDistance } from './vector.ts';

/** In metres. */
export function distanceOnEarth(a: EdgeTree, b: EdgeTree): number {
  const nearest = nearestOf(a, b, greatEllipses);
  if (nearest === undefined) return Number.NaN;
  const { position, edge } = nearest;
  const at = nearestOnEdge(position.at, edge, footOn(position.at, edge));
  const isAtEnd = [edge.from, edge.to].find((end) => end.at === at);
  const goal = isAtEnd === undefined ? coordinatesOf(at) : { longitude: isAtEnd.x, latitude: isAtEnd.y };
  return geodesicLength({ longitude: position.x, latitude: position.y }, goal);
}

const greatEllipses: Measure = {
  isFarther: (a, b, distance) => {
    // An angle is larger than its chord.
    if (gapBetween(a, b) * leastRadius >= distance) return true;
    const from = middleOf(a);
    const to = middleOf(b);
    const length = ellipseLength(from.at, to.at);
    // No way between them is shorter than the geodesic.
    const excess = length < 15_000_000 ? 1e-5 : length < 19_000_000 ? 5e-5 : 1e-3;
    return length * (1 - excess) - from.reach - to.reach >= distance;
  },
  toEdge: (position, edge, enough) => {
    const foot = footOn(position.at, edge);
    if (foot.away * leastRadius >= enough) return enough;
    return ellipseLength(position.at, nearestOnEdge(position.at, edge, foot));
  },
};

/** Along meridians near the equator a degree is shortest. */
const leastRadius = equatorRadius * (1 - eccentricity2);

/** At the poles a degree is longest. */
const greatestRadius = equatorRadius / Math.sqrt(1 - eccentricity2);

/** A place on the globe, and how many metres from it the places of the ball may be. */
function middleOf({ center, radius }: Ball): { readonly at: Vector; readonly reach: number } {
  const height = lengthOf(center);
  if (radius === 0) return { at: center, reach: 0 };
  if (height === 0) return { at: { x: 0, y: 0, z: 1 }, reach: Math.PI * greatestRadius };
  const chord = Math.min(radius + Math.abs(1 - height), 2);
  return { at: scaled(center, 1 / height), reach: 2 * Math.asin(chord / 2) * greatestRadius };
}

/** On a ball: the nearest place of the circle that an edge is part of, as an angle along it. */
interface Foot {
  readonly arc: Arc;
  readonly angle: number;
  /** Of the distance from the foot. */
  readonly cosine: number;
  /** The distance from the edge itself, as an angle. */
  readonly away: number;
}

function footOn(place: Vector, { from, to }: Edge): Foot {
  step(20);
  const arc = arcBetween(from.at, to.at);
  const ahead = dot(place, arc.ahead);
  const back = dot(place, arc.from);
  const angle = Math.atan2(ahead, back);
  const inner = placeOnArc(arc, Math.min(Math.max(angle, 0), arc.angle));
  const away = 2 * Math.asin(Math.min(1, Math.sqrt(squaredDistance(place, inner)) / 2));
  return { arc, angle, cosine: Math.sqrt(ahead * ahead + back * back), away };
}

/** One of the ends is returned as it is. */
function nearestOnEdge(place: Vector, { from, to }: Edge, { arc, angle: foot, cosine, away }: Foot): Vector {
  const end = ellipseLength(place, to.at) < ellipseLength(place, from.at) ? to.at : from.at;
  if (arc.angle === 0) return end;
  // On the earth distances are others, by half a hundredth at most, and by how much depends on their direction: so the foot moves
  // along the edge, by an angle whose sine is less than this.
  const shift = Math.asin(Math.min(1, (0.02 * away) / cosine));
  const low = Math.max(0, foot - shift);
  const high = Math.min(arc.angle, foot + shift);
  if (!(low < high)) return end;
  // Near its least value the length is flat: so small a step along the edge changes it by less than a tenth of a millimetre.
  const step = Math.sqrt(away * 1e-12);
  const inner = placeOnArc(
    arc,
    leastIn(low, high, step, (angle) => ellipseLength(place, placeOnArc(arc, angle))),
  );
  return ellipseLength(place, inner) < ellipseLength(place, end) ? inner : end;
}

/** By the golden section, of a function that falls and then rises. */
function leastIn(from: number, to: number, step: number, f: (at: number) => number): number {
  let low = from;
  let high = to;
  let left = high - golden * (high - low);
  let right = low + golden * (high - low);
  let atLeft = f(left);
  let atRight = f(right);
  for (let round = 0; round < roundsMax && high - low > step; round += 1) {
    if (atLeft < atRight) {
      high = right;
      right = left;
      atRight = atLeft;
      left = high - golden * (high - low);
      atLeft = f(left);
    } else {
      low = left;
      left = right;
      atLeft = atRight;
      right = low + golden * (high - low);
      atRight = f(right);
    }
  }
  return (low + high) / 2;
}

/** Each makes it narrower by more than a third: from half a turn to less than the rounding of a number. */
const roundsMax = 80;

const golden = (Math.sqrt(5) - 1) / 2;

function coordinatesOf(at: Vector): Coordinates {
  const degree = 180 / Math.PI;
  return { longitude: Math.atan2(at.y, at.x) * degree, latitude: Math.atan2(at.z, Math.hypot(at.x, at.y)) * degree };
}
