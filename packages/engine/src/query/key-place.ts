// How far the key space of a container has been scanned, range after range.
//
// TEXT   <min>;<max>=<from>[.<rows>];<max>=<from>[.<rows>]…
//   Everything below min has been scanned. What follows are parts of the key space, one after the other, each named by its
//   exclusive end: of a part everything before the document number `from` has been scanned, and of that document so many rows of
//   a query have been shown, if it lies there. Being about keys and not about
//   range ids, it stays valid when ranges are split or merged meanwhile: a child goes on where its parent was, because
//   document numbers only grow from parent to child, and in a wider range everything outside the part is left out.

import type { KeyRange } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';

interface Part {
  readonly max: string;
  readonly from: number;
  readonly rows?: number;
}

export interface KeyPlace {
  readonly min: string;
  readonly parts: readonly [Part, ...Part[]];
}

export function placeAtStart(keys: KeyRange): KeyPlace {
  return { min: keys.min, parts: [{ max: keys.max, from: 0 }] };
}

export function formatPlace({ min, parts }: KeyPlace): string {
  return `${min};${parts.map(({ max, from, rows }) => `${max}=${from}${rows === undefined ? '' : `.${rows}`}`).join(';')}`;
}

/** Cut to what is scanned at all. Throws `invalid-continuation`. */
export function readPlace(text: string, keys: KeyRange): KeyPlace {
  if (!/^[0-9A-F]*(?:;[0-9A-F]+=\d{1,16}(?:\.\d{1,16})?)+$/.test(text)) throw invalidContinuation();
  const [first = '', ...rest] = text.split(';');
  const min = first < keys.min ? keys.min : first;
  const parts: Part[] = [];
  for (const part of rest) {
    const [end = '', at = ''] = part.split('=');
    const [from, rows] = at.split('.');
    const max = end > keys.max ? keys.max : end;
    if (max > (parts.at(-1)?.max ?? min))
      parts.push({ max, from: Number(from), ...(rows === undefined ? {} : { rows: Number(rows) }) });
  }
  const [head, ...tail] = parts;
  if (head === undefined) throw invalidContinuation();
  return { min, parts: [head, ...tail] };
}

/**
 * Behind a batch of this range: `from` is where the range, or the part of it, goes on, and undefined at its end. Then come the
 * rest of the part and the other parts. Undefined when nothing is left.
 */
export function placeAfter({ min, parts }: KeyPlace, range: KeyRange, from: number | undefined): KeyPlace | undefined {
  const [part, ...others] = parts;
  const isPartLonger = range.max < part.max;
  const rest = isPartLonger ? [part, ...others] : others;
  const end = isPartLonger ? range.max : part.max;
  if (from !== undefined) return { min, parts: [{ max: end, from }, ...rest] };
  const [head, ...tail] = rest;
  return head === undefined ? undefined : { min: end, parts: [head, ...tail] };
}

/** In the document with which the place begins, behind so many of its rows. */
export function placeWithin({ min, parts: [part, ...others] }: KeyPlace, rows: number): KeyPlace {
  return { min, parts: [{ ...part, rows }, ...others] };
}

export function invalidContinuation(): DatabaseError {
  return new DatabaseError('invalid-continuation', 'Invalid Continuation Token: it was not made here, or for this.');
}
