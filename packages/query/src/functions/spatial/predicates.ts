// Whether shapes have a point in common, and whether one is within another.
//
// Intersecting counts the borders. Within is that of OGC and of SQL Server, with whose words the service speaks: no point of the
// one may be outside of the other, and their interiors have to have a point in common. So a point on the border of a polygon is
// not within it, nor is a line that only runs along the border; but a polygon is within itself. The interior of a line is all
// but its two ends.

import { isApart } from './ball.ts';
import { coursesOf } from './coverage.ts';
import type { Edge } from './edge.ts';
import { isOnEdge, isOnWay, meetingOf, placesOfMeeting } from './edge.ts';
import type { EdgeTree } from './edge-tree.ts';
import { edgesIn, edgesNear, isAnyPair } from './edge-tree.ts';
import type { Position } from './position.ts';
import { isSamePlace } from './position.ts';
import { whereaboutsIn } from './region.ts';
import type { LineShape, PointShape, Polygon, Shape } from './shape.ts';

export function isIntersecting(a: Shape, b: Shape): boolean {
  // Whether a point is on the border of an area is found with whether it is inside.
  const isPointInArea = (a.kind === 'point' && b.kind === 'area') || (a.kind === 'area' && b.kind === 'point');
  if (!isPointInArea && isAnyPair(a.edges, b.edges, (one, other) => meetingOf(one, other) !== 'apart')) return true;
  return isTouchedBy(a, b) || isTouchedBy(b, a);
}

export function isWithin(inner: Shape, outer: Shape): boolean {
  switch (inner.kind) {
    case 'point':
      return isPointWithin(inner, outer);
    case 'line':
      return isLineWithin(inner, outer);
    case 'area':
      return (
        outer.kind === 'area' &&
        inner.polygons.length > 0 &&
        inner.polygons.every((polygon) => isPolygonWithin(polygon, outer.polygons))
      );
  }
}

/** Where no borders meet, all of a border is on one side of the other: one position of each says on which. */
function isTouchedBy(area: Shape, shape: Shape): boolean {
  if (area.kind !== 'area') return false;
  const positions = positionPerPart(shape);
  return area.polygons.some((polygon) => positions.some((position) => whereaboutsIn(polygon, position) !== 'outside'));
}

function positionPerPart(shape: Shape): readonly Position[] {
  switch (shape.kind) {
    case 'point':
      return [shape.position];
    case 'line':
      return shape.positions.slice(0, 1);
    case 'area':
      return shape.polygons.flatMap((polygon) =>
        polygon.rings.flatMap((ring) => ring.slice(0, 1).map(({ from }) => from)),
      );
  }
}

function isPointWithin({ position, edges }: PointShape, outer: Shape): boolean {
  switch (outer.kind) {
    case 'point':
      return isSamePlace(position, outer.position);
    case 'line':
      return (
        !isEndOfLine(position, outer.positions) && isAnyPair(edges, outer.edges, (_, part) => isOnEdge(part, position))
      );
    case 'area':
      return outer.polygons.some((polygon) => whereaboutsIn(polygon, position) === 'inside');
  }
}

/** A line that comes back to where it began has no ends. */
function isEndOfLine(position: Position, positions: readonly Position[]): boolean {
  const first = positions[0];
  const last = positions[positions.length - 1];
  if (first === undefined || last === undefined || isSamePlace(first, last)) return false;
  return isSamePlace(position, first) || isSamePlace(position, last);
}

function isLineWithin(inner: LineShape, outer: Shape): boolean {
  const edges = edgesIn(inner.edges);
  switch (outer.kind) {
    case 'point':
      return false;
    case 'line':
      return edges.every((edge) => isCoveredBy(edge, outer.edges));
    case 'area': {
      const courses = coursesOf(edges, outer.polygons, 'outside');
      return courses.has('inside') && !courses.has('outside');
    }
  }
}

/** The stretches that parts of the line have in common with the edge have to join, from its one end to the other. */
function isCoveredBy(edge: Edge, line: EdgeTree): boolean {
  const { from, to, ball } = edge;
  const isBefore = (a: Position, b: Position): boolean => isOnWay(from, b, a);
  const stretches = edgesNear(line, ball).flatMap((part) => {
    const [a, b] = meetingOf(edge, part) === 'touching' ? placesOfMeeting(edge, part) : [];
    if (a === undefined || b === undefined) return [];
    return [isBefore(a, b) ? { start: a, end: b } : { start: b, end: a }];
  });
  stretches.sort((a, b) => (isSamePlace(a.start, b.start) ? 0 : isBefore(a.start, b.start) ? -1 : 1));
  let reached = from;
  for (const { start, end } of stretches) {
    if (!isBefore(start, reached)) return false;
    if (isBefore(reached, end)) reached = end;
  }
  return isSamePlace(reached, to);
}

function isPolygonWithin(inner: Polygon, polygons: readonly Polygon[]): boolean {
  const edges = edgesIn(inner.border);
  return polygons.some((outer) => isPolygonWithinOne(inner, edges, outer));
}

function isPolygonWithinOne(inner: Polygon, edges: readonly Edge[], outer: Polygon): boolean {
  if (!outer.isFarInside && isApart(inner.border.ball, outer.border.ball)) return false;
  const courses = coursesOf(edges, [outer], 'outside');
  if (courses.has('outside')) return false;
  // Only against: the polygons lie on both sides of the same border.
  if (!courses.has('inside') && !courses.has('along')) return false;
  // A hole of the outer one may be in the inside of the inner one.
  const around = inner.isFarInside ? edgesIn(outer.border) : edgesNear(outer.border, inner.ball);
  return !coursesOf(around, [inner], 'inside').has('inside');
}
