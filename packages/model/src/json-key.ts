// Order-preserving bytes of JSON values: comparing two encodings byte by byte gives the order of order.ts.
//
// JSON KEY
//   undefined   01
//   null        02
//   false       03
//   true        04
//   number      05 | IEEE-754 u64be; sign bit flipped if it was clear, all bits flipped if it was set; -0 is written as 0
//   string      06 | each UTF-8 byte + 1 | 00
//   array       07 | encoding of each element | 00
//   object      08 | (name as string, encoding of the value) for each property sorted by name | 00
//
// UTF-8 never uses F5..FF, so `byte + 1` fits and 00 is free as the end mark, lower than anything that can continue. Every
// encoding is therefore self-delimiting, none is a prefix of another, and a concatenation of encodings sorts like the tuple.
// A lone surrogate keeps its own three bytes (utf8.ts, 'keep'): it neither collides nor throws and sorts by its code point.
// A property that holds undefined is absent, an array element that does is kept. Decoding fails with 'corrupt'.

import { assert, DatabaseError } from './errors.ts';
import { orderedPropertyNames } from './order.ts';
import { plainBytes, utf8BytesPerUnitMax, writeUtf8 } from './utf8.ts';

export function encodeJsonKey(value: unknown): Uint8Array {
  return encodeJsonKeys([value]);
}

/** The encodings of several values, one after the other: the key of a tuple. */
export function encodeJsonKeys<Bytes extends Uint8Array = Uint8Array>(
  values: readonly unknown[],
  allocate: (length: number) => Bytes = plainBytes<Bytes>,
): Bytes {
  let at = 0;
  for (const value of values) at = write(value, at);
  const bytes = allocate(at);
  // A view to copy from costs more than a short copy.
  if (at > shortBytes) bytes.set(scratch.subarray(0, at));
  else for (let i = 0; i < at; i += 1) bytes[i] = scratch[i] as number; // Below `at`.
  // One huge value must not pin its buffer for ever.
  if (scratch.length > scratchBytesKept) resetScratch();
  return bytes;
}

export function decodeJsonKey(bytes: Uint8Array): unknown {
  const values = decodeJsonKeys(bytes);
  if (values.length !== 1) throw malformed('it does not hold exactly one value');
  return values[0];
}

export function decodeJsonKeys(bytes: Uint8Array): unknown[] {
  const cursor: Cursor = { bytes, at: 0 };
  const values: unknown[] = [];
  while (cursor.at < bytes.length) values.push(read(cursor));
  return values;
}

const tagUndefined = 0x01;
const tagNull = 0x02;
const tagFalse = 0x03;
const tagTrue = 0x04;
const tagNumber = 0x05;
const tagString = 0x06;
const tagArray = 0x07;
const tagObject = 0x08;
const endMark = 0x00;

const shortBytes = 64;
const scratchBytesKept = 64 * 1024;
let scratch: Uint8Array = new Uint8Array(4096);

const numberView: DataView = new DataView(new ArrayBuffer(8));

function resetScratch(): void {
  scratch = new Uint8Array(4096);
}

function reserve(end: number): void {
  if (end <= scratch.length) return;
  const grown = new Uint8Array(Math.max(end, scratch.length * 2));
  grown.set(scratch);
  scratch = grown;
}

function write(value: unknown, at: number): number {
  switch (typeof value) {
    case 'undefined':
      return writeByte(tagUndefined, at);
    case 'boolean':
      return writeByte(value ? tagTrue : tagFalse, at);
    case 'number':
      return writeNumber(value, at);
    case 'string':
      return writeString(value, at);
    case 'object':
      if (value === null) return writeByte(tagNull, at);
      if (Array.isArray(value)) return writeArray(value, at);
      return writeObject(value as Readonly<Record<string, unknown>>, at);
    default:
      assert(false, `a ${typeof value} is no JSON value`);
  }
}

function writeByte(byte: number, at: number): number {
  reserve(at + 1);
  scratch[at] = byte;
  return at + 1;
}

