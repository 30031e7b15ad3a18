// Functions on arrays, and CHOOSE and ObjectToArray, which are among them in the service's reference (spec query 3.2).

import { jsonTypeRank } from '@tidemark/model';
import { truthAll, truthAny } from '../value/logic.ts';
import { compareValues } from '../value/order.ts';
import type { ArrayValue, ObjectValue, Value } from '../value/value.ts';
import { elementOf, isArray, isEqual, isObject, objectOf } from '../value/value.ts';
import { ValueSet } from '../value/value-set.ts';
import { arrayBytes, checkSize, objectBytes, sizeOf } from '../value/value-size.ts';
import type { Work } from '../value/work.ts';
import type { QueryFunction } from './query-function.ts';

export const arrayFunctions: readonly QueryFunction[] = [
  {
    name: 'ARRAY_AVG',
    takes: 'array',
    meaning: 'The mean of the numbers of an array; undefined when it has none, or anything else in it.',
    example: ['ARRAY_AVG([2, 4])', '3'],
    call: ([array]) => {
      const numbers = numbersOf(array);
      return numbers === undefined || numbers.length === 0 ? undefined : sumOf(numbers) / numbers.length;
    },
  },
  {
    name: 'ARRAY_CONCAT',
    takes: 'array, array...',
    meaning: 'All elements of all arrays, in their order.',
    example: ['ARRAY_CONCAT([1], [2])', '[1,2]'],
    call: (arrays, { work }) => concatenated(arrays, work),
  },
  {
    name: 'ARRAY_CONTAINS',
    takes: 'array, any, boolean?',
    meaning:
      'Whether an element equals the value; with true, whether an element has at least all members of the object.',
    example: ['ARRAY_CONTAINS([{a: 1, b: 2}], {a: 1}, true)', 'true'],
    call: ([array, value, isPartial], { work }) => contains(array, value, isPartial === true, work),
  },
  {
    name: 'ARRAY_CONTAINS_ALL',
    takes: 'array, maybe...',
    meaning: 'Whether the array contains every one of the values.',
    example: ['ARRAY_CONTAINS_ALL([1, 2, 3], 1, 3)', 'true'],
    call: ([array, ...values], { work }) => truthAll(values, (value) => contains(array, value, false, work)),
  },
  {
    name: 'ARRAY_CONTAINS_ANY',
    takes: 'array, maybe...',
    meaning: 'Whether the array contains at least one of the values.',
    example: ['ARRAY_CONTAINS_ANY([1, 2], 9, 2)', 'true'],
    call: ([array, ...values], { work }) => truthAny(values, (value) => contains(array, value, false, work)),
  },
  {
    name: 'ARRAY_LENGTH',
    takes: 'array',
    meaning: 'How many elements an array has.',
    example: ['ARRAY_LENGTH([1, [2, 3]])', '2'],
    call: ([array]) => (array as ArrayValue).length,
  },
  {
    name: 'ARRAY_MAX',
    takes: 'array',
    meaning:
      'The largest element by the order of types; undefined when the array is empty, or has an array or object in it.',
    example: ["ARRAY_MAX([12, 'a', null, true])", '"a"'],
    call: ([array], { work }) => extremeOf(array, 1, work),
  },
  {
    name: 'ARRAY_MEDIAN',
    takes: 'array',
    meaning: 'The number in the middle, or the mean of the two in the middle.',
    example: ['ARRAY_MEDIAN([1, 2, 3, 4])', '2.5'],
    call: ([array], { work }) => {
      work?.take(10 * (array as ArrayValue).length);
      const sorted = numbersOf(array)?.sort((a, b) => a - b);
      if (sorted === undefined || sorted.length === 0) return undefined;
      const half = Math.floor(sorted.length / 2);
      const upper = sorted[half] as number;
      return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
    },
  },
  {
    name: 'ARRAY_MIN',
    takes: 'array',
    meaning:
      'The smallest element by the order of types; undefined when the array is empty, or has an array or object in it.',
    example: ['ARRAY_MIN([12, true, null])', 'null'],
    call: ([array], { work }) => extremeOf(array, -1, work),
  },
  {
    name: 'ARRAY_SLICE',
    takes: 'array, integer, integer?',
    meaning: 'The elements from a place on, counted from the end where it is negative; all of them, or so many.',
    example: ['ARRAY_SLICE([1, 2, 3], -2, 1)', '[2]'],
    call: ([array, start, length]) => {
      const elements = array as ArrayValue;
      const from = Math.max(0, (start as number) < 0 ? elements.length + (start as number) : (start as number));
      return elements.slice(from, length === undefined ? undefined : from + Math.max(0, length as number));
    },
  },
  {
    name: 'ARRAY_SUM',
    takes: 'array',
    meaning: 'The sum of the numbers of an array; undefined when it has anything else in it.',
    example: ['ARRAY_SUM([1, 2, 3])', '6'],
    call: ([array]) => {
      const numbers = numbersOf(array);
      return numbers === undefined ? undefined : sumOf(numbers);
    },
  },
  {
    name: 'CHOOSE',
    takes: 'any, maybe...',
    meaning: 'The value at a place, counted from one.',
    example: ["CHOOSE(2, 'a', 'b')", '"b"'],
    call: ([place, ...values]) => (typeof place === 'number' ? elementOf(values, place - 1) : undefined),
  },
  {
    name: 'OBJECTTOARRAY',
    takes: 'object, string?, string?',
    meaning: 'An object for each member, with its name and its value; what these are called can be given.',
    example: ["ObjectToArray({a: 1}, 'n')", '[{"n":"a","v":1}]'],
    call: ([object, nameOfName, nameOfValue], { work }) => {
      const names = Object.keys(object as ObjectValue);
      work?.make(names.length * objectBytes(2));
      work?.take(names.length * 30);
      return names.map((name) =>
        objectOf([
          [textOr(nameOfName, 'k'), name],
          [textOr(nameOfValue, 'v'), (object as ObjectValue)[name]],
        ]),
      );
    },
  },
  {
    name: 'SETDIFFERENCE',
    takes: 'array, array',
    meaning: 'Each value of the first array that the second does not have, once.',
    example: ['SETDIFFERENCE([1, 2, 2, 3], [3])', '[1,2]'],
    call: ([first, second], { work }) => {
      const without = setOf(second, work);
      return [...setOf(first, work)].filter((value) => !without.has(value));
    },
  },
  {
    name: 'SETEQUAL',
    takes: 'array, array',
    meaning: 'Whether two arrays have the same values, in any order and number.',
    example: ['SETEQUAL([1, 2, 2], [2, 1])', 'true'],
    call: ([first, second], { work }) => {
      const a = setOf(first, work);
      const b = setOf(second, work);
      return a.size === b.size && [...a].every((value) => b.has(value));
    },
  },
  {
    name: 'SETINTERSECT',
    takes: 'array, array',
    meaning: 'Each value that both arrays have, once, in the order of the second.',
    example: ['SETINTERSECT([1, 2, 3], [3, 1, 1])', '[3,1]'],
    call: ([first, second], { work }) => {
      const present = setOf(first, work);
      return [...setOf(second, work)].filter((value) => present.has(value));
    },
  },
  {
    name: 'SETUNION',
    takes: 'array, array',
    meaning: 'Each value of the first array and then of the second, once.',
    example: ['SETUNION([1, 2], [2, 3])', '[1,2,3]'],
    call: ([first, second], { work }) => {
      const all = setOf(first, work);
      for (const value of setOf(second, work)) all.add(value);
      return [...all];
    },
  },
];

