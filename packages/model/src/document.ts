// What is fixed about documents and other named resources: system properties, ids and names, time to live, etags.

import { assert, DatabaseError } from './errors.ts';
import { documentIdBytesMax, resourceNameCharsMax, ttlSecondsMax } from './limits.ts';
import { utf8Length } from './utf8.ts';

/** Written by the database on every document; what a client sends under these names is ignored (wire 7). */
export const systemProperties: readonly string[] = ['_rid', '_self', '_etag', '_ts', '_attachments', '_lsn'];

export function isSystemProperty(name: string): boolean {
  return systemPropertySet.has(name);
}

/** The id of a document, or an error that says what is wrong with it. */
export function validateDocumentId(id: unknown): string {
  const text = validateCharacters(id, 'The document id', true);
  // A unit takes three bytes at most: short ids need no counting.
  if (text.length * 3 > documentIdBytesMax) {
    const bytes = utf8Length(text);
    if (bytes > documentIdBytesMax) {
      throw invalidId(`The document id has ${bytes} bytes of UTF-8; at most ${documentIdBytesMax} are allowed.`);
    }
  }
  return text;
}

/** The name of a database, container, user or script. `what` names it in the message: "The container id". */
export function validateResourceName(name: unknown, what: string): string {
  const text = validateCharacters(name, what, false);
  if (text.length > resourceNameCharsMax) {
    throw invalidId(`${what} has ${text.length} characters; at most ${resourceNameCharsMax} are allowed.`);
  }
  if (text.endsWith(' ')) throw invalidId(`${what} ends with a space.`);
  return text;
}

/** A time to live: undefined, -1 (never) or seconds. `what` names it in the message: "The document's ttl". */
export function validateTtl(ttl: unknown, what: string): number | undefined {
  if (ttl === undefined) return undefined;
  if (typeof ttl === 'number' && Number.isInteger(ttl) && ttl >= -1 && ttl !== 0 && ttl <= ttlSecondsMax) return ttl;
  throw new DatabaseError(
    'invalid-ttl',
    `${what} must be -1 (never expires) or a whole number of seconds from 1 to ${ttlSecondsMax}, not ${describe(ttl)}.`,
  );
}

export interface EtagParts {
  /** Random for each life of a database, so that etags from before a restore do not match. u32. */
  readonly epoch: number;
  readonly lsn: number;
  /** Place within the commit. u32. */
  readonly ix: number;
}

/**
 * The etag of a document version, without the quotes it has on the wire. Always 36 characters, in the shape of a GUID:
 *
 *   eeeeeeee-iiii-jjjj-llll-llllllllllll   hex: epoch u32 | ix, low 16 bits | ix, high 16 bits | lsn u64
 */
export function formatEtag(epoch: number, lsn: number, ix: number): string {
  assert(epoch >>> 0 === epoch && ix >>> 0 === ix, 'epoch and ix are unsigned 32-bit numbers');
  assert(Number.isSafeInteger(lsn) && lsn >= 0, 'an lsn is a safe whole number');
  const low = lsn >>> 0;
  const high = (lsn - low) / 2 ** 32;
  if (head?.epoch !== epoch || head.ix !== ix || head.high !== high) head = etagHead(epoch, high, ix);
  const tail = hex16(low >>> 16) + hex16(low & 0xffff);
  return head.text + tail;
}

/** All but the last eight digits, which is mostly the same from one etag to the next: strings of many pieces are slow to make. */
interface EtagHead {
  readonly epoch: number;
  readonly high: number;
  readonly ix: number;
  readonly text: string;
}

let head: EtagHead | undefined;

function etagHead(epoch: number, high: number, ix: number): EtagHead {
  const place = `${hex16(ix & 0xffff)}-${hex16(ix >>> 16)}`;
  const text = `${hex16(epoch >>> 16)}${hex16(epoch & 0xffff)}-${place}-${hex16(high >>> 16)}-${hex16(high & 0xffff)}`;
  return { epoch, high, ix, text };
}

/** The same 36 characters as bytes. */
export function writeEtag(target: Uint8Array, offset: number, epoch: number, lsn: number, ix: number): void {
  const low = lsn >>> 0;
  const high = (lsn - low) / 2 ** 32;
  writeHex16(target, offset, epoch >>> 16);
  writeHex16(target, offset + 4, epoch & 0xffff);
  target[offset + 8] = dash;
  target[offset + 13] = dash;
  writeEtagIx(target, offset, ix);
  target[offset + 18] = dash;
  writeHex16(target, offset + 19, high >>> 16);
  target[offset + 23] = dash;
  writeHex16(target, offset + 24, high & 0xffff);
  writeHex16(target, offset + 28, low >>> 16);
  writeHex16(target, offset + 32, low & 0xffff);
}

/** Into an etag that begins there: those of one unit differ in nothing else. */
export function writeEtagIx(target: Uint8Array, offset: number, ix: number): void {
  writeHex16(target, offset + 9, ix & 0xffff);
  writeHex16(target, offset + 14, ix >>> 16);
}

/** What an etag says, or undefined if it is not one of ours (it then matches nothing). */
export function parseEtag(etag: string): EtagParts | undefined {
  if (!etagShape.test(etag)) return undefined;
  const epoch = Number.parseInt(etag.slice(0, 8), 16);
  const ix = Number.parseInt(etag.slice(14, 18) + etag.slice(9, 13), 16);
  const lsn = Number.parseInt(etag.slice(19, 23), 16) * 2 ** 48 + Number.parseInt(etag.slice(24), 16);
  return Number.isSafeInteger(lsn) ? { epoch, lsn, ix } : undefined;
}

const systemPropertySet: ReadonlySet<string> = new Set(systemProperties);

// An etag is made for every document written: two look-ups are several times faster than toString and padStart.
const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const etagShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const dash = 0x2d;
const hexDigits: Uint8Array = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

function writeHex16(target: Uint8Array, at: number, value: number): void {
  target[at] = hexDigits[value >>> 12] as number; // Four bits each.
  target[at + 1] = hexDigits[(value >>> 8) & 0xf] as number;
  target[at + 2] = hexDigits[(value >>> 4) & 0xf] as number;
  target[at + 3] = hexDigits[value & 0xf] as number;
}

function hex16(value: number): string {
  return `${hexOfByte[value >>> 8]}${hexOfByte[value & 0xff]}`;
}

/** Wire: a question mark is allowed in the id of a document, and in no other name (wire 4). */
function validateCharacters(id: unknown, what: string, mayAsk: boolean): string {
  if (typeof id !== 'string') throw invalidId(`${what} must be a string${id === undefined ? '; it is missing' : ''}.`);
  if (id.length === 0) throw invalidId(`${what} must not be empty.`);
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    if (code === 0x23 || code === 0x2f || code === 0x5c || (code === 0x3f && !mayAsk)) {
      const forbidden = mayAsk ? '/ \\ #' : '/ \\ ? #';
      throw invalidId(`${what} contains '${id.charAt(at)}'; the characters ${forbidden} are not allowed.`);
    }
    if (code < 0xd800 || code > 0xdfff) continue;
    // Half a pair has no UTF-8: such an id could never be written in a path, and two of them would look the same there.
    if ((id.codePointAt(at) ?? 0) <= 0xffff) throw invalidId(`${what} contains half of a surrogate pair.`);
    at += 1;
  }
  return id;
}

function invalidId(message: string): DatabaseError {
  return new DatabaseError('invalid-id', message);
}

function describe(value: unknown): string {
  return typeof value === 'number' || value === null ? String(value) : `a value of type ${typeof value}`;
}
