// Places of a string in another one, in time that their lengths added bound, not multiplied. The language's own search is the
// quickest for short parts; for long ones that nearly fit everywhere it takes as long as both lengths multiplied. Those are searched by
// Knuth, Morris and Pratt: no character of the text is looked at twice.

import type { Work } from '../../value/work.ts';

/** Of this length the own search of the language takes no more than a few times as long as for one character. */
const nativeMax = 32;

/** -1 where it is not there at this place or behind it. */
export function firstPlace(text: string, part: string, work: Work | undefined, from: number = 0): number {
  if (part.length <= nativeMax) {
    work?.take(text.length / 4);
    return text.indexOf(part, from);
  }
  const start = Math.max(0, from);
  const length = text.length - start;
  const found = matchEnd(part, length, work, (at) => text.charCodeAt(start + at), forwards(part));
  return found < 0 ? -1 : start + found - part.length;
}

/** The last one, of those at this place or before it; -1 where there is none. */
export function lastPlace(text: string, part: string, work: Work | undefined, to: number = text.length): number {
  if (part.length <= nativeMax) {
    work?.take(text.length / 2);
    return text.lastIndexOf(part, to);
  }
  const end = Math.min(text.length, to + part.length);
  const last = part.length - 1;
  const found = matchEnd(
    part,
    end,
    work,
    (at) => text.charCodeAt(end - 1 - at),
    (at) => part.charCodeAt(last - at),
  );
  return found < 0 ? -1 : end - found;
}

/** The parts of a text between another one, which is not empty. */
export function splitAt(text: string, separator: string, work: Work | undefined): string[] {
  if (separator.length <= nativeMax) return text.split(separator);
  const codeOf = forwards(separator);
  const fallbacks = fallbacksOf(separator.length, codeOf);
  work?.take(2 * separator.length + text.length);
  const parts: string[] = [];
  let from = 0;
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    matched = extended(fallbacks, codeOf, matched, text.charCodeAt(at));
    if (matched < separator.length) continue;
    parts.push(text.slice(from, at + 1 - separator.length));
    from = at + 1;
    matched = 0;
  }
  parts.push(text.slice(from));
  return parts;
}

type CodeAt = (at: number) => number;

function forwards(part: string): CodeAt {
  return (at) => part.charCodeAt(at);
}

/** Where the first match ends, in characters from where the text begins; -1 where there is none. */
function matchEnd(part: string, textLength: number, work: Work | undefined, textAt: CodeAt, partAt: CodeAt): number {
  if (part.length > textLength) return -1;
  work?.take(2 * part.length + textLength);
  const fallbacks = fallbacksOf(part.length, partAt);
  let matched = 0;
  for (let at = 0; at < textLength; at += 1) {
    matched = extended(fallbacks, partAt, matched, textAt(at));
    if (matched === part.length) return at + 1;
  }
  return -1;
}

/** How much of the part is matched with one more character. */
function extended(fallbacks: Int32Array, partAt: CodeAt, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && partAt(length) !== code) length = fallbacks[length - 1] as number;
  return partAt(length) === code ? length + 1 : 0;
}

/** To each beginning of the part the longest shorter one that it ends with. */
function fallbacksOf(length: number, partAt: CodeAt): Int32Array {
  const fallbacks = new Int32Array(length);
  for (let at = 1; at < length; at += 1) {
    fallbacks[at] = extended(fallbacks, partAt, fallbacks[at - 1] as number, partAt(at));
  }
  return fallbacks;
}
