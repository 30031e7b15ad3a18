// Where a point is as seen from a ring or polygon.

import { isOutsideBall } from './ball.ts';
import { isOnEdge } from './edge.ts';
import type { Position } from './position.ts';
import type { Polygon, Ring } from './shape.ts';
import { sideOf } from './side.ts';
import type { Vector } from './vector.ts';
import { scaled, squaredDistance, sumOf } from './vector.ts';

type Whereabouts = 'inside' | 'border' | 'outside';

export function whereaboutsIn(polygon: Polygon, position: Position): Whereabouts {
  if (isOutsideBall(polygon.ball, position.at)) return polygon.isFarInside ? 'inside' : 'outside';
  for (const ring of polygon.rings) {
    const side = sideOfRing(ring, position);
    if (side !== 1) return side === 0 ? 'border' : 'outside';
  }
  return 'inside';
}

/**
 * 1 to the left of a ring, -1 to its right, 0 on it.
 *
 * One goes straight from the point to an edge, and arrives there on one of its two sides. Every other edge that is crossed on this
 * way changes the side. The way may go exactly through a corner: corners on it count as to the left of it, for both edges that
 * meet there, as if the way were a little beside.
 */
export function sideOfRing(ring: Ring, position: Position): number {
  const goal = goalOf(ring, position);
  if (goal === undefined) return -1;
  if (goal === 'border') return 0;
  const { target, edgeAt } = goal;
  let side = goal.side;
  let from = ring[ring.length - 1];
  if (from === undefined) return -1;
  let fromSide = leftOrRight(position.ray, target, from.ray);
  for (const [at, to] of ring.entries()) {
    const toSide = leftOrRight(position.ray, target, to.ray);
    if (toSide !== fromSide && at !== edgeAt) {
      // Its ends are on both sides of the way. Whether it is met between point and target, and not beyond them:
      const isMet = sideOf(from.ray, to.ray, position.ray) === toSide && sideOf(from.ray, to.ray, target) === fromSide;
      if (isMet) side = -side;
    }
    from = to;
    fromSide = toSide;
  }
  return side;
}

/** The edge to go to. */
interface Goal {
  readonly target: Vector;
  /** Where in the ring the edge ends. */
  readonly edgeAt: number;
  /** The side of the edge on which one arrives. */
  readonly side: number;
}

/** The longest edge, since a place on it is known best; not one that the point is in line with: it has no side to arrive on. */
function goalOf(ring: Ring, position: Position): Goal | 'border' | undefined {
  let best: Goal | undefined;
  let bestLength = 0;
  let from = ring[ring.length - 1];
  for (const [edgeAt, to] of ring.entries()) {
    if (from === undefined) return undefined;
    const side = sideOf(from.ray, to.ray, position.ray);
    if (side === 0) {
      if (isOnEdge(from, to, position)) return 'border';
    } else {
      const length = squaredDistance(from.at, to.at);
      if (length > bestLength) {
        bestLength = length;
        best = { target: sumOf(scaled(from.at, share), scaled(to.at, 1 - share)), edgeAt, side };
      }
    }
    from = to;
  }
  return best;
}

/** About the middle of an edge; but corners of the same ring may well touch the very middle. */
const share = 0.4871;

function leftOrRight(from: Vector, to: Vector, ray: Vector): number {
  return sideOf(from, to, ray) === -1 ? -1 : 1;
}
