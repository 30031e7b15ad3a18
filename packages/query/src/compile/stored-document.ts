// A document as it is stored: the bytes of its JSON, of which only what a query touches is ever parsed.
//
// A top-level member is found in one pass that goes on where the last one stopped: who asks for `a` and then for `b` has looked
// at each byte once. Names at the top level are there once (the engine writes them so); of those further down the last one
// counts, as JSON.parse has it.

import { Buffer } from 'node:buffer';
import type { PathStep } from '../syntax/tree.ts';
import type { Value } from '../value/value.ts';
import { textBytes } from '../value/value-size.ts';
import type { Work } from '../value/work.ts';
import {
  ByteSpan,
  comma,
  findElement,
  findMember,
  isName,
  nameBytes,
  quote,
  skipSpace,
  stringEnd,
  valueEnd,
} from './json-bytes.ts';
import { readValue } from './json-value.ts';

/** A path into a document: the place of its first name among those that are asked for, and the steps from there. */
export interface DocumentPath {
  readonly member: number;
  readonly steps: readonly (Buffer | number)[];
}

/** The top-level members that a query asks for. */
export class MemberNames {
  readonly #places = new Map<string, number>();
  readonly #paths = new Map<string, DocumentPath>();
  readonly bytes: Buffer[] = [];

  /** Undefined for a path whose first step is no name: a document is no array. */
  pathOf([first, ...rest]: readonly PathStep[]): DocumentPath | undefined {
    if (typeof first !== 'string') return undefined;
    // The same path is the same object, by which a document remembers what it has read.
    const name = JSON.stringify([first, ...rest]);
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    const steps = rest.map((step) => (typeof step === 'number' ? step : nameBytes(step)));
    const path = { member: this.#placeOf(first), steps };
    this.#paths.set(name, path);
    return path;
  }

  #placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const place = this.bytes.push(nameBytes(name)) - 1;
    this.#places.set(name, place);
    return place;
  }
}

export class StoredDocument {
  readonly #names: MemberNames;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  /** Behind its last member. What comes then is none of the document: its closing brace, or members that nobody is shown. */
  #membersEnd = 0;
  /** Its place in the order of creation. */
  rid = 0;
  /** Where the pass over the top level goes on: at the quote of a name. Below zero when it is over. */
  #next = -1;
  /** Where each member that is asked for lies, as far as the pass has come; 0 is nowhere, for the brace is there. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #found = new ByteSpan();
  #whole: Value;
  /** What takes long to read, for joins and subqueries that ask again. */
  readonly #kept = new Map<DocumentPath, Value>();
  #keptBytes = 0;

  constructor(names: MemberNames) {
    this.#names = names;
  }

  /** What is asked from now on is asked of the document at [start, …), whose bytes do not change meanwhile. */
  show(bytes: Buffer, start: number, membersEnd: number, rid: number): void {
    this.rid = rid;
    this.#bytes = bytes;
    this.#start = start;
    this.#membersEnd = membersEnd;
    const first = skipSpace(bytes, start + 1);
    this.#next = bytes[first] === quote ? first : -1;
    this.#whole = undefined;
    this.#keptBytes = 0;
    if (this.#kept.size > 0) this.#kept.clear();
    const { length } = this.#names.bytes;
    for (let member = 0; member < length; member += 1) this.#from[member] = 0;
  }

  /** All of it. */
  get value(): Value {
    this.#whole ??= JSON.parse(this.text) as Value; // The bytes are JSON.
    return this.#whole;
  }

  read(path: DocumentPath, work: Work): Value {
    if (!this.#find(path, work)) return undefined;
    const { from, to } = this.#found;
    return to - from <= shortMax ? readValue(this.#bytes, from, to) : this.#readLong(path, from, to, work);
  }

  /** Its JSON, as it was written. */
  get text(): string {
    return `${this.#bytes.toString('utf8', this.#start, this.#membersEnd)}}`;
  }

  /** The JSON of a value as it was written; undefined where there is none. */
  textOf(path: DocumentPath, work: Work): string | undefined {
    if (!this.#find(path, work)) return undefined;
    const { from, to } = this.#found;
    work.take((to - from) / 8);
    return this.#bytes.toString('utf8', from, to);
  }

  #readLong(path: DocumentPath, from: number, to: number, work: Work): Value {
    const known = this.#kept.get(path);
    if (known !== undefined) return known;
    const length = to - from;
    const isText = this.#bytes[from] === quote;
    work.take(isText ? length / 8 : length / 2);
    if (this.#keptBytes + length <= keptMax) {
      const value = readValue(this.#bytes, from, to);
      this.#kept.set(path, value);
      this.#keptBytes += length;
      return value;
    }
    work.make(isText ? textBytes(length) : compoundBytes * length);
    return readValue(this.#bytes, from, to);
  }

  /** Leaves the place in `#found`. */
  #find({ member, steps }: DocumentPath, work: Work): boolean {
    if (this.#from[member] === 0) this.#scanTo(member);
    const from = this.#from[member] as number;
    if (from === 0) return false;
    const found = this.#found;
    found.from = from;
    found.to = this.#to[member] as number;
    // Each step passes over what is before it, once more for each who asks.
    work.take(1 + (steps.length * (found.to - from)) / 8);
    for (const step of steps) {
      const isThere =
        typeof step === 'number'
          ? findElement(this.#bytes, found.from, step, found)
          : findMember(this.#bytes, found.from, step, found);
      if (!isThere) return false;
    }
    return true;
  }

  /** On to this member, or to the end. */
  #scanTo(wanted: number): void {
    const bytes = this.#bytes;
    const names = this.#names.bytes;
    let at = this.#next;
    while (at >= 0) {
      const nameEnd = stringEnd(bytes, at);
      const valueStart = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
      const end = valueEnd(bytes, valueStart);
      let member = 0;
      while (member < names.length && !isName(bytes, at + 1, nameEnd - 1, names[member] as Buffer)) member += 1;
      if (member < names.length) {
        this.#from[member] = valueStart;
        this.#to[member] = end;
      }
      const behind = skipSpace(bytes, end);
      at = bytes[behind] === comma && behind < this.#membersEnd ? skipSpace(bytes, behind + 1) : -1;
      if (member === wanted) break;
    }
    this.#next = at;
  }
}

/** Bytes of a value that are read in next to no time. */
const shortMax = 64;
/** Bytes of JSON that are kept as values while a document is shown. */
const keptMax = 4 * 1024 * 1024;
/** What a byte of the JSON of an array or object takes as a value. */
const compoundBytes = 4;
