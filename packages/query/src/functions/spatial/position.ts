// A place on a surface, in the two forms that computing with it takes.

import type { Vector } from './vector.ts';
import { isSameVector } from './vector.ts';

export interface Position {
  /** Longitude in degrees, or the horizontal coordinate. */
  readonly x: number;
  /** Latitude in degrees, or the vertical coordinate. */
  readonly y: number;
  /**
   * A vector that points to the place; its length means nothing. Edges are what lies between two rays, so that great circles of
   * the globe and straight lines of a plane that hangs above the origin are decided by one and the same code (side.ts).
   */
  readonly ray: Vector;
  /** The place in space, on a globe of radius 1 or on that plane: for what is measured. */
  readonly at: Vector;
}

export function isSamePlace(a: Position, b: Position): boolean {
  return a === b || isSameVector(a.ray, b.ray);
}

/** Whether they are at opposite ends of the globe. */
export function isOpposite(a: Position, b: Position): boolean {
  return a.ray.x === -b.ray.x && a.ray.y === -b.ray.y && a.ray.z === -b.ray.z;
}
