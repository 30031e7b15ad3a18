// Functions on places, lines and areas, which are GeoJSON (spec query 3.9).
//
// What is no shape makes them undefined; only ST_ISVALID and ST_ISVALIDDETAILED say so.

import type { Value } from '../value/value.ts';
import type { FunctionContext, QueryFunction } from './query-function.ts';
import { earth } from './spatial/earth.ts';
import { readShape } from './spatial/geometry.ts';
import { plane } from './spatial/plane.ts';
import { isIntersecting, isWithin } from './spatial/predicates.ts';
import type { Shape } from './spatial/shape.ts';
import { counted } from './spatial/steps.ts';
import type { Surface } from './spatial/surface.ts';

const definitions: readonly QueryFunction[] = [
  {
    name: 'ST_AREA',
    takes: 'any',
    meaning: 'The area of a Polygon or MultiPolygon in square metres; 0 for a Point or LineString.',
    example: ["ST_AREA({type: 'Point', coordinates: [0, 0]})", '0'],
    call: ([value], context: FunctionContext) => {
      const surface = surfaceOf(context);
      const shape = readShape(value, surface);
      if (typeof shape === 'string') return undefined;
      return shape.kind === 'area' ? shape.polygons.reduce((sum, polygon) => sum + surface.area(polygon), 0) : 0;
    },
  },
  {
    name: 'ST_DISTANCE',
    takes: 'any, any',
    meaning: 'The length of the shortest way between two shapes in metres; 0 where they have a point in common.',
    example: ["ST_DISTANCE({type: 'Point', coordinates: [0, 0]}, {type: 'Point', coordinates: [0, 0]})", '0'],
    call: ([a, b], context: FunctionContext) => ofTwo(a, b, surfaceOf(context), distanceOf),
  },
  {
    name: 'ST_INTERSECTS',
    takes: 'any, any',
    meaning: 'Whether two shapes have a point in common; the border of an area is part of it.',
    example: [
      "ST_INTERSECTS({type: 'Point', coordinates: [0, 1]}, {type: 'LineString', coordinates: [[0, 0], [0, 2]]})",
      'true',
    ],
    call: ([a, b], context: FunctionContext) => ofTwo(a, b, surfaceOf(context), isIntersecting),
  },
  {
    name: 'ST_ISVALID',
    takes: 'any',
    meaning: 'Whether a value is a GeoJSON Point, LineString, Polygon or MultiPolygon that can be computed with.',
    example: ["ST_ISVALID({type: 'Point', coordinates: [0, 91]})", 'false'],
    call: ([value], context: FunctionContext) => typeof readShape(value, surfaceOf(context)) !== 'string',
  },
  {
    name: 'ST_ISVALIDDETAILED',
    takes: 'any',
    meaning: 'The same as an object, with the reason why it cannot.',
    example: [
      "ST_ISVALIDDETAILED({type: 'Point', coordinates: [0, 91]})",
      '{"valid":false,"reason":"Latitude values must be between -90 and 90 degrees."}',
    ],
    call: ([value], context: FunctionContext) => {
      const read = readShape(value, surfaceOf(context));
      return typeof read === 'string' ? { valid: false, reason: read } : { valid: true };
    },
  },
  {
    name: 'ST_WITHIN',
    takes: 'any, any',
    meaning: 'Whether the first shape lies in the second, and not only on its border.',
    example: [
      "ST_WITHIN({type: 'Point', coordinates: [1, 1]}, {type: 'Polygon', coordinates: [[[0, 0], [3, 0], [0, 3], [0, 0]]]})",
      'true',
    ],
    call: ([a, b], context: FunctionContext) => ofTwo(a, b, surfaceOf(context), isWithin),
  },
];

/** To read a shape takes steps that are not counted where others are. */
export const spatialFunctions: readonly QueryFunction[] = definitions.map((definition) => ({
  ...definition,
  steps: 100,
  call: (args, context) => counted(context.work, definition.name, () => definition.call(args, context)),
}));

function surfaceOf(context: FunctionContext): Surface {
  return context.geospatialType === 'Geometry' ? plane : earth;
}

function ofTwo<T extends Value>(
  a: Value,
  b: Value,
  surface: Surface,
  compute: (a: Shape, b: Shape, surface: Surface) => T,
): T | undefined {
  const first = readShape(a, surface);
  if (typeof first === 'string') return undefined;
  const second = readShape(b, surface);
  return typeof second === 'string' ? undefined : compute(first, second, surface);
}

function distanceOf(a: Shape, b: Shape, surface: Surface): number | undefined {
  if (isEmpty(a) || isEmpty(b)) return undefined;
  return isIntersecting(a, b) ? 0 : surface.distance(a, b);
}

/** A MultiPolygon may have no polygon. */
function isEmpty(shape: Shape): boolean {
  return shape.kind === 'area' && shape.polygons.length === 0;
}
