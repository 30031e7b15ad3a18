// The surface of containers whose geospatialConfig says Geometry: a plane without an end, whose coordinates are measured as they
// are. Which way a ring goes around means nothing: its inside is what it encloses.

import { gapBetween } from './ball.ts';
import type { Edge } from './edge.ts';
import type { Measure } from './nearest.ts';
import { nearestOf } from './nearest.ts';
import type { Position } from './position.ts';
import { isSamePlace } from './position.ts';
import type { Ring } from './shape.ts';
import { reversedRing } from './shape.ts';
import { lineThrough, sideOf } from './side.ts';
import { step } from './steps.ts';
import type { Surface } from './surface.ts';

export const plane: Surface = {
  refusal: () => undefined,
  position: (x, y) => {
    const place = { x, y, z: 1 };
    return { x, y, ray: place, at: place };
  },
  outerRing: (ring) => (isClockwise(ring) ? reversedRing(ring) : ring),
  farthestFrom: () => undefined,
  distance: (a, b) => nearestOf(a.edges, b.edges, straightLines)?.distance ?? Number.NaN,
  // A hole goes around clockwise, which makes its area negative.
  area: ({ rings }) => rings.reduce((sum, ring) => sum + signedArea(ring), 0),
};

const straightLines: Measure = {
  isFarther: (a, b, distance) => gapBetween(a, b) >= distance,
  toEdge: distanceToEdge,
};

/** Below its lowest corner is the outside. Turning left from there, one meets the ring as it goes away from the corner, or comes. */
function isClockwise(ring: Ring): boolean {
  const corners = ring.map(({ from }) => from);
  const lowest = corners.reduce((best, one) => (one.y < best.y || (one.y === best.y && one.x < best.x) ? one : best));
  // A ring that touches itself may pass the corner several times.
  const ways = ring.flatMap(({ from, to }) => {
    if (isSamePlace(from, lowest)) return [{ to, isOutgoing: true }];
    return isSamePlace(to, lowest) ? [{ to: from, isOutgoing: false }] : [];
  });
  const first = ways.reduce((best, way) => (sideOf(lineThrough(lowest.ray, way.to.ray), best.to.ray) > 0 ? way : best));
  return !first.isOutgoing;
}

/** Relative to a corner of it, so that rings far from the origin lose nothing. */
function signedArea(ring: Ring): number {
  const origin = ring[0]?.from ?? { x: 0, y: 0 };
  const twice = ring.reduce((sum, { from, to }) => {
    return sum + (from.x - origin.x) * (to.y - origin.y) - (to.x - origin.x) * (from.y - origin.y);
  }, 0);
  return twice / 2;
}

function distanceToEdge(position: Position, { from, to }: Edge): number {
  step(5);
  const width = to.x - from.x;
  const height = to.y - from.y;
  const squaredLength = width * width + height * height;
  const along = (position.x - from.x) * width + (position.y - from.y) * height;
  const share = squaredLength === 0 ? 0 : Math.min(1, Math.max(0, along / squaredLength));
  return Math.hypot(position.x - from.x - share * width, position.y - from.y - share * height);
}
