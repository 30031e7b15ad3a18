// A value from its bytes. Scalars, which are most of what a filter touches, are read without JSON.parse.

import type { Buffer } from 'node:buffer';
import type { Value } from '../value/value.ts';
import { backslash, quote } from './json-bytes.ts';

export function readValue(bytes: Buffer, from: number, to: number): Value {
  switch (bytes[from]) {
    case quote:
      return readText(bytes, from, to);
    case 0x74:
      return true;
    case 0x66:
      return false;
    case 0x6e:
      return null;
    case 0x5b:
    case 0x7b:
      // The bytes are JSON.
      return JSON.parse(bytes.toString('utf8', from, to)) as Value;
    default:
      return readNumber(bytes, from, to);
  }
}

function readText(bytes: Buffer, from: number, to: number): string {
  for (let at = from + 1; at < to - 1; at += 1) {
    // An escape: JSON.parse knows them all.
    if (bytes[at] === backslash) return JSON.parse(bytes.toString('utf8', from, to)) as string;
    if ((bytes[at] as number) >= 0x80) return readLongText(bytes, from, to);
  }
  return bytes.toString('latin1', from + 1, to - 1);
}

function readLongText(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from + 1, to - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** Whole numbers of few digits are summed up; everything else is left to the language. */
function readNumber(bytes: Buffer, from: number, to: number): number {
  const isNegative = bytes[from] === 0x2d;
  const first = isNegative ? from + 1 : from;
  if (to - first > exactDigits) return Number(bytes.toString('latin1', from, to));
  let number = 0;
  for (let at = first; at < to; at += 1) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit < 0 || digit > 9) return Number(bytes.toString('latin1', from, to));
    number = number * 10 + digit;
  }
  return isNegative ? -number : number;
}

const exactDigits = 15;
