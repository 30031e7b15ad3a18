// INDEX KEYS: one ordered key space, the first byte names the tree. Numbers are big-endian, so that bytes sort as they do.
//
//   doc     1 · container u32 · epk · partition key · id        → the document's latest version (documents.ts)
//   rid     2 · container u32 · rid number u64                  → the doc keys of this rid and up to 7 that follow it (rid-blocks.ts)
//   frames  3 · range u32 · first lsn u48                       → up to 64 slices of frames (slices.ts)
//   time    4 · range u32 · second u40                          → first lsn of that second u48
//   ttl     5 · container u32 · expiry second u40 · rest of the doc key → partition key and id; only documents with a
//                                                                 ttl of their own
//   unique  6 · container u32 · partition key · key u8 · digest → id
//   bitmap  7 · segment u32 · kind u8 · chunk u32               → 512 bytes of bits
//   meta    8 · kind u8 · number u32                            → JSON
//   late    9 · generation u32 · chunk u32                      → doc entries on their way to their places (late-index.ts)
//
// epk, partition key and id have no fixed length: a 0 byte inside becomes 0 255 and the component ends with 0 0, which
// keeps the order. A component over 256 bytes becomes its first 232 bytes and 24 bytes of its SHA-256: 192 bits that
// nobody can make collide, so equal keys mean equal components. Only an epk is always whole, for it is compared with the bounds of
// ranges: the longest, of version 1, has 312 bytes and but few zeros.

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

export const tree = { doc: 1, rid: 2, frames: 3, time: 4, ttl: 5, unique: 6, bitmap: 7, meta: 8, late: 9 } as const;
export const metaKind = { checkpoint: 1, database: 2, range: 3, segment: 4, catalog: 5, job: 6 } as const;

const componentBytesMax = 256;
const digestBytes = 24;
const scratch = Buffer.allocUnsafeSlow(8 * 1024);
const docKeyScratch: Scratch = { bytes: scratch, heads: [] };
const idScratch: Scratch = { bytes: Buffer.allocUnsafeSlow(4 * 1024), heads: [] };
/** What is in the scratch but for the id. Whoever writes anything else there forgets it. */
let written: DocPrefix | undefined;
let lentId: string | undefined;
let lentIdLength = 0;

export function docKey(container: number, epk: Uint8Array, partitionKey: Uint8Array, id: Uint8Array): Buffer {
  return Buffer.from(scratch.subarray(0, writeComponent(id, writePrefix(container, epk, partitionKey))));
}

/**
 * The same, for whoever is done with it before anybody makes another key. Documents of a batch have all but the id in common, in the same
 * bytes, which nobody changes: that is not written again.
 */
export function lentDocKey(container: number, epk: Uint8Array, partitionKey: Uint8Array, id: Uint8Array): Buffer {
  if (written?.partitionKey !== partitionKey || written.epk !== epk || written.container !== container) {
    written = { container, epk, partitionKey, end: writePrefix(container, epk, partitionKey) };
  }
  return lent(docKeyScratch, writeComponent(id, written.end));
}

interface DocPrefix {
  readonly container: number;
  readonly epk: Uint8Array;
  readonly partitionKey: Uint8Array;
  readonly end: number;
}

/** What all doc keys of a logical partition begin with. */
function writePrefix(container: number, epk: Uint8Array, partitionKey: Uint8Array): number {
  return writeComponent(partitionKey, writeWhole(epk, begin(tree.doc, container)));
}

function begin(first: number, container: number): number {
  written = undefined;
  scratch[0] = first;
  scratch.writeUInt32BE(container, 1);
  return 5;
}

/** The UTF-8 of an id, until the next one is asked for. */
export function lentIdBytes(id: string): Buffer {
  // A unit takes three bytes at most.
  if (id.length * 3 > idScratch.bytes.length) return Buffer.from(id);
  // A write asks twice: to look for the document and to write it down.
  if (id !== lentId) {
    lentIdLength = writeId(id, idScratch.bytes);
    lentId = id;
  }
  return lent(idScratch, lentIdLength);
}

/** Most ids are short and of ASCII, and are written before a native call has begun. */
function writeId(id: string, target: Buffer): number {
  if (id.length > shortIdChars) return target.write(id, 0, 'utf8');
  for (let i = 0; i < id.length; i += 1) {
    const unit = id.charCodeAt(i);
    if (unit > 0x7f) return target.write(id, 0, 'utf8');
    target[i] = unit;
  }
  return id.length;
}

