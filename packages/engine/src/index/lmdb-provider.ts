// Opens and discards the index folder. Damage deep inside an LMDB file can end the process when it is first touched, which
// no check beforehand finds. So a mark is set while an index is on trial: found at the next start, the index is thrown away.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { IndexStore } from './index-store.ts';
import { openLmdbIndex } from './lmdb-index.ts';

const folderName = 'index';

export function lmdbIndexProvider(
  folder: string,
  files: FileSystem,
  environment: Environment,
): { open(): Promise<IndexStore>; discard(): Promise<void> } {
  const path = join(folder, folderName);
  return {
    open: async () => {
      await files.makeDirectory(folderName);
      return openLmdbIndex(path, { clock: environment.clock });
    },
    discard: async () => {
      await rm(path, { recursive: true, force: true });
      await files.syncDirectory('.');
    },
  };
}
