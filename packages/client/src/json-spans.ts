// The elements of an array inside a page of documents, as they stand in the bytes. Parsing and writing them anew would change
// number literals beyond 15 digits and cost most of the time of an export.
//
// Nothing here validates: it has to be right about valid JSON only, and fails on what is cut short. UTF-8 continuation
// bytes are all above 0x7f, so no byte compared here can be a part of another character.

import { DatabaseError } from '@tidemark/model';

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/** The elements of the array that is the member `name` of the object in `bytes`. They share the memory of `bytes`. */
export function elementsOfMember(bytes: Buffer, name: string): Buffer[] {
  const start = startOfMember(bytes, name);
  return start === undefined ? [] : elementsFrom(bytes, start);
}

/** The same text on one line: a line break in JSON is never inside a string. */
export function onOneLine(bytes: Buffer): Buffer {
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
  const line = Buffer.from(bytes);
  for (let i = 0; i < line.length; i += 1) {
    if (line[i] === lineFeed || line[i] === carriageReturn) line[i] = space;
  }
  return line;
}

/** The object without those of its members; everything else stays as it is written. */
export function withoutMembers(bytes: Buffer, isUnwanted: (name: string) => boolean): Buffer {
  const open = bytes.indexOf(openBrace);
  const pieces: Buffer[] = [];
  for (const member of elementsFrom(bytes, open + 1)) {
    // JSON.parse has to say what the name is: it may be written with escapes.
    const name: unknown = JSON.parse(
      bytes.toString('utf8', member.byteOffset - bytes.byteOffset, endOfName(bytes, member)),
    );
    if (isUnwanted(String(name))) continue;
    if (pieces.length > 0) pieces.push(commaBytes);
    pieces.push(member);
  }
  return Buffer.concat([bytes.subarray(0, open + 1), ...pieces, closeBraceBytes]);
}

const commaBytes: Buffer = Buffer.from(',');
const closeBraceBytes: Buffer = Buffer.from('}');

function endOfName(bytes: Buffer, member: Buffer): number {
  return endOfString(bytes, member.byteOffset - bytes.byteOffset);
}

/** Behind the opening bracket of the member's array. */
function startOfMember(bytes: Buffer, name: string): number | undefined {
  const wanted = Buffer.from(JSON.stringify(name));
  let depth = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === quote) {
      const end = endOfString(bytes, i);
      const isWanted = depth === 1 && bytes.subarray(i, end).equals(wanted);
      i = end - 1;
      if (!isWanted) continue;
      const bracket = bytes.indexOf(openBracket, end);
      // Between a name and its array there is a colon; the name as a value is followed by a comma or a brace.
      if (bracket !== -1 && bytes.toString('latin1', end, bracket).trim() === ':') return bracket + 1;
    } else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
  return undefined;
}

/** Of an array, or the members of an object. */
function elementsFrom(bytes: Buffer, from: number): Buffer[] {
  const elements: Buffer[] = [];
  let depth = 0;
  let start = from;
  for (let i = from; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i) - 1;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (depth > 0 && (byte === closeBrace || byte === closeBracket)) depth -= 1;
    else if (depth === 0 && (byte === comma || byte === closeBracket || byte === closeBrace)) {
      const element = trimmed(bytes, start, i);
      if (element.length > 0) elements.push(element);
      if (byte !== comma) return elements;
      start = i + 1;
    }
  }
  throw new DatabaseError('bad-request', 'The page of documents ends in the middle.');
}

/** Behind the closing quote. */
function endOfString(bytes: Buffer, from: number): number {
  for (let i = from + 1; i < bytes.length; i += 1) {
    if (bytes[i] === backslash) i += 1;
    else if (bytes[i] === quote) return i + 1;
  }
  return bytes.length;
}

function trimmed(bytes: Buffer, from: number, to: number): Buffer {
  let start = from;
  let end = to;
  while (start < end && (bytes[start] ?? 0) <= space) start += 1;
  while (end > start && (bytes[end - 1] ?? 0) <= space) end -= 1;
  return bytes.subarray(start, end);
}
