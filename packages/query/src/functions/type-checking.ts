// Questions about the type of a value (spec query 3.7). They are the functions that take undefined: it is of no type, and the
// answer is always a boolean.

import type { Value } from '../value/value.ts';
import { isArray, isObject } from '../value/value.ts';
import { instantOf } from './date-time/instant.ts';
import type { QueryFunction } from './query-function.ts';

export const typeFunctions: readonly QueryFunction[] = [
  question('IS_ARRAY', 'Whether the value is an array.', ['IS_ARRAY([1])', 'true'], isArray),
  {
    ...question(
      'IS_BOOL',
      'Whether the value is true or false.',
      ['IS_BOOL(false)', 'true'],
      (value) => typeof value === 'boolean',
    ),
    // The .NET SDK writes this name into the filter with which it resumes an ordered query.
    aliases: ['IS_BOOLEAN'],
  },
  question(
    'IS_DATETIME',
    'Whether the value is a string with a date, or a date and a time, that the functions on dates understand.',
    ["IS_DATETIME('2024-12-12 20:21:25')", 'true'],
    (value) => instantOf(value) !== undefined,
  ),
  question(
    'IS_DEFINED',
    'Whether there is a value; null is one.',
    ['IS_DEFINED(null)', 'true'],
    (value) => value !== undefined,
  ),
  question(
    'IS_FINITE_NUMBER',
    'Whether the value is a number, and neither infinite nor NaN.',
    ['IS_FINITE_NUMBER(1 / 0)', 'false'],
    (value) => Number.isFinite(value),
  ),
  question(
    'IS_INTEGER',
    'Whether the value is a number without a fraction that 64 bits with a sign can hold.',
    ['IS_INTEGER(5523432)', 'true'],
    // The largest such integer is not a double. Written as a literal it is the double above it, which has to be one too.
    (value) => typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 2 ** 63,
  ),
  question('IS_NULL', 'Whether the value is null.', ['IS_NULL(null)', 'true'], (value) => value === null),
  question(
    'IS_NUMBER',
    'Whether the value is a number.',
    ['IS_NUMBER(1.5)', 'true'],
    (value) => typeof value === 'number',
  ),
  question('IS_OBJECT', 'Whether the value is an object; an array is none.', ['IS_OBJECT([])', 'false'], isObject),
  question(
    'IS_PRIMITIVE',
    'Whether the value is a string, a number, a boolean or null.',
    ['IS_PRIMITIVE(null)', 'true'],
    (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value),
  ),
  question(
    'IS_STRING',
    'Whether the value is a string.',
    ["IS_STRING('a')", 'true'],
    (value) => typeof value === 'string',
  ),
];

function question(
  name: string,
  meaning: string,
  example: QueryFunction['example'],
  answer: (value: Value) => boolean,
): QueryFunction {
  return { name, takes: 'maybe', meaning, example, call: ([value]) => answer(value) };
}
