// Whether the rings of a polygon pass through each other or themselves, or run along each other. That they touch is allowed.

import { isApart } from './ball.ts';
import type { Edge, Pass } from './edge.ts';
import { isCrossing, isPassingThrough, placesOfMeeting } from './edge.ts';
import type { Position } from './position.ts';
import { isSamePlace } from './position.ts';
import type { Ring } from './shape.ts';
import { edgesOfRing } from './shape.ts';
import type { Vector } from './vector.ts';

interface RingFault {
  readonly kind: 'crossing' | 'overlap';
  /** Of the ring that has it, from 1. */
  readonly ringNumber: number;
}

export function ringFaultIn(rings: readonly Ring[]): RingFault | undefined {
  const stretches = rings.flatMap(stretchesOf);
  const axis = widestAxis(stretches);
  const start = ({ edge: { ball } }: Stretch): number => ball.center[axis] - ball.radius;
  const sorted = stretches.toSorted((a, b) => start(a) - start(b));
  // In the order of their starts, an edge can only meet those that have not ended before it starts.
  let open: Stretch[] = [];
  for (const stretch of sorted) {
    const from = start(stretch);
    open = open.filter(({ edge: { ball } }) => ball.center[axis] + ball.radius >= from);
    for (const other of open) {
      const kind = faultBetween(other, stretch);
      if (kind !== undefined) return { kind, ringNumber: Math.min(other.ringNumber, stretch.ringNumber) };
    }
    open.push(stretch);
  }
  return undefined;
}

interface Stretch {
  readonly edge: Edge;
  /** The corners of the ring before and after the edge. */
  readonly before: Position;
  readonly after: Position;
  readonly ringNumber: number;
}

function stretchesOf(ring: Ring, ringAt: number): readonly Stretch[] {
  const edges = edgesOfRing(ring);
  return edges.map((edge, at) => {
    const before = edges[(at + edges.length - 1) % edges.length]?.from ?? edge.from;
    const after = edges[(at + 1) % edges.length]?.to ?? edge.to;
    return { edge, before, after, ringNumber: ringAt + 1 };
  });
}

function faultBetween(a: Stretch, b: Stretch): RingFault['kind'] | undefined {
  if (isApart(a.edge.ball, b.edge.ball)) return undefined;
  if (isCrossing(a.edge, b.edge)) return 'crossing';
  const [corner, another] = placesOfMeeting(a.edge, b.edge);
  if (another !== undefined) return 'overlap';
  if (corner === undefined) return undefined;
  // Neighbours meet in the corner that both pass, in the same directions.
  return isPassingThrough(corner, passOf(a, corner), passOf(b, corner)) ? 'crossing' : undefined;
}

function passOf({ edge: { from, to }, before, after }: Stretch, corner: Position): Pass {
  if (isSamePlace(corner, from)) return { from: before, to };
  return isSamePlace(corner, to) ? { from, to: after } : { from, to };
}

/** Along the axis on which they spread most, the fewest are open at the same time. */
function widestAxis(stretches: readonly Stretch[]): keyof Vector {
  const spreads = axes.map((axis) => {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const { edge } of stretches) {
      least = Math.min(least, edge.ball.center[axis]);
      most = Math.max(most, edge.ball.center[axis]);
    }
    return { axis, spread: most - least };
  });
  return spreads.reduce((best, other) => (other.spread > best.spread ? other : best)).axis;
}

const axes = ['x', 'y', 'z'] as const satisfies readonly (keyof Vector)[];
