// The effective partition key (EPK): where a logical partition lies in a container's key space. Clients compute it too, so
// every byte is the protocol's (wire 9). Its upper-case hex is the form on the wire; hex strings compare like the bytes.
//
// COMPONENT, AS HASHED
//   undefined 00 · null 01 · false 02 · true 03
//   number    05 | IEEE-754 f64le
//   string    08 | UTF-8 | FF            version 2
//   string    08 | UTF-8 | 00            version 1, of the first 100 UTF-16 units
//
// EPK, VERSION 2 (kind Hash)             16 bytes
//   h2 u64be | h1 u64be of MurmurHash3_x64_128(component), the two top bits of the first byte cleared: 00… to 3F…
// EPK, MULTIHASH                         16 bytes a level
//   the version 2 EPK of each component, one after the other
// EPK, VERSION 1                         variable length
//   number(MurmurHash3_x86_32(component)) | undefined 00, null 01, false 02, true 03, number(value) or string(value)
//   number    05 | top byte of u | the other 56 bits of u in groups of 7 bits, from the top: (group << 1) | 1, the last
//             one group << 1; groups after the last non-zero bit are left out, and so is a last byte that would be 00.
//             u = the IEEE-754 bits, sign flipped if it was clear, else negated as a two's complement.
//   string    08 | each UTF-8 byte + 1 of the first 100 UTF-16 units | 00
//
// Wire: lone surrogates hash as U+FFFD, as in the clients; two different keys may share an EPK, so a lookup always
// compares the key itself too. The .NET client cuts the string of a version 1 EPK after 101 *bytes* and then leaves out the
// 00; the JavaScript client never does. They differ only beyond ASCII, and only after the hash that routes, so we follow
// the latter.

import { assert } from './errors.ts';
import { murmur32, murmur128, murmur128Limbs } from './murmur.ts';
import type { PartitionKeyComponent, PartitionKeyValues } from './partition-key.ts';
import type { PartitionKeyDefinition } from './partition-key-definition.ts';
import { plainBytes, utf8BytesPerUnitMax, writeUtf8 } from './utf8.ts';

/** The EPK of a full key: as many values as the definition has paths. `allocate` makes the bytes it is written to. */
export function effectiveKey<Bytes extends Uint8Array = Uint8Array>(
  definition: PartitionKeyDefinition,
  values: PartitionKeyValues,
  allocate: (length: number) => Bytes = plainBytes<Bytes>,
): Bytes {
  assert(values.length === definition.paths.length, 'an effective key needs a value for every path');
  return hashLevels(definition, values, allocate);
}

/** Where the keys with these leading values lie: [P, P + "FF"), as the clients ask for it. */
export function effectiveKeyPrefixRange(
  definition: PartitionKeyDefinition,
  prefixValues: PartitionKeyValues,
): { min: string; max: string } {
  assert(prefixValues.length <= definition.paths.length, 'a prefix has no more values than the definition has paths');
  if (prefixValues.length === 0) return { min: '', max: 'FF' };
  const min = effectiveKeyHex(hashLevels(definition, prefixValues, plainBytes));
  return { min, max: `${min}FF` };
}

export function effectiveKeyHex(bytes: Uint8Array): string {
  let hex = '';
  for (let at = 0; at < bytes.length; at += 1) hex += hexOfByte[bytes[at] as number]; // Below the length.
  return hex;
}

export function effectiveKeyFromHex(hex: string): Uint8Array {
  assert(hex.length % 2 === 0, 'hex has two digits a byte');
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (hexDigit(hex.charCodeAt(2 * at)) << 4) | hexDigit(hex.charCodeAt(2 * at + 1));
  }
  return bytes;
}

/** The bytes that stand for a 32-bit hash at the front of a version 1 EPK; range boundaries are made of them too. */
export function encodeNumberV1(value: number): Uint8Array {
  return numberScratch.slice(0, writeNumberV1(value, numberScratch, 0));
}

const hashBytes = 16;
const stringUnitsMaxV1 = 100;
const numberBytesMaxV1 = 10;

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, '0'),
);

// Reused for every hash: nothing here is re-entrant, and a key is hashed before the call returns.
let scratch: Uint8Array = new Uint8Array(8 * 1024);
const numberScratch: Uint8Array = new Uint8Array(numberBytesMaxV1);
const numberView: DataView = new DataView(new ArrayBuffer(8));

