// What a globe and a plane do not have in common. Whatever touches, crosses or is inside is decided for both alike, by rays.

import type { Position } from './position.ts';
import type { Polygon, Ring, Shape } from './shape.ts';
import type { Vector } from './vector.ts';

export interface Surface {
  /** Why such coordinates are no position. */
  readonly refusal: (x: number, y: number) => string | undefined;
  readonly position: (x: number, y: number) => Position;
  /** The outer ring of a polygon, with the inside on its left. */
  readonly outerRing: (ring: Ring) => Ring;
  /** A position as far as possible from this one in space; a plane has none. */
  readonly farthestFrom: (center: Vector) => Position | undefined;
  /** Between shapes that have no point in common. */
  readonly distance: (a: Shape, b: Shape) => number;
  readonly area: (polygon: Polygon) => number;
}
