// The checksum is part of the format of segments and of the index: it must be the same with every version of Node and everywhere.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SeededRandom } from '@tidemark/testing';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import wabt from 'wabt';
import { checksum32, checksum48, checksumMemory, checksumOfHead, isCompiled } from './checksum.ts';
import { moduleText } from './checksum-module.ts';
import { slowChecksum } from './slow-checksum.ts';

/** Longer ones are taken in parts. */
const partBytes = 16 * 1024;

test('has the values that are written in segments and in the index [engine 4]', () => {
  const values = [
    Buffer.alloc(0),
    Buffer.from('123456789'),
    Buffer.alloc(127),
    Buffer.alloc(128),
    Buffer.alloc(partBytes, 'tidemark'),
    Buffer.alloc(partBytes + 1, 'tidemark'),
    Buffer.alloc(50_000, 'tidemark'),
  ].map((bytes) => [checksum32(bytes), checksum48(bytes)]);
  expect(values).toEqual([
    [0xbd41610d, 0x001fbd41610d],
    [0x332d9232, 0x78b8332d9232],
    [0xaab0cb28, 0xf057aab0cb28],
    [0x6013d4e5, 0x634c6013d4e5],
    [0x2ef354a1, 0x52652ef354a1],
    [0x0101dcd8, 0xcf080101dcd8],
    [0xbe970811, 0x624cbe970811],
  ]);
});

test('is the fast one wherever it can be [engine 4]', () => {
  expect(isCompiled).toBe(true);
});

test('is what the slow one gives, of bytes of any length from any offset on [engine 4]', () => {
  const bytesOf = fc.oneof(
    fc.uint8Array({ maxLength: 300, size: 'max' }),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 200, size: 'max' }), fc.nat({ max: 3 * partBytes }))
      .map(repeated),
  );
  fc.assert(
    fc.property(bytesOf, fc.nat({ max: 20 }), fc.nat({ max: 20 }), (some, before, behind) => {
      const start = Math.min(before, some.length);
      const end = Math.max(start, some.length - behind);
      const bytes = Buffer.from(some);
      const { low, high } = slowChecksum(bytes, start, end);
      expect(checksum32(bytes, start, end)).toBe(low);
      expect(checksum48(bytes, start, end)).toBe(low + (high & 0xffff) * 2 ** 32);
      if (end - start > checksumMemory.length) return;
      checksumMemory.set(bytes.subarray(start, end));
      expect(checksumOfHead(end - start)).toBe(low);
    }),
    { numRuns: 1_000 },
  );
});

test('is another one when any bit has flipped, zeros came or went, or two words have changed places [engine 4]', () => {
  const bytes = Buffer.alloc(partBytes + 1_000, 'a run of documents');
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE((bytes.readUInt32LE(at) ^ at) >>> 0, at);
  const [whole32, whole48] = [checksum32(bytes), checksum48(bytes)];
  const isOther = (changed: Buffer): void => {
    expect(checksum32(changed)).not.toBe(whole32);
    expect(checksum48(changed)).not.toBe(whole48);
  };
  const words = bytes.length / 4;
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 }), (at, bit) => {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << bit);
      isOther(flipped);
      isOther(bytes.subarray(0, at));
      isOther(Buffer.concat([bytes, Buffer.alloc(1 + (at % 200))]));
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.nat({ max: words - 1 }), fc.integer({ min: 1, max: words - 1 }), (one, distance) => {
      const other = (one + distance) % words;
      const swapped = Buffer.from(bytes);
      bytes.copy(swapped, one * 4, other * 4, other * 4 + 4);
      bytes.copy(swapped, other * 4, one * 4, one * 4 + 4);
      fc.pre(!swapped.equals(bytes));
      isOther(swapped);
    }),
    { numRuns: 500 },
  );
});

test('any two flipped bits are seen [engine 4]', () => {
  const bytes = 300;
  checksumMemory.fill('{"id":"7","pk":"tidemark"},', 0, bytes);
  const whole = checksumOfHead(bytes);
  let unseen = 0;
  for (let first = 0; first < bytes * 8; first += 1) {
    flip(checksumMemory, first);
    for (let second = first + 1; second < bytes * 8; second += 1) {
      flip(checksumMemory, second);
      if (checksumOfHead(bytes) === whole) unseen += 1;
      flip(checksumMemory, second);
    }
    flip(checksumMemory, first);
  }
  expect(unseen).toBe(0);
});

