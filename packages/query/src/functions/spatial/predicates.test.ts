import { describe, expect, test } from 'vitest';
import { earth } from './earth.ts';
import { readShape } from './geometry.ts';
import { plane } from './plane.ts';
import { isIntersecting, isWithin } from './predicates.ts';
import type { Shape } from './shape.ts';
import type { Surface } from './surface.ts';

const square = '0 0, 10 0, 10 10, 0 10, 0 0';
const hole = '4 4, 6 4, 6 6, 4 6, 4 4';

describe.each([
  ['on earth', earth],
  ['in the plane', plane],
] as const)('%s', (_, surface) => {
  const { point, line, polygon, several } = shapesOf(surface);
  const area = polygon(square);
  const ring = polygon(square, hole);

  test('[query 3.9] what is on the border intersects, and is not within', () => {
    for (const onBorder of [
      point('0 0'),
      point('0 5'),
      point('5 0'),
      point('10 3'),
      line('0 2, 0 8'),
      line('0 0, 10 0'),
    ]) {
      expect(isIntersecting(onBorder, area)).toBe(true);
      expect(isIntersecting(area, onBorder)).toBe(true);
      expect(isWithin(onBorder, area)).toBe(false);
    }
    expect(isIntersecting(point('-0.000000001 5'), area)).toBe(false);
    expect(isIntersecting(point('5 -0.000000001'), area)).toBe(false);
    expect(isWithin(point('0.000000001 5'), area)).toBe(true);
  });

  test('[query 3.9] a hole is not part of a polygon, but its border is', () => {
    expect(isWithin(point('5 5'), area)).toBe(true);
    expect(isWithin(point('5 5'), ring)).toBe(false);
    expect(isIntersecting(point('5 5'), ring)).toBe(false);
    expect(isWithin(point('3 5'), ring)).toBe(true);
    expect(isIntersecting(point('4 5'), ring)).toBe(true);
    expect(isWithin(point('4 5'), ring)).toBe(false);
  });

  test('[query 3.9] a hole may go around either way', () => {
    const backwards = polygon(square, '4 4, 4 6, 6 6, 6 4, 4 4');

    expect(isWithin(point('5 5'), backwards)).toBe(false);
    expect(isWithin(point('3 5'), backwards)).toBe(true);
    expect(isIntersecting(point('20 5'), backwards)).toBe(false);
  });

  test('[query 3.9] a line is within when nothing of it leaves, and not all of it is on the border', () => {
    expect(isWithin(line('1 1, 9 9'), area)).toBe(true);
    expect(isWithin(line('0 0, 10 10'), area)).toBe(true);
    expect(isWithin(line('0 2, 0 8, 3 8'), area)).toBe(true);
    expect(isWithin(line('1 1, 11 9'), area)).toBe(false);
    expect(isWithin(line('1 5, 9 5'), ring)).toBe(false);
    expect(isWithin(line('1 1, 9 1'), ring)).toBe(true);
    expect(isWithin(line('4 3, 4 7'), ring)).toBe(true);
    expect(isWithin(line('4 4, 4 6'), ring)).toBe(false);
    expect(isWithin(line('-1 -1, -2 -2'), area)).toBe(false);
  });

  test('[query 3.9] a line that leaves through a corner is not within', () => {
    // The inside of this one has a corner that points inwards, at 2 2.
    const notched = polygon('0 0, 10 0, 10 10, 2 2, 0 10, 0 0');

    expect(isWithin(line('1 1, 2 2'), notched)).toBe(true);
    expect(isWithin(line('1 1, 2 2, 2 9'), notched)).toBe(false);
    expect(isWithin(line('1 1, 2 2, 10 1'), notched)).toBe(true);
    expect(isWithin(line('0 0, -1 0'), notched)).toBe(false);
  });

  test('[query 3.9] a polygon is within itself and what is around it', () => {
    expect(isWithin(area, area)).toBe(true);
    expect(isWithin(ring, ring)).toBe(true);
    expect(isWithin(ring, area)).toBe(true);
    expect(isWithin(area, ring)).toBe(false);
    expect(isWithin(polygon('1 1, 3 1, 3 3, 1 3, 1 1'), ring)).toBe(true);
    expect(isWithin(polygon('1 1, 9 1, 9 9, 1 9, 1 1'), ring)).toBe(false);
    expect(isWithin(polygon(hole), ring)).toBe(false);
    expect(isWithin(polygon(hole), area)).toBe(true);
    expect(isWithin(polygon('1 1, 9 1, 9 9, 1 9, 1 1', '3 3, 7 3, 7 7, 3 7, 3 3'), ring)).toBe(true);
    expect(isWithin(polygon('0 0, 10 0, 0 10, 0 0'), area)).toBe(true);
    expect(isWithin(polygon('10 0, 20 0, 20 10, 10 10, 10 0'), area)).toBe(false);
  });

  test('[query 3.9] polygons that only touch intersect', () => {
    expect(isIntersecting(polygon('10 0, 20 0, 20 10, 10 10, 10 0'), area)).toBe(true);
    expect(isIntersecting(polygon('10 10, 20 10, 20 20, 10 10'), area)).toBe(true);
    expect(isIntersecting(polygon(hole), ring)).toBe(true);
    expect(isIntersecting(polygon('4.5 4.5, 5.5 4.5, 5.5 5.5, 4.5 5.5, 4.5 4.5'), ring)).toBe(false);
    expect(isIntersecting(polygon('10.000001 0, 20 0, 20 10, 10.000001 0'), area)).toBe(false);
  });

  test('[query 3.9] a polygon intersects what is all inside of it', () => {
    expect(isIntersecting(polygon('1 1, 2 1, 1 2, 1 1'), area)).toBe(true);
    expect(isIntersecting(area, polygon('1 1, 2 1, 1 2, 1 1'))).toBe(true);
    expect(isIntersecting(line('1 1, 2 1'), area)).toBe(true);
    expect(isIntersecting(area, line('1 1, 2 1'))).toBe(true);
  });

  test('[query 3.9] lines and points', () => {
    expect(isIntersecting(line('0 0, 0 4'), line('0 2, 5 2'))).toBe(true);
    expect(isIntersecting(line('0 0, 4 4'), line('4 0, 0 4'))).toBe(true);
    expect(isIntersecting(line('0 0, 0 4'), line('0.001 2, 5 2'))).toBe(false);
    expect(isIntersecting(point('0 2'), line('0 0, 0 4'))).toBe(true);
    expect(isIntersecting(point('0 5'), line('0 0, 0 4'))).toBe(false);
    expect(isIntersecting(point('1 2'), point('1 2'))).toBe(true);
    expect(isWithin(point('1 2'), point('1 2'))).toBe(true);
    expect(isWithin(point('1 2'), point('1 2.1'))).toBe(false);
    expect(isWithin(point('0 2'), line('0 0, 0 4'))).toBe(true);
    expect(isWithin(point('0 2'), line('0 0, 0 2, 0 4'))).toBe(true);
    expect(isWithin(point('0 0'), line('0 0, 0 4'))).toBe(false);
    expect(isWithin(point('0 0'), line('0 0, 0 4, 4 0, 0 0'))).toBe(true);
    expect(isWithin(line('0 0, 0 4'), point('0 0'))).toBe(false);
    expect(isWithin(area, line('0 0, 0 4'))).toBe(false);
    expect(isWithin(area, point('0 0'))).toBe(false);
  });

  test('[query 3.9] a line is within another one that it follows, in whatever pieces', () => {
    const around = line('0 9, 0 6, 0 3, 0 0, 9 0');

    expect(isWithin(line('0 1, 0 8'), around)).toBe(true);
    expect(isWithin(line('0 8, 0 1'), around)).toBe(true);
    expect(isWithin(line('0 2, 0 0, 5 0'), around)).toBe(true);
    expect(isWithin(around, around)).toBe(true);
    expect(isWithin(line('0 1, 0 10'), around)).toBe(false);
    expect(isWithin(line('0 1, 1 1'), around)).toBe(false);
  });

  test('[query 3.9] several polygons are as one', () => {
    const two = several([square], ['20 0, 30 0, 30 10, 20 10, 20 0']);

    expect(isWithin(point('25 5'), two)).toBe(true);
    expect(isWithin(point('15 5'), two)).toBe(false);
    expect(isWithin(line('5 5, 25 5'), two)).toBe(false);
    expect(isWithin(line('21 5, 25 5'), two)).toBe(true);
    expect(isWithin(two, two)).toBe(true);
    expect(isWithin(area, two)).toBe(true);
    expect(isWithin(two, area)).toBe(false);
    expect(isIntersecting(two, polygon('29 9, 40 9, 40 20, 29 9'))).toBe(true);
  });

  test('[query 3.9] a line goes from one polygon into the other where they touch', () => {
    const touching = several(['0 0, 10 0, 0 10, 0 0'], ['10 0, 20 0, 20 10, 10 0']);

    expect(isWithin(line('5 0, 15 0'), touching)).toBe(false);
    expect(isWithin(line('1 1, 10 0, 19 1'), touching)).toBe(true);
    expect(isWithin(line('1 1, 10 0, 10 5'), touching)).toBe(false);
  });
});

