// Functions on strings (spec query 3.6). Lengths and places count UTF-16 units.

import { valueSizeMax } from '../limits.ts';
import { jsonText } from '../value/json-text.ts';
import { truthAll, truthAny } from '../value/logic.ts';
import type { ArrayValue, Value } from '../value/value.ts';
import { isArray, isObject } from '../value/value.ts';
import { checkSize, sizeOf } from '../value/value-size.ts';
import type { QueryFunction } from './query-function.ts';
import { trimEnd, trimStart } from './string/trim.ts';

type Test = (text: string, part: string) => boolean;

export const stringFunctions: readonly QueryFunction[] = [
  {
    name: 'CONCAT',
    takes: 'string, string...',
    meaning: 'All strings, one behind the other.',
    example: ["CONCAT('a', 'b', 'c')", '"abc"'],
    call: (texts) => joined(texts as readonly string[], ''),
  },
  test('CONTAINS', 'Whether a string has another one in it', ["CONTAINS('AdvWork', 'Wor')", 'true'], (text, part) =>
    text.includes(part),
  ),
  severalParts('CONTAINS_ALL_CS', 'ContainsAllCs', 'every one of the strings in it', false, truthAll),
  severalParts('CONTAINS_ALL_CI', 'ContainsAllCi', 'every one of the strings in it, in any case', true, truthAll),
  severalParts('CONTAINS_ANY_CS', 'ContainsAnyCs', 'at least one of the strings in it', false, truthAny),
  severalParts('CONTAINS_ANY_CI', 'ContainsAnyCi', 'at least one of the strings in it, in any case', true, truthAny),
  test('ENDSWITH', 'Whether a string ends with another one', ["ENDSWITH('abc', 'bc')", 'true'], (text, part) =>
    text.endsWith(part),
  ),
  {
    name: 'INDEX_OF',
    takes: 'string, string, integer?',
    meaning: 'The first place of a string in another one, from a place on; -1 when it is not there.',
    example: ["INDEX_OF('banana', 'na', 3)", '4'],
    call: ([text, part, from]) => (text as string).indexOf(part as string, from as number | undefined),
  },
  {
    name: 'LASTINDEXOF',
    takes: 'string, string, integer?',
    meaning: 'The last place of a string in another one; with a place, only of what ends there or before.',
    example: ["LASTINDEXOF('abcdeabc', 'abc', 6)", '0'],
    call: ([text, part, to]) => {
      const end = to === undefined ? undefined : (to as number) + 1 - (part as string).length;
      if (end !== undefined && end < 0) return -1;
      return (text as string).lastIndexOf(part as string, end);
    },
  },
  {
    name: 'LASTSUBSTRINGAFTER',
    takes: 'string, string',
    meaning: 'What comes behind the last place of a string in another one.',
    example: ["LastSubstringAfter('a/b/c', '/')", '"c"'],
    call: ([text, part]) => around(text, part, true, 'after'),
  },
  {
    name: 'LASTSUBSTRINGBEFORE',
    takes: 'string, string',
    meaning: 'What comes before the last place of a string in another one.',
    example: ["LastSubstringBefore('a/b/c', '/')", '"a/b"'],
    call: ([text, part]) => around(text, part, true, 'before'),
  },
  {
    name: 'LEFT',
    takes: 'string, number',
    meaning: 'So many characters from the beginning.',
    example: ["LEFT('hello', 2)", '"he"'],
    call: ([text, length]) => (text as string).slice(0, Math.max(0, length as number)),
  },
  {
    name: 'LENGTH',
    takes: 'string',
    meaning: 'How many characters a string has.',
    example: ["LENGTH('héllo')", '5'],
    call: ([text]) => (text as string).length,
  },
  {
    name: 'LOWER',
    takes: 'string',
    meaning: 'The string in small letters.',
    example: ["LOWER('ABC')", '"abc"'],
    call: ([text]) => inCase(text as string, (character) => character.toLowerCase()),
  },
  {
    name: 'LTRIM',
    takes: 'string, string?',
    meaning: 'Without white space at the beginning, or without the characters of the second string.',
    example: ["LTRIM('  a ')", '"a "'],
    call: ([text, set]) => trimStart(text as string, set as string | undefined),
  },
  {
    name: 'REPLACE',
    takes: 'string, string, string',
    meaning: 'The string with another one in every place of a part.',
    example: ["REPLACE('a-b-c', '-', '+')", '"a+b+c"'],
    call: ([text, part, by]) => (part === '' ? text : joined((text as string).split(part as string), by as string)),
  },
  {
    name: 'REPLICATE',
    takes: 'string, number',
    meaning: 'The string so many times over; undefined where that has more than 10,000 characters.',
    example: ["REPLICATE('ab', 2)", '"abab"'],
    call: ([text, times]) => {
      const count = Math.trunc(times as number);
      const isInBounds = count >= 0 && (text as string).length * count <= replicatedMax;
      return isInBounds ? (text as string).repeat(count) : undefined;
    },
  },
  {
    name: 'REVERSE',
    takes: 'string',
    meaning: 'The characters in the opposite order.',
    example: ["REVERSE('abc')", '"cba"'],
    call: ([text]) => [...(text as string)].reverse().join(''),
  },
  {
    name: 'RIGHT',
    takes: 'string, number',
    meaning: 'So many characters from the end.',
    example: ["RIGHT('hello', 2)", '"lo"'],
    call: ([text, length]) => {
      const characters = text as string;
      return characters.slice(Math.max(0, characters.length - Math.max(0, Math.trunc(length as number))));
    },
  },
  {
    name: 'RTRIM',
    takes: 'string, string?',
    meaning: 'Without white space at the end, or without the characters of the second string.',
    example: ["RTRIM(' a  ')", '" a"'],
    call: ([text, set]) => trimEnd(text as string, set as string | undefined),
  },
  test('STARTSWITH', 'Whether a string begins with another one', ["STARTSWITH('abc', 'ab')", 'true'], (text, part) =>
    text.startsWith(part),
  ),
  test(
    'STRINGEQUALS',
    'Whether two strings are the same',
    ["STRINGEQUALS('a', 'A', true)", 'true'],
    (text, part) => text === part,
  ),
  {
    name: 'STRINGJOIN',
    takes: 'array, string',
    meaning: 'The strings of an array, with another one between them.',
    example: ["StringJoin(['a', 'b'], '-')", '"a-b"'],
    call: ([array, separator]) => {
      const texts = (array as ArrayValue).filter((element) => typeof element === 'string');
      return texts.length === (array as ArrayValue).length ? joined(texts, separator as string) : undefined;
    },
  },
  {
    name: 'STRINGSPLIT',
    takes: 'string, string',
    meaning: 'The parts of a string between another one.',
    example: ["StringSplit('a_b_c', '_')", '["a","b","c"]'],
    call: ([text, separator]) => (separator === '' ? [text] : (text as string).split(separator as string)),
  },
  parsed('STRINGTOARRAY', 'The array whose JSON the string is', ["StringToArray('[1]')", '[1]'], isArray),
  parsed(
    'STRINGTOBOOLEAN',
    'The boolean whose JSON the string is',
    ["StringToBoolean(' true ')", 'true'],
    (value) => typeof value === 'boolean',
  ),
  parsed(
    'STRINGTONULL',
    'Null, where the string is its JSON',
    ["StringToNull(' null')", 'null'],
    (value) => value === null,
  ),
  parsed(
    'STRINGTONUMBER',
    'The number whose JSON the string is',
    ["StringToNumber(' 60 ')", '60'],
    (value) => typeof value === 'number' && Number.isFinite(value),
  ),
  parsed('STRINGTOOBJECT', 'The object whose JSON the string is', ["StringToObject('{}')", '{}'], isObject),
  {
    name: 'SUBSTRING',
    takes: 'string, number, number',
    meaning: 'So many characters from a place on.',
    example: ["SUBSTRING('hello', 1, 3)", '"ell"'],
    call: ([text, start, length]) => {
      const from = Math.trunc(start as number);
      if (from < 0 || Number.isNaN(from)) return '';
      return (text as string).slice(from, from + Math.max(0, Math.trunc(length as number)));
    },
  },
  {
    name: 'SUBSTRINGAFTER',
    takes: 'string, string',
    meaning: 'What comes behind the first place of a string in another one.',
    example: ["SubstringAfter('a/b/c', '/')", '"b/c"'],
    call: ([text, part]) => around(text, part, false, 'after'),
  },
  {
    name: 'SUBSTRINGBEFORE',
    takes: 'string, string',
    meaning: 'What comes before the first place of a string in another one.',
    example: ["SubstringBefore('a/b/c', '/')", '"a"'],
    call: ([text, part]) => around(text, part, false, 'before'),
  },
  {
    name: 'TOSTRING',
    takes: 'any',
    meaning: 'A string as it is, and anything else as its JSON.',
    example: ["ToString([1, 'a'])", '"[1,\\"a\\"]"'],
    call: ([value]) => {
      if (typeof value === 'string') return value;
      if (typeof value === 'number') return String(value === 0 ? 0 : value);
      checkSize(sizeOf(value));
      return jsonText(value as Exclude<Value, undefined>);
    },
  },
  {
    name: 'TRIM',
    takes: 'string, string?',
    meaning: 'Without white space at both ends, or without the characters of the second string.',
    example: ["TRIM(' a ')", '"a"'],
    call: ([text, set]) => trimEnd(trimStart(text as string, set as string | undefined), set as string | undefined),
  },
  {
    name: 'UPPER',
    takes: 'string',
    meaning: 'The string in capitals.',
    example: ["UPPER('abC')", '"ABC"'],
    call: ([text]) => inCase(text as string, (character) => character.toUpperCase()),
  },
];

