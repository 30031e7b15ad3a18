// The mark of a data folder: `TIDEMARK`, a line of JSON that says what the folder is. A folder with other things in it is
// refused, and so is one of a newer format.

import { Buffer } from 'node:buffer';
import { DatabaseError } from '@tidemark/model';
import type { Environment } from './environment.ts';
import type { FileSystem } from './files/file-system.ts';
import { isMissing } from './files/file-system.ts';
import { checkFormat, folderFormat } from './log/segment.ts';

const markPath = 'TIDEMARK';
/** What the folder lock, the operating system and the database itself leave in an otherwise empty folder. */
const ownNames: ReadonlySet<string> = new Set([
  markPath,
  `${markPath}.tmp`,
  'LOCK',
  'segments',
  'index',
  'index.trial',
  'index.trial.tmp',
  'lost+found',
  // The server's, which may be made before the database.
  'tls',
]);

interface Mark {
  readonly format: number;
  readonly createdMs: number;
  /** Just restored from a backup and not opened since. */
  readonly isRestored?: boolean;
  /** Not to be opened: that would begin a new history in it, which every restore would copy. */
  readonly isBackup?: boolean;
}

export interface FolderClaim {
  readonly isRestored: boolean;
  /** The database has been opened: what was to be done once is done. */
  opened(): Promise<void>;
}

/** `folder` is what the files are below; it is for messages. */
export async function claimFolder(folder: string, files: FileSystem, environment: Environment): Promise<FolderClaim> {
  const mark = await readMark(files);
  if (mark === undefined) {
    const foreign = (await files.list('.')).find((name) => !ownNames.has(name) || name === 'segments');
    if (foreign !== undefined) {
      const message = `The folder ${folder} is not a Tidemark data folder: it holds "${foreign}". Choose an empty folder.`;
      throw new DatabaseError('folder-foreign', message);
    }
    await writeMark(files, { format: folderFormat, createdMs: environment.clock.nowMs() });
    return { isRestored: false, opened: async () => {} };
  }
  checkFormat(mark.format);
  if (mark.isBackup === true) {
    const message = `The folder ${folder} is a backup, and opening it would change it. Restore it into another folder, and open that one.`;
    throw new DatabaseError('folder-foreign', message);
  }
  const { isRestored, ...rest } = { ...mark, format: folderFormat };
  // Before anything else is written: a version that reads the older format only would misread it.
  if (mark.format < folderFormat) await writeMark(files, { ...mark, format: folderFormat });
  if (isRestored !== true) return { isRestored: false, opened: async () => {} };
  return { isRestored, opened: () => writeMark(files, rest) };
}

export async function isMarked(files: FileSystem): Promise<boolean> {
  return (await readMark(files)) !== undefined;
}

/** False of a folder that is none of a database. */
export async function isBackup(files: FileSystem): Promise<boolean> {
  return (await readMark(files))?.isBackup === true;
}

export function markBackup(files: FileSystem): Promise<void> {
  return writeMark(files, { format: folderFormat, createdMs: 0, isBackup: true });
}

/** Marks a folder that a backup was copied to. */
export function markRestored(files: FileSystem): Promise<void> {
  return writeMark(files, { format: folderFormat, createdMs: 0, isRestored: true });
}

async function readMark(files: FileSystem): Promise<Mark | undefined> {
  let bytes: Buffer;
  try {
    const file = await files.open(markPath);
    bytes = Buffer.alloc(await file.sizeBytes());
    await file.read(bytes, 0);
    await file.close();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const mark = JSON.parse(bytes.toString('utf8')) as Mark; // Checked below.
    if (Number.isInteger(mark.format)) return mark;
  } catch (error) {
    const message = `The file ${markPath} in the folder is damaged, or not Tidemark's: it is not JSON.`;
    throw new DatabaseError('folder-foreign', message, { cause: error });
  }
  throw new DatabaseError('folder-foreign', `The file ${markPath} in the folder is not Tidemark's.`);
}

async function writeMark(files: FileSystem, mark: Mark): Promise<void> {
  const temporary = `${markPath}.tmp`;
  const file = await files.open(temporary, { create: true });
  await file.write(Buffer.from(`${JSON.stringify(mark)}\n`), 0);
  await file.sync();
  await file.close();
  await files.rename(temporary, markPath);
  await files.syncDirectory('.');
}
