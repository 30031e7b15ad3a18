// A start that is refused leaves nothing behind: a data folder that it has made, and what is above it, goes again.

import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The outermost folder that would have to be made for this one; undefined when it is there. */
export async function firstMissing(folder: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let path = folder; !(await exists(path)); path = dirname(path)) {
    missing = path;
    if (dirname(path) === path) break;
  }
  return missing;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    // Whatever else is wrong with it, it is not missing.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
