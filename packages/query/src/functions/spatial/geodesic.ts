// The length of the shortest way between two points of the ellipsoid.
//
// C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87 (2013): a geodesic is a great circle of an auxiliary sphere, on which
// it is known where it leaves a latitude in a given direction, and where it reaches another one. The direction is searched for
// that arrives at the right longitude. It is the only one between north and south, and the longitude is on the known side of it,
// so the search always ends: by Newton's steps, or by halving where these lead away, as they do near the opposite point. The
// integrals of length and longitude are taken numerically instead of as series. Right to far less than a millimetre.

import { eccentricity2, equatorRadius, flattening, polarRadius, sineAndCosine } from './ellipsoid.ts';
import { integral } from './quadrature.ts';

export interface Coordinates {
  /** Degrees. */
  readonly longitude: number;
  /** Degrees. */
  readonly latitude: number;
}

/** In metres. */
export function geodesicLength(a: Coordinates, b: Coordinates): number {
  // The first point is the one farther from the equator, and made southern, which changes no length.
  const isSwapped = Math.abs(a.latitude) < Math.abs(b.latitude);
  const [first, second] = isSwapped ? [b, a] : [a, b];
  const mirror = first.latitude > 0 ? -1 : 1;
  const start = reducedLatitude(mirror * first.latitude);
  const end = reducedLatitude(mirror * second.latitude);
  const turn = Math.abs(first.longitude - second.longitude) % 360;
  const degrees = turn > 180 ? 360 - turn : turn;
  const longitude = (degrees * Math.PI) / 180;
  if (degrees === 0 || start.cosine === 0) return meridianLength(angleOf(start), angleOf(end));
  // Over the south pole, which is the nearer one.
  if (degrees === 180) return meridianLength(-Math.PI - angleOf(start), angleOf(end));
  const isOnEquator = start.sine === 0 && end.sine === 0;
  if (isOnEquator && longitude <= (1 - flattening) * Math.PI) return equatorRadius * longitude;
  const way = searchWay(start, end, longitude);
  return arcLength(way.from, way.to, way.bend);
}

/** On the auxiliary sphere. */
interface Latitude {
  readonly sine: number;
  readonly cosine: number;
}

/** A geodesic from the one latitude to the other. Angles are counted along it, from where it crosses the equator northwards. */
interface Way {
  readonly from: number;
  readonly to: number;
  /** How much it is bent: the k² of Karney. */
  readonly bend: number;
  /** The longitude between its ends. */
  readonly longitude: number;
  /** How the longitude grows as the direction turns to the south. */
  readonly slope: number;
}

function reducedLatitude(degrees: number): Latitude {
  // So near to the equator squares would be too small for a number.
  const { sine, cosine } = sineAndCosine(Math.abs(degrees) < 1e-30 ? 0 : degrees);
  const pressed = (1 - flattening) * sine;
  const length = Math.hypot(pressed, cosine);
  return { sine: pressed / length, cosine: Math.abs(degrees) === 90 ? 0 : cosine / length };
}

function angleOf({ sine, cosine }: Latitude): number {
  return Math.atan2(sine, cosine);
}

const secondEccentricity2 = eccentricity2 / (1 - eccentricity2);

function meridianLength(from: number, to: number): number {
  return Math.abs(arcLength(from, to, secondEccentricity2));
}

function arcLength(from: number, to: number, bend: number): number {
  return polarRadius * integral(from, to, (angle) => Math.sqrt(1 + bend * Math.sin(angle) ** 2));
}

/** Halving alone would need so many for all digits of a direction. */
const roundsMax = 200;

/**
 * Directions are said by how far they are north of east. Along the equator this is very little, of which all digits count; those
 * of the distance from north would not suffice.
 */
