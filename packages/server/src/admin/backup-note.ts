// `BACKUP`, a file beside a backup that says what the folder is. For the database a backup looks like any folder that was just restored; with
// the note a server can refuse to write into it. A restore leaves the note behind.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const noteName = 'BACKUP';
const noteText = `This folder is a backup of a Tidemark database: tidemark restore makes a data folder of it.
A server does not write to it while this file is here.
`;

/** When the backup is complete: a backup goes into an empty folder. */
export function noteBackup(folder: string): Promise<void> {
  return writeFile(join(folder, noteName), noteText, { mode: 0o600 });
}

export function isBackup(folder: string): boolean {
  return existsSync(join(folder, noteName));
}
