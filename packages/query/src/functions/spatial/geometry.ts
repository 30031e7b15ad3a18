// From a GeoJSON value to a shape that can be computed with, or the reason why it is none.
//
// The service speaks with the words of SQL Server's spatial types. Two reasons are documented for it: that of latitudes, and that
// of rings that are not closed. The others of this form are SQL Server's for the same mistake, and the rest is ours.

import type { ArrayValue, ObjectValue, Value } from '../../value/value.ts';
import { isArray, isObject, memberOf } from '../../value/value.ts';
import { isOutsideBall } from './ball.ts';
import { treeOf } from './edge-tree.ts';
import type { Position } from './position.ts';
import { isOpposite, isSamePlace } from './position.ts';
import { sideOfRing } from './region.ts';
import { ringFaultIn } from './ring-fault.ts';
import type { Polygon, Ring, Shape } from './shape.ts';
import { areaShape, edgesOfLine, lineShape, pointShape, reversedRing } from './shape.ts';
import type { Surface } from './surface.ts';

/** In one value. The service documents it for one polygon; two shapes are compared edge by edge, which has to end. */
const positionsMax = 4096;

/** A shape, or a sentence that says why it is none. */
export function readShape(value: Value, surface: Surface): Shape | string {
  if (!isObject(value)) return reasons.noObject;
  // A query has one polygon for all documents: it is read once. Values never change.
  const known = readBefore.get(surface) ?? new WeakMap<ObjectValue, Shape | string>();
  const before = known.get(value);
  if (before !== undefined) return before;
  const read = readObject(value, surface);
  if (typeof read !== 'string' && read.kind === 'point') return read;
  known.set(value, read);
  readBefore.set(surface, known);
  return read;
}

const readBefore = new WeakMap<Surface, WeakMap<ObjectValue, Shape | string>>();

const reasons = {
  noObject: 'The input is not valid because it is not a GeoJSON object.',
  unknownType: 'The input is not valid because its type is not Point, LineString, Polygon or MultiPolygon.',
  noCoordinates: 'The input is not valid because it has no array of coordinates.',
  noPosition: 'The input is not valid because a position is not an array of at least two numbers.',
  tooMany: `The input is not valid because it has more than ${positionsMax} points.`,
  noLine:
    'The LineString input is not valid because it does not have enough distinct points. ' +
    'A LineString must have at least two distinct points.',
  noRings: 'The Polygon input is not valid because it does not have a ring.',
  opposite: 'The specified input cannot be accepted because it contains an edge with antipodal points.',
  fewPoints: (ring: number): string =>
    `The Polygon input is not valid because the ring number ${ring} does not have enough points. ` +
    'Each ring of a polygon must contain at least four points.',
  fewDistinct: (ring: number): string =>
    `The Polygon input is not valid because the ring number ${ring} does not have enough distinct points. ` +
    'Each ring of a polygon must contain at least three distinct points.',
  open: (ring: number): string =>
    `The Polygon input is not valid because the start and end points of the ring number ${ring} are not the same. ` +
    'Each ring of a polygon must have the same start and end points.',
  overlap: 'Not valid because some pair of polygon edges overlap.',
  crossing: (ring: number): string => `Not valid because polygon ring (${ring}) intersects itself or some other ring.`,
};

function readObject(value: ObjectValue, surface: Surface): Shape | string {
  const type = memberOf(value, 'type');
  const depth = typeof type === 'string' && Object.hasOwn(depths, type) ? depths[type] : undefined;
  if (depth === undefined) return reasons.unknownType;
  const coordinates = memberOf(value, 'coordinates');
  if (!isArray(coordinates)) return reasons.noCoordinates;
  if (sizeOf(coordinates, depth) > positionsMax) return reasons.tooMany;
  switch (depth) {
    case 0: {
      const position = readPosition(coordinates, surface);
      return typeof position === 'string' ? position : pointShape(position);
    }
    case 1: {
      const positions = readLine(coordinates, surface);
      return typeof positions === 'string' ? positions : lineShape(positions);
    }
    case 2: {
      const polygon = readPolygon(coordinates, surface);
      return typeof polygon === 'string' ? polygon : areaShape([polygon]);
    }
    default: {
      const polygons = readAll(coordinates, (polygon) => readPolygon(polygon, surface));
      return typeof polygons === 'string' ? polygons : areaShape(polygons);
    }
  }
}

