import { expect, test } from 'vitest';
import { frameBlockBytes, frameBlocksMax, restFrameBlocksMax } from '../limits.ts';
import type { FrameSpace } from './frame-memory.ts';
import { FrameMemory } from './frame-memory.ts';

const half: number = frameBlockBytes / 2;

test('a block is used again when all of its frames have been released', () => {
  const memory = new FrameMemory();
  const [first, second] = [memory.take(100), memory.take(100)];
  const filler = [memory.take(half), memory.take(half - 256)];
  const next = memory.take(100);
  expect(first.bytes.buffer).toBe(second.bytes.buffer);
  expect(next.bytes.buffer).not.toBe(first.bytes.buffer);
  for (const space of [first, ...filler]) space.release();
  // One of its frames is still needed.
  const [third, fourth] = [memory.take(half), memory.take(half)];
  expect(third.bytes.buffer).toBe(next.bytes.buffer);
  expect(fourth.bytes.buffer).not.toBe(first.bytes.buffer);
  second.release();
  expect(memory.idleBlocks).toBe(1);
  const [fifth, sixth] = [memory.take(half), memory.take(half)];
  expect(fifth.bytes.buffer).toBe(fourth.bytes.buffer);
  expect(sixth.bytes.buffer).toBe(first.bytes.buffer);
});

test('frames of one block do not overlap', () => {
  const memory = new FrameMemory();
  const spaces = [1, 63, 64, 65, 1_000].map((bytes) => memory.take(bytes));
  for (const [i, { bytes }] of spaces.entries()) bytes.fill(i + 1);
  for (const [i, { bytes }] of spaces.entries()) expect(bytes.every((byte) => byte === i + 1)).toBe(true);
});

test('a frame of more than half a block has memory of its own', () => {
  const memory = new FrameMemory();
  const large = memory.take(half + 1);
  expect(large.bytes.length).toBe(half + 1);
  expect(large.bytes.buffer.byteLength).toBe(half + 1);
  large.release();
  expect(memory.idleBlocks).toBe(0);
});

test('a frame is released once', () => {
  const memory = new FrameMemory();
  const [one, other] = [memory.take(8), memory.take(8)];
  one.release();
  expect(() => one.release()).toThrow(/released once/);
  other.release();
});

test('as many blocks are kept as were in use, up to so many, and few while nobody writes', () => {
  const memory = new FrameMemory();
  const take = (blocks: number): FrameSpace[] => Array.from({ length: blocks * 2 }, () => memory.take(half));
  const last = memory.take(8);
  for (const space of take(10)) space.release();
  // The block that is being filled is not one of them.
  expect(memory.idleBlocks).toBe(9);
  for (const space of take(frameBlocksMax + 8)) space.release();
  expect(memory.idleBlocks).toBe(frameBlocksMax - 2);
  last.release();
  expect(memory.idleBlocks).toBe(restFrameBlocksMax);
});

test('the memory of a burst is given back though somebody goes on to write', () => {
  const memory = new FrameMemory();
  let before = memory.take(1_000);
  for (const space of Array.from({ length: 40 }, () => memory.take(half))) space.release();
  expect(memory.idleBlocks).toBeGreaterThan(15);
  for (let n = 0; n < 20_000; n += 1) {
    const next = memory.take(1_000);
    before.release();
    before = next;
  }
  expect(memory.idleBlocks).toBeLessThanOrEqual(restFrameBlocksMax);
});
