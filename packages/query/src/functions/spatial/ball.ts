// Balls around edges and borders, to see at once that things are far from each other.

import type { Vector } from './vector.ts';
import { lengthOf, scaled, squaredDistance, sumOf } from './vector.ts';

export interface Ball {
  readonly center: Vector;
  readonly radius: number;
}

/** The one that has the straight line between the ends of an edge as diameter: an arc of not more than half a circle is in it. */
export function ballBetween(from: Vector, to: Vector): Ball {
  return withRounding(scaled(sumOf(from, to), 0.5), Math.sqrt(squaredDistance(from, to)) / 2);
}

/** One that all these are in. */
export function ballAround(balls: readonly Ball[]): Ball {
  const sum = balls.reduce((total, ball) => sumOf(total, ball.center), { x: 0, y: 0, z: 0 });
  const center = scaled(sum, 1 / Math.max(balls.length, 1));
  let radius = 0;
  for (const ball of balls) {
    radius = Math.max(radius, Math.sqrt(squaredDistance(center, ball.center)) + ball.radius);
  }
  return withRounding(center, radius);
}

/** How far they are from each other in space, at least; negative where they meet. */
export function gapBetween(a: Ball, b: Ball): number {
  return Math.sqrt(squaredDistance(a.center, b.center)) - a.radius - b.radius;
}

/** A comparison with what is no number is false, which only means to look closer. */
export function isApart(a: Ball, b: Ball): boolean {
  const reach = a.radius + b.radius;
  return squaredDistance(a.center, b.center) > reach * reach;
}

export function isOutsideBall(ball: Ball, at: Vector): boolean {
  return squaredDistance(ball.center, at) > ball.radius * ball.radius;
}

function withRounding(center: Vector, radius: number): Ball {
  return { center, radius: radius * (1 + 1e-12) + lengthOf(center) * 1e-14 };
}
