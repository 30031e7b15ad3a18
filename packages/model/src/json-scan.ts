// One look at the bytes of a JSON object before anybody parses it, and the places of its top-level members.
//
// Nothing here validates: `scanObject` may see anything and only has to be right about valid JSON; the others are for text
// that JSON.parse has accepted. UTF-8 continuation bytes are all above 0x7f, so no byte compared here can be part of
// another character.

export interface ObjectFacts {
  /** How often a name stands at the top level: more than the parsed object has properties means duplicates. */
  readonly memberCount: number;
  readonly isTooDeep: boolean;
  /** A top-level name begins with an underscore or is written with an escape, so it may be that of a system member. */
  readonly hasSuspectName: boolean;
  /** A number has an exponent or hundreds of digits, so it may overflow a double. */
  readonly hasSuspectNumber: boolean;
}

/** A top-level member. Its segment reaches from behind the brace or comma before it to the comma or brace after it. */
export interface MemberSpan {
  readonly segmentStart: number;
  /** The quotes of the name are inside: nameStart is the opening one, nameEnd is behind the closing one. */
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly segmentEnd: number;
}

/** + - . E e */
const numberSigns: readonly number[] = [0x2b, 0x2d, 0x2e, 0x45, 0x65];

const quote = 0x22;
const comma = 0x2c;
const digitZero = 0x30;
const digitNine = 0x39;
const upperE = 0x45;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const underscore = 0x5f;
const lowerE = 0x65;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The largest double has 309 digits, so fewer than that without an exponent are always finite. */
const finiteDigitsMax = 308;

/** Looks at bytes[from, to), which begin with the brace that opens the object. That object is level 1. */
export function scanObject(bytes: Uint8Array, from: number, to: number, depthMax: number): ObjectFacts {
  let memberCount = 0;
  let hasSuspectName = false;
  let hasSuspectNumber = false;
  let depth = 1;
  let isNameNext = true;
  let i = from + 1;

  while (i < to) {
    const byte = bytes[i]!;
    i += 1;
    if (byte === quote) {
      const start = i;
      let hasEscape = false;
      let inside = bytes[i];
      while (inside !== quote && i < to) {
        if (inside === backslash) {
          hasEscape = true;
          i += 1;
        }
        i += 1;
        inside = bytes[i];
      }
      i += 1;
      if (isNameNext) {
        isNameNext = false;
        memberCount += 1;
        if (hasEscape || bytes[start] === underscore) hasSuspectName = true;
      }
    } else if (byte === comma) {
      isNameNext = depth === 1;
    } else if (byte >= digitZero && byte <= digitNine) {
      const start = i - 1;
      while (i < to && bytes[i]! >= digitZero && bytes[i]! <= digitNine) i += 1;
      if (bytes[i] === lowerE || bytes[i] === upperE || i - start > finiteDigitsMax) hasSuspectNumber = true;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > depthMax) return { memberCount, isTooDeep: true, hasSuspectName, hasSuspectNumber };
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    }
  }
  return { memberCount, isTooDeep: false, hasSuspectName, hasSuspectNumber };
}

/** Whether a number literal in the valid JSON of bytes[from, to) is beyond the range of a double. */
export function hasOverflow(bytes: Buffer, from: number, to: number): boolean {
  let i = from;
  while (i < to) {
    const byte = bytes[i]!;
    if (byte === quote) {
      i = stringEnd(bytes, i);
    } else if (byte >= digitZero && byte <= digitNine) {
      const start = i;
      while (i < to && isNumberByte(bytes[i]!)) i += 1;
      if (!Number.isFinite(Number(bytes.toString('latin1', start, i)))) return true;
    } else {
      i += 1;
    }
  }
  return false;
}

/** The members of the valid JSON object in bytes[from, to), both braces included. */
export function memberSpans(bytes: Uint8Array, from: number, to: number): MemberSpan[] {
  const spans: MemberSpan[] = [];
  let depth = 1;
  let segmentStart = from + 1;
  let nameStart = -1;
  let nameEnd = -1;
  let i = from + 1;

  while (i < to) {
    const byte = bytes[i]!;
    if (byte === quote) {
      const end = stringEnd(bytes, i);
      if (nameStart < 0) {
        nameStart = i;
        nameEnd = end;
      }
      i = end;
      continue;
    }
    const isLast = depth === 1 && byte === closeBrace;
    if (isLast || (depth === 1 && byte === comma)) {
      if (nameStart >= 0) spans.push({ segmentStart, nameStart, nameEnd, segmentEnd: i });
      segmentStart = i + 1;
      nameStart = -1;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    if (byte === closeBrace || byte === closeBracket) depth -= 1;
    i += 1;
  }
  return spans;
}

function isNumberByte(byte: number): boolean {
  return (byte >= digitZero && byte <= digitNine) || numberSigns.includes(byte);
}

function stringEnd(bytes: Uint8Array, openingQuote: number): number {
  let i = openingQuote + 1;
  while (i < bytes.length && bytes[i] !== quote) i += bytes[i] === backslash ? 2 : 1;
  return i + 1;
}
