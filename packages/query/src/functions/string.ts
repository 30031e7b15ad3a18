// Functions on strings (spec query 3.6). Lengths and places count UTF-16 units.

import { DatabaseError, documentDepthMax } from '@tidemark/model';
import { valueSizeMax } from '../limits.ts';
import { jsonText } from '../value/json-text.ts';
import { truthAll, truthAny } from '../value/logic.ts';
import type { ArrayValue, Value } from '../value/value.ts';
import { isArray, isObject } from '../value/value.ts';
import { checkSize, sizeOf, textBytes } from '../value/value-size.ts';
import type { Work } from '../value/work.ts';
import type { QueryFunction } from './query-function.ts';
import { inCase } from './string/case.ts';
import { copyOf, textOfCodes } from './string/codes.ts';
import { depthIn } from './string/json-depth.ts';
import { firstPlace, lastPlace, splitAt } from './string/search.ts';
import { trimEnd, trimStart } from './string/trim.ts';

type Test = (text: string, part: string, work: Work | undefined) => boolean;

export const stringFunctions: readonly QueryFunction[] = [
  {
    name: 'CONCAT',
    takes: 'string, string...',
    meaning: 'All strings, one behind the other.',
    example: ["CONCAT('a', 'b', 'c')", '"abc"'],
    call: (texts) => joined(texts as readonly string[], ''),
  },
  test(
    'CONTAINS',
    'Whether a string has another one in it',
    ["CONTAINS('AdvWork', 'Wor')", 'true'],
    (text, part, work) => firstPlace(text, part, work) >= 0,
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
    call: ([text, part, from], { work }) =>
      firstPlace(text as string, part as string, work, from as number | undefined),
  },
  {
    name: 'LASTINDEXOF',
    takes: 'string, string, integer?',
    meaning: 'The last place of a string in another one; with a place, only of what ends there or before.',
    example: ["LASTINDEXOF('abcdeabc', 'abc', 6)", '0'],
    call: ([text, part, to], { work }) => {
      const end = to === undefined ? undefined : (to as number) + 1 - (part as string).length;
      if (end !== undefined && end < 0) return -1;
      return lastPlace(text as string, part as string, work, end);
    },
  },
  {
    name: 'LASTSUBSTRINGAFTER',
    takes: 'string, string',
    meaning: 'What comes behind the last place of a string in another one.',
    example: ["LastSubstringAfter('a/b/c', '/')", '"c"'],
    call: ([text, part], { work }) => around(text, part, work, true, 'after'),
  },
  {
    name: 'LASTSUBSTRINGBEFORE',
    takes: 'string, string',
    meaning: 'What comes before the last place of a string in another one.',
    example: ["LastSubstringBefore('a/b/c', '/')", '"a/b"'],
    call: ([text, part], { work }) => around(text, part, work, true, 'before'),
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
    call: ([text], { work }) => inCase(text as string, (character) => character.toLowerCase(), work),
  },
  {
    name: 'LTRIM',
    takes: 'string, string?',
    meaning: 'Without white space at the beginning, or without the characters of the second string.',
    example: ["LTRIM('  a ')", '"a "'],
    call: ([text, set], { work }) => trimStart(text as string, set as string | undefined, work),
  },
  {
    name: 'REPLACE',
    takes: 'string, string, string',
    meaning: 'The string with another one in every place of a part.',
    example: ["REPLACE('a-b-c', '-', '+')", '"a+b+c"'],
    call: ([text, part, by], { work }) =>
      part === '' ? text : joined(partsOf(text as string, part as string, work), by as string),
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
    call: ([text], { work }) => reversed(text as string, work),
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
    call: ([text, set], { work }) => trimEnd(text as string, set as string | undefined, work),
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
    call: ([array, separator], { work }) => {
      work?.take(sizeOf(array) / 4);
      const texts = (array as ArrayValue).filter((element) => typeof element === 'string');
      return texts.length === (array as ArrayValue).length ? joined(texts, separator as string) : undefined;
    },
  },
  {
    name: 'STRINGSPLIT',
    takes: 'string, string',
    meaning: 'The parts of a string between another one.',
    example: ["StringSplit('a_b_c', '_')", '["a","b","c"]'],
    call: ([text, separator], { work }) =>
      separator === '' ? [text] : ownParts(partsOf(text as string, separator as string, work), text as string, work),
  },
  parsed('STRINGTOARRAY', 'The array whose JSON the string is', ["StringToArray('[1]')", '[1]'], /^\s*\[/, isArray),
  parsed(
    'STRINGTOBOOLEAN',
    'The boolean whose JSON the string is',
    ["StringToBoolean(' true ')", 'true'],
    /^\s*[tf]/,
    (value) => typeof value === 'boolean',
  ),
  parsed(
    'STRINGTONULL',
    'Null, where the string is its JSON',
    ["StringToNull(' null')", 'null'],
    /^\s*n/,
    (value) => value === null,
  ),
  parsed(
    'STRINGTONUMBER',
    'The number whose JSON the string is',
    ["StringToNumber(' 60 ')", '60'],
    /^\s*[-\d]/,
    (value) => typeof value === 'number' && Number.isFinite(value),
  ),
  parsed('STRINGTOOBJECT', 'The object whose JSON the string is', ["StringToObject('{}')", '{}'], /^\s*\{/, isObject),
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
    call: ([text, part], { work }) => around(text, part, work, false, 'after'),
  },
  {
    name: 'SUBSTRINGBEFORE',
    takes: 'string, string',
    meaning: 'What comes before the first place of a string in another one.',
    example: ["SubstringBefore('a/b/c', '/')", '"a"'],
    call: ([text, part], { work }) => around(text, part, work, false, 'before'),
  },
  {
    name: 'TOSTRING',
    takes: 'any',
    meaning: 'A string as it is, and anything else as its JSON.',
    example: ["ToString([1, 'a'])", '"[1,\\"a\\"]"'],
    call: ([value], { work }) => {
      if (typeof value === 'string') return value;
      if (typeof value === 'number') return String(value === 0 ? 0 : value);
      checkSize(sizeOf(value));
      work?.take(sizeOf(value));
      return jsonText(value as Exclude<Value, undefined>);
    },
  },
  {
    name: 'TRIM',
    takes: 'string, string?',
    meaning: 'Without white space at both ends, or without the characters of the second string.',
    example: ["TRIM(' a ')", '"a"'],
    call: ([text, set], { work }) =>
      trimEnd(trimStart(text as string, set as string | undefined, work), set as string | undefined, work),
  },
  {
    name: 'UPPER',
    takes: 'string',
    meaning: 'The string in capitals.',
    example: ["UPPER('abC')", '"ABC"'],
    call: ([text], { work }) => inCase(text as string, (character) => character.toUpperCase(), work),
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
    call: ([text, part, isAnyCase], { work }) => {
      if (isAnyCase !== true) return isTrue(text as string, part as string, work);
      return isTrue(folded(text as string, work), folded(part as string, work), work);
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
    call: ([text, ...parts], { work }) => {
      const whole = isAnyCase ? folded(text as string, work) : (text as string);
      return combine(parts, (part) => {
        if (typeof part !== 'string') return undefined;
        work?.take(1 + whole.length / 8);
        return firstPlace(whole, isAnyCase ? folded(part, work) : part, work) >= 0;
      });
    },
  };
}

function parsed(
  name: string,
  meaning: string,
  example: QueryFunction['example'],
  begins: RegExp,
  isWanted: (value: Value) => boolean,
): QueryFunction {
  return {
    name,
    takes: 'string',
    meaning: `${meaning}.`,
    example,
    call: ([text], { work }) => {
      const json = text as string;
      if (!begins.test(json)) return undefined;
      prepareToParse(json, work);
      let value: Value;
      try {
        value = JSON.parse(json) as Value;
      } catch {
        // What is no JSON is undefined, and takes some time to be found out.
        work?.take(500);
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
function around(text: Value, part: Value, work: Work | undefined, isLast: boolean, side: 'after' | 'before'): Value {
  const whole = text as string;
  const at = isLast ? lastPlace(whole, part as string, work) : firstPlace(whole, part as string, work);
  if (at < 0) return undefined;
  return side === 'before' ? whole.slice(0, at) : whole.slice(at + (part as string).length);
}

function folded(text: string, work: Work | undefined): string {
  return inCase(text, (character) => character.toUpperCase(), work);
}

function partsOf(text: string, separator: string, work: Work | undefined): string[] {
  work?.take(text.length / 4);
  const parts = splitAt(text, separator, work);
  work?.take(4 * parts.length);
  return parts;
}

/** Each holds on to nothing but itself, though a single one may be all that is kept of a long text. */
function ownParts(parts: readonly string[], text: string, work: Work | undefined): ArrayValue {
  work?.make(textBytes(text.length) + textBytes(0) * parts.length);
  if (text.length < longTextMin) return parts;
  work?.take(30 * parts.length + text.length / 4);
  return parts.map((part) => (part.length > ownLengthMax ? copyOf(part) : part));
}

const longTextMin = 1_024;
/** A shorter part of a string is always one of its own. */
const ownLengthMax = 12;

/** Pairs of surrogates stay what they are. */
function reversed(text: string, work: Work | undefined): string {
  work?.take(text.length * 3);
  if (text.length < longTextMin) return [...text].reverse().join('');
  const codes = new Uint16Array(text.length);
  let end = text.length;
  for (const character of text) {
    end -= character.length;
    for (let at = 0; at < character.length; at += 1) codes[end + at] = character.charCodeAt(at);
  }
  return textOfCodes(codes);
}

/** Text that is JSON becomes up to sixteen times as large as a value. */
function prepareToParse(text: string, work: Work | undefined): void {
  work?.take(text.length);
  if (!/^\s*[[{]/.test(text)) return;
  work?.make(16 * text.length);
  if (depthIn(text, documentDepthMax) <= documentDepthMax) return;
  throw new DatabaseError(
    'bad-request',
    `A string whose JSON nests more than ${documentDepthMax} levels deep cannot become a value.`,
  );
}
