// A quick look at the bytes of a document. It proves the usual one to be valid JSON without anything to cut out, and finds
// the few members that a writer needs; nothing is decoded and nothing allocated.
//
// It answers yes or "I do not know". Whatever is unusual (a name with an escape or an underscore, a name that may stand
// twice, a number that may overflow, and every mistake) is left to the thorough reader, so only a yes has to be right: what
// this accepts, JSON.parse accepts. UTF-8 is not looked at; its continuation bytes are all above 0x7f, so that no byte
// compared here can be part of another character.

import { Buffer, isAscii } from 'node:buffer';
import { VectorScan } from './vector-scan.ts';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const dot = 0x2e;
const slash = 0x2f;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const underscore = 0x5f;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The largest double has 309 digits, so fewer than that without an exponent are always finite. */
const finiteDigitsMax = 308;
/** So far a string is looked at byte by byte: a call of indexOf costs as much. */
const nearBytes = 32;
/** More top-level members than this are left to the thorough reader; so is anything that looks like a duplicate. */
const membersMax = 256;
const slots = 1024;

export class ObjectScanner {
  readonly #names: readonly Buffer[];
  readonly #depthMax: number;
  /** Of small documents it says the same, sooner. */
  readonly #vector: VectorScan | undefined;
  /** Of the last document that was accepted: where the value of each wanted name is; -1 where it has no such member. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Whether the container at each level is an object. */
  readonly #isObject: Uint8Array;
  /** Hashes of the names so far; of each slot the scan that filled it, so that the table need not be cleared. */
  readonly #hashes: Int32Array = new Int32Array(slots);
  readonly #scans: Float64Array = new Float64Array(slots);
  #scan = 0;
  /** Whether a backslash stands anywhere in the last document, or behind it. */
  hasEscapes = false;
  /** Whether the last document that was accepted by itself has nothing but ASCII. */
  isAscii = false;
  /** The first backslash from where the last string was looked at; the length where there is none. */
  #backslash = 0;

  constructor(wanted: readonly string[], depthMax: number) {
    this.#names = wanted.map((name) => Buffer.from(name));
    this.#depthMax = depthMax;
    this.#vector = VectorScan.of(this.#names, depthMax);
    this.starts = new Int32Array(wanted.length);
    this.ends = new Int32Array(wanted.length);
    this.#isObject = new Uint8Array(depthMax + 1);
  }

  /** Looks at bytes[from, to): from the brace that opens the object to behind the one that closes it. */
  accepts(bytes: Buffer, from: number, to: number): boolean {
    const vector = this.#vector;
    if (vector?.takes(bytes)) {
      if (!vector.accepts(bytes, from, to, this.starts, this.ends)) return false;
      this.isAscii = vector.isAscii;
      this.hasEscapes = vector.hasEscapes;
      return true;
    }
    if (this.endOf(bytes, from, to) !== to) return false;
    this.isAscii = isAscii(bytes);
    return true;
  }

