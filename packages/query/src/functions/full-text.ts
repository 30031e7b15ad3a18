// Whether texts contain words or phrases (spec query 3.10).
//
// The service documents what it does with a text, and the same is done here: it is cut into words, those of its list of stop words
// are left out, and the others are brought to their stems. Which stemmer it has is not documented; this is the usual one for
// English. The language is a matter of the container's policy, and stop words are documented for English only: whatever the
// policy says, a text is taken as English. Another language would be chosen where terms.ts is called.

import type { Value } from '../value/value.ts';
import { Work } from '../value/work.ts';
import { initialsOf, termsOf } from './full-text/terms.ts';
import type { QueryFunction } from './query-function.ts';

export const fullTextFunctions: readonly QueryFunction[] = [
  {
    name: 'FullTextContains',
    takes: 'string, string',
    meaning: 'Whether a text contains a word, in whatever form of it, or several words one after the other.',
    example: ["FullTextContains('Red bicycles', 'red bicycle')", 'true'],
    call: ([text, phrase], { work }) => phrasesFound(text, [phrase], work).every(Boolean),
  },
  {
    name: 'FullTextContainsAll',
    takes: 'string, string...',
    meaning: 'Whether a text contains all of these words or phrases.',
    example: ["FullTextContainsAll('A red bicycle', 'bicycle', 'red')", 'true'],
    call: ([text, ...phrases], { work }) => phrasesFound(text, phrases, work).every(Boolean),
  },
  {
    name: 'FullTextContainsAny',
    takes: 'string, string...',
    meaning: 'Whether a text contains at least one of these words or phrases.',
    example: ["FullTextContainsAny('A red bicycle', 'skateboard', 'red')", 'true'],
    call: ([text, ...phrases], { work }) => phrasesFound(text, phrases, work).some(Boolean),
  },
];

/** Which of the phrases are in the text. */
function phrasesFound(text: Value, phrases: readonly Value[], work: Work = new Work()): readonly boolean[] {
  const wanted = phrases.map((phrase) => termsOf(asText(phrase), work));
  const terms = termsOf(asText(text), work, initialsOf(wanted.flat()));
  work.take(2 * wanted.length * terms.length);
  return wanted.map((phrase) => containsPhrase(terms, phrase));
}

/** The signatures let nothing but strings through. */
function asText(value: Value): string {
  return typeof value === 'string' ? value : '';
}

/** Nothing contains a phrase that has only stop words. */
function containsPhrase(terms: readonly string[], phrase: readonly string[]): boolean {
  if (phrase.length === 0) return false;
  const fallbacks = fallbacksOf(phrase);
  let matched = 0;
  for (const term of terms) {
    matched = extended(phrase, fallbacks, matched, term);
    if (matched === phrase.length) return true;
  }
  return false;
}

/** How much of the phrase is matched with one more term, by Knuth, Morris and Pratt: no term of the text is looked at twice. */
function extended(phrase: readonly string[], fallbacks: readonly number[], matched: number, term: string): number {
  let length = matched;
  while (length > 0 && phrase[length] !== term) length = fallbacks[length - 1] ?? 0;
  return phrase[length] === term ? length + 1 : 0;
}

/** To each beginning of the phrase the longest shorter one that it ends with. */
function fallbacksOf(phrase: readonly string[]): readonly number[] {
  const fallbacks = [0];
  for (const term of phrase.slice(1)) {
    fallbacks.push(extended(phrase, fallbacks, fallbacks[fallbacks.length - 1] ?? 0, term));
  }
  return fallbacks;
}
