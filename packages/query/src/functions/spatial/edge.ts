// What edges have to do with each other, with points, and with the directions around a corner. An edge is the shorter part of a
// great circle, or a straight line in the plane: positions have rays (position.ts), for which both are the same.

import type { Ball } from './ball.ts';
import { ballBetween } from './ball.ts';
import type { Position } from './position.ts';
import { isSamePlace } from './position.ts';
import { sideOf } from './side.ts';
import type { Vector } from './vector.ts';

/** From a position to another; both are the same one for a point. */
export interface Edge {
  readonly from: Position;
  readonly to: Position;
  /** All of the edge is in it. */
  readonly ball: Ball;
}

export function edgeBetween(from: Position, to: Position): Edge {
  return { from, to, ball: ballBetween(from.at, to.at) };
}

/** Whether the position is on the edge or at one of its ends. */
export function isOnEdge(from: Position, to: Position, position: Position): boolean {
  if (isSamePlace(position, from) || isSamePlace(position, to)) return true;
  return sideOf(from.ray, to.ray, position.ray) === 0 && isBetween(from.ray, to.ray, position.ray);
}

/** Whether each of the edges passes through the other, so that each has its ends on both sides of the other. */
export function isCrossing(a: Edge, b: Edge): boolean {
  const first = sideOf(a.from.ray, a.to.ray, b.from.ray);
  if (first === 0 || sideOf(a.from.ray, a.to.ray, b.to.ray) !== -first) return false;
  // The great circles of two edges also meet at the other end of the world: the signs say that it is here.
  return sideOf(b.from.ray, b.to.ray, a.from.ray) === -first && sideOf(b.from.ray, b.to.ray, a.to.ray) === first;
}

/** Whether the edges have a point in common, be it only an end. */
export function isMeeting(a: Edge, b: Edge): boolean {
  return (
    isCrossing(a, b) ||
    isOnEdge(a.from, a.to, b.from) ||
    isOnEdge(a.from, a.to, b.to) ||
    isOnEdge(b.from, b.to, a.from) ||
    isOnEdge(b.from, b.to, a.to)
  );
}

/** The ends of edges that do not cross where these meet: one place, or more where they run along each other. */
export function placesOfMeeting(a: Edge, b: Edge): readonly Position[] {
  const ends = [
    ...[b.from, b.to].filter((end) => isOnEdge(a.from, a.to, end)),
    ...[a.from, a.to].filter((end) => isOnEdge(b.from, b.to, end)),
  ];
  return ends.filter((end, at) => !ends.slice(0, at).some((other) => isSamePlace(end, other)));
}

/** Whether one sees `inner` while turning to the left, at `corner`, from `right` to `left`. */
export function isInAngle(corner: Position, right: Position, inner: Position, left: Position): boolean {
  const turn = sideOf(corner.ray, right.ray, left.ray);
  const fromRight = sideOf(corner.ray, right.ray, inner.ray);
  const toLeft = sideOf(corner.ray, inner.ray, left.ray);
  if (turn > 0) return fromRight > 0 && toLeft > 0;
  // Half a turn or more: all but what one would see while turning the other way.
  if (turn === 0) return fromRight > 0;
  return fromRight > 0 || toLeft > 0;
}

/** Whether the two are in line, on the same side of the corner. */
export function isSameDirection(corner: Position, a: Position, b: Position): boolean {
  return isOnEdge(corner, a, b) || isOnEdge(corner, b, a);
}

/** How a ring passes a corner. */
export interface Pass {
  readonly from: Position;
  readonly to: Position;
}

/** Whether one pass changes from the one side of the other to its other side. Where they run along each other it has no side. */
export function isPassingThrough(corner: Position, a: Pass, b: Pass): boolean {
  const isAlong = [a.from, a.to].some((one) => [b.from, b.to].some((other) => isSameDirection(corner, one, other)));
  if (isAlong) return false;
  return isInAngle(corner, b.to, a.from, b.from) !== isInAngle(corner, b.to, a.to, b.from);
}

/** Whether a ray in the plane of two others, and different from both, is between them. */
function isBetween(from: Vector, to: Vector, ray: Vector): boolean {
  // Seen along an axis the rays are in a plane, where it is a question of turning the same way. One axis shows them apart.
  for (const axis of axes) {
    const turn = sideOf(from, to, axis);
    if (turn !== 0) return sideOf(from, ray, axis) === turn && sideOf(ray, to, axis) === turn;
  }
  return false;
}

const axes: readonly Vector[] = [
  { x: 0, y: 0, z: 1 },
  { x: 0, y: 1, z: 0 },
  { x: 1, y: 0, z: 0 },
];
