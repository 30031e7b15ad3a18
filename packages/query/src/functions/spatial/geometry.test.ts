import { expect, test } from 'vitest';
import type { Value } from '../../value/value.ts';
import { earth } from './earth.ts';
import { readShape } from './geometry.ts';
import { plane } from './plane.ts';
import type { Surface } from './surface.ts';

const square = '0 0, 6 0, 6 6, 0 6, 0 0';

test('[query 3.9] points, lines, polygons and several polygons are shapes', () => {
  const hole = '1 1, 1.5 1, 1 1.5, 1 1';

  expect(reasonOf('Point', [1, 2])).toBeUndefined();
  expect(reasonOf('Point', [1, 2, 300])).toBeUndefined();
  expect(lineReason(square)).toBeUndefined();
  expect(polygonReason(square)).toBeUndefined();
  expect(polygonReason(square, hole)).toBeUndefined();
  expect(reasonOf('MultiPolygon', [[places(square)], [places(square), places(hole)]])).toBeUndefined();
  expect(reasonOf('MultiPolygon', [])).toBeUndefined();
});

test('[query 3.9] what is no GeoJSON has a reason', () => {
  const noObject = 'The input is not valid because it is not a GeoJSON object.';

  expect(readShape('POINT(1 2)', earth)).toBe(noObject);
  expect(readShape(null, earth)).toBe(noObject);
  expect(readShape([1, 2], earth)).toBe(noObject);
  expect(reasonOf('MultiPoint', [[1, 2]])).toMatch(/type is not Point, LineString, Polygon or MultiPolygon/);
  expect(reasonOf('point', [1, 2])).toMatch(/type is not/);
  expect(reasonOf('toString', [1, 2])).toMatch(/type is not/);
  expect(readShape({ coordinates: [1, 2] }, earth)).toMatch(/type is not/);
  expect(readShape({ type: 'Point' }, earth)).toMatch(/no array of coordinates/);
  expect(reasonOf('Polygon', [5])).toMatch(/no array of coordinates/);
  expect(reasonOf('MultiPolygon', [5])).toMatch(/no array of coordinates/);
  expect(reasonOf('Polygon', [])).toMatch(/does not have a ring/);
});

test('[query 3.9] a position is an array of two numbers or more', () => {
  const none: Value[] = [[], [1], ['1', '2'], [1, null], [[1, 2]], [Number.NaN, 1], [1, Number.POSITIVE_INFINITY]];

  for (const coordinates of none)
    expect(reasonOf('Point', coordinates)).toMatch(/not an array of at least two numbers/);
  expect(reasonOf('LineString', [[1, 2], 3])).toMatch(/not an array of at least two numbers/);
});

test('[query 3.9] coordinates are within their ranges', () => {
  const latitude = 'Latitude values must be between -90 and 90 degrees.';
  const longitude = 'Longitude values must be between -180 and 180 degrees.';

  expect(reasonOf('Point', [133, -184])).toBe(latitude);
  expect(reasonOf('Point', [0, 90.0001])).toBe(latitude);
  expect(reasonOf('Point', [180.0001, 0])).toBe(longitude);
  expect(lineReason('0 0, 0 95')).toBe(latitude);
  expect(reasonOf('Point', [180, 90])).toBeUndefined();
  expect(reasonOf('Point', [-180, -90])).toBeUndefined();
  expect(reasonOf('Point', [1000, -1000], plane)).toBeUndefined();
});

test('[query 3.9] rings are closed, and have three corners', () => {
  expect(polygonReason('31.8 -5, 31.8 -4.7, 32 -4.7, 32 -5')).toBe(
    'The Polygon input is not valid because the start and end points of the ring number 1 are not the same. ' +
      'Each ring of a polygon must have the same start and end points.',
  );
  expect(polygonReason(square, '1 1, 2 1, 1 2, 2 2')).toMatch(/start and end points of the ring number 2 are not/);
  expect(polygonReason('0 0, 1 0, 0 0')).toMatch(/ring number 1 does not have enough points/);
  expect(polygonReason('0 0, 1 0, 1 0, 0 0')).toMatch(/ring number 1 does not have enough distinct points/);
});

