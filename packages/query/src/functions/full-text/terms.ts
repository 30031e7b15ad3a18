// From a text to the terms that are compared.

import { stemOf } from './stem.ts';
import { stopWords } from './stop-words.ts';

/**
 * In the order of the text. What is left out leaves no gap: words around a stop word are one after the other. Words that do not
 * begin with one of the letters are left as they are, for which see `initialsOf`.
 */
export function termsOf(text: string, initials?: ReadonlySet<string>): readonly string[] {
  const words = text.normalize('NFC').toLowerCase().match(word) ?? [];
  return words
    .map((found) => found.replaceAll('’', "'"))
    .filter((found) => !stopWords.has(found))
    .map((found) => (initials === undefined || initials.has(found.charAt(0)) ? stemOf(found) : found));
}

/** A stem begins as its word does: to find a few terms in a long text, only words that begin as they do need their stems. */
export function initialsOf(terms: readonly string[]): ReadonlySet<string> {
  return new Set(terms.map((term) => term.charAt(0)));
}

/** Letters and digits, with apostrophes between them, as in the stop words. */
const word = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu;
