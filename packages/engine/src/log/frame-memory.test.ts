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
  const [one] = [memory.take(8), memory.take(8)];
  one.release();
  one.release();
  expect(() => one.release()).toThrow(/released once/);
});

test('so many blocks are kept while somebody writes, and few while nobody does', () => {
  const memory = new FrameMemory();
  const spaces: FrameSpace[] = [];
  for (let i = 0; i < (frameBlocksMax + 8) * 2; i += 1) spaces.push(memory.take(half));
  const last = spaces.pop();
  for (const space of spaces) space.release();
  expect(memory.idleBlocks).toBe(frameBlocksMax);
  last?.release();
  expect(memory.idleBlocks).toBe(restFrameBlocksMax);
});
