// How large the files of a folder are, while somebody else may be removing some of them.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export function fileBytesIn(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
