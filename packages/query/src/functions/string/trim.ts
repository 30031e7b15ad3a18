// TRIM and its halves: white space, or a set of characters. An empty set takes nothing away.

import type { Work } from '../../value/work.ts';

export function trimStart(text: string, set: string | undefined, work: Work | undefined): string {
  if (set === undefined) return text.trimStart();
  work?.take(5 * set.length + text.length);
  const characters = new Set(set);
  let at = 0;
  while (at < text.length && characters.has(text.charAt(at))) at += 1;
  return text.slice(at);
}

export function trimEnd(text: string, set: string | undefined, work: Work | undefined): string {
  if (set === undefined) return text.trimEnd();
  work?.take(5 * set.length + text.length);
  const characters = new Set(set);
  let end = text.length;
  while (end > 0 && characters.has(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
