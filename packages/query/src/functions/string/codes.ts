// Strings that are put together from the codes of their characters. To add one character to a string at a time makes of each a piece
// that waits to be joined, and takes sixteen times the memory.

import { Buffer } from 'node:buffer';

export function textOfCodes(codes: Uint16Array): string {
  return Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength).toString('utf16le');
}

/** The same string, which holds on to no other one. A part of a string does, to all of it. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