/** Spec query 3.6: the service makes no longer strings. */
const replicatedMax = 10_000;

/** A comparison of two strings that can disregard case. */
function test(name: string, meaning: string, example: QueryFunction['example'], isTrue: Test): QueryFunction {
  return {
    name,
    takes: 'string, string, boolean?',
    meaning: `${meaning}; with true in any case.`,
    example,
    call: ([text, part, isAnyCase]) => {
      if (isAnyCase !== true) return isTrue(text as string, part as string);
      return isTrue(folded(text as string), folded(part as string));
    },
  };
}

function severalParts(
  name: string,
  alias: string,
  meaning: string,
  isAnyCase: boolean,
  combine: typeof truthAll | typeof truthAny,
): QueryFunction {
  return {
    name,
    aliases: [alias],
    takes: 'string, maybe...',
    meaning: `Whether a string has ${meaning}.`,
    example: [`${name}('Nice Day', 'Nice', 'Day')`, 'true'],
    call: ([text, ...parts]) => {
      const whole = isAnyCase ? folded(text as string) : (text as string);
      return combine(parts, (part) =>
        typeof part === 'string' ? whole.includes(isAnyCase ? folded(part) : part) : undefined,
      );
    },
  };
}

function parsed(
  name: string,
  meaning: string,
  example: QueryFunction['example'],
  isWanted: (value: Value) => boolean,
): QueryFunction {
  return {
    name,
    takes: 'string',
    meaning: `${meaning}.`,
    example,
    call: ([text]) => {
      let value: Value;
      try {
        value = JSON.parse(text as string) as Value;
      } catch {
        // What is no JSON is undefined.
        return undefined;
      }
      return isWanted(value) ? value : undefined;
    },
  };
}

