// Resource ids (`_rid`): what clients call a resource by in `_self` links, and classify it by.
//
// RESOURCE ID, before base64 (base64.ts)
//   offer         3 bytes   number u24be
//   database      4 bytes   number u32le
//   user          database(4) | number u31be, top bit of byte 4 clear
//   container     database(4) | number u31be, top bit of byte 4 set: clients take it for a user otherwise
//   child         container(8) | number u60le, whose highest nibble (of the last byte) is the type:
//                 0 document · 4 conflict · 5 partition key range · 6 udf · 7 trigger · 8 stored procedure · 9 schema
//   permission    user(8) | number u64le
//   attachment    document(16) | number u32le
// Numbers are JavaScript safe integers, so of u60 and u64 at most 53 bits are used. Number 0 is legal
// here, but the oldest client reads it as "no such part": count from 1.

import { decodeRidBase64, encodeRidBase64, threeBytes, writeThreeBytes } from './base64.ts';
import { assert } from './errors.ts';

/** Kinds that live directly in a container. */
export type ContainerChildKind =
  | 'document'
  | 'conflict'
  | 'partition-key-range'
  | 'user-defined-function'
  | 'trigger'
  | 'stored-procedure'
  | 'schema';

export type ResourceIdKind =
  | 'offer'
  | 'database'
  | 'user'
  | 'container'
  | 'permission'
  | 'attachment'
  | ContainerChildKind;

export interface ResourceId {
  readonly kind: ResourceIdKind;
  /** The numbers from the outside in, e.g. [database, container, document]. */
  readonly parts: readonly number[];
}

export function offerRid(offer: number): string {
  check(offer, 24);
  return threeBytes(offer >>> 16, (offer >>> 8) & 0xff, offer & 0xff);
}

export function databaseRid(database: number): string {
  return encodeRidBase64(databaseBytes(database, 4));
}

export function userRid(database: number, user: number): string {
  return encodeRidBase64(userBytes(database, user, 8));
}

export function containerRid(database: number, container: number): string {
  return encodeRidBase64(containerRidPrefix(database, container));
}

/** The eight bytes of a container's id, with which the ids of everything in it begin. */
export function containerRidPrefix(database: number, container: number): Uint8Array {
  return containerBytes(database, container, 8);
}

export function documentRid(database: number, container: number, document: number): string {
  return containerChildRid('document', database, container, document);
}

export function conflictRid(database: number, container: number, conflict: number): string {
  return containerChildRid('conflict', database, container, conflict);
}

export function partitionKeyRangeRid(database: number, container: number, range: number): string {
  return containerChildRid('partition-key-range', database, container, range);
}

export function userDefinedFunctionRid(database: number, container: number, udf: number): string {
  return containerChildRid('user-defined-function', database, container, udf);
}

export function triggerRid(database: number, container: number, trigger: number): string {
  return containerChildRid('trigger', database, container, trigger);
}

export function storedProcedureRid(database: number, container: number, procedure: number): string {
  return containerChildRid('stored-procedure', database, container, procedure);
}

export function permissionRid(database: number, user: number, permission: number): string {
  const bytes = userBytes(database, user, 16);
  check(permission, 53);
  writeLittleEndian(bytes, 8, 8, permission);
  return encodeRidBase64(bytes);
}

export function attachmentRid(database: number, container: number, document: number, attachment: number): string {
  const bytes = childBytes('document', database, container, document, 20);
  check(attachment, 32);
  writeLittleEndian(bytes, 16, 4, attachment);
  return encodeRidBase64(bytes);
}

/** The length of every document id as text. */
export const documentRidChars = 24;

/**
 * Writes ids of one container's documents as bytes, all but the first eight characters, which are the same for all of them:
 * two bytes of the container and eight of the number are encoded.
 */
export function documentRidWriter(prefix: Uint8Array): (document: number, target: Uint8Array, offset: number) => void {
  assert(prefix.length === 8 && byteAt(prefix, 4) >= 0x80, 'the prefix is the eight bytes of a container');
  const p6 = byteAt(prefix, 6);
  const p7 = byteAt(prefix, 7);
  return (document, target, offset) => {
    check(document, 53);
    const low = document >>> 0;
    const high = (document - low) / 0x1_0000_0000;
    writeThreeBytes(target, offset + 8, p6, p7, low & 0xff);
    writeThreeBytes(target, offset + 12, (low >>> 8) & 0xff, (low >>> 16) & 0xff, low >>> 24);
    writeThreeBytes(target, offset + 16, high & 0xff, (high >>> 8) & 0xff, (high >>> 16) & 0xff);
    // The last byte is type nibble 0 and the top of a 53-bit number: always 00.
    target[offset + 20] = 0x41;
    target[offset + 21] = 0x41;
    target[offset + 22] = 0x3d;
    target[offset + 23] = 0x3d;
  };
}

