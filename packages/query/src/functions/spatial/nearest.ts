// The nearest two of many edges. Of edges that do not cross, an end of one is as near to the other as they come; so a position
// and an edge are looked for. Whole groups of edges are passed over when they are known to be farther away than what was found.

import type { Ball } from './ball.ts';
import { gapBetween } from './ball.ts';
import type { Edge } from './edge.ts';
import type { EdgeTree } from './edge-tree.ts';
import type { Position } from './position.ts';
import { step } from './steps.ts';

/** How a surface measures. */
export interface Measure {
  /** Whether no place of the one ball is nearer than this to a place of the other. */
  readonly isFarther: (a: Ball, b: Ball, distance: number) => boolean;
  /** How far it is to the edge; something that is not less than `enough` where it is not less either. */
  readonly toEdge: (position: Position, edge: Edge, enough: number) => number;
}

interface Nearest {
  readonly distance: number;
  readonly position: Position;
  readonly edge: Edge;
}

/** Undefined where there are no edges. */
export function nearestOf(a: EdgeTree, b: EdgeTree, measure: Measure): Nearest | undefined {
  return nearer(a, b, measure, undefined);
}

function nearer(a: EdgeTree, b: EdgeTree, measure: Measure, found: Nearest | undefined): Nearest | undefined {
  if (isFarther(a.ball, b.ball, measure, found)) return found;
  if (a.halves !== undefined && (b.halves === undefined || a.ball.radius >= b.ball.radius)) {
    return inOrder(a.halves, b).reduce((best, half) => nearer(half, b, measure, best), found);
  }
  if (b.halves !== undefined) {
    return inOrder(b.halves, a).reduce((best, half) => nearer(a, half, measure, best), found);
  }
  return nearestOfEnds(b, a.edges, measure, nearestOfEnds(a, b.edges, measure, found));
}

/** The half that may be nearer is first, so that the other one need not be looked at. */
function inOrder([first, second]: readonly [EdgeTree, EdgeTree], to: EdgeTree): readonly EdgeTree[] {
  return gapBetween(first.ball, to.ball) <= gapBetween(second.ball, to.ball) ? [first, second] : [second, first];
}

function nearestOfEnds(ends: EdgeTree, edges: readonly Edge[], measure: Measure, found: Nearest | undefined) {
  let best = found;
  for (const position of new Set(ends.edges.flatMap(({ from, to }) => [from, to]))) {
    const ball = { center: position.at, radius: 0 };
    for (const edge of edges) {
      if (isFarther(ball, edge.ball, measure, best)) continue;
      const distance = measure.toEdge(position, edge, best?.distance ?? Number.POSITIVE_INFINITY);
      if (best === undefined || distance < best.distance) best = { distance, position, edge };
    }
  }
  return best;
}

function isFarther(a: Ball, b: Ball, measure: Measure, found: Nearest | undefined): boolean {
  step(1);
  return found !== undefined && measure.isFarther(a, b, found.distance);
}