function writeNumber(value: number, at: number): number {
  assert(Number.isFinite(value), 'NaN and infinities are no JSON values');
  reserve(at + 9);
  scratch[at] = tagNumber;
  // `+ 0` turns -0 into 0.
  numberView.setFloat64(0, value + 0);
  const flip = numberView.getUint8(0) < 0x80 ? 0x00 : 0xff;
  for (let index = 0; index < 8; index += 1) scratch[at + 1 + index] = numberView.getUint8(index) ^ flip;
  if (flip === 0x00) scratch[at + 1] = numberView.getUint8(0) | 0x80;
  return at + 9;
}

function writeString(text: string, at: number): number {
  reserve(at + 2 + text.length * utf8BytesPerUnitMax);
  scratch[at] = tagString;
  const end = writeUtf8(text, scratch, at + 1, 'keep');
  for (let index = at + 1; index < end; index += 1) scratch[index] = (scratch[index] as number) + 1; // Below `end`.
  scratch[end] = endMark;
  return end + 1;
}

function writeArray(elements: readonly unknown[], at: number): number {
  let next = writeByte(tagArray, at);
  for (const element of elements) next = write(element, next);
  return writeByte(endMark, next);
}

function writeObject(value: Readonly<Record<string, unknown>>, at: number): number {
  let next = writeByte(tagObject, at);
  for (const name of orderedPropertyNames(value)) next = write(value[name], writeString(name, next));
  return writeByte(endMark, next);
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function read(cursor: Cursor): unknown {
  const tag = nextByte(cursor);
  switch (tag) {
    case tagUndefined:
      return undefined;
    case tagNull:
      return null;
    case tagFalse:
      return false;
    case tagTrue:
      return true;
    case tagNumber:
      return readNumber(cursor);
    case tagString:
      return readString(cursor);
    case tagArray:
      return readArray(cursor);
    case tagObject:
      return readObject(cursor);
    default:
      throw malformed(`0x${tag.toString(16)} is no type tag`);
  }
}

function readNumber(cursor: Cursor): number {
  if (cursor.at + 8 > cursor.bytes.length) throw malformed('it ends inside a number');
  const flip = (cursor.bytes[cursor.at] as number) >= 0x80 ? 0x00 : 0xff; // Within the length checked above.
  for (let index = 0; index < 8; index += 1) numberView.setUint8(index, nextByte(cursor) ^ flip);
  if (flip === 0x00) numberView.setUint8(0, numberView.getUint8(0) & 0x7f);
  return numberView.getFloat64(0);
}

function readString(cursor: Cursor): string {
  let text = '';
  for (;;) {
    const first = nextByte(cursor) - 1;
    if (first === -1) return text;
    if (first < 0x80) text += String.fromCharCode(first);
    else if (first < 0xe0) text += String.fromCharCode(((first & 0x1f) << 6) | trailing(cursor));
    else if (first < 0xf0) {
      text += String.fromCharCode(((first & 0x0f) << 12) | (trailing(cursor) << 6) | trailing(cursor));
    } else {
      const code = ((first & 0x07) << 18) | (trailing(cursor) << 12) | (trailing(cursor) << 6) | trailing(cursor);
      if (code > 0x10ffff) throw malformed('a code point is out of range');
      text += String.fromCodePoint(code);
    }
  }
}

function trailing(cursor: Cursor): number {
  const byte = nextByte(cursor) - 1;
  if ((byte & 0xc0) !== 0x80) throw malformed('a string is not UTF-8');
  return byte & 0x3f;
}

function readArray(cursor: Cursor): unknown[] {
  const elements: unknown[] = [];
  while (!atEndMark(cursor)) elements.push(read(cursor));
  return elements;
}

function readObject(cursor: Cursor): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  while (!atEndMark(cursor)) {
    if (nextByte(cursor) !== tagString) throw malformed('a property has no name');
    const name = readString(cursor);
    // Not by assignment: "__proto__" is an ordinary name in JSON.
    Object.defineProperty(object, name, { value: read(cursor), writable: true, enumerable: true, configurable: true });
  }
  return object;
}

function atEndMark(cursor: Cursor): boolean {
  if (cursor.bytes[cursor.at] !== endMark) return false;
  cursor.at += 1;
  return true;
}

function nextByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw malformed('it ends too early');
  cursor.at += 1;
  return byte;
}

function malformed(why: string): DatabaseError {
  return new DatabaseError('corrupt', `A stored key cannot be decoded: ${why}.`);
}
