// The oracle is a transcription of the published algorithm in BigInt: slow, and plain enough to be checked by eye.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { murmur32, murmur128, murmur128Limbs } from './murmur.ts';

describe('murmur hashes', () => {
  test('agree with a plain BigInt transcription, at every length around the blocks [wire 9]', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        murmur128(bytes, bytes.length);
        const limbs = [...murmur128Limbs].map((limb) => BigInt(limb >>> 0));
        const [h1h = 0n, h1l = 0n, h2h = 0n, h2l = 0n] = limbs;

        expect([(h1h << 32n) | h1l, (h2h << 32n) | h2l]).toEqual(oracle128(bytes));
        expect(BigInt(murmur32(bytes, bytes.length))).toBe(oracle32(bytes));
      }),
      { numRuns: 2000 },
    );
  });
});

const mask32 = (1n << 32n) - 1n;
const mask64 = (1n << 64n) - 1n;

function rotate(value: bigint, bits: bigint, width: bigint): bigint {
  const mask = (1n << width) - 1n;
  return ((value << bits) | (value >> (width - bits))) & mask;
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function oracle32(bytes: Uint8Array): bigint {
  let hash = 0n;
  for (let at = 0; at < bytes.length; at += 4) {
    const block = bytes.subarray(at, at + 4);
    let k = (littleEndian(block) * 0xcc9e2d51n) & mask32;
    k = (rotate(k, 15n, 32n) * 0x1b873593n) & mask32;
    hash ^= k;
    if (block.length === 4) hash = (rotate(hash, 13n, 32n) * 5n + 0xe6546b64n) & mask32;
  }
  hash ^= BigInt(bytes.length);
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask32;
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask32;
  return hash ^ (hash >> 16n);
}

function oracle128(bytes: Uint8Array): [h1: bigint, h2: bigint] {
  const c1 = 0x87c37b91114253d5n;
  const c2 = 0x4cf5ad432745937fn;
  const mix1 = (k: bigint): bigint => (rotate((k * c1) & mask64, 31n, 64n) * c2) & mask64;
  const mix2 = (k: bigint): bigint => (rotate((k * c2) & mask64, 33n, 64n) * c1) & mask64;
  const final = (k: bigint): bigint => {
    let f = ((k ^ (k >> 33n)) * 0xff51afd7ed558ccdn) & mask64;
    f = ((f ^ (f >> 33n)) * 0xc4ceb9fe1a85ec53n) & mask64;
    return f ^ (f >> 33n);
  };
  let h1 = 0n;
  let h2 = 0n;
  for (let at = 0; at < bytes.length; at += 16) {
    const block = bytes.subarray(at, at + 16);
    const isWhole = block.length === 16;
    h1 ^= mix1(littleEndian(block.subarray(0, 8)));
    if (isWhole) h1 = ((rotate(h1, 27n, 64n) + h2) * 5n + 0x52dce729n) & mask64;
    h2 ^= mix2(littleEndian(block.subarray(8)));
    if (isWhole) h2 = ((rotate(h2, 31n, 64n) + h1) * 5n + 0x38495ab5n) & mask64;
  }
  h1 ^= BigInt(bytes.length);
  h2 ^= BigInt(bytes.length);
  h1 = (h1 + h2) & mask64;
  h2 = (h2 + h1) & mask64;
  h1 = final(h1);
  h2 = final(h2);
  h1 = (h1 + h2) & mask64;
  h2 = (h2 + h1) & mask64;
  return [h1, h2];
}