/** The parts with another string between them, unless that is too long. */
function joined(parts: readonly string[], separator: string): string {
  let size = separator.length * Math.max(0, parts.length - 1);
  for (const part of parts) {
    size += part.length;
    if (size > valueSizeMax) break;
  }
  checkSize(size);
  return parts.join(separator);
}

/** Undefined where the part is not in the text. */
function around(text: Value, part: Value, isLast: boolean, side: 'after' | 'before'): Value {
  const whole = text as string;
  const at = isLast ? whole.lastIndexOf(part as string) : whole.indexOf(part as string);
  if (at < 0) return undefined;
  return side === 'before' ? whole.slice(0, at) : whole.slice(at + (part as string).length);
}

function folded(text: string): string {
  return inCase(text, (character) => character.toUpperCase());
}

/** Invariant and one to one: a character stays as it is whose other case has another length, or is plain ASCII (spec query 3.6). */
function inCase(text: string, turn: (character: string) => string): string {
  const turned = turn(text);
  if (turned.length === text.length && !specialCases.test(text)) return turned;
  let result = '';
  for (const character of text) {
    const one = turn(character);
    result += one.length === character.length && !specialCases.test(character) ? one : character;
  }
  return result;
}

/** The micro sign, whose capital is a Greek letter; dotless i and the Kelvin and Angstrom signs, whose other cases are other letters. */
const specialCases = /[\u00b5\u0130\u0131\u017f\u212a\u212b]/;
