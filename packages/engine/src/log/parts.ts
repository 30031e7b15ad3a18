// Stretches of a file, read one behind the other into one buffer.

import type { LogFile } from '../files/file-system.ts';

/** One fewer than Node has threads: a flush finds one of them free. */
const partsAtOnce = 3;

/** A stretch of a segment. */
export interface Part {
  readonly offset: number;
  readonly length: number;
}

/** Gives how many bytes there were, fewer only at the end of the file. */
export function readAtOnce(file: LogFile, parts: readonly Part[], target: Buffer): number {
  let filled = 0;
  for (const { offset, length } of parts) {
    const read = file.readSync(target.subarray(filled, filled + length), offset);
    filled += read;
    if (read < length) break;
  }
  return filled;
}

/** The same without blocking. When it has ended, nothing is written into the buffer any more, also when it has failed. */
export async function readByThreads(file: LogFile, parts: readonly Part[], target: Buffer): Promise<number> {
  let filled = 0;
  for (let first = 0; first < parts.length; first += partsAtOnce) {
    const reads: Promise<number>[] = [];
    let end = filled;
    for (const { offset, length } of parts.slice(first, first + partsAtOnce)) {
      reads.push(file.read(target.subarray(end, end + length), offset));
      end += length;
    }
    await Promise.allSettled(reads);
    for (const [i, read] of (await Promise.all(reads)).entries()) {
      filled += read;
      if (read < (parts[first + i] as Part).length) return filled;
    }
  }
  return filled;
}