describe('on earth', () => {
  const { point, polygon } = shapesOf(earth);

  test('[query 3.9] a ring that goes around clockwise has all but that place inside', () => {
    const outside = polygon('0 0, 0 10, 10 10, 10 0, 0 0');

    expect(isWithin(point('5 5'), outside)).toBe(false);
    expect(isWithin(point('50 5'), outside)).toBe(true);
    expect(isWithin(point('-175 -5'), outside)).toBe(true);
    expect(isIntersecting(point('0 5'), outside)).toBe(true);
    expect(isWithin(polygon('20 0, 30 0, 30 10, 20 0'), outside)).toBe(true);
    expect(isWithin(outside, polygon('20 0, 30 0, 30 10, 20 0'))).toBe(false);
    expect(isWithin(polygon('0 0, 10 0, 10 10, 0 10, 0 0'), outside)).toBe(false);
    expect(isIntersecting(polygon('1 1, 2 1, 1 2, 1 1'), outside)).toBe(false);
    expect(isIntersecting(polygon('1 1, 2 1, 1 2, 1 1'), polygon('20 0, 20 1, 21 0, 20 0'))).toBe(true);
  });

  test('[query 3.9] polygons lie across the antimeridian and around the poles', () => {
    const across = polygon('170 -10, -170 -10, -170 10, 170 10, 170 -10');
    const north = polygon('0 80, 120 80, -120 80, 0 80');

    expect(isWithin(point('180 0'), across)).toBe(true);
    expect(isWithin(point('-180 0'), across)).toBe(true);
    expect(isWithin(point('175 5'), across)).toBe(true);
    expect(isWithin(point('0 0'), across)).toBe(false);
    expect(isWithin(point('12 90'), north)).toBe(true);
    expect(isWithin(point('77 89.9'), north)).toBe(true);
    expect(isWithin(point('0 79'), north)).toBe(false);
    expect(isWithin(point('0 -90'), north)).toBe(false);
  });

  test('[query 3.9] a ring may be larger than a hemisphere', () => {
    const most = polygon('0 -60, 90 -60, 180 -60, -90 -60, 0 -60');

    expect(isWithin(point('0 0'), most)).toBe(true);
    expect(isWithin(point('0 90'), most)).toBe(true);
    expect(isWithin(point('45 -85'), most)).toBe(false);
    expect(isWithin(polygon('0 80, 120 80, -120 80, 0 80'), most)).toBe(true);
  });

  test('[query 3.9] points on meridians, the equator and at the poles are on the edges there', () => {
    for (const longitude of [-179.3, -33.333, 0.1, 12.7, 101.9]) {
      const edge = shapesOf(earth).line(`${longitude} -71.3, ${longitude} 88.8`);

      for (const latitude of [-71.3, -0.7, 0, 12.3456789, 88.7999]) {
        expect(isIntersecting(point(`${longitude} ${latitude}`), edge)).toBe(true);
      }
      expect(isIntersecting(point(`${longitude} 88.9`), edge)).toBe(false);
    }
    expect(isIntersecting(point('17.7 0'), shapesOf(earth).line('-20.1 0, 33.3 0'))).toBe(true);
    expect(isIntersecting(point('5 90'), shapesOf(earth).line('20 80, -160 80'))).toBe(true);
  });
});

