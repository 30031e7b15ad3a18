// How a chain of edges lies in polygons. It is cut where it touches their borders; each of the pieces then lies in one way from
// its one end to the other, which is decided at the end where it begins. No point is computed for that, so nothing is rounded.

import type { Edge } from './edge.ts';
import { edgeBetween, isInAngle, isOnEdge, isOnWay, isSameDirection, meetingOf } from './edge.ts';
import { edgesNear } from './edge-tree.ts';
import type { Position } from './position.ts';
import { isSamePlace } from './position.ts';
import { whereaboutsIn } from './region.ts';
import type { Polygon } from './shape.ts';
import { step } from './steps.ts';

/** Along and against: on the border, in the direction in which its ring goes or in the other. */
type Course = 'inside' | 'along' | 'against' | 'outside';

/**
 * The courses that pieces of the chain have, up to the first one that is `last`. Of several polygons counts the one that a piece is
 * most inside of.
 */
export function coursesOf(edges: readonly Edge[], polygons: readonly Polygon[], last: Course): ReadonlySet<Course> {
  const courses = new Set<Course>();
  let known: Course | undefined;
  let lastEnd: Position | undefined;
  for (const edge of edges) {
    if (courses.has(last)) return courses;
    step(20 + polygons.length);
    const surroundings = polygons.map((polygon) => ({ polygon, near: edgesNear(polygon.border, edge.ball) }));
    const near = surroundings.flatMap((surrounding) => surrounding.near);
    const meetings = new Set(near.map((border) => meetingOf(edge, border)));
    if (meetings.has('crossing')) return courses.add('outside');
    // Where nothing touches, the next edge lies as this one does.
    const isFree = !meetings.has('touching');
    if (!isFree || lastEnd !== edge.from) known = undefined;
    const pieces = isFree ? [edge] : piecesOf(edge, near);
    for (const piece of pieces) {
      const course = known ?? bestCourse(piece, surroundings);
      courses.add(course);
      known = isFree ? course : undefined;
    }
    lastEnd = edge.to;
  }
  return courses;
}

/** A polygon, and the part of its border that may touch an edge. */
interface Surrounding {
  readonly polygon: Polygon;
  readonly near: readonly Edge[];
}

/** Cut at every corner of the borders that is on it. */
function piecesOf(edge: Edge, borders: readonly Edge[]): readonly Edge[] {
  const corners = borders.map((border) => border.from).filter((corner) => isOnEdge(edge, corner));
  // The nearer one of two is on the way to the other.
  const cuts = corners.toSorted((a, b) => (isSamePlace(a, b) ? 0 : isOnWay(edge.from, b, a) ? -1 : 1));
  const ends = [...cuts, edge.to];
  let from = edge.from;
  return ends.flatMap((to) => {
    if (isSamePlace(from, to)) return [];
    const piece = edgeBetween(from, to);
    from = to;
    return [piece];
  });
}

function bestCourse(piece: Edge, surroundings: readonly Surrounding[]): Course {
  const courses = new Set(surroundings.map((surrounding) => courseIn(surrounding, piece)));
  return ranking.find((course) => courses.has(course)) ?? 'outside';
}

const ranking: readonly Course[] = ['inside', 'along', 'against', 'outside'];

/** A way from a corner, or from a point of an edge, along the border. */
interface Way {
  readonly to: Position;
  /** Whether the ring goes this way; it may also come from there. */
  readonly isOutgoing: boolean;
}

function courseIn({ polygon, near }: Surrounding, { from, to }: Edge): Course {
  const ways = waysFrom(from, near);
  if (ways.length === 0) return whereaboutsIn(polygon, from) === 'inside' ? 'inside' : 'outside';
  const same = ways.filter((way) => isSameDirection(from, way.to, to));
  if (same.length > 0) return same.some((way) => way.isOutgoing) ? 'along' : 'against';
  // The inside is to the left of the ring: turning to the right, one meets the border that has it on that side, or the other.
  const nearest = ways.reduce((best, way) => (isInAngle(from, best.to, way.to, to) ? way : best));
  return nearest.isOutgoing ? 'inside' : 'outside';
}

function waysFrom(position: Position, borders: readonly Edge[]): readonly Way[] {
  const ways: Way[] = [];
  for (const border of borders) {
    if (!isOnEdge(border, position)) continue;
    const { from, to } = border;
    if (!isSamePlace(position, to)) ways.push({ to, isOutgoing: true });
    if (!isSamePlace(position, from)) ways.push({ to: from, isOutgoing: false });
  }
  return ways;
}
