// Opens and discards the index folder. Damage deep inside an LMDB file can end the process when it is first touched, which
// no check beforehand finds. So an index is on trial from before it is opened until it has taken its first transaction:
//
//   INDEX.TRIAL, a line of JSON: { "attempts": how many starts have begun with this index and not come through }
//
// Found with 2 or more, the index is thrown away and rebuilt from the log. One start that ended early proves little: it may
// have been killed by a person. The file is replaced by a rename and its folder flushed, so that a power cut leaves the old
// count or the new one. An index that failed while it was in use is condemned through the same file.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import type { FileSystem } from '../files/file-system.ts';
import { isDiskFull, isMissing } from '../files/file-system.ts';
import type { IndexStore } from './index-store.ts';
import { lmdbBytes } from './lmdb-file.ts';
import { openLmdbIndex } from './lmdb-index.ts';

const folderName = 'index';
const trialPath = 'index.trial';
const attemptsMax = 2;

/** What the index of a data folder takes of the disk. */
export function indexBytes(folder: string): Promise<number> {
  return lmdbBytes(join(folder, folderName));
}

export interface LmdbIndexProvider {
  open(): Promise<IndexStore>;
  discard(): Promise<void>;
  /** The index has taken a transaction: its trial is over. */
  proven(): Promise<void>;
  /** The index has failed: the next open throws it away. */
  condemn(): Promise<void>;
}

export function lmdbIndexProvider(folder: string, files: FileSystem, environment: Environment): LmdbIndexProvider {
  const path = join(folder, folderName);
  let isOnTrial = false;
  let isCondemned = false;
  const discard = async (): Promise<void> => {
    isCondemned = false;
    await rm(path, { recursive: true, force: true });
    await files.syncDirectory('.');
  };
  const condemn = async (): Promise<void> => {
    isCondemned = true;
    await writeAttempts(files, attemptsMax);
  };
  return {
    discard,
    condemn,
    open: async () => {
      // A start may open the index twice, before and after it was discarded; it is one attempt.
      if (!isOnTrial) {
        const attempts = await readAttempts(files);
        if (attempts >= attemptsMax) await discard();
        await writeAttempts(files, attempts >= attemptsMax ? 1 : attempts + 1);
        isOnTrial = true;
      }
      await files.makeDirectory(folderName);
      // Should the mark not be written, whoever opens it next finds the damage again.
      const onDamage = (): void => void condemn().catch(() => {});
      return openLmdbIndex(path, { clock: environment.clock, onDamage });
    },
    proven: async () => {
      if (!isOnTrial || isCondemned) return;
      isOnTrial = false;
      await files.remove(trialPath);
      await files.syncDirectory('.');
    },
  };
}

async function readAttempts(files: FileSystem): Promise<number> {
  try {
    const file = await files.open(trialPath);
    const bytes = Buffer.alloc(await file.sizeBytes());
    await file.read(bytes, 0);
    await file.close();
    return attemptsIn(bytes.toString('utf8'));
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** A file that cannot be read says that something was wrong, and the index can always be rebuilt. */
function attemptsIn(text: string): number {
  try {
    const { attempts } = JSON.parse(text) as { attempts?: unknown }; // Checked below.
    return typeof attempts === 'number' ? attempts : attemptsMax;
  } catch {
    return attemptsMax;
  }
}

async function writeAttempts(files: FileSystem, attempts: number): Promise<void> {
  try {
    await replaceTrial(files, attempts);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new DatabaseError('disk-full', 'There is no room to open the index: free at least 1 MiB.', { cause: error });
  }
}

async function replaceTrial(files: FileSystem, attempts: number): Promise<void> {
  const temporary = `${trialPath}.tmp`;
  const file = await files.open(temporary, { create: true });
  await file.write(Buffer.from(`${JSON.stringify({ attempts })}\n`), 0);
  await file.sync();
  await file.close();
  await files.rename(temporary, trialPath);
  await files.syncDirectory('.');
}