test('[query 3.9] in the plane a ring encloses its inside, whichever way it goes around', () => {
  const { point, polygon } = shapesOf(plane);
  const backwards = polygon('0 0, 0 10, 10 10, 10 0, 0 0');

  expect(isWithin(point('5 5'), backwards)).toBe(true);
  expect(isWithin(point('50 5'), backwards)).toBe(false);
  // It passes its lowest corner twice.
  const twice = polygon('0 2, 2 6, 5 5, 0 2, 1 6, 1 5, 0 2');
  expect(isWithin(point('3 5'), twice)).toBe(true);
  expect(isWithin(point('3 2'), twice)).toBe(false);
});

interface Shapes {
  readonly point: (place: string) => Shape;
  readonly line: (text: string) => Shape;
  readonly polygon: (...rings: readonly string[]) => Shape;
  readonly several: (...polygons: readonly (readonly string[])[]) => Shape;
}

function shapesOf(surface: Surface): Shapes {
  const places = (text: string): number[][] => text.split(', ').map((place) => place.split(' ').map(Number));
  const read = (type: string, coordinates: number[] | number[][] | number[][][] | number[][][][]): Shape => {
    const shape = readShape({ type, coordinates }, surface);
    if (typeof shape === 'string') throw new Error(shape);
    return shape;
  };
  return {
    point: (place) => read('Point', place.split(' ').map(Number)),
    line: (text) => read('LineString', places(text)),
    polygon: (...rings) => read('Polygon', rings.map(places)),
    several: (...polygons) =>
      read(
        'MultiPolygon',
        polygons.map((rings) => rings.map(places)),
      ),
  };
}