const shortIdChars = 48;

interface Scratch {
  readonly bytes: Buffer;
  /** The first n bytes, made once for each n: a view costs more than the copy it saves. */
  readonly heads: Buffer[];
}

function lent(scratch: Scratch, length: number): Buffer {
  let head = scratch.heads[length];
  if (head === undefined) {
    head = scratch.bytes.subarray(0, length);
    scratch.heads[length] = head;
  }
  return head;
}

/** All documents of one logical partition: [from, to). */
export function partitionBounds(container: number, epk: Uint8Array, partitionKey: Uint8Array): KeyBounds {
  return prefixBounds(Buffer.from(scratch.subarray(0, writePrefix(container, epk, partitionKey))));
}

/** All documents whose effective keys are in [min, max). */
export function docKeyBounds(container: number, min: Uint8Array, max: Uint8Array): KeyBounds {
  return { from: docKeyFrom(container, min), to: docKeyFrom(container, max) };
}

/** What is at or behind an effective key is at or behind this: without the end of a component it is before all that begin so. */
function docKeyFrom(container: number, epk: Uint8Array): Buffer {
  const end = writeWhole(epk, begin(tree.doc, container));
  return Buffer.from(scratch.subarray(0, end - 2));
}

export interface KeyBounds {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** Every key that begins with `prefix`. */
export function prefixBounds(prefix: Buffer): KeyBounds {
  const to = Buffer.from(prefix);
  let last = to.length - 1;
  while (last >= 0 && to[last] === 0xff) last -= 1;
  to[last] = (to[last] as number) + 1;
  return { from: prefix, to: to.subarray(0, last + 1) };
}

/** The effective partition key inside a doc key, for filters that must not touch the document. */
export function epkOfDocKey(key: Buffer): Buffer {
  return componentAt(key, 5);
}

function componentAt(key: Buffer, start: number): Buffer {
  const component = Buffer.allocUnsafe(key.length - start);
  let length = 0;
  for (let i = start; i < key.length; i += 1) {
    const byte = key[i] as number;
    if (byte === 0) {
      if (key[i + 1] !== 0xff) break;
      i += 1;
    }
    component[length++] = byte;
  }
  return component.subarray(0, length);
}

/** What all doc keys of the logical partition of a doc key begin with. */
export function partitionOfDocKey(key: Buffer): Buffer {
  return key.subarray(0, endOfComponent(key, endOfComponent(key, 5)));
}

/** The id at the end of a doc key, as it is written there. */
export function idOfDocKey(key: Buffer): Buffer {
  return key.subarray(partitionOfDocKey(key).length);
}

/** As it is at the end of a doc key. */
export function idComponent(id: string): Buffer {
  return Buffer.from(scratch.subarray(5, writeComponent(Buffer.from(id), begin(tree.doc, 0))));
}

/** Behind the two zeros that end it. */
function endOfComponent(key: Buffer, start: number): number {
  let at = key.indexOf(0, start);
  while (key[at + 1] === 0xff) at = key.indexOf(0, at + 2);
  return at + 2;
}

export function ridKey(container: number, ridNumber: number): Buffer {
  const key = Buffer.allocUnsafe(ridKeyBytes);
  writeRidKey(container, ridNumber, key, 0);
  return key;
}

export const ridKeyBytes = 13;

export function writeRidKey(container: number, ridNumber: number, target: Buffer, offset: number): void {
  target[offset] = tree.rid;
  target.writeUInt32BE(container, offset + 1);
  target.writeUInt32BE(Math.floor(ridNumber / 0x1_0000_0000), offset + 5);
  target.writeUInt32BE(ridNumber % 0x1_0000_0000, offset + 9);
}

/** Rids of one entry. They are given in order, so that most entries are full; each one that is removed alone has all of its entry written anew. */
export const ridsPerBlock = 8;

/** The first rid of the entry that a rid is in. */
export function firstRidOf(ridNumber: number): number {
  return ridNumber - (ridNumber % ridsPerBlock);
}

export function ridBlockKey(container: number, ridNumber: number): Buffer {
  return ridKey(container, firstRidOf(ridNumber));
}

export function ridContainerOfKey(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset + 1);
}

