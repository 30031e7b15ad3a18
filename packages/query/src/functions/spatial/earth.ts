// The surface of containers whose geospatialConfig says Geography, as it does unless something else is said: the WGS-84 ellipsoid,
// with longitudes and latitudes in degrees. The inside of a ring is to its left: one that goes around a place clockwise has all
// of the earth inside but that place.

import { areaOnEarth } from './earth-area.ts';
import { distanceOnEarth } from './earth-distance.ts';
import { sineAndCosine } from './ellipsoid.ts';
import type { Position } from './position.ts';
import type { Surface } from './surface.ts';
import type { Vector } from './vector.ts';
import { scaled, unitOf } from './vector.ts';

export const earth: Surface = {
  refusal: (longitude, latitude) => {
    if (Math.abs(latitude) > 90) return 'Latitude values must be between -90 and 90 degrees.';
    return Math.abs(longitude) > 180 ? 'Longitude values must be between -180 and 180 degrees.' : undefined;
  },
  position: positionOnEarth,
  outerRing: (ring) => ring,
  farthestFrom: ({ x, y, z }) => {
    const at = x === 0 && y === 0 && z === 0 ? northPole : unitOf({ x: -x, y: -y, z: -z });
    return { x: 0, y: 0, ray: at, at };
  },
  distance: (a, b) => distanceOnEarth(a.edges, b.edges),
  area: areaOnEarth,
};

const northPole: Vector = { x: 0, y: 0, z: 1 };

/**
 * The ray ends above the equator, on the cylinder around the earth: all places of a meridian have the same two first numbers, and
 * those of the equator have 0 as their third, so that a point on such an edge is found to be on it.
 */
function positionOnEarth(longitude: number, latitude: number): Position {
  const meridian = sineAndCosine(longitude);
  const height = sineAndCosine(latitude);
  const isPole = height.cosine === 0;
  const ray = isPole
    ? scaled(northPole, height.sine)
    : { x: meridian.cosine, y: meridian.sine, z: height.sine / height.cosine };
  return { x: longitude, y: latitude, ray, at: unitOf(ray) };
}
