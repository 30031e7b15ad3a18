// The raw limit of reading: the bytes of the log's own files, one after the other, 1 MiB at a time, looked at by nobody.
// Into one buffer that is used again, and into a fresh one for each read, which is what whoever hands the bytes on needs.

import * as fs from 'node:fs';
import { join } from 'node:path';

const readBytes: number = 1024 * 1024;

/** Reads this many bytes of the segments in a data folder, from the first on, beginning anew at the end. Resolves with ms. */
export function readSequentially(folder: string, bytes: number, buffers: 'reused' | 'fresh'): number {
  const segments = join(folder, 'segments');
  const names = fs
    .readdirSync(segments)
    .filter((name) => name.endsWith('.seg'))
    .sort();
  const files = names.map((name) => fs.openSync(join(segments, name), 'r'));
  let target = Buffer.allocUnsafeSlow(readBytes);
  const startedMs = performance.now();
  let left = bytes;
  while (left > 0) {
    for (const fd of files) {
      for (let offset = 0; left > 0; ) {
        if (buffers === 'fresh') target = Buffer.allocUnsafeSlow(readBytes);
        const read = fs.readSync(fd, target, 0, Math.min(readBytes, left), offset);
        if (read === 0) break;
        offset += read;
        left -= read;
      }
    }
  }
  const elapsedMs = performance.now() - startedMs;
  for (const fd of files) fs.closeSync(fd);
  return elapsedMs;
}