/** The kind and numbers of an id, or undefined if the text is none of ours. */
export function parseResourceId(text: string): ResourceId | undefined {
  if (text.length > ridCharsMax) return undefined;
  const bytes = decodeRidBase64(text);
  if (bytes === undefined) return undefined;
  switch (bytes.length) {
    case 3:
      return { kind: 'offer', parts: [(byteAt(bytes, 0) << 16) | (byteAt(bytes, 1) << 8) | byteAt(bytes, 2)] };
    case 4:
      return { kind: 'database', parts: [readLittleEndian(bytes, 0, 4)] };
    case 8:
      return { kind: isContainer(bytes) ? 'container' : 'user', parts: ownerParts(bytes) };
    case 16:
      return parseChild(bytes);
    case 20: {
      const child = parseChild(bytes);
      if (child?.kind !== 'document') return undefined;
      return { kind: 'attachment', parts: [...child.parts, readLittleEndian(bytes, 16, 4)] };
    }
    default:
      return undefined;
  }
}

const ridCharsMax = 28;

const nibbleOfKind: Readonly<Record<ContainerChildKind, number>> = {
  document: 0,
  conflict: 4,
  'partition-key-range': 5,
  'user-defined-function': 6,
  trigger: 7,
  'stored-procedure': 8,
  schema: 9,
};

const kindOfNibble: ReadonlyMap<number, ContainerChildKind> = new Map(
  Object.entries(nibbleOfKind).map(([kind, nibble]) => [nibble, kind as ContainerChildKind]), // Keys of the record above.
);

export function containerChildRid(
  kind: ContainerChildKind,
  database: number,
  container: number,
  child: number,
): string {
  return encodeRidBase64(childBytes(kind, database, container, child, 16));
}

function databaseBytes(database: number, size: number): Uint8Array {
  check(database, 32);
  const bytes = new Uint8Array(size);
  writeLittleEndian(bytes, 0, 4, database);
  return bytes;
}

function userBytes(database: number, user: number, size: number): Uint8Array {
  const bytes = databaseBytes(database, size);
  check(user, 31);
  for (let index = 0; index < 4; index += 1) bytes[4 + index] = user >>> (24 - 8 * index);
  return bytes;
}

function containerBytes(database: number, container: number, size: number): Uint8Array {
  const bytes = userBytes(database, container, size);
  bytes[4] = byteAt(bytes, 4) | 0x80;
  return bytes;
}

function childBytes(
  kind: ContainerChildKind,
  database: number,
  container: number,
  child: number,
  size: number,
): Uint8Array {
  const bytes = containerBytes(database, container, size);
  check(child, 53);
  writeLittleEndian(bytes, 8, 8, child);
  bytes[15] = nibbleOfKind[kind] << 4;
  return bytes;
}

function parseChild(bytes: Uint8Array): ResourceId | undefined {
  const owner = ownerParts(bytes);
  if (!isContainer(bytes)) {
    const permission = readLittleEndian(bytes, 8, 8);
    return Number.isSafeInteger(permission) ? { kind: 'permission', parts: [...owner, permission] } : undefined;
  }
  const last = byteAt(bytes, 15);
  const kind = kindOfNibble.get(last >>> 4);
  const child = readLittleEndian(bytes, 8, 7);
  if (kind === undefined || (last & 0x0f) !== 0 || !Number.isSafeInteger(child)) return undefined;
  return { kind, parts: [...owner, child] };
}

function ownerParts(bytes: Uint8Array): number[] {
  let number = byteAt(bytes, 4) & 0x7f;
  for (let index = 5; index < 8; index += 1) number = number * 256 + byteAt(bytes, index);
  return [readLittleEndian(bytes, 0, 4), number];
}

function isContainer(bytes: Uint8Array): boolean {
  return byteAt(bytes, 4) >= 0x80;
}

function writeLittleEndian(bytes: Uint8Array, at: number, length: number, value: number): void {
  let left = value;
  for (let index = 0; index < length; index += 1) {
    bytes[at + index] = left % 256;
    left = Math.floor(left / 256);
  }
}

function readLittleEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = length - 1; index >= 0; index -= 1) value = value * 256 + byteAt(bytes, at + index);
  return value;
}

function check(value: number, bits: number): void {
  assert(
    Number.isSafeInteger(value) && value >= 0 && value < 2 ** bits,
    `a resource number is a whole number below 2^${bits}`,
  );
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number; // The lengths are checked by the callers.
}
