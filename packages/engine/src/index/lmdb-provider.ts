// Opens and discards the index folder. Damage deep inside an LMDB file can end the process when it is first touched, which
// no check beforehand finds. So an index is on trial from before it is opened until the database is open and the index has
// taken a transaction:
//
//   INDEX.TRIAL, a line of JSON: { "points": what speaks against this index: starts that began with it and did not come through }
//
// Found with 10 or more, the index is thrown away and rebuilt from the log. A start that ended before the index had taken
// its first transaction counts 5: that is where damage shows. One that ended later counts 1: it was most likely killed by a
// person or a supervisor, and a rebuild takes as long as the database is large, so that whoever kills what starts slowly would
// never see it start. The file is replaced by a rename and its folder flushed, so that a power cut leaves the old count or the
// new one. An index that failed while it was in use is condemned through the same file.

import { Buffer } from 'node:buffer';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import type { FileSystem } from '../files/file-system.ts';
import { isDiskFull, isMissing } from '../files/file-system.ts';
import type { IndexStore } from './index-store.ts';
import { lmdbBytes } from './lmdb-file.ts';
import type { LmdbIndexOptions } from './lmdb-index.ts';
import { openLmdbIndex } from './lmdb-index.ts';

const folderName = 'index';
const trialPath = 'index.trial';
const pointsMax = 10;
const earlyPoints = 5;
const latePoints = 1;

/** What the index of a data folder takes of the disk. */
export function indexBytes(folder: string): Promise<number> {
  return lmdbBytes(join(folder, folderName));
}

export interface LmdbIndexProvider {
  open(): Promise<IndexStore>;
  discard(): Promise<void>;
  /** The index has taken a transaction, and the database is not open yet: what happens now is hardly its fault. */
  eased(): Promise<void>;
  /** The index has taken a transaction: its trial is over. */
  proven(): Promise<void>;
  /** The index has failed: the next open throws it away. */
  condemn(): Promise<void>;
}

export function lmdbIndexProvider(
  folder: string,
  files: FileSystem,
  environment: Environment,
  options: Pick<LmdbIndexOptions, 'threadChangesMin'> = {},
): LmdbIndexProvider {
  const path = join(folder, folderName);
  let isOnTrial = false;
  let isCondemned = false;
  /** Of earlier starts. */
  let pointsBefore = 0;
  /** The file is written by one at a time. */
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const discard = async (): Promise<void> => {
    isCondemned = false;
    pointsBefore = 0;
    await rm(path, { recursive: true, force: true });
    await files.syncDirectory('.');
  };
  const condemn = (): Promise<void> => {
    isCondemned = true;
    return inTurn(() => writePoints(files, pointsMax));
  };
  return {
    discard,
    condemn,
    open: async () => {
      // A start may open the index twice, before and after it was discarded; it is one attempt.
      if (!isOnTrial) {
        pointsBefore = await readPoints(files);
        if (pointsBefore >= pointsMax) await discard();
        await inTurn(() => writePoints(files, pointsBefore + earlyPoints));
        isOnTrial = true;
      }
      await files.makeDirectory(folderName);
      // Should the mark not be written, whoever opens it next finds the damage again.
      const onDamage = (): void => void condemn().catch(() => {});
      return openLmdbIndex(path, { ...options, clock: environment.clock, onDamage });
    },
    eased: () =>
      inTurn(async () => {
        if (isOnTrial && !isCondemned) await writePoints(files, pointsBefore + latePoints);
      }),
    proven: () =>
      inTurn(async () => {
        if (!isOnTrial || isCondemned) return;
        isOnTrial = false;
        await files.remove(trialPath);
        await files.syncDirectory('.');
      }),
  };
}

async function readPoints(files: FileSystem): Promise<number> {
  try {
    const file = await files.open(trialPath);
    const bytes = Buffer.alloc(await file.sizeBytes());
    await file.read(bytes, 0);
    await file.close();
    return pointsIn(bytes.toString('utf8'));
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** A file that cannot be read says that something was wrong, and the index can always be rebuilt. */
function pointsIn(text: string): number {
  try {
    const { points } = JSON.parse(text) as { points?: unknown }; // Checked below.
    return typeof points === 'number' ? points : pointsMax;
  } catch {
    return pointsMax;
  }
}

async function writePoints(files: FileSystem, points: number): Promise<void> {
  try {
    await replaceTrial(files, points);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new DatabaseError('disk-full', 'There is no room to open the index: free at least 1 MiB.', { cause: error });
  }
}

async function replaceTrial(files: FileSystem, points: number): Promise<void> {
  const temporary = `${trialPath}.tmp`;
  const file = await files.open(temporary, { create: true });
  await file.write(Buffer.from(`${JSON.stringify({ points })}\n`), 0);
  await file.sync();
  await file.close();
  await files.rename(temporary, trialPath);
  await files.syncDirectory('.');
}