function hashLevels<Bytes extends Uint8Array>(
  definition: PartitionKeyDefinition,
  values: PartitionKeyValues,
  allocate: (length: number) => Bytes,
): Bytes {
  if (definition.version === 1) return hashV1(values[0], allocate);
  const key = allocate(hashBytes * values.length);
  for (let level = 0; level < values.length; level += 1) {
    murmur128(scratch, writeComponent(values[level], 0xff));
    writeHashV2(key, level * hashBytes);
  }
  return key;
}

function writeHashV2(key: Uint8Array, at: number): void {
  writeLimb(key, at, murmur128Limbs[2] as number); // Four limbs.
  writeLimb(key, at + 4, murmur128Limbs[3] as number);
  writeLimb(key, at + 8, murmur128Limbs[0] as number);
  writeLimb(key, at + 12, murmur128Limbs[1] as number);
  key[at] = (key[at] as number) & 0x3f;
}

function writeLimb(key: Uint8Array, at: number, limb: number): void {
  key[at] = limb >>> 24;
  key[at + 1] = limb >>> 16;
  key[at + 2] = limb >>> 8;
  key[at + 3] = limb;
}

function hashV1<Bytes extends Uint8Array>(value: PartitionKeyComponent, allocate: (length: number) => Bytes): Bytes {
  const component = typeof value === 'string' ? value.slice(0, stringUnitsMaxV1) : value;
  const hash = murmur32(scratch, writeComponent(component, 0x00));
  let at = writeNumberV1(hash, scratch, 0);
  if (typeof component === 'number') at = writeNumberV1(component, scratch, at);
  else if (typeof component === 'string') at = writeStringV1(component, at);
  else scratch[at++] = tagOf(component);
  const key = allocate(at);
  key.set(scratch.subarray(0, at));
  return key;
}

/** Writes one component to the scratch bytes as it is hashed; returns its length. */
function writeComponent(value: PartitionKeyComponent, stringEnd: number): number {
  if (typeof value === 'string') {
    const room = value.length * utf8BytesPerUnitMax + 2;
    if (room > scratch.length) scratch = new Uint8Array(room);
    scratch[0] = 0x08;
    const end = writeUtf8(value, scratch, 1, 'replace');
    scratch[end] = stringEnd;
    return end + 1;
  }
  if (typeof value === 'number') {
    assert(Number.isFinite(value), 'a partition key number is finite');
    scratch[0] = 0x05;
    // `+ 0` turns -0 into 0: the clients hash them apart, but they are one number in JSON.
    numberView.setFloat64(0, value + 0, true);
    for (let index = 0; index < 8; index += 1) scratch[1 + index] = numberView.getUint8(index);
    return 9;
  }
  scratch[0] = tagOf(value);
  return 1;
}

function tagOf(value: boolean | null | undefined): number {
  if (value === undefined) return 0x00;
  if (value === null) return 0x01;
  return value ? 0x03 : 0x02;
}

function writeStringV1(text: string, start: number): number {
  scratch[start] = 0x08;
  const end = writeUtf8(text, scratch, start + 1, 'replace');
  for (let at = start + 1; at < end; at += 1) scratch[at] = (scratch[at] as number) + 1; // UTF-8 has no FF.
  scratch[end] = 0x00;
  return end + 1;
}

function writeNumberV1(value: number, target: Uint8Array, start: number): number {
  numberView.setFloat64(0, value + 0);
  let high = numberView.getInt32(0);
  let low = numberView.getInt32(4);
  if (high >= 0) {
    high ^= 0x80000000;
  } else {
    low = -low | 0;
    high = (low === 0 ? -high : ~high) | 0;
  }
  let at = start;
  target[at++] = 0x05;
  target[at++] = high >>> 24;
  high = (high << 8) | (low >>> 24);
  low <<= 8;
  while (high !== 0 || low !== 0) {
    const group = (high >>> 24) & 0xfe;
    high = (high << 7) | (low >>> 25);
    low <<= 7;
    target[at++] = high !== 0 || low !== 0 ? group | 1 : group;
  }
  return at;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  assert(code >= 0x41 && code <= 0x46, 'hex is written with upper-case digits');
  return code - 0x37;
}
