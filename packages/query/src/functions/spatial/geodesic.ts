// The length of the shortest way between two points of WGS-84, right to far less than a millimetre: C. F. F. Karney, Algorithms for
// geodesics, J. Geodesy 87 (2013), in his own library.

import geographic from 'geographiclib-geodesic';

export interface Coordinates {
  /** Degrees. */
  readonly longitude: number;
  /** Degrees. */
  readonly latitude: number;
}

/** In metres. */
export function geodesicLength(a: Coordinates, b: Coordinates): number {
  const way = WGS84.Inverse(a.latitude, a.longitude, b.latitude, b.longitude, DISTANCE);
  // It was asked for.
  return way.s12 as number;
}

const { WGS84, DISTANCE } = geographic.Geodesic;
