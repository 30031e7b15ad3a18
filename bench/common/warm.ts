// Brings the files of a folder, and of those in it, into the page cache. Systems give back what nobody has read for a while, even with
// memory to spare; who is measured beside files that were written a moment ago must not have to fetch its own from the disk.

import * as fs from 'node:fs';
import { join } from 'node:path';

const readBytes: number = 1024 * 1024;
const target: Buffer = Buffer.allocUnsafeSlow(readBytes);

/** Who closes it lets go of the locks that this process has on it. */
const lmdbLock = 'lock.mdb';

export function warmFiles(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) warmFiles(path);
    else if (entry.isFile() && entry.name !== lmdbLock) warmFile(path);
  }
}

function warmFile(path: string): void {
  const fd = fs.openSync(path, 'r');
  try {
    while (fs.readSync(fd, target, 0, readBytes, null) > 0);
  } finally {
    fs.closeSync(fd);
  }
}
