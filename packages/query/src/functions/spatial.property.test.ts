import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Value } from '../value/value.ts';
import { spatialFunctions } from './spatial.ts';

/** On a small grid, where shapes often touch each other. */
const place = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 }));
const corners = fc.array(place, { minLength: 3, maxLength: 7 });
const polygon = corners.map((ring): Value => ({ type: 'Polygon', coordinates: [[...ring, ring[0] ?? [0, 0]]] }));
const line = fc
  .array(place, { minLength: 2, maxLength: 5 })
  .map((coordinates): Value => ({ type: 'LineString', coordinates }));
const point = place.map((coordinates): Value => ({ type: 'Point', coordinates }));
const shape = fc.oneof(point, line, polygon);
const surface = fc.constantFrom('Geography' as const, 'Geometry' as const);

test('[query 3.9] intersection and distance do not depend on the order', () => {
  fc.assert(
    fc.property(surface, shape, shape, (type, a, b) => {
      const { call } = on(type);

      expect(call('ST_INTERSECTS', b, a)).toBe(call('ST_INTERSECTS', a, b));
      const there = call('ST_DISTANCE', a, b);
      const back = call('ST_DISTANCE', b, a);
      if (typeof there === 'number') expect(back).toBeCloseTo(there, 3);
      else expect(back).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test('[query 3.9] shapes intersect just when their distance is 0', () => {
  fc.assert(
    fc.property(surface, shape, shape, (type, a, b) => {
      const { call } = on(type);
      const distance = call('ST_DISTANCE', a, b);

      expect(distance === undefined ? undefined : distance === 0).toBe(call('ST_INTERSECTS', a, b));
    }),
    { numRuns: 300 },
  );
});

test('[query 3.9] what is within intersects, and is not larger', () => {
  fc.assert(
    fc.property(surface, shape, shape, (type, a, b) => {
      const { call } = on(type);
      if (call('ST_WITHIN', a, b) !== true) return;

      expect(call('ST_INTERSECTS', a, b)).toBe(true);
      // Of rings that go around clockwise on earth, the areas have as many digits as the earth.
      expect(call('ST_AREA', a)).toBeLessThanOrEqual(Number(call('ST_AREA', b)) + 1);
    }),
    { numRuns: 1000 },
  );
});

test('[query 3.9] a shape is within itself', () => {
  fc.assert(
    fc.property(surface, shape, (type, a) => {
      const { call } = on(type);

      expect(call('ST_WITHIN', a, a)).toBe(call('ST_ISVALID', a) === true ? true : undefined);
    }),
    { numRuns: 300 },
  );
});

test('[query 3.9] a point that is within a shape is within all that this is within', () => {
  fc.assert(
    fc.property(surface, point, polygon, polygon, (type, inner, middle, outer) => {
      const { call } = on(type);
      if (call('ST_WITHIN', inner, middle) !== true || call('ST_WITHIN', middle, outer) !== true) return;

      expect(call('ST_WITHIN', inner, outer)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('[query 3.9] turned around, a ring has all inside that it had outside', () => {
  fc.assert(
    fc.property(point, corners, (inner, ring) => {
      const { call } = on('Geography');
      const closed = [...ring, ring[0] ?? [0, 0]];
      const forwards = { type: 'Polygon', coordinates: [closed] };
      const backwards = { type: 'Polygon', coordinates: [closed.toReversed()] };
      if (call('ST_ISVALID', forwards) !== true) return;

      const sides = [call('ST_WITHIN', inner, forwards), call('ST_WITHIN', inner, backwards)];
      const isOnBorder = call('ST_INTERSECTS', inner, forwards) && call('ST_INTERSECTS', inner, backwards);
      expect(sides.filter((side) => side === true).length).toBe(isOnBorder ? 0 : 1);
    }),
    { numRuns: 500 },
  );
});

test('[query 3.9] whatever the value, nothing is thrown, and a reason is given where it is no shape', () => {
  const wild = fc.record({
    type: fc.constantFrom('Point', 'LineString', 'Polygon', 'MultiPolygon', 'Circle'),
    coordinates: fc.jsonValue() as fc.Arbitrary<Value>,
  });

  fc.assert(
    fc.property(surface, wild, shape, (type, a, b) => {
      const { call } = on(type);
      const isValid = call('ST_ISVALID', a);

      for (const { name, takes } of spatialFunctions) {
        const result = takes === 'any' ? call(name, a) : call(name, a, b);
        if (isValid === false && !name.startsWith('ST_ISVALID')) expect(result).toBeUndefined();
      }
      const detailed = call('ST_ISVALIDDETAILED', a);
      expect(detailed).toEqual(isValid ? { valid: true } : { valid: false, reason: expect.any(String) });
    }),
    { numRuns: 300 },
  );
});

function on(geospatialType: 'Geography' | 'Geometry'): { call: (name: string, ...args: readonly Value[]) => Value } {
  const context = { nowMs: () => 0, startMs: 0, random: () => 0, geospatialType };
  return {
    call: (name, ...args) => {
      const found = spatialFunctions.find((entry) => entry.name === name);
      if (found === undefined) throw new Error(`no function ${name}`);
      return found.call(args, context);
    },
  };
}
