// Finding values in the bytes of JSON, without parsing what is passed over. The bytes are valid JSON. Every byte that is
// compared here is ASCII, and none of those is part of another character in UTF-8.
//
// `memberSpans` of the model lists all members of an object, for who cuts some out. A query asks for one, stops behind it and goes
// on there when it asks for another, and looks into values and arrays as well: with the list a filter on a member near the front
// took ten times as long, and three times with long texts, whose ends are searched by the system here.

import { Buffer } from 'node:buffer';

/** Where a value lies: bytes [from, to). Made once by who looks, and used again. */
export class ByteSpan {
  from = 0;
  to = 0;
}

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  // Of the bytes up to the space, valid JSON has only white space outside of strings.
  while ((bytes[at] as number) <= 0x20) at += 1;
  return at;
}

/** Behind the closing quote. */
export function stringEnd(bytes: Buffer, openingQuote: number): number {
  let at = openingQuote + 1;
  const near = at + nearBytes;
  for (; at < near; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at += 1;
  }
  return longStringEnd(bytes, at);
}

/** A long string is searched by the system's own search, which looks at many bytes at a time. */
function longStringEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const found = bytes.indexOf(quote, at);
    let backslashes = 0;
    while (found - 1 - backslashes >= from && bytes[found - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return found + 1;
    at = found + 1;
  }
}

/** Short strings are most strings; a call costs as much as about so many bytes. */
const nearBytes = 48;

/** Behind the value that begins at `from`. */
export function valueEnd(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === quote) return stringEnd(bytes, from);
  if (first === openBrace || first === openBracket) return compoundEnd(bytes, from);
  let at = from + 1;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) return at;
    at += 1;
  }
}

function compoundEnd(bytes: Buffer, from: number): number {
  let depth = 1;
  let at = from + 1;
  while (depth > 0) {
    const byte = bytes[at];
    if (byte === quote) {
      at = stringEnd(bytes, at);
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    at += 1;
  }
  return at;
}

/** Whether the name between the quotes at [from, to) is this one. Names with escapes are read as text. */
export function isName(bytes: Buffer, from: number, to: number, name: Buffer): boolean {
  const length = to - from;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[from + at];
    if (byte === backslash) return isEscapedName(bytes, from, to, name);
    if (at === name.length || byte !== name[at]) return false;
  }
  return length === name.length;
}

function isEscapedName(bytes: Buffer, from: number, to: number, name: Buffer): boolean {
  // A name is a string.
  return nameBytes(JSON.parse(bytes.toString('utf8', from - 1, to + 1)) as string).equals(name);
}

/** In UTF-8. A half of a surrogate pair, which has no UTF-8, keeps bytes of its own, as no document has them. */
export function nameBytes(text: string): Buffer {
  if (!loneSurrogate.test(text)) return Buffer.from(text);
  const parts = text.split(loneSurrogate).map((part, at) => {
    if (at % 2 === 0) return Buffer.from(part);
    const code = part.charCodeAt(0);
    return Buffer.from([0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
  });
  return Buffer.concat(parts);
}

const loneSurrogate = /([\ud800-\udfff])/u;

/** The last member of this name in the object at `from`. False where there is none, or no object. */
export function findMember(bytes: Buffer, from: number, name: Buffer, found: ByteSpan): boolean {
  if (bytes[from] !== openBrace) return false;
  let isFound = false;
  let at = skipSpace(bytes, from + 1);
  while (bytes[at] === quote) {
    const nameEnd = stringEnd(bytes, at);
    const isWanted = isName(bytes, at + 1, nameEnd - 1, name);
    const valueStart = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
    const end = valueEnd(bytes, valueStart);
    if (isWanted) {
      found.from = valueStart;
      found.to = end;
      isFound = true;
    }
    at = skipSpace(bytes, end);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  return isFound;
}

/** The element at a place of the array at `from`. False where there is none, or no array. */
export function findElement(bytes: Buffer, from: number, place: number, found: ByteSpan): boolean {
  if (bytes[from] !== openBracket) return false;
  let at = skipSpace(bytes, from + 1);
  for (let left = place; bytes[at] !== closeBracket; left -= 1) {
    const end = valueEnd(bytes, at);
    if (left === 0) {
      found.from = at;
      found.to = end;
      return true;
    }
    at = skipSpace(bytes, end);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  return false;
}

export const quote = 0x22;
export const comma = 0x2c;
const openBracket = 0x5b;
export const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
