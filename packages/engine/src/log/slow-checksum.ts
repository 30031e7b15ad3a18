// The checksum of checksum.ts in JavaScript, word by word: where there is no WebAssembly, and to compare it with.

import { Buffer } from 'node:buffer';

const laneCount = 32;
const stripeBytes = 128;
const vectorBytes = 16;
const vectorLanes = 4;
const firstPrime = 0x9e37_79b1;
const secondPrime = 0x85eb_ca77;
const thirdPrime = 0xc2b2_ae3d;

export function slowChecksum(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly low: number; readonly high: number } {
  const lanes = new Int32Array(laneCount);
  for (let i = 0; i < laneCount; i += 1) lanes[i] = Math.imul(i + 1, 0x9e37_79b9);
  const wholeEnd = end - ((end - start) % stripeBytes);
  for (let at = start; at < wholeEnd; at += stripeBytes) takeVectors(lanes, bytes, at, at + stripeBytes);
  const tailAt = end - ((end - start) % vectorBytes);
  takeVectors(lanes, bytes, wholeEnd, tailAt);
  const tail = Buffer.alloc(vectorBytes);
  bytes.copy(tail, 0, tailAt, end);
  for (let i = 0; i < vectorLanes; i += 1) take(lanes, laneCount - vectorLanes + i, tail.readInt32LE(i * 4));
  for (let i = vectorLanes; i < laneCount; i += 1) take(lanes, i % vectorLanes, lanes[i] as number);
  for (let i = 0; i < vectorLanes; i += 1) take(lanes, i, end - start);
  const [a, b, c, d] = lanes as unknown as [number, number, number, number];
  return { low: mixed([a, b, c, d]), high: mixed([d, c, b, a]) };
}

/** Bytes [start, end), whole vectors of one stripe. */
function takeVectors(lanes: Int32Array, bytes: Buffer, start: number, end: number): void {
  for (let at = start, lane = 0; at < end; at += 4, lane += 1) {
    // A call of readInt32LE for each word would take five times as long.
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    lanes[lane] = taken(lanes[lane] as number, word);
  }
}

function take(lanes: Int32Array, lane: number, word: number): void {
  lanes[lane] = taken(lanes[lane] as number, word);
}

function taken(lane: number, word: number): number {
  const sum = (lane + Math.imul(word, secondPrime)) | 0;
  return Math.imul((sum << 13) | (sum >>> 19), firstPrime);
}

function mixed(words: readonly number[]): number {
  let hash = words.reduce(taken);
  hash = Math.imul(hash ^ (hash >>> 15), secondPrime);
  hash = Math.imul(hash ^ (hash >>> 13), thirdPrime);
  return (hash ^ (hash >>> 16)) >>> 0;
}
