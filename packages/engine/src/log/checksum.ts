// CHECKSUM: what tells bytes that have rotted, or were torn, from those that were written. Part of the format of segments and
// of the index, in 32 or 48 bits.
//
// Bytes are words of 32 bits, little-endian, 32 of them to a stripe; a lane takes the same word of each stripe, as XXH32 does:
//
//   lane i, from 0         begins as (i + 1) * 0x9e3779b9
//   takes a word           lane = rotl(lane + word * 0x85ebca77, 13) * 0x9e3779b1
//   of the last stripe     lanes have the whole 16 bytes that there are; the 1 to 15 behind them, with zeros up to 16, go to
//                          lanes 28 to 31, which take zeros if there are none
//   at the end             lanes 0 to 3 take lanes 4 to 7, 8 to 11, … as words, and then each the number of bytes;
//                          low is lane 0 that takes lanes 1, 2, 3 and high is lane 3 that takes 2, 1, 0, each mixed as XXH32 does
//
// To take a word is one to one: whatever happens to a single word is seen. What happens to several of one lane, or of lanes
// that are a multiple of four apart, is not seen one time in 2^32; anything wider, in 48 bits, one time in 2^48. Both
// multiplications are needed: with one, a flipped bit leaves another single one behind, which the next word can undo.
//
// It is most of what a page of the feed costs and a good part of a write. The lanes are those of vector instructions, in a
// module of WebAssembly; with a copy into its memory, a part at a time, it does some 13 GB/s where this Node's crc32 does 3.5 and
// GHASH 4 to 6. Where there is no WebAssembly (`--jitless`), no SIMD or a limit on addresses, it is done in JavaScript, at less
// than one.

import { Buffer } from 'node:buffer';
import { moduleText } from './checksum-module.ts';
import { slowChecksum } from './slow-checksum.ts';
import { vectorModule } from './vector-module.ts';

interface Module {
  readonly memory: { readonly buffer: ArrayBuffer };
  absorb(at: number, bytes: number, before: number, isLast: number): number;
}

/** Of the memory of the module; see checksum.wat. */
const highAt = 128;
export const headAt = 4_096;
const headBytes = 8 * 1024;
const partAt: number = headAt + headBytes;
/** Stays in the processor's first cache. */
const partBytes = 16 * 1024;
/** Shorter ones are copied in a loop: a view of them costs more. */
const loopBytesMax = 48;

const compiled = vectorModule<Module>(moduleText);
/** Whether it is the fast one. */
export const isCompiled: boolean = compiled !== undefined;
const memory: Buffer = compiled === undefined ? Buffer.alloc(partAt) : Buffer.from(compiled.memory.buffer);

/** For modules that look at what is in it. Undefined where there are none. */
export const moduleMemory: Module['memory'] | undefined = compiled?.memory;

/** Memory in which small things are put together to have their checksum; whoever comes next writes over them. */
export const checksumMemory: Buffer = memory.subarray(headAt, headAt + headBytes);

/** Its first bytes. A view for each number of them is made once: it costs more than what is done with it. */
export function checksumHead(bytes: number): Buffer {
  let head = heads[bytes];
  if (head === undefined) {
    head = checksumMemory.subarray(0, bytes);
    heads[bytes] = head;
  }
  return head;
}

/** All of its places at once: an array that grows by leaps becomes a dictionary. */
const heads: (Buffer | undefined)[] = new Array(headBytes + 1).fill(undefined);

/** Of the first bytes of `checksumMemory`. */
export function checksumOfHead(bytes: number): number {
  if (compiled === undefined) return slowChecksum(checksumMemory, 0, bytes).low;
  return compiled.absorb(headAt, bytes, 0, 1) >>> 0;
}

/** Of bytes [start, end): 32 bits. */
export function checksum32(bytes: Buffer, start = 0, end: number = bytes.length): number {
  if (compiled === undefined) return slowChecksum(bytes, start, end).low;
  return absorbAll(compiled, bytes, start, end) >>> 0;
}

/** 48 bits. */
export function checksum48(bytes: Buffer, start = 0, end: number = bytes.length): number {
  if (compiled === undefined) {
    const { low, high } = slowChecksum(bytes, start, end);
    return low + (high & 0xffff) * 0x1_0000_0000;
  }
  const low = absorbAll(compiled, bytes, start, end) >>> 0;
  return low + memory.readUInt16LE(highAt) * 0x1_0000_0000;
}

function absorbAll(module: Module, bytes: Buffer, start: number, end: number): number {
  let at = start;
  for (; end - at > partBytes; at += partBytes) {
    memory.set(bytes.subarray(at, at + partBytes), partAt);
    module.absorb(partAt, partBytes, at - start, 0);
  }
  const length = end - at;
  if (length <= loopBytesMax) for (let i = 0; i < length; i += 1) memory[partAt + i] = bytes[at + i] as number;
  else memory.set(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end), partAt);
  return module.absorb(partAt, length, at - start, 1);
}
