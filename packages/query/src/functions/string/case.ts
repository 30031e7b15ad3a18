// Strings in capitals or in small letters, invariant and one to one: a character stays as it is whose other case has another length,
// or is plain ASCII (spec query 3.6).

import type { Work } from '../../value/work.ts';
import { textOfCodes } from './codes.ts';

export function inCase(text: string, turn: (character: string) => string, work: Work | undefined): string {
  work?.take(text.length / 8);
  const turned = turn(text);
  if (turned.length === text.length && !specialCases.test(text)) return turned;
  work?.take(10 * text.length);
  const codes = new Uint16Array(text.length);
  let end = 0;
  for (const character of text) {
    const one = turn(character);
    const kept = one.length === character.length && !specialCases.test(character) ? one : character;
    for (let at = 0; at < kept.length; at += 1) codes[end + at] = kept.charCodeAt(at);
    end += kept.length;
  }
  return textOfCodes(codes);
}

/** The micro sign, whose capital is a Greek letter; dotless i and the Kelvin and Angstrom signs, whose other cases are other letters. */
const specialCases = /[\u00b5\u0130\u0131\u017f\u212a\u212b]/;
