// VectorDistance: how similar two vectors are (spec query 3.10). It is always computed exactly, as if the query had asked for brute
// force; what the options say of indexes and candidates is checked, and changes nothing.
//
// The container's policy for a path is not known here. The binder, which sees the path, gives it a say by adding to the fourth
// argument the distanceFunction and dataType of the policy, where the query does not have its own.

import type { ArrayValue, ObjectValue, Value } from '../value/value.ts';
import { isArray, isObject, memberOf } from '../value/value.ts';
import type { QueryFunction } from './query-function.ts';

export const vectorFunctions: readonly QueryFunction[] = [
  {
    name: 'VectorDistance',
    takes: 'array, array, boolean?, object?',
    meaning:
      'The similarity of two vectors: the cosine of their angle, unless the options say `dotproduct` or `euclidean`.',
    example: ['VectorDistance([1, 2], [3, 4], false, {distanceFunction: "dotproduct"})', '11'],
    call: ([first, second, , options], { work }) => {
      const chosen = choiceOf(isObject(options) ? options : {});
      if (chosen === undefined) return undefined;
      work?.take(3 * (first as ArrayValue).length + (second as ArrayValue).length);
      const a = vectorOf(first, chosen.range);
      const b = vectorOf(second, chosen.range);
      if (a === undefined || b === undefined || a.length !== b.length) return undefined;
      return chosen.measure(a, b);
    },
  },
];

type Numbers = readonly number[];
type Measure = (a: Numbers, b: Numbers) => number | undefined;

/** What the elements of a vector may be. */
interface Range {
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
}

interface Choice {
  readonly measure: Measure;
  readonly range: Range;
}

/** By their names in small letters; the service writes them in several ways. */
const measures: ReadonlyMap<string, Measure> = new Map<string, Measure>([
  ['cosine', cosineOf],
  ['dotproduct', dotProductOf],
  ['euclidean', euclideanOf],
]);

const ranges: ReadonlyMap<string, Range> = new Map<string, Range>([
  ['float32', { least: -3.4028234663852886e38, most: 3.4028234663852886e38, isWhole: false }],
  ['float16', { least: -65_504, most: 65_504, isWhole: false }],
  ['int8', { least: -128, most: 127, isWhole: true }],
  ['uint8', { least: 0, most: 255, isWhole: true }],
]);

/** Undefined when an option has a value that it cannot have. */
function choiceOf(options: ObjectValue): Choice | undefined {
  const measure = namedIn(measures, memberOf(options, 'distanceFunction') ?? 'cosine');
  const range = namedIn(ranges, memberOf(options, 'dataType') ?? 'float32');
  if (measure === undefined || range === undefined) return undefined;
  const isFit =
    isMultiplier(memberOf(options, 'searchListSizeMultiplier')) &&
    isMultiplier(memberOf(options, 'quantizedVectorListMultiplier')) &&
    isShare(memberOf(options, 'filterPriority'));
  return isFit ? { measure, range } : undefined;
}

function namedIn<T>(known: ReadonlyMap<string, T>, name: Value): T | undefined {
  return typeof name === 'string' ? known.get(name.toLowerCase()) : undefined;
}

function isMultiplier(value: Value): boolean {
  return value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 100);
}

function isShare(value: Value): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= 1);
}

/** A vector has at least one dimension. */
function vectorOf(value: Value, { least, most, isWhole }: Range): Numbers | undefined {
  if (!isArray(value) || value.length === 0) return undefined;
  const numbers: number[] = [];
  for (const element of value) {
    if (typeof element !== 'number' || !(element >= least && element <= most)) return undefined;
    if (isWhole && !Number.isInteger(element)) return undefined;
    numbers.push(element);
  }
  return numbers;
}

function dotProductOf(a: Numbers, b: Numbers): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** A vector without a length has no direction. */
function cosineOf(a: Numbers, b: Numbers): number | undefined {
  const lengths = Math.sqrt(dotProductOf(a, a)) * Math.sqrt(dotProductOf(b, b));
  // Rounding may lead a little beyond what a cosine can be.
  return lengths === 0 ? undefined : Math.min(1, Math.max(-1, dotProductOf(a, b) / lengths));
}

function euclideanOf(a: Numbers, b: Numbers): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += ((a[at] as number) - (b[at] as number)) ** 2;
  return Math.sqrt(sum);
}
