// The raw limit of reading: the bytes of the log's own files, one after the other, 1 MiB at a time, looked at by nobody.
//
//   in turn   into a few buffers that are used again, as the product does: those of a page and of the read ahead of it
//   fresh     into a new one for each read
//   one       into one that is used again and again, and never leaves the processor's cache

import { Buffer } from 'node:buffer';
import * as fs from 'node:fs';
import { join } from 'node:path';

export type ReadBuffers = 'in turn' | 'fresh' | 'one';

const readBytes: number = 1024 * 1024;
const buffersInTurn = 5;

const kept: readonly Buffer[] = Array.from({ length: buffersInTurn }, () => Buffer.allocUnsafeSlow(readBytes));

/** Reads this many bytes of the segments in a data folder, from the first on, beginning anew at the end. Resolves with ms. */
export function readSequentially(folder: string, bytes: number, buffers: ReadBuffers): number {
  const segments = join(folder, 'segments');
  const names = fs
    .readdirSync(segments)
    .filter((name) => name.endsWith('.seg'))
    .sort();
  const files = names.map((name) => fs.openSync(join(segments, name), 'r'));
  let read = 0;
  const startedMs = performance.now();
  let left = bytes;
  while (left > 0) {
    for (const fd of files) {
      for (let offset = 0; left > 0; ) {
        const target =
          buffers === 'fresh'
            ? Buffer.allocUnsafeSlow(readBytes)
            : (kept[buffers === 'one' ? 0 : read % kept.length] as Buffer);
        const bytesRead = fs.readSync(fd, target, 0, Math.min(readBytes, left), offset);
        if (bytesRead === 0) break;
        read += 1;
        offset += bytesRead;
        left -= bytesRead;
      }
    }
  }
  const elapsedMs = performance.now() - startedMs;
  for (const fd of files) fs.closeSync(fd);
  return elapsedMs;
}
