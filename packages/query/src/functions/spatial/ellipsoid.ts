// WGS-84: the shape of the earth, and angles in degrees.

import type { Vector } from './vector.ts';
import { unitOf } from './vector.ts';

export const equatorRadius: number = 6_378_137;
const flattening: number = 1 / 298.257223563;
/** The first eccentricity, squared. */
export const eccentricity2: number = flattening * (2 - flattening);

/** Exact at the multiples of 90, and the same but for the sign on all four sides of the globe. */
export function sineAndCosine(degrees: number): { readonly sine: number; readonly cosine: number } {
  const quarters = Math.round(degrees / 90);
  const rest = ((degrees - 90 * quarters) * Math.PI) / 180;
  const sine = Math.sin(rest);
  const cosine = Math.cos(rest);
  switch (((quarters % 4) + 4) % 4) {
    case 0:
      return { sine, cosine };
    case 1:
      return { sine: cosine, cosine: -sine };
    case 2:
      return { sine: -sine, cosine: -cosine };
    default:
      return { sine: -cosine, cosine: sine };
  }
}

/** The globe is a ball with this as its axis, and geodetic latitudes. On the ball that is only pressed flat, it is elsewhere. */
export function onReducedBall(at: Vector): Vector {
  return unitOf({ x: at.x, y: at.y, z: at.z * (1 - flattening) });
}
