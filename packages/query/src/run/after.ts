// Where a page of a blocking query ended, in few bytes whatever its rows are sorted by.
//
// Short keys are carried as they are. Of long ones the head is carried: the first bytes of an encoding that sorts as the keys do.
// Rows with another head are before or behind it. Rows with the same head are counted: the next page keeps so many of them more, and
// finds by its digest the one that was shown last. Where that is gone meanwhile, all with this head come again: better twice than
// never.

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

interface HeadPlace {
  readonly head: string;
  /** How many rows with this head have been shown. */
  readonly shown: number;
  readonly digest: string;
}

export type SortedAfter = KeyPlace | HeadPlace;

/** Of JSON; both small enough that a continuation, of less than 1 KB, has room for them (the head is 4/3 as long there). */
const keysTextMax = 640;
const headBytes = 480;

export function comparePlaces(a: KeyPlace, b: KeyPlace, areDescending: readonly boolean[]): number {
  return compareOrder(a.keys, b.keys, areDescending) || a.rid - b.rid || a.row - b.row;
}

/** Behind the place at `at` of places in order. */
export function afterPlace(places: readonly KeyPlace[], at: number, areDescending: readonly boolean[]): SortedAfter {
  const place = places[at] as KeyPlace;
  const { keys, rid, row } = place;
  const head = headOf(keys, areDescending, headBytes + 1);
  if (head.length <= headBytes && isPlain(keys)) return { keys, rid, row };
  const cut = head.subarray(0, headBytes);
  let first = at;
  while (first > 0 && cut.equals(headOf((places[first - 1] as KeyPlace).keys, areDescending, headBytes))) first -= 1;
  return { head: cut.toString('base64url'), shown: at + 1 - first, digest: digestOf(place) };
}

/** What a page has to know of where the one before ended. */
export class PageStart {
  /** So many places are kept that were shown already. */
  readonly again: number;
  readonly #after: SortedAfter | undefined;
  readonly #head: Buffer | undefined;
  readonly #areDescending: readonly boolean[];

  constructor(after: SortedAfter | undefined, areDescending: readonly boolean[]) {
    this.#after = after;
    this.#areDescending = areDescending;
    const hasHead = after !== undefined && 'head' in after;
    this.#head = hasHead ? Buffer.from(after.head, 'base64url') : undefined;
    this.again = hasHead ? after.shown : 0;
  }

  /** Whether it was shown on a page before, for certain. */
  isPassed(place: KeyPlace): boolean {
    const after = this.#after;
    if (after === undefined) return false;
    if (this.#head !== undefined) {
      return Buffer.compare(headOf(place.keys, this.#areDescending, headBytes), this.#head) < 0;
    }
    // Without a head it has keys.
    return comparePlaces(place, after as KeyPlace, this.#areDescending) <= 0;
  }

  /** Of places in order that are not passed: how many were shown all the same. */
  shownOf(places: readonly KeyPlace[]): number {
    const after = this.#after;
    if (after === undefined || !('head' in after)) return 0;
    return places.findIndex((place) => digestOf(place) === after.digest) + 1;
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