test('[query 3.9] a line has two points that are not the same', () => {
  expect(reasonOf('LineString', [])).toMatch(/must have at least two distinct points/);
  expect(lineReason('1 1')).toMatch(/must have at least two distinct points/);
  expect(lineReason('1 1, 1 1')).toMatch(/must have at least two distinct points/);
  expect(lineReason('180 1, -180 1')).toMatch(/must have at least two distinct points/);
  expect(lineReason('1 1, 1 1, 2 1')).toBeUndefined();
});

test('[query 3.9] no edge leads to the other end of the world, where every way is as short', () => {
  const opposite = 'The specified input cannot be accepted because it contains an edge with antipodal points.';

  expect(lineReason('10 20, -170 -20')).toBe(opposite);
  expect(lineReason('0 90, 77 -90')).toBe(opposite);
  expect(polygonReason('0 0, 180 0, 0 90, 0 0')).toBe(opposite);
  expect(lineReason('10 20, -170 -20.5')).toBeUndefined();
});

test('[query 3.9] a ring neither crosses itself nor another one, be it through a corner', () => {
  const crossing = 'Not valid because polygon ring (1) intersects itself or some other ring.';

  expect(polygonReason('0 0, 2 2, 2 0, 0 2, 0 0')).toBe(crossing);
  expect(polygonReason(square, '5 1, 7 2, 5 3, 5 1')).toBe(crossing);
  expect(polygonReason(square, '1 1, 2 2, 2 1, 1 2, 1 1')).toMatch(/polygon ring \(2\)/);
  expect(reasonOf('Polygon', [places('0 4, 6 0, 0 1, 3 2, 2 3, 0 4')], plane)).toBe(crossing);
});

test('[query 3.9] no ring runs along itself or another one', () => {
  const overlap = 'Not valid because some pair of polygon edges overlap.';

  expect(polygonReason('0 0, 4 0, 4 6, 4 2, 0 0')).toBe(overlap);
  expect(polygonReason(square, '0 1, 0 2, 1 1, 0 1')).toBe(overlap);
  expect(polygonReason(square, square)).toBe(overlap);
  expect(reasonOf('Polygon', [places('0 0, 2 2, 1 1, 5 0, 0 0')], plane)).toBe(overlap);
});

test('[query 3.9] a ring may touch itself or another one', () => {
  expect(polygonReason(square, '0 0, 3 1, 1 3, 0 0')).toBeUndefined();
  expect(reasonOf('Polygon', [places(square), places('3 0, 4 1, 2 1, 3 0')], plane)).toBeUndefined();
  expect(reasonOf('Polygon', [places('0 0, 4 0, 2 2, 4 4, 0 4, 2 2, 0 0')], plane)).toBeUndefined();
});

test('[query 3.9] there are 4,096 points at most', () => {
  const tooMany = 'The input is not valid because it has more than 4096 points.';
  const line = (count: number): Value => Array.from({ length: count }, (_, at) => [at / 100, 0]);
  const triangles = (count: number): Value =>
    Array.from({ length: count }, (_, at) => [
      places(`${at / 10} 0, ${at / 10 + 0.05} 0, ${at / 10} 0.05, ${at / 10} 0`),
    ]);

  expect(reasonOf('LineString', line(4096))).toBeUndefined();
  expect(reasonOf('LineString', line(4097))).toBe(tooMany);
  expect(reasonOf('MultiPolygon', triangles(1024))).toBeUndefined();
  expect(reasonOf('MultiPolygon', triangles(1025))).toBe(tooMany);
});

test('[query 3.9] the same value is read once', () => {
  const line = { type: 'LineString', coordinates: places('0 0, 1 1') };
  const wrong = { type: 'LineString', coordinates: places('0 0') };

  expect(readShape(line, earth)).toBe(readShape(line, earth));
  expect(readShape(line, plane)).not.toBe(readShape(line, earth));
  expect(readShape(wrong, earth)).toBe(readShape(wrong, earth));
});

function places(text: string): number[][] {
  return text.split(', ').map((place) => place.split(' ').map(Number));
}

function reasonOf(type: string, coordinates: Value, surface: Surface = earth): string | undefined {
  const read = readShape({ type, coordinates }, surface);
  return typeof read === 'string' ? read : undefined;
}

function lineReason(line: string): string | undefined {
  return reasonOf('LineString', places(line));
}

function polygonReason(...rings: readonly string[]): string | undefined {
  return reasonOf('Polygon', rings.map(places));
}
