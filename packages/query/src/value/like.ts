// The patterns of LIKE (spec query 2.2): `%` any run, `_` one character, `[abc]`, `[a-f]`, `[^…]` one of a set; a character
// behind the escape is itself. The whole string has to match.
//
// Time is at most the product of both lengths: after a failure only the last `%` can be stretched, earlier ones need not be.

import { DatabaseError } from '@tidemark/model';
import { patternMax } from '../limits.ts';
import type { Value } from './value.ts';
import type { Work } from './work.ts';

type Part =
  | { readonly kind: 'any-run' }
  | { readonly kind: 'any' }
  | { readonly kind: 'unit'; readonly code: number }
  | { readonly kind: 'set'; readonly isNegated: boolean; readonly ranges: readonly (readonly [number, number])[] };

export type LikePattern = readonly Part[];

/** To make a pattern of this text. */
export function likeSteps(text: string): number {
  return 5 * text.length;
}

/** Throws where the text is longer than one may be. */
export function likePattern(text: string, escaping: string | undefined): LikePattern {
  if (text.length > patternMax) {
    throw new DatabaseError('bad-request', `LIKE: a pattern has ${patternMax} characters at most.`);
  }
  const parts: Part[] = [];
  const lastClose = text.lastIndexOf(']');
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (escaping !== undefined && character === escaping && at + 1 < text.length) {
      parts.push({ kind: 'unit', code: text.charCodeAt(at + 1) });
      at += 2;
      continue;
    }
    const set = character === '[' && at < lastClose ? setAt(text, at) : undefined;
    if (set !== undefined) {
      parts.push(set.part);
      at = set.end;
      continue;
    }
    if (character === '%') {
      if (parts.at(-1)?.kind !== 'any-run') parts.push({ kind: 'any-run' });
    } else if (character === '_') {
      parts.push({ kind: 'any' });
    } else {
      parts.push({ kind: 'unit', code: text.charCodeAt(at) });
    }
    at += 1;
  }
  return parts;
}

export function isLike(value: Value, pattern: LikePattern, work: Work): boolean | undefined {
  if (typeof value !== 'string') return undefined;
  let steps = 0;
  let at = 0;
  let part = 0;
  let runPart = -1;
  let runAt = 0;
  while (at < value.length) {
    const now = pattern[part];
    steps += now?.kind === 'set' ? 1 + now.ranges.length : 1;
    if (steps > stepsAtOnce) {
      work.take(steps, tooLong);
      steps = 0;
    }
    if (now?.kind === 'any-run') {
      runPart = part;
      runAt = at;
      part += 1;
    } else if (now !== undefined && matches(now, value.charCodeAt(at))) {
      at += 1;
      part += 1;
    } else if (runPart >= 0) {
      runAt += 1;
      at = runAt;
      part = runPart + 1;
    } else {
      work.take(steps, tooLong);
      return false;
    }
  }
  work.take(1 + steps, tooLong);
  while (pattern[part]?.kind === 'any-run') part += 1;
  return part === pattern.length;
}

const stepsAtOnce = 1_000_000;
const tooLong = 'LIKE: the pattern is too long for a string of this length.';

/** Undefined where there is nothing between the brackets: then they are themselves, as one that is never closed. */
function setAt(text: string, start: number): { readonly part: Part; readonly end: number } | undefined {
  const isNegated = text.charAt(start + 1) === '^';
  const from = start + (isNegated ? 2 : 1);
  const close = text.indexOf(']', from);
  if (close <= from) return undefined;
  const ranges: [number, number][] = [];
  for (let at = from; at < close; at += 1) {
    const low = text.charCodeAt(at);
    if (text.charAt(at + 1) === '-' && at + 2 < close) {
      ranges.push([low, text.charCodeAt(at + 2)]);
      at += 2;
    } else {
      ranges.push([low, low]);
    }
  }
  return { part: { kind: 'set', isNegated, ranges }, end: close + 1 };
}

function matches(part: Part, code: number): boolean {
  switch (part.kind) {
    case 'any':
      return true;
    case 'unit':
      return part.code === code;
    case 'set':
      return part.ranges.some(([low, high]) => low <= code && code <= high) !== part.isNegated;
    case 'any-run':
      return false;
  }
}
