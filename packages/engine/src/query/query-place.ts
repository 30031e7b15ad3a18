// CONTINUATION of a query, JSON of ASCII, for it travels in a header (wire 12):
//
//   {"query":"<digest>","position":{…},"keys":"<place>"}
//
// The digest is of the container, the text and the parameters: a continuation of another query is refused. `position` is that of the
// run; `keys` is how far a streaming query has scanned, see key-place.ts.

import { createHash } from 'node:crypto';
import type { KeyRange } from '@tidemark/model';
import type { Position } from '@tidemark/query';
import { decodePosition, encodePosition } from '@tidemark/query';
import type { KeyPlace } from './key-place.ts';
import { formatPlace, invalidContinuation, readPlace } from './key-place.ts';

export interface QueryPlace {
  readonly position: Position;
  readonly keys?: KeyPlace;
}

export function encodeQueryPlace({ position, keys }: QueryPlace, name: string): string {
  return placeText(digestOf(name), position, keys && formatPlace(keys));
}

function placeText(digest: string, position: Position, keys: string | undefined): string {
  const place = keys === undefined ? '' : `,"keys":"${keys}"`;
  return ascii(`{"query":"${digest}","position":${encodePosition(position)}${place}}`);
}

export function decodeQueryPlace(text: string | undefined, name: string, span: KeyRange): QueryPlace | undefined {
  if (text === undefined) return undefined;
  const { query, position, keys } = parse(text);
  if (query !== digestOf(name) || typeof position !== 'object' || position === null) throw invalidContinuation();
  if (keys !== undefined && typeof keys !== 'string') throw invalidContinuation();
  const decoded = decodePosition(JSON.stringify(position));
  // To the letter: what has other members, or fewer, would begin somewhere else in silence.
  if (text !== placeText(query, decoded, keys)) throw invalidContinuation();
  return { position: decoded, ...(keys === undefined ? {} : { keys: readPlace(keys, span) }) };
}

function parse(text: string): { readonly query?: unknown; readonly position?: unknown; readonly keys?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    throw invalidContinuation();
  }
}

function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 16);
}

function ascii(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
