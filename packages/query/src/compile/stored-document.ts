// A document as it is stored: the bytes of its JSON, of which only what a query touches is ever parsed.
//
// A top-level member is found in one pass that goes on where the last one stopped: who asks for `a` and then for `b` has looked
// at each byte once. Names at the top level are there once (the engine writes them so); of those further down the last one
// counts, as JSON.parse has it.

import { Buffer } from 'node:buffer';
import type { PathStep } from '../syntax/tree.ts';
import type { Value } from '../value/value.ts';
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
  readonly bytes: Buffer[] = [];

  /** Undefined for a path whose first step is no name: a document is no array. */
  pathOf([first, ...rest]: readonly PathStep[]): DocumentPath | undefined {
    if (typeof first !== 'string') return undefined;
    const steps = rest.map((step) => (typeof step === 'number' ? step : nameBytes(step)));
    return { member: this.#placeOf(first), steps };
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
    const { length } = this.#names.bytes;
    for (let member = 0; member < length; member += 1) this.#from[member] = 0;
  }

  /** All of it. */
  get value(): Value {
    this.#whole ??= JSON.parse(this.text) as Value; // The bytes are JSON.
    return this.#whole;
  }

  read(path: DocumentPath): Value {
    if (!this.#find(path)) return undefined;
    return readValue(this.#bytes, this.#found.from, this.#found.to);
  }

  /** Its JSON, as it was written. */
  get text(): string {
    return `${this.#bytes.toString('utf8', this.#start, this.#membersEnd)}}`;
  }

  /** The JSON of a value as it was written; undefined where there is none. */
  textOf(path: DocumentPath): string | undefined {
    if (!this.#find(path)) return undefined;
    return this.#bytes.toString('utf8', this.#found.from, this.#found.to);
  }

  has(path: DocumentPath): boolean {
    return this.#find(path);
  }

  /** Leaves the place in `#found`. */
  #find({ member, steps }: DocumentPath): boolean {
    if (this.#from[member] === 0) this.#scanTo(member);
    const from = this.#from[member] as number;
    if (from === 0) return false;
    const found = this.#found;
    found.from = from;
    found.to = this.#to[member] as number;
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
