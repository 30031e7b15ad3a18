// A data folder that no server has open, for the commands that work on one.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Database } from '@tidemark/engine';
import { isBackupFolder, openDatabase } from '@tidemark/engine';
import type { Call } from './call.ts';
import { textOption } from './call.ts';
import { quoted, say } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** The folder that the call names; undefined when it is about a running server. */
export function folderOf(call: Call): string | undefined {
  const folder = textOption(call, 'data');
  if (folder === undefined) return undefined;
  if (textOption(call, 'endpoint') !== undefined || textOption(call, 'connectionStringEnv') !== undefined) {
    throw new UsageError('Give --data or an endpoint, not both: one is a folder, the other a running server.');
  }
  return resolve(folder);
}

/** Undefined when the folder is none. The engine refuses a backup as well, and does not know what to type: `command` is how this program is called. */
export async function backupRefusal(folder: string, command: string): Promise<string | undefined> {
  if (!(await isBackupFolder(folder))) return undefined;
  const advice = `Make a data folder of it: ${command} restore ${quoted(folder)} restored`;
  return `${folder} is a backup, and opening it would change it. ${advice}, then use --data restored.`;
}

/** Opening an absent folder would make an empty database, and checking that would prove nothing. */
export async function withFolder<T>(
  folder: string,
  command: string,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  if (!existsSync(join(folder, 'TIDEMARK'))) throw new UsageError(`${folder} is not a Tidemark data folder.`);
  const refusal = await backupRefusal(folder, command);
  if (refusal !== undefined) throw new UsageError(refusal);
  const onRebuildProgress = (fraction: number): void => {
    if (fraction === 0) say('rebuilding the index …');
  };
  const database = await openDatabase({ folder, maintenance: false, onRebuildProgress });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
