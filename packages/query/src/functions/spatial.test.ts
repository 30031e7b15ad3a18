import { expect, test } from 'vitest';
import type { Value } from '../value/value.ts';
import { isOfType, signatureOf, typeAt } from './signature.ts';
import { spatialFunctions } from './spatial.ts';

const square = polygon('0 0, 10 0, 10 10, 0 10, 0 0');
/** Of Microsoft's own examples. */
const headquarters = point(-122.12826822304672, 47.63980239335718);
const reference = point(-122.11758113953535, 47.66901087006131);

test('[query 3.9] distances are in metres, and 0 from a place to itself', () => {
  const degree = call('ST_DISTANCE', point(0, 0), point(1, 0));

  expect(degree).toBeCloseTo(111_319.4908, 4);
  expect(call('ST_DISTANCE', point(0, 0), point(0, 0))).toBe(0);
  expect(call('ST_DISTANCE', point(180, 1), point(-180, 1))).toBe(0);
});

test('[query 3.9] distances and areas are those that the service shows, to a ten-millionth', () => {
  // It follows great ellipses, which are a little longer than the shortest way.
  const near = call('ST_DISTANCE', headquarters, reference);
  const far = call('ST_DISTANCE', point(-96.84368664765994, 46.81297794314663), reference);
  const area = call('ST_AREA', polygon('31.8 -5, 32 -5, 32 -4.7, 31.8 -4.7, 31.8 -5'));

  expect(Number(near) / 3345.269817267368).toBeCloseTo(1, 7);
  expect(Number(far) / 1907438.421299902).toBeCloseTo(1, 7);
  expect(Number(area) / 735970283.0522614).toBeCloseTo(1, 9);
});

test('[query 3.9] a point is within a polygon or not', () => {
  const campus = polygon(
    '-122.13236581015025 47.64606476313813, -122.13221982500913 47.633757091363975, ' +
      '-122.11840598103835 47.641749416109235, -122.12061400629656 47.64589264786028, ' +
      '-122.13236581015025 47.64606476313813',
  );

  expect(call('ST_WITHIN', point(5, 5), square)).toBe(true);
  expect(call('ST_WITHIN', point(15, 5), square)).toBe(false);
  expect(call('ST_WITHIN', point(-122.12824857332558, 47.6395516675712), campus)).toBe(true);
});

test('[query 3.9] shapes intersect or not', () => {
  expect(call('ST_INTERSECTS', square, line('-5 5, 5 5'))).toBe(true);
  expect(call('ST_INTERSECTS', square, line('-5 5, -1 5'))).toBe(false);
});

test('[query 3.9] edges are parts of great circles, as users of the service have found', () => {
  // A parallel bends away from the edge between two of its places, and the more so the farther these are from each other.
  const low = polygon('19 49, 19 48, 20 48, 20 49, 19 49');
  const narrow = polygon(
    '-18.62072 35.98678, 42.28749 35.98678, 42.28749 54.33566, -18.62072 54.33566, -18.62072 35.98678',
  );
  const wide = polygon(
    '-31.21105 35.98678, 54.87782 35.98678, 54.87782 54.33566, -31.21105 54.33566, -31.21105 35.98678',
  );
  const marker = point(24.890739, 41.128275);

  expect(call('ST_WITHIN', point(19.59907, 48.00011), low)).toBe(false);
  expect(call('ST_WITHIN', point(19.59907, 48.00105), low)).toBe(true);
  expect(call('ST_INTERSECTS', marker, narrow)).toBe(true);
  expect(call('ST_INTERSECTS', marker, wide)).toBe(false);
});

test('[query 3.9] whether a value is a shape is said, with the reason', () => {
  expect(call('ST_ISVALID', point(133, -184))).toBe(false);
  expect(call('ST_ISVALID', point(-84.38876194345323, 33.75682784306348))).toBe(true);
  expect(call('ST_ISVALID', 5)).toBe(false);
  expect(call('ST_ISVALIDDETAILED', point(133, -184))).toEqual({
    valid: false,
    reason: 'Latitude values must be between -90 and 90 degrees.',
  });
  expect(call('ST_ISVALIDDETAILED', point(1, 1))).toEqual({ valid: true });
  expect(call('ST_ISVALID', undefined)).toBeUndefined();
});

test('[query 3.9] only what is flat has an area', () => {
  expect(call('ST_AREA', point(1, 1))).toBe(0);
  expect(call('ST_AREA', line('0 0, 1 1'))).toBe(0);
  expect(call('ST_AREA', { type: 'MultiPolygon', coordinates: [] })).toBe(0);
  expect(call('ST_AREA', square)).toBeGreaterThan(1.2e12);
});