/** Of a rid key that begins there. */
export function ridNumberOfKey(bytes: Buffer, offset: number = 0): number {
  return bytes.readUInt32BE(offset + 5) * 0x1_0000_0000 + bytes.readUInt32BE(offset + 9);
}

export function framesKey(range: number, firstLsn: number): Buffer {
  const key = Buffer.allocUnsafe(11);
  key[0] = tree.frames;
  key.writeUInt32BE(range, 1);
  writeUint48BE(key, firstLsn, 5);
  return key;
}

export function timeKey(range: number, second: number): Buffer {
  const key = Buffer.allocUnsafe(10);
  key[0] = tree.time;
  key.writeUInt32BE(range, 1);
  key.writeUIntBE(second, 5, 5);
  return key;
}

export function ttlKey(expirySecond: number, key: Buffer): Buffer {
  const ttl = Buffer.allocUnsafe(5 + key.length);
  ttl[0] = tree.ttl;
  key.copy(ttl, 1, 1, 5);
  ttl.writeUIntBE(expirySecond, 5, 5);
  key.copy(ttl, 10, 5);
  return ttl;
}

/** Everything of a container whose own ttl is over at this second. */
export function dueTtlBounds(container: number, second: number): KeyBounds {
  const from = treeBounds('ttl', container).from;
  const to = Buffer.allocUnsafe(10);
  from.copy(to);
  to.writeUIntBE(second + 1, 5, 5);
  return { from, to };
}

export function uniqueKey(container: number, partitionKey: Uint8Array, key: number, digest: Uint8Array): Buffer {
  let end = writeComponent(partitionKey, begin(tree.unique, container));
  scratch[end++] = key;
  scratch.set(digest, end);
  end += digest.length;
  return Buffer.from(scratch.subarray(0, end));
}

export function bitmapKey(segment: number, kind: number, chunk: number): Buffer {
  const key = Buffer.allocUnsafe(10);
  key[0] = tree.bitmap;
  key.writeUInt32BE(segment, 1);
  key[5] = kind;
  key.writeUInt32BE(chunk, 6);
  return key;
}

export function metaKey(kind: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(6);
  key[0] = tree.meta;
  key[1] = kind;
  key.writeUInt32BE(number, 2);
  return key;
}

export function lateKey(generation: number, chunk: number): Buffer {
  const key = Buffer.allocUnsafe(9);
  key[0] = tree.late;
  key.writeUInt32BE(generation, 1);
  key.writeUInt32BE(chunk, 5);
  return key;
}

/** How much of a generation has got to its places already. */
export function lateProgressKey(generation: number): Buffer {
  return lateKey(generation, lateProgress);
}

/** Behind all chunks. */
export const lateProgress = 0xffff_ffff;

export function lateChunkOfKey(key: Buffer): { readonly generation: number; readonly chunk: number } {
  return { generation: key.readUInt32BE(1), chunk: key.readUInt32BE(5) };
}

/** The bounds of one tree, or of what belongs to one container, range or segment in it. */
export function treeBounds(name: keyof typeof tree, number?: number): KeyBounds {
  const prefix = Buffer.allocUnsafe(number === undefined ? 1 : 5);
  prefix[0] = tree[name];
  if (number !== undefined) prefix.writeUInt32BE(number, 1);
  return prefixBounds(prefix);
}

export function writeUint48BE(target: Buffer, value: number, offset: number): void {
  target.writeUInt16BE(Math.floor(value / 0x1_0000_0000), offset);
  target.writeUInt32BE(value % 0x1_0000_0000, offset + 2);
}

export function readUint48BE(source: Buffer, offset: number): number {
  return source.readUInt16BE(offset) * 0x1_0000_0000 + source.readUInt32BE(offset + 2);
}

function writeComponent(component: Uint8Array, start: number): number {
  return writeWhole(component.length > componentBytesMax ? shortened(component) : component, start);
}

function writeWhole(bytes: Uint8Array, start: number): number {
  let end = start;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] as number;
    scratch[end++] = byte;
    if (byte === 0) scratch[end++] = 0xff;
  }
  scratch[end++] = 0;
  scratch[end++] = 0;
  return end;
}

function shortened(component: Uint8Array): Uint8Array {
  const digest = createHash('sha256').update(component).digest().subarray(0, digestBytes);
  return Buffer.concat([component.subarray(0, componentBytesMax - digestBytes), digest]);
}
