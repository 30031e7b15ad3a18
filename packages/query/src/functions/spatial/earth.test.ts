import { expect, test } from 'vitest';
import { earth } from './earth.ts';
import { geodesicLength } from './geodesic.ts';
import { readShape } from './geometry.ts';
import type { Shape } from './shape.ts';

/** 4πR² for the ball that has the area of WGS-84. */
const wholeEarth = 510_065_621_724_088.44;

test('[query 3.9] the distance of points is the geodesic', () => {
  expect(earth.distance(point(-139.44815, 35.60777), point(-69.95921, -11.17491))).toBeCloseTo(8935244.56048183, 5);
  expect(earth.distance(point(0, 0), point(179.5, 0.5))).toBeCloseTo(19936288.578965, 4);
});

test('[query 3.9] the nearest place of an edge is between its ends where it is', () => {
  const equator = line('0 0, 10 0');
  const meridian = line('20 -10, 20 10');

  expect(earth.distance(point(5, -1), equator)).toBeCloseTo(geodesic(5, -1, 5, 0), 4);
  expect(earth.distance(point(12, -1), equator)).toBeCloseTo(geodesic(12, -1, 10, 0), 4);
  expect(earth.distance(equator, meridian)).toBeCloseTo(geodesic(10, 0, 20, 0), 4);
  expect(earth.distance(meridian, equator)).toBeCloseTo(geodesic(10, 0, 20, 0), 4);
  expect(earth.distance(point(-175, 1), line('170 0, -170 0'))).toBeCloseTo(geodesic(-175, 1, -175, 0), 4);
});

test('[query 3.9] the distance to an edge is that to the nearest of very many of its places', () => {
  const [west, south, east, north] = [-20, 30, 25, 61];
  const edge = line(`${west} ${south}, ${east} ${north}`);
  const from = earth.position(west, south).at;
  const to = earth.position(east, north).at;

  for (const [x = 0, y = 0] of places('0 40, 0 60, -40 20, 30 62, 60 -40, -120 10, 2 47.5')) {
    let least = Number.POSITIVE_INFINITY;
    for (let share = 0; share <= 1; share += 1 / 1024) {
      const [a, b, c] = (['x', 'y', 'z'] as const).map((axis) => from[axis] * (1 - share) + to[axis] * share);
      const place = { x: a ?? 0, y: b ?? 0, z: c ?? 0 };
      const longitude = (Math.atan2(place.y, place.x) * 180) / Math.PI;
      const latitude = (Math.atan2(place.z, Math.hypot(place.x, place.y)) * 180) / Math.PI;
      least = Math.min(least, geodesic(x, y, longitude, latitude));
    }
    const distance = earth.distance(point(x, y), edge);

    expect(distance).toBeLessThan(least + 1e-3);
    expect(distance).toBeGreaterThan(least - 50);
  }
});

test('[query 3.9] a few millimetres are told apart', () => {
  expect(earth.distance(point(5, 1e-8), line('0 0, 10 0'))).toBeCloseTo(geodesic(5, 1e-8, 5, 0), 6);
  expect(earth.distance(point(5, 0.001), line('0 0, 10 0'))).toBeCloseTo(geodesic(5, 0.001, 5, 0), 5);
});

test('[query 3.9] shapes with many edges have the distance of the nearest two', () => {
  const circle = (x: number, y: number, radius: number): Shape => {
    const places = Array.from({ length: 1024 }, (_, at) => {
      const angle = (2 * Math.PI * at) / 1024;
      const longitude = x + radius * Math.cos(angle);
      return `${longitude > 180 ? longitude - 360 : longitude} ${y + radius * Math.sin(angle)}`;
    });
    return polygon([...places, places[0]].join(', '));
  };

  expect(earth.distance(circle(0, 0, 5), circle(20, 0, 5))).toBeCloseTo(geodesic(5, 0, 15, 0), 3);
  expect(earth.distance(circle(0, 0, 5), point(0, 0))).toBeLessThan(geodesic(0, 5, 0, 0) + 1e-3);
  expect(earth.distance(circle(179, 0, 5), circle(-170, 0, 5))).toBeCloseTo(geodesic(-176, 0, -175, 0), 3);
});

test('[query 3.9] areas are those of the ellipsoid', () => {
  expect(areaOf('0 0, 90 0, 0 90, 0 0') / (wholeEarth / 8)).toBeCloseTo(1, 14);
  expect(areaOf('0 0, 120 0, -120 0, 0 0') / (wholeEarth / 2)).toBeCloseTo(1, 14);
  // Computed with thirty digits by another method.
  expect(areaOf('31.8 -5, 32 -5, 32 -4.7, 31.8 -4.7, 31.8 -5')).toBeCloseTo(735970283.112869, 3);
});

test('[query 3.9] what is inside and what is outside of a ring are all of the earth', () => {
  for (const ring of ['0 0, 1 0, 1 1, 0 0', '0 80, 120 80, -120 80, 0 80', '10 -60, 100 40, -100 5, 10 -60']) {
    const backwards = ring.split(', ').toReversed().join(', ');

    expect((areaOf(ring) + areaOf(backwards)) / wholeEarth).toBeCloseTo(1, 13);
  }
});

test('[query 3.9] a hole is not counted, and parts add up', () => {
  const whole = areaOf('0 0, 10 0, 10 10, 0 10, 0 0');
  const hole = areaOf('2 2, 4 2, 4 4, 2 4, 2 2');

  expect(areaOf('0 0, 10 0, 10 10, 0 10, 0 0', '2 2, 2 4, 4 4, 4 2, 2 2')).toBeCloseTo(whole - hole, 0);
  expect(areaOf('0 0, 10 0, 10 10, 0 0') + areaOf('0 0, 10 10, 0 10, 0 0')).toBeCloseTo(whole, 0);
});

test('[query 3.9] a small area is not lost in the size of the earth', () => {
  const step = 1e-5;
  const metres = geodesic(10, 50, 10 + step, 50) * geodesic(10, 50, 10, 50 + step);

  expect(areaOf(`10 50, ${10 + step} 50, ${10 + step} ${50 + step}, 10 ${50 + step}, 10 50`) / metres).toBeCloseTo(
    1,
    5,
  );
});

test('[query 3.9] rings with corners at opposite ends have an area', () => {
  // Half of the earth east of Greenwich, and its southern quarter.
  expect(areaOf('0 -90, 90 0, 0 90, 0 0, 0 -90') / (wholeEarth / 4)).toBeCloseTo(1, 12);
  expect(areaOf('0 0, 0.001 -89.999, 179.999 0, 90 -0.001, 0 0')).toBeGreaterThan(0);
});

function geodesic(longitudeA: number, latitudeA: number, longitudeB: number, latitudeB: number): number {
  return geodesicLength({ longitude: longitudeA, latitude: latitudeA }, { longitude: longitudeB, latitude: latitudeB });
}

function shape(type: string, coordinates: number[] | number[][] | number[][][]): Shape {
  const read = readShape({ type, coordinates }, earth);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

function point(x: number, y: number): Shape {
  return shape('Point', [x, y]);
}

function line(text: string): Shape {
  return shape('LineString', places(text));
}

function polygon(...rings: readonly string[]): Shape {
  return shape('Polygon', rings.map(places));
}

function areaOf(...rings: readonly string[]): number {
  const read = polygon(...rings);
  return read.kind === 'area' ? read.polygons.reduce((sum, one) => sum + earth.area(one), 0) : Number.NaN;
}

function places(text: string): number[][] {
  return text.split(', ').map((place) => place.split(' ').map(Number));
}