test('a few flipped bits of two words that meet in one lane are seen [engine 4]', () => {
  const bytes = 512;
  checksumMemory.fill('{"id":"7","pk":"tidemark"},', 0, bytes);
  const whole = checksumOfHead(bytes);
  const random = new SeededRandom('a few bits');
  let unseen = 0;
  for (let trial = 0; trial < 1_000_000; trial += 1) {
    const word = random.int(bytes / 4);
    // Of the lane itself in stripes, of those that are put together at the end in vectors.
    const other = (word + (1 + random.int(bytes / 16 - 1)) * 4) % (bytes / 4);
    const bits = [word * 32 + random.int(32), other * 32 + random.int(32)];
    for (let more = random.int(3); more > 0; more -= 1) bits.push((random.bool() ? word : other) * 32 + random.int(32));
    const distinct = [...new Set(bits)];
    for (const bit of distinct) flip(checksumMemory, bit);
    if (checksumOfHead(bytes) === whole) unseen += 1;
    for (const bit of distinct) flip(checksumMemory, bit);
  }
  expect(unseen).toBe(0);
});

test('what is alike has checksums that are not: bitmaps, counters, a number in two places [engine 4]', () => {
  const random = new SeededRandom('alike');
  const bitmaps = (_: number): Buffer => {
    const bitmap = Buffer.alloc(522);
    flip(bitmap, random.int(522 * 8));
    flip(bitmap, random.int(522 * 8));
    return bitmap;
  };
  const texts = (number: number): Buffer => {
    const digits = String(number).padStart(8, '0');
    return Buffer.from(`${digits}--------${digits}--------`.repeat(1 + (number % 5)));
  };
  const words = (number: number): Buffer => {
    const counter = Buffer.alloc(64 + (number % 70));
    counter.writeUInt32LE(number, (number % 16) * 4);
    return counter;
  };
  for (const make of [bitmaps, texts, words]) {
    const seen = new Map<number, string>();
    let alike = 0;
    for (let number = 0; number < 200_000; number += 1) {
      const bytes = make(number);
      const checksum = checksum48(bytes);
      const text = bytes.toString('latin1');
      const before = seen.get(checksum);
      if (before !== undefined && before !== text) alike += 1;
      seen.set(checksum, text);
    }
    expect(alike, make.name).toBe(0);
  }
});

test('the module is the one whose text is beside it [engine 4]', async () => {
  const text = readFileSync(new URL('checksum.wat', import.meta.url), 'utf8');
  const { parseWat } = await wabt();
  const { buffer } = parseWat('checksum.wat', text, { simd: true }).toBinary({});
  expect(Buffer.from(buffer).toString('base64')).toBe(moduleText);
});

/** In one piece: whatever else is needed to run TypeScript may want WebAssembly, or addresses, for itself. */
const program = buildSync({
  stdin: {
    contents: `
      import { checksum32, checksum48, isCompiled } from './checksum.ts';
      const bytes = Buffer.alloc(20_000, 'tidemark');
      console.log(JSON.stringify([isCompiled, checksum32(bytes), checksum48(bytes)]));`,
    resolveDir: fileURLToPath(new URL('.', import.meta.url)),
  },
  bundle: true,
  platform: 'node',
  write: false,
}).outputFiles[0]?.text as string;

const { execPath } = process;
test.each<readonly [what: string, command: readonly string[]]>([
  ['WebAssembly', [execPath, '--jitless', '-e', program]],
  // Others always have such instructions.
  ...(process.arch === 'x64' ? [['SIMD', [execPath, '--no-enable-sse4-1', '-e', program]] as const] : []),
  ['room for addresses', ['sh', '-c', 'ulimit -v 4000000 && exec "$0" "$@"', execPath, '-e', program]],
])('is the same where there is no %s [engine 4]', (_, [command, ...args]) => {
  const output = execFileSync(command as string, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const bytes = Buffer.alloc(20_000, 'tidemark');
  expect(JSON.parse(output)).toEqual([false, checksum32(bytes), checksum48(bytes)]);
});

function flip(bytes: Buffer, bit: number): void {
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
}

function repeated([some, length]: [Uint8Array, number]): Uint8Array {
  return Buffer.alloc(length, some);
}
