// From a text to the terms that are compared.

import type { Work } from '../../value/work.ts';
import { stemOf } from './stem.ts';
import { stopWords } from './stop-words.ts';

/**
 * In the order of the text. What is left out leaves no gap: words around a stop word are one after the other. Words that do not
 * begin with one of the letters are left as they are, for which see `initialsOf`.
 */
export function termsOf(text: string, work: Work, initials?: ReadonlySet<string>): readonly string[] {
  work.take(text.length);
  work.take(stepsToNormalize(text));
  const words = text.normalize('NFC').toLowerCase().match(word) ?? [];
  work.take(20 * words.length);
  work.make(wordBytes * words.length);
  return words
    .map((found) => found.replaceAll('’', "'"))
    .filter((found) => !stopWords.has(found))
    .map((found) => {
      if (initials !== undefined && !initials.has(found.charAt(0))) return found;
      work.take(stemSteps + found.length);
      return stemOf(found);
    });
}

/** Marks that stand on one letter are brought in an order by moving each to its place, which takes their number times itself. */
function stepsToNormalize(text: string): number {
  let steps = 0;
  for (const [run] of text.matchAll(marks)) steps += (run.length * run.length) / 16;
  return steps;
}

/** Few letters have as many. */
const marks = /\p{M}{32,}/gu;
const wordBytes = 64;
const stemSteps = 300;

/** A stem begins as its word does: to find a few terms in a long text, only words that begin as they do need their stems. */
export function initialsOf(terms: readonly string[]): ReadonlySet<string> {
  return new Set(terms.map((term) => term.charAt(0)));
}

/** Letters and digits, with apostrophes between them, as in the stop words. */
const word = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu;