test('[query 3.9] what is no shape makes the others undefined', () => {
  const wrong: Value[] = [point(0, 91), 'POINT(0 0)', null, 7, [], {}, { type: 'Point' }, polygon('0 0, 1 0, 0 1')];

  for (const value of wrong) {
    for (const name of ['ST_DISTANCE', 'ST_INTERSECTS', 'ST_WITHIN']) {
      expect(call(name, value, square)).toBeUndefined();
      expect(call(name, square, value)).toBeUndefined();
    }
    expect(call('ST_AREA', value)).toBeUndefined();
  }
});

test('[query 3.9] several polygons may be none, which are nowhere', () => {
  const none = { type: 'MultiPolygon', coordinates: [] };

  expect(call('ST_DISTANCE', none, square)).toBeUndefined();
  expect(call('ST_DISTANCE', square, none)).toBeUndefined();
  expect(call('ST_INTERSECTS', none, square)).toBe(false);
  expect(call('ST_WITHIN', none, square)).toBe(false);
  expect(call('ST_WITHIN', square, none)).toBe(false);
});

test('[query 3.9] in a container of geometries the same shapes are in a plane', () => {
  const { call: inPlane } = caller({ geospatialType: 'Geometry' });

  expect(inPlane('ST_DISTANCE', point(0, 0), point(300, 400))).toBe(500);
  expect(inPlane('ST_AREA', square)).toBe(100);
  expect(inPlane('ST_WITHIN', point(19.59907, 48.00011), polygon('19 49, 19 48, 20 48, 20 49, 19 49'))).toBe(true);
  expect(inPlane('ST_ISVALIDDETAILED', point(133, -184))).toEqual({ valid: true });
});

test('[query 3.9] polygons of 4,096 points are compared, be all of their edges long', () => {
  const star = (x: number): Value => {
    const corners = Array.from({ length: 4095 }, (_, at) => {
      const angle = (2 * Math.PI * at) / 4095;
      const radius = at % 2 === 0 ? 9 : 1;
      return [x + radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    return { type: 'Polygon', coordinates: [[...corners, corners[0] ?? []]] };
  };
  const [here, there] = [star(0), star(30)];

  expect(call('ST_ISVALID', here)).toBe(true);
  expect(call('ST_INTERSECTS', here, there)).toBe(false);
  expect(call('ST_DISTANCE', here, there)).toBeGreaterThan(1_300_000);
});

test('[query 3.9] a polygon with a thousand holes is held against a thousand polygons', () => {
  const triangles = Array.from({ length: 1000 }, (_, at) => {
    const [x, y] = [(at % 32) / 10, Math.floor(at / 32) / 10];
    return places(`${x} ${y}, ${x + 0.06} ${y}, ${x} ${y + 0.06}, ${x} ${y}`);
  });
  const perforated = { type: 'Polygon', coordinates: [places('-9 -9, 9 -9, 9 9, -9 9, -9 -9'), ...triangles] };
  const several = { type: 'MultiPolygon', coordinates: triangles.map((triangle) => [triangle]) };

  expect(call('ST_WITHIN', perforated, several)).toBe(false);
  expect(call('ST_WITHIN', several, perforated)).toBe(false);
  expect(call('ST_INTERSECTS', several, perforated)).toBe(true);
});

test('[query 3.9] where nearly every edge has to be looked at with every other one, the query ends with a sentence', () => {
  const tooMany = /: the shapes have too many edges that are near to each other\. Use shapes with fewer points\.$/;
  const around = (radius: number): Value => ({
    type: 'LineString',
    coordinates: Array.from({ length: 4096 }, (_, at) => [radius * Math.cos(at / 652), radius * Math.sin(at / 652)]),
  });
  const forthAndBack: Value = {
    type: 'LineString',
    coordinates: Array.from({ length: 4096 }, (_, at) => [5, (at % 2 === 0 ? 10 : -10) + at / 4096]),
  };

  expect(() => call('ST_DISTANCE', around(0.001), around(8))).toThrow(tooMany);
  expect(() => call('ST_WITHIN', forthAndBack, { ...forthAndBack })).toThrow(tooMany);
});

function point(x: number, y: number): Value {
  return { type: 'Point', coordinates: [x, y] };
}

function line(text: string): Value {
  return { type: 'LineString', coordinates: places(text) };
}

function polygon(...rings: readonly string[]): Value {
  return { type: 'Polygon', coordinates: rings.map(places) };
}

function places(text: string): number[][] {
  return text.split(', ').map((place) => place.split(' ').map(Number));
}

function call(name: string, ...args: readonly Value[]): Value {
  return caller({}).call(name, ...args);
}

function caller(more: { geospatialType?: 'Geometry' }): { call: (name: string, ...args: readonly Value[]) => Value } {
  const context = { nowMs: () => 0, startMs: 0, random: () => 0, ...more };
  return {
    call: (name, ...args) => {
      const found = spatialFunctions.find((entry) => entry.name === name);
      if (found === undefined) throw new Error(`no function ${name}`);
      const signature = signatureOf(found.takes);
      const fits = args.every((arg, place) => isOfType(arg, typeAt(signature, place)));
      return fits ? found.call(args, context) : undefined;
    },
  };
}