  /**
   * The place behind the object that begins at `from` and ends before `to`; -1 where it is not accepted. `isNext`: the same bytes
   * as the last time, further on. What is known of them need not be looked for again, for each of a hundred objects to the end.
   */
  endOf(bytes: Buffer, from: number, to: number, isNext = false): number {
    for (let i = 0; i < this.starts.length; i += 1) this.starts[i] = -1;
    this.#scan += 1;
    if (!isNext || this.#backslash < from) this.#backslash = backslashFrom(bytes, from);
    this.hasEscapes = this.#backslash < bytes.length;
    const isObject = this.#isObject;
    let depth = 1;
    let members = 0;
    /** The wanted name whose value comes at the top level; -1 for any other. */
    let wanted = -1;
    let i = from + 1;
    isObject[1] = 1;
    if (bytes[from] !== openBrace) return -1;
    let isEmptyAllowed = true;

    for (;;) {
      i = skipSpace(bytes, i);
      // A value comes here, or the member it belongs to; or the container that has just been opened is closed.
      if (isEmptyAllowed && bytes[i] === (isObject[depth] === 1 ? closeBrace : closeBracket)) {
        i += 1;
        depth -= 1;
      } else {
        if (isObject[depth] === 1) {
          if (bytes[i] !== quote) return -1;
          const nameStart = i + 1;
          i = this.#skipString(bytes, nameStart, to);
          if (i < 0) return -1;
          if (depth === 1) {
            members += 1;
            if (members > membersMax || !this.#isUsual(bytes, nameStart, i - 1)) return -1;
            wanted = this.#wantedAt(bytes, nameStart, i - 1);
          }
          i = skipSpace(bytes, i);
          if (bytes[i] !== colon) return -1;
          i = skipSpace(bytes, i + 1);
        }
        if (depth === 1 && wanted >= 0) this.starts[wanted] = i;
        const byte = bytes[i];
        if (byte === openBrace || byte === openBracket) {
          depth += 1;
          if (depth > this.#depthMax) return -1;
          isObject[depth] = byte === openBrace ? 1 : 0;
          isEmptyAllowed = true;
          i += 1;
          continue;
        }
        i = byte === quote ? this.#skipString(bytes, i + 1, to) : skipScalar(bytes, i);
        if (i < 0) return -1;
      }

      // A value has ended: what follows closes containers, or goes on with the next value of one.
      for (;;) {
        if (depth === 0) return i <= to ? i : -1;
        if (depth === 1 && wanted >= 0) {
          this.ends[wanted] = i;
          wanted = -1;
        }
        i = skipSpace(bytes, i);
        if (bytes[i] === comma) break;
        if (bytes[i] !== (isObject[depth] === 1 ? closeBrace : closeBracket)) return -1;
        i += 1;
        depth -= 1;
      }
      i += 1;
      isEmptyAllowed = false;
    }
  }

  /** The place behind the closing quote; -1 when there is none, or something in the string may not stand there. */
  #skipString(bytes: Buffer, start: number, to: number): number {
    if (this.#backslash < start) this.#backslash = backslashFrom(bytes, start);
    let from = start;
    // Names and most values end here.
    for (const near = Math.min(start + nearBytes, to, this.#backslash); from < near; from += 1) {
      const byte = bytes[from]!;
      if (byte === quote) return from + 1;
      if (byte < 0x20) return -1;
    }
    let end = bytes.indexOf(quote, from);
    if (end > this.#backslash) end = endOfEscaped(bytes, from);
    if (end < 0 || end >= to) return -1;
    return hasControls(bytes, from, end) ? -1 : end + 1;
  }

  /** Neither a system member nor written with escapes, and different from all names before it. */
  #isUsual(bytes: Buffer, start: number, end: number): boolean {
    if (bytes[start] === underscore) return false;
    let hash = end - start;
    for (let i = start; i < end; i += 1) {
      const byte = bytes[i]!;
      if (byte === backslash) return false;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    let slot = (hash ^ (hash >>> 15)) & (slots - 1);
    while (this.#scans[slot] === this.#scan) {
      if (this.#hashes[slot] === hash) return false;
      slot = (slot + 1) & (slots - 1);
    }
    this.#scans[slot] = this.#scan;
    this.#hashes[slot] = hash;
    return true;
  }

  #wantedAt(bytes: Buffer, start: number, end: number): number {
    const names = this.#names;
    search: for (let n = 0; n < names.length; n += 1) {
      const name = names[n]!;
      if (name.length !== end - start) continue;
      for (let i = 0; i < name.length; i += 1) if (name[i] !== bytes[start + i]) continue search;
      return n;
    }
    return -1;
  }
}

function backslashFrom(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(backslash, from);
  return at < 0 ? bytes.length : at;
}

function skipSpace(bytes: Buffer, start: number): number {
  let i = start;
  while (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09) i += 1;
  return i;
}

/** The closing quote of a string; -1 when there is none, or when an escape is not one of JSON's. */
function endOfEscaped(bytes: Buffer, start: number): number {
  let i = start;
  while (i < bytes.length && bytes[i] !== quote) {
    if (bytes[i] === backslash) {
      i += 1;
      const byte = bytes[i];
      if (byte === 0x75) {
        for (let k = 1; k <= 4; k += 1) if (!isHexDigit(bytes[i + k])) return -1;
        i += 4;
      } else if (!isEscape(byte)) {
        return -1;
      }
    }
    i += 1;
  }
  return i < bytes.length ? i : -1;
}

/** " \ / b f n r t */
function isEscape(byte: number | undefined): boolean {
  return (
    byte === quote ||
    byte === backslash ||
    byte === slash ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  );
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= zero && byte <= nine) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/**
 * Four bytes at a time, as one number, and one comparison at the end: most of a document's bytes are in strings. Where a byte
 * is below 0x20 the subtraction borrows into its highest bit, which was not set before.
 */
function hasControls(bytes: Buffer, start: number, end: number): boolean {
  const words = wordsOf(bytes.buffer);
  const { byteOffset } = bytes;
  let i = start;
  let sign = 0;
  for (; i < end && ((byteOffset + i) & 3) !== 0; i += 1) sign |= bytes[i]! - 0x20;
  let word = (byteOffset + i) >>> 2;
  const lastWord = word + ((end - i) >>> 2);
  i += (lastWord - word) * 4;
  let borrow = 0;
  for (; word + 4 <= lastWord; word += 4) {
    const a = words[word]!;
    const b = words[word + 1]!;
    const c = words[word + 2]!;
    const d = words[word + 3]!;
    borrow |= ((a - spaces) & ~a) | ((b - spaces) & ~b) | ((c - spaces) & ~c) | ((d - spaces) & ~d);
  }
  for (; word < lastWord; word += 1) borrow |= (words[word]! - spaces) & ~words[word]!;
  for (; i < end; i += 1) sign |= bytes[i]! - 0x20;
  return sign < 0 || (borrow & highBits) !== 0;
}

const spaces = 0x20202020;
const highBits = 0x80808080;
let viewed: ArrayBufferLike = new ArrayBuffer(0);
let viewedWords: Int32Array = new Int32Array(viewed);

/** A view costs as much as looking at a short document; those that come together are often in one buffer. */
function wordsOf(buffer: ArrayBufferLike): Int32Array {
  if (viewed !== buffer) {
    viewed = buffer;
    viewedWords = new Int32Array(buffer, 0, buffer.byteLength >>> 2);
  }
  return viewedWords;
}

/** The place behind a number, true, false or null; -1 when there is none of them, or a number may overflow. */
function skipScalar(bytes: Buffer, start: number): number {
  switch (bytes[start]) {
    case 0x74:
      return isWord(bytes, start, wordTrue) ? start + 4 : -1;
    case 0x66:
      return isWord(bytes, start, wordFalse) ? start + 5 : -1;
    case 0x6e:
      return isWord(bytes, start, wordNull) ? start + 4 : -1;
    default:
      return skipNumber(bytes, start);
  }
}

const wordTrue: Buffer = Buffer.from('true');
const wordFalse: Buffer = Buffer.from('false');
const wordNull: Buffer = Buffer.from('null');

function isWord(bytes: Buffer, start: number, word: Buffer): boolean {
  for (let i = 1; i < word.length; i += 1) if (bytes[start + i] !== word[i]) return false;
  return true;
}

function skipNumber(bytes: Buffer, start: number): number {
  const first = bytes[start] === minus ? start + 1 : start;
  let i = skipDigits(bytes, first);
  if (i === first || i - first > finiteDigitsMax || (bytes[first] === zero && i > first + 1)) return -1;
  if (bytes[i] === dot) {
    const fraction = i + 1;
    i = skipDigits(bytes, fraction);
    if (i === fraction) return -1;
  }
  // An exponent may follow: to the caller that is neither a comma nor the end of a container.
  return i;
}

function skipDigits(bytes: Buffer, start: number): number {
  let i = start;
  for (let byte = bytes[i]; byte !== undefined && byte >= zero && byte <= nine; byte = bytes[i]) i += 1;
  return i;
}
