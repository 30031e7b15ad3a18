// The checksum is part of the format of segments and of the index: it must be the same with every version of Node and everywhere.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import wabt from 'wabt';
import { checksum32, checksum48, checksumOfLent, lentMemory } from './checksum.ts';
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
    [0x746fc184, 0xaad4746fc184],
    [0x0a1b7e0d, 0x73620a1b7e0d],
    [0xc615d9b2, 0x6f0ac615d9b2],
    [0x8d391afb, 0x9c1f8d391afb],
    [0x936b4cf5, 0x9fda936b4cf5],
    [0x533b0cc8, 0x4079533b0cc8],
    [0x21f1bec0, 0x5a4621f1bec0],
  ]);
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
      if (end - start > lentMemory.length) return;
      lentMemory.set(bytes.subarray(start, end));
      expect(checksumOfLent(end - start)).toBe(low);
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

test('two flipped bits are seen, the highest of neighbours in one lane as well [engine 4]', () => {
  const bytes = Buffer.alloc(1_024, 7);
  const whole = checksum32(bytes);
  const bits = bytes.length * 8;
  fc.assert(
    fc.property(fc.nat({ max: bits - 1 }), fc.integer({ min: 0, max: bits / 1_024 - 2 }), (first, stripes) => {
      const second = (first + (stripes + 1) * 1_024) % bits;
      const flipped = Buffer.from(bytes);
      for (const bit of [first, second]) flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(checksum32(flipped)).not.toBe(whole);
    }),
    { numRuns: 1_000 },
  );
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
      import { checksum32, checksum48 } from './checksum.ts';
      const bytes = Buffer.alloc(20_000, 'tidemark');
      console.log(JSON.stringify([checksum32(bytes), checksum48(bytes)]));`,
    resolveDir: fileURLToPath(new URL('.', import.meta.url)),
  },
  bundle: true,
  platform: 'node',
  write: false,
}).outputFiles[0]?.text as string;
const node = [process.execPath, '-e', program];

test.each([
  ['WebAssembly', [process.execPath, '--jitless', ...node.slice(1)]],
  ['room for addresses', ['sh', '-c', 'ulimit -v 4000000 && exec "$0" "$@"', ...node]],
])('is the same where there is no %s [engine 4]', (_, [command, ...args]) => {
  const output = execFileSync(command as string, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const bytes = Buffer.alloc(20_000, 'tidemark');
  expect(JSON.parse(output)).toEqual([checksum32(bytes), checksum48(bytes)]);
});

function repeated([some, length]: [Uint8Array, number]): Uint8Array {
  return Buffer.alloc(length, some);
}
