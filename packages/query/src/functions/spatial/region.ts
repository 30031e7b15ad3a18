// Where a point is as seen from a ring or polygon.

import { isOutsideBall } from './ball.ts';
import type { Edge } from './edge.ts';
import { isOnEdge } from './edge.ts';
import type { Position } from './position.ts';
import type { Polygon, Ring } from './shape.ts';
import { lineThrough, sideOf } from './side.ts';
import type { Vector } from './vector.ts';
import { scaled, sumOf } from './vector.ts';

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
  const { target, edge: last } = goal;
  const way = lineThrough(position.ray, target);
  const isLeftOfWay = ({ ray }: Position): boolean => sideOf(way, ray) !== -1;
  let side = goal.side;
  let isFromLeft = ring[0] !== undefined && isLeftOfWay(ring[0].from);
  for (const edge of ring) {
    const isToLeft = isLeftOfWay(edge.to);
    if (isToLeft !== isFromLeft && edge !== last) {
      // Its ends are on both sides of the way. Whether it is met between point and target, and not beyond them:
      const toSide = isToLeft ? 1 : -1;
      const isMet = sideOf(edge.line, position.ray) === toSide && sideOf(edge.line, target) === -toSide;
      if (isMet) side = -side;
    }
    isFromLeft = isToLeft;
  }
  return side;
}

/** The edge to go to. */
interface Goal {
  readonly target: Vector;
  readonly edge: Edge;
  /** The side of the edge on which one arrives. */
  readonly side: number;
}

/** The longest edge, since a place on it is known best; not one that the point is in line with: it has no side to arrive on. */
function goalOf(ring: Ring, position: Position): Goal | 'border' | undefined {
  let best: Goal | undefined;
  for (const edge of ring) {
    const side = sideOf(edge.line, position.ray);
    if (side === 0 && isOnEdge(edge, position)) return 'border';
    const isBest = side !== 0 && (best === undefined || edge.ball.radius > best.edge.ball.radius);
    if (isBest) best = { target: sumOf(scaled(edge.from.at, share), scaled(edge.to.at, 1 - share)), edge, side };
  }
  return best;
}

/** About the middle of an edge; but corners of the same ring may well touch the very middle. */
const share = 0.4871;