function searchWay(start: Latitude, end: Latitude, longitude: number): Way {
  // Due north one falls short of the longitude, due south one goes beyond it.
  let tooFar = -Math.PI / 2;
  let tooNear = Math.PI / 2;
  let direction = directionOnBall(start, end, longitude);
  let way = wayTowards(start, end, direction);
  for (let round = 0; round < roundsMax; round += 1) {
    const excess = way.longitude - longitude;
    if (excess === 0) break;
    if (excess > 0) tooFar = direction;
    else tooNear = direction;
    const step = direction + excess / way.slope;
    const next = step > tooFar && step < tooNear ? step : (tooFar + tooNear) / 2;
    const isSettled = Math.abs(next - direction) <= 4 * Number.EPSILON * Math.abs(direction);
    direction = next;
    way = wayTowards(start, end, direction);
    if (isSettled) break;
  }
  return way;
}

/** As if the earth were a ball, on which the longitude is a little wider. */
function directionOnBall(start: Latitude, end: Latitude, longitude: number): number {
  const meanCosine = (start.cosine + end.cosine) / 2;
  const wider = Math.min(longitude / Math.sqrt(1 - eccentricity2 * meanCosine ** 2), Math.PI);
  const east = end.cosine * Math.sin(wider);
  const north = start.cosine * end.sine - start.sine * end.cosine * Math.cos(wider);
  const most = Math.PI / 2 - 1e-9;
  return Math.min(Math.max(Math.atan2(north, east), -most), most);
}

function wayTowards(start: Latitude, end: Latitude, direction: number): Way {
  const sine = Math.cos(direction);
  const cosine = Math.sin(direction);
  // Of the direction where it crosses the equator, and where it ends, by Clairaut's rule.
  const equatorSine = sine * start.cosine;
  const equatorCosine = Math.hypot(cosine, sine * start.sine);
  const endNorth = northAt(start, end, cosine);
  // A start on the equator is a little south of it, so that a southward direction leads the long way around.
  const startSine = Math.min(start.sine, -Number.MIN_VALUE);
  const from = Math.atan2(startSine, cosine * start.cosine);
  const to = Math.atan2(end.sine, endNorth);
  const wideFrom = Math.atan2(equatorSine * startSine, cosine * start.cosine);
  const wideTo = Math.atan2(equatorSine * end.sine, endNorth);
  const bend = secondEccentricity2 * equatorCosine ** 2;
  const lag = integral(from, to, (angle) => {
    return (2 - flattening) / (1 + (1 - flattening) * Math.sqrt(1 + bend * Math.sin(angle) ** 2));
  });
  const longitude = wideTo - wideFrom - flattening * equatorSine * lag;
  const reduced = reducedLength(from, to, bend);
  // Where it ends due east or west, a small change of direction is a change of latitude: halving takes over.
  const slope = endNorth === 0 ? 0 : ((1 - flattening) * reduced) / endNorth;
  return { from, to, bend, longitude, slope };
}

/** The northward part of the direction at the end, times the cosine of the latitude there. */
function northAt(start: Latitude, end: Latitude, cosine: number): number {
  // The difference of the squares of the cosines, by the sines where these are the more exact ones.
  const difference =
    start.cosine < -start.sine
      ? (end.cosine - start.cosine) * (start.cosine + end.cosine)
      : (start.sine - end.sine) * (start.sine + end.sine);
  return Math.sqrt((cosine * start.cosine) ** 2 + Math.max(0, difference));
}

/** How far a neighbour that sets out at a small angle is away at the end: by that angle, and the polar radius. */
function reducedLength(from: number, to: number, bend: number): number {
  const lengthening = integral(from, to, (angle) => {
    const square = bend * Math.sin(angle) ** 2;
    return square / Math.sqrt(1 + square);
  });
  const atStart = Math.sqrt(1 + bend * Math.sin(from) ** 2);
  const atEnd = Math.sqrt(1 + bend * Math.sin(to) ** 2);
  return (
    atEnd * Math.cos(from) * Math.sin(to) -
    atStart * Math.sin(from) * Math.cos(to) -
    Math.cos(from) * Math.cos(to) * lengthening
  );
}
