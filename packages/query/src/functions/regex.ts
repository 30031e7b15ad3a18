// RegexMatch in linear time. The service's expressions are those of PCRE; look-around and back references cannot be matched in
// linear time, so they are refused by name, and never taken for an expression that matches nothing.

import { DatabaseError } from '@tidemark/model';
import { RE2JS } from 're2js';
import { patternMax } from '../limits.ts';
import type { Value } from '../value/value.ts';
import { Work } from '../value/work.ts';
import type { FunctionContext, QueryFunction } from './query-function.ts';
import { expressionSize } from './string/expression-size.ts';

export const regexFunctions: readonly QueryFunction[] = [
  {
    name: 'REGEXMATCH',
    takes: 'string, string, string?',
    meaning:
      'Whether a regular expression matches somewhere in a string. Modifiers: m lines, s dots also match line ends, i any case, x white space does not count.',
    example: ["RegexMatch('abcd', 'B.', 'i')", 'true'],
    call: isMatch,
  },
];

/** The expression mostly is the same for every document. */
function isMatch([text, pattern, modifiers = '']: readonly Value[], context: FunctionContext): Value {
  const { work = new Work(), expressions } = context;
  const [options, wanted] = [modifiers as string, pattern as string];
  let expression = expressions?.get(options, wanted);
  if (expression === undefined) {
    expression = { compiled: compileRegex(wanted, options, work) };
    const parts = expression.compiled === undefined ? 0 : partsOf * expression.compiled.programSize();
    expressions?.set(options, wanted, expression, parts);
  }
  const { compiled } = expression;
  if (compiled === undefined) return undefined;
  work.take((text as string).length * compiled.programSize(), tooLarge);
  return compiled.matcher(text as string).find();
}

/** An instruction takes as much memory as so many parts of a pattern of LIKE. */
const partsOf = 4;
const tooLarge = 'RegexMatch: the expression is too large for a string of this length.';

/** Undefined for what is no expression, and for modifiers that there are not. */
function compileRegex(pattern: string, modifiers: string, work: Work): RE2JS | undefined {
  if (pattern.length > patternMax) {
    throw new DatabaseError('bad-request', `RegexMatch: an expression has ${patternMax} characters at most.`);
  }
  const size = expressionSize(pattern);
  work.take(100 * pattern.length + 150 * size.instructions + 5_000 * size.classes, tooLarge);
  work.make(400 * size.instructions);
  let flags = 0;
  for (const modifier of modifiers) {
    const flag = flagOf.get(modifier);
    if (flag === undefined) return undefined;
    flags |= flag;
  }
  const plain = modifiers.includes('x') ? withoutSpace(pattern) : pattern;
  try {
    return RE2JS.compile(plain, flags);
  } catch (cause) {
    if (isExpression(plain)) {
      const message = `RegexMatch: look-around and back references are not supported: ${plain.slice(0, 100)}`;
      throw new DatabaseError('not-supported', message, { cause });
    }
    return undefined;
  }
}

const flagOf: ReadonlyMap<string, number> = new Map([
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
  ['x', 0],
]);

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    return false;
  }
}

/** White space, and comments from `#` on, but for what is escaped or in brackets. */
function withoutSpace(pattern: string): string {
  let plain = '';
  let isInBrackets = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '\\') {
      plain += pattern.slice(at, at + 2);
      at += 1;
    } else if (isInBrackets || !/[\s#]/.test(character)) {
      if (character === '[') isInBrackets = true;
      else if (character === ']') isInBrackets = false;
      plain += character;
    } else if (character === '#') {
      while (at + 1 < pattern.length && pattern.charAt(at + 1) !== '\n') at += 1;
    }
  }
  return plain;
}
