// Where a page of a query ended, as JSON of ASCII: small enough for a continuation, whatever the query is, and good after a restart.

import { DatabaseError } from '@tidemark/model';
import { countMax } from '../limits.ts';
import type { Value } from '../value/value.ts';
import type { RowOfDocument } from './after.ts';
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
  const isOfKeys = after !== undefined && 'keys' in after;
  const keys = isOfKeys ? after.keys.map((key) => (key === undefined ? [] : [key])) : [];
  const text = JSON.stringify(isOfKeys ? { ...rest, after: { ...after, keys } } : position);
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Throws for whatever `encodePosition` cannot have written. */
export function decodePosition(text: string): Position {
  const { offsetLeft, limitLeft, after, rid, rows } = Object(parse(text)) as Members;
  return {
    ...(offsetLeft !== undefined && { offsetLeft: countOf(offsetLeft, countMax) }),
    ...(limitLeft !== undefined && { limitLeft: countOf(limitLeft, countMax) }),
    ...(after !== undefined && { after: afterOf(Object(after) as Members) }),
    ...(rid !== undefined && { rid: countOf(rid) }),
    ...(rows !== undefined && { rows: countOf(rows) }),
  };
}

type Members = Readonly<Record<string, unknown>>;

function afterOf({ keys, rid, row, head, shown, digest, of, rows }: Members): After {
  if (rows !== undefined) return { rows: countOf(rows) };
  if (Array.isArray(keys)) return { keys: keys.map(keyOf), rid: countOf(rid), row: countOf(row) };
  if (typeof head !== 'string' || typeof digest !== 'string') throw malformed();
  return { head, shown: countOf(shown), digest, ...(of !== undefined && { of: rowOf(Object(of) as Members) }) };
}

function rowOf({ rid, row }: Members): RowOfDocument {
  return { rid: countOf(rid), row: countOf(row) };
}

function keyOf(key: unknown): Value {
  if (!Array.isArray(key) || key.length > 1) throw malformed();
  // It is of JSON.
  return key[0] as Value;
}

function countOf(value: unknown, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max) throw malformed();
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed();
  }
}

function malformed(): DatabaseError {
  return new DatabaseError('invalid-continuation', 'Invalid Continuation Token: it was not made here.');
}