/** Its size is known before it is made. */
function concatenated(arrays: readonly Value[], work: Work | undefined): Value {
  let length = 0;
  let size = 2;
  for (const array of arrays) {
    if (!isArray(array)) continue;
    length += array.length;
    size += sizeOf(array) - 2;
    checkSize(size);
  }
  work?.make(arrayBytes(length));
  const all: Value[] = [];
  for (const array of arrays) if (isArray(array)) for (const element of array) all.push(element);
  return all;
}

/** Partly: every member of the object that is looked for is in the element and equal there. */
function contains(array: Value, value: Value, isPartial: boolean, work: Work | undefined): boolean | undefined {
  if (!isArray(array) || value === undefined) return undefined;
  work?.take(stepsToFind(value, array));
  if (!isPartial || !isObject(value)) return array.some((element) => isEqual(element, value));
  const wanted = Object.entries(value);
  return array.some(
    (element) =>
      isObject(element) && wanted.every(([name, part]) => Object.hasOwn(element, name) && isEqual(element[name], part)),
  );
}

/** Elements are compared as far as they are the same. */
function stepsToFind(value: Value, array: ArrayValue): number {
  if (typeof value === 'string') return array.length * (1 + value.length / 64);
  return typeof value === 'object' && value !== null ? array.length + sizeOf(array) + sizeOf(value) : array.length;
}

function numbersOf(array: Value): number[] | undefined {
  const numbers: number[] = [];
  for (const element of array as ArrayValue) {
    if (typeof element !== 'number') return undefined;
    numbers.push(element);
  }
  return numbers;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function extremeOf(array: Value, direction: 1 | -1, work: Work | undefined): Value {
  work?.take(sizeOf(array) / 4);
  let extreme: Value;
  for (const element of array as ArrayValue) {
    if (jsonTypeRank(element) >= arrayRank) return undefined;
    if (extreme === undefined || compareValues(element, extreme) * direction > 0) extreme = element;
  }
  return extreme;
}

const arrayRank: number = jsonTypeRank([]);

function setOf(array: Value, work: Work | undefined): ValueSet {
  const { length } = array as ArrayValue;
  work?.take(20 * length + 2 * sizeOf(array));
  work?.make(64 * length);
  const set = new ValueSet();
  for (const value of array as ArrayValue) set.add(value);
  return set;
}

function textOr(value: Value, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
