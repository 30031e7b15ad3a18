// What edges have to do with each other, with points, and with the directions around a corner. An edge is the shorter part of a
// great circle, or a straight line in the plane: positions have rays (position.ts), for which both are the same.

import type { Ball } from './ball.ts';
import { ballBetween } from './ball.ts';
import type { Position } from './position.ts';
import { isSamePlace } from './position.ts';
import type { Line } from './side.ts';
import { lineThrough, sideOf } from './side.ts';
import { step } from './steps.ts';
import type { Vector } from './vector.ts';

/** From a position to another; both are the same one for a point. */
export interface Edge {
  readonly from: Position;
  readonly to: Position;
  /** What it is a part of. */
  readonly line: Line;
  /** All of the edge is in it. */
  readonly ball: Ball;
}

export function edgeBetween(from: Position, to: Position): Edge {
  return { from, to, line: lineThrough(from.ray, to.ray), ball: ballBetween(from.at, to.at) };
}

/** Whether the position is on the edge or at one of its ends. */
export function isOnEdge({ from, to, line }: Omit<Edge, 'ball'>, position: Position): boolean {
  return sideOf(line, position.ray) === 0 && isInReach(from, to, position);
}

/** The same for what is no edge, but may be part of one. */
export function isOnWay(from: Position, to: Position, position: Position): boolean {
  return isOnEdge({ from, to, line: lineThrough(from.ray, to.ray) }, position);
}

/** Where two edges have points in common: none; in one point that is an end of neither; or at the end of one or more. */
type Meeting = 'apart' | 'crossing' | 'touching';

export function meetingOf(a: Edge, b: Edge): Meeting {
  // Most edges are all on one side of the other, so that two questions are enough.
  const from = sideOf(a.line, b.from.ray);
  const to = sideOf(a.line, b.to.ray);
  if (from === to && from !== 0) return 'apart';
  const otherFrom = sideOf(b.line, a.from.ray);
  const otherTo = sideOf(b.line, a.to.ray);
  if (otherFrom === otherTo && otherFrom !== 0) return 'apart';
  // The great circles of two edges also meet at the other end of the world: the signs say that it is here.
  if (from * to * otherFrom * otherTo !== 0) return otherFrom === -from ? 'crossing' : 'apart';
  const isTouching =
    (from === 0 && isInReach(a.from, a.to, b.from)) ||
    (to === 0 && isInReach(a.from, a.to, b.to)) ||
    (otherFrom === 0 && isInReach(b.from, b.to, a.from)) ||
    (otherTo === 0 && isInReach(b.from, b.to, a.to));
  return isTouching ? 'touching' : 'apart';
}

/** The ends of edges that touch where these meet: one place, or more where they run along each other. */
export function placesOfMeeting(a: Edge, b: Edge): readonly Position[] {
  step(5);
  const ends = [
    ...[b.from, b.to].filter((end) => isOnEdge(a, end)),
    ...[a.from, a.to].filter((end) => isOnEdge(b, end)),
  ];
  return ends.filter((end, at) => !ends.slice(0, at).some((other) => isSamePlace(end, other)));
}

/** Whether one sees `inner` while turning to the left, at `corner`, from `right` to `left`. */
export function isInAngle(corner: Position, right: Position, inner: Position, left: Position): boolean {
  const line = lineThrough(corner.ray, right.ray);
  const turn = sideOf(line, left.ray);
  const fromRight = sideOf(line, inner.ray);
  const toLeft = sideOf(lineThrough(corner.ray, inner.ray), left.ray);
  if (turn > 0) return fromRight > 0 && toLeft > 0;
  // Half a turn or more: all but what one would see while turning the other way.
  if (turn === 0) return fromRight > 0;
  return fromRight > 0 || toLeft > 0;
}

/** Whether the two are in line, on the same side of the corner. */
export function isSameDirection(corner: Position, a: Position, b: Position): boolean {
  return isOnWay(corner, a, b) || isOnWay(corner, b, a);
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

/** Whether a position in line with two others is between them, or the same as one of them. */
function isInReach(from: Position, to: Position, position: Position): boolean {
  if (isSamePlace(position, from) || isSamePlace(position, to)) return true;
  // Seen along an axis the rays are in a plane, where it is a question of turning the same way. One axis shows them apart.
  for (const axis of axes) {
    const turn = sideOf(lineThrough(from.ray, to.ray), axis);
    if (turn === 0) continue;
    const isAhead = sideOf(lineThrough(from.ray, position.ray), axis) === turn;
    return isAhead && sideOf(lineThrough(position.ray, to.ray), axis) === turn;
  }
  return false;
}

const axes: readonly Vector[] = [
  { x: 0, y: 0, z: 1 },
  { x: 0, y: 1, z: 0 },
  { x: 1, y: 0, z: 0 },
];
