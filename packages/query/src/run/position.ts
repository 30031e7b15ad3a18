// Where a page of a query ended, as JSON: small enough for a continuation, and good after a restart.

import type { Value } from '../value/value.ts';
import type { After } from './collector.ts';

export interface Position {
  /** What is left of OFFSET, and of LIMIT or TOP. */
  readonly offsetLeft?: number | undefined;
  readonly limitLeft?: number | undefined;
  /** Blocking: the last row. */
  readonly after?: After | undefined;
  /** Streaming: of the document that the page ended in, how many rows it has shown. */
  readonly rid?: number | undefined;
  readonly rows?: number | undefined;
}

/** Undefined, which JSON does not have, is an empty array; a value is one in an array. */
export function encodePosition(position: Position): string {
  const { after, ...rest } = position;
  if (after === undefined || !('keys' in after)) return JSON.stringify(position);
  const keys = after.keys.map((key) => (key === undefined ? [] : [key]));
  return JSON.stringify({ ...rest, after: { ...after, keys } });
}

/** Of what `encodePosition` has written. */
export function decodePosition(text: string): Position {
  const position = JSON.parse(text) as Position;
  const { after } = position;
  if (after === undefined || !('keys' in after)) return position;
  const keys = (after.keys as readonly (readonly Value[])[]).map(([key]) => key);
  return { ...position, after: { ...after, keys } };
}
