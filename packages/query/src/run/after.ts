// Where a page of a blocking query ended, in few bytes whatever its rows are sorted by.
//
// Short keys are carried as they are. Of long ones the head is carried, the first bytes of an encoding that sorts as the keys do, and
// the document that the row is of: it is read again before the next page, which goes on behind its keys (last-row.ts).
//
// Where the document is not what it was, or the row is of none, rows with another head are before or behind it. Rows with the same head
// are counted: the next page keeps so many of them more, and finds by its digest the one that was shown last. Where that is gone, too,
// all with this head come again: better twice than never.

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { encodeJsonKey } from '@tidemark/model';
import { compareOrder } from '../value/order.ts';
import type { Value } from '../value/value.ts';
import { isArray, isObject, objectOf } from '../value/value.ts';
import { contentKeyOf } from '../value/value-set.ts';

/** Of a row: its sort keys, then its document, then its place among the rows of that document. */
export interface KeyPlace {
  readonly keys: readonly Value[];
  readonly rid: number;
  readonly row: number;
}

/** A row among those of its document. */
export interface RowOfDocument {
  readonly rid: number;
  readonly row: number;
}

export interface HeadPlace {
  readonly head: string;
  /** How many rows with this head have been shown. */
  readonly shown: number;
  readonly digest: string;
  /** A row that has the keys, if it is of a document. */
  readonly of?: RowOfDocument | undefined;
}

/** What has a place in the order; of which row its keys are. */
export interface Placed {
  readonly place: KeyPlace;
  readonly of?: RowOfDocument | undefined;
}

/** Not of JSON: keys that have been found again, with what the position said of the rows before. */
export interface FoundPlace extends KeyPlace {
  readonly found: HeadPlace;
}

export type SortedAfter = KeyPlace | HeadPlace | FoundPlace;

/** Of JSON; both small enough that a continuation, of less than 1 KB, has room for them (the head is 4/3 as long there). */
const keysTextMax = 640;
const headBytes = 480;

export function comparePlaces(a: KeyPlace, b: KeyPlace, areDescending: readonly boolean[]): number {
  return compareOrder(a.keys, b.keys, areDescending) || a.rid - b.rid || a.row - b.row;
}

/** Behind the entry at `at` of entries in order. `before`: where they begin, if that is not among them. */
export function afterEntry(
  entries: readonly Placed[],
  at: number,
  areDescending: readonly boolean[],
  before: SortedAfter | undefined,
): SortedAfter {
  const { place, of } = entries[at] as Placed;
  const { keys, rid, row } = place;
  const head = headOf(keys, areDescending, headBytes + 1);
  if (head.length <= headBytes && isPlain(keys)) return { keys, rid, row };
  const cut = head.subarray(0, headBytes);
  let first = at;
  while (first > 0 && cut.equals(headOf((entries[first - 1] as Placed).place.keys, areDescending, headBytes)))
    first -= 1;
  const head64 = cut.toString('base64url');
  const earlier = before !== undefined && 'found' in before && before.found.head === head64 ? before.found.shown : 0;
  const shown = at + 1 - first + (first === 0 ? earlier : 0);
  return { head: head64, shown, digest: digestOf(place), ...(of !== undefined && { of }) };
}

/** The place behind which to go on, when these are the keys of the row that it is of; undefined when they have changed. */
export function placeWithKeys(found: HeadPlace, keys: readonly Value[]): FoundPlace | undefined {
  const { of, digest } = found;
  // Sorted rows are in the order of their documents where their keys are the same; groups and distinct values have no such keys.
  const places = [
    { keys, rid: of?.rid ?? 0, row: of?.row ?? 0 },
    { keys, rid: 0, row: 0 },
  ];
  const place = places.find((one) => digestOf(one) === digest);
  return place && { ...place, found };
}

/** What a page has to know of where the one before ended. */
export class PageStart {
  /** So many places are kept that were shown already. */
  readonly again: number;
  readonly after: SortedAfter | undefined;
  readonly #head: Buffer | undefined;
  readonly #areDescending: readonly boolean[];

  constructor(after: SortedAfter | undefined, areDescending: readonly boolean[]) {
    this.after = after;
    this.#areDescending = areDescending;
    const hasHead = after !== undefined && 'head' in after;
    this.#head = hasHead ? Buffer.from(after.head, 'base64url') : undefined;
    this.again = hasHead ? after.shown : 0;
  }

  /** Whether it was shown on a page before, for certain. */
  isPassed(place: KeyPlace): boolean {
    const after = this.after;
    if (after === undefined) return false;
    if (this.#head !== undefined) {
      return Buffer.compare(headOf(place.keys, this.#areDescending, headBytes), this.#head) < 0;
    }
    // Without a head it has keys.
    return comparePlaces(place, after as KeyPlace, this.#areDescending) <= 0;
  }

  /** Of entries in order that are not passed: how many were shown all the same. */
  shownOf(entries: readonly Placed[]): number {
    const after = this.after;
    if (after === undefined || !('head' in after)) return 0;
    return entries.findIndex(({ place }) => digestOf(place) === after.digest) + 1;
  }
}

/** Whether JSON has them as they are, in few characters. Numbers that it does not have are among those that have a head in common. */
function isPlain(keys: readonly Value[]): boolean {
  let isPlainJson = true;
  const text = JSON.stringify(keys, (_name, value: Value) => {
    if (typeof value === 'number' && !(Math.abs(value) < Number.MAX_VALUE)) isPlainJson = false;
    return value;
  });
  return isPlainJson && text.replace(/[\u007f-\uffff]/g, '\\u0000').length <= keysTextMax;
}

/** So many bytes at most. No encoding is the beginning of another, so the bytes of descending keys can be turned around. */
function headOf(keys: readonly Value[], areDescending: readonly boolean[], bytesMax: number): Buffer {
  const head = Buffer.allocUnsafe(bytesMax);
  let end = 0;
  for (let at = 0; at < keys.length && end < bytesMax; at += 1) {
    const bytes = encodeJsonKey(encodable(keys[at], bytesMax)).subarray(0, bytesMax - end);
    const turn = areDescending[at] === true ? 0xff : 0;
    for (const byte of bytes) {
      head[end] = byte ^ turn;
      end += 1;
    }
  }
  return head.subarray(0, end);
}

/** What is cut off of a string comes behind the bytes that are wanted: each unit has one at least. */
function encodable(value: Value, bytesMax: number): Value {
  if (typeof value === 'string') return value.slice(0, bytesMax);
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return -Number.MAX_VALUE;
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
  }
  if (isArray(value)) return value.slice(0, bytesMax).map((element) => encodable(element, bytesMax));
  if (!isObject(value)) return value;
  return objectOf(Object.entries(value).map(([name, member]) => [name, encodable(member, bytesMax)]));
}

function digestOf({ keys, rid, row }: KeyPlace): string {
  const text = `${rid} ${row} ${String(contentKeyOf(keys))}`;
  return createHash('sha256').update(text, 'utf16le').digest('base64url').slice(0, 16);
}