/** How many arrays deep the positions are. */
const depths: Readonly<Record<string, number>> = { Point: 0, LineString: 1, Polygon: 2, MultiPolygon: 3 };

function sizeOf(coordinates: Value, depth: number): number {
  if (depth === 0 || !isArray(coordinates)) return 1;
  if (depth === 1) return coordinates.length;
  return coordinates.reduce((sum: number, part) => sum + sizeOf(part, depth - 1), 0);
}

function readPosition(value: Value, surface: Surface): Position | string {
  if (!isArray(value)) return reasons.noPosition;
  // There may be more, such as an altitude, which nothing depends on.
  const [x, y] = value;
  if (typeof x !== 'number' || typeof y !== 'number') return reasons.noPosition;
  if (!Number.isFinite(x) || !Number.isFinite(y)) return reasons.noPosition;
  return surface.refusal(x, y) ?? surface.position(x, y);
}

function readLine(value: ArrayValue, surface: Surface): readonly Position[] | string {
  const positions = readAll(value, (position) => readPosition(position, surface));
  if (typeof positions === 'string') return positions;
  const line = positions.filter((position, at) => at === 0 || !isSame(position, positions[at - 1]));
  if (line.length < 2) return reasons.noLine;
  return hasOppositeNeighbours(line) ? reasons.opposite : line;
}

function readPolygon(value: Value, surface: Surface): Polygon | string {
  if (!isArray(value)) return reasons.noCoordinates;
  let number = 0;
  const read = readAll(value, (ring) => {
    number += 1;
    return readRing(ring, number, surface);
  });
  if (typeof read === 'string') return read;
  const fault = ringFaultIn(read);
  if (fault !== undefined) return fault.kind === 'overlap' ? reasons.overlap : reasons.crossing(fault.ringNumber);
  const [first, ...others] = read;
  if (first === undefined) return reasons.noRings;
  const outer = surface.outerRing(first);
  return polygonOf([outer, ...others.map((hole) => holeIn(outer, hole))], surface);
}

function readRing(value: Value, number: number, surface: Surface): Ring | string {
  if (!isArray(value)) return reasons.noCoordinates;
  const positions = readAll(value, (position) => readPosition(position, surface));
  if (typeof positions === 'string') return positions;
  if (positions.length < 4) return reasons.fewPoints(number);
  const last = positions[positions.length - 1];
  if (!isSame(positions[0], last)) return reasons.open(number);
  const corners = positions.filter((position, at) => at === 0 || !isSame(position, positions[at - 1]));
  const [a, b] = corners;
  if (!corners.some((position) => !isSame(position, a) && !isSame(position, b))) return reasons.fewDistinct(number);
  return hasOppositeNeighbours(corners) ? reasons.opposite : edgesOfLine(corners);
}

/** There are many great circles through both ends of such an edge. */
function hasOppositeNeighbours(positions: readonly Position[]): boolean {
  return positions.some((position, at) => {
    const before = positions[at - 1];
    return before !== undefined && isOpposite(before, position);
  });
}

function isSame(a: Position | undefined, b: Position | undefined): boolean {
  return a !== undefined && b !== undefined && isSamePlace(a, b);
}

/** What is cut out is the side on which the outer ring is not, whichever way the hole goes around. */
function holeIn(outer: Ring, hole: Ring): Ring {
  for (const { from } of outer) {
    const side = sideOfRing(hole, from);
    if (side !== 0) return side === 1 ? hole : reversedRing(hole);
  }
  return hole;
}

function polygonOf(rings: Polygon['rings'], surface: Surface): Polygon {
  const border = treeOf(rings.flat());
  const { ball } = border;
  const far = surface.farthestFrom(ball.center);
  if (far === undefined) return { rings, border, ball, isFarInside: false };
  const isFarInside = rings.every((ring) => sideOfRing(ring, far) === 1);
  // A border that goes around the globe leaves nothing out of its ball.
  const radius = isOutsideBall(ball, far.at) ? ball.radius : Number.POSITIVE_INFINITY;
  return { rings, border, ball: { center: ball.center, radius }, isFarInside };
}

/** All of them, or the first reason. */
function readAll<T extends object>(values: ArrayValue, read: (value: Value) => T | string): readonly T[] | string {
  const all: T[] = [];
  for (const value of values) {
    const one = read(value);
    if (typeof one === 'string') return one;
    all.push(one);
  }
  return all;
}
