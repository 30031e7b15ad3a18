// Backup: the segments as of one frame of the log, copied while the database runs. No index: a restore rebuilds it.
//
// A restored database begins a new epoch and continues far beyond the LSNs it was saved with, so that no consumer takes its
// new changes for ones it has seen.

import { Buffer } from 'node:buffer';
import { DatabaseError } from '@tidemark/model';
import type { EmbeddedEngine } from './embedded/engine.ts';
import type { FileSystem } from './files/file-system.ts';
import { isMarked, markBackup, markRestored } from './folder.ts';
import { segmentFolder, segmentIdOf, segmentPath } from './log/segment.ts';
import type { LongWorkOptions } from './long-work.ts';
import { checkNotStopped } from './long-work.ts';

const copyBytes = 1024 * 1024;

export async function backUp(
  engine: EmbeddedEngine,
  source: FileSystem,
  target: FileSystem,
  options: LongWorkOptions = {},
): Promise<{ readonly bytes: number; readonly sequence: number }> {
  await claimTarget(target);
  const pinned = await engine.pin();
  try {
    const total = pinned.segments.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
    let bytes = 0;
    for (const { id, usedBytes } of pinned.segments) {
      checkNotStopped(options.signal, 'backup');
      await copyFile(source, target, segmentPath(id), usedBytes);
      bytes += usedBytes;
      options.onProgress?.({ done: bytes, total });
    }
    await target.syncDirectory(segmentFolder);
    await markBackup(target);
    return { bytes, sequence: pinned.sequence };
  } finally {
    await pinned.release();
  }
}

/** Copies a backup into an empty folder, which is then opened like any other. The backup itself stays as it is. `name` is for messages. */
export async function restore(backup: FileSystem, target: FileSystem, name = 'this folder'): Promise<void> {
  const names = (await backup.list(segmentFolder)).filter((name) => segmentIdOf(name) !== undefined);
  if (names.length === 0) {
    throw new DatabaseError('folder-foreign', `There is no backup in ${name}, or no such folder: it has no segments.`);
  }
  // Written last: without it the newest segments may be missing, which nothing else would show.
  if (!(await isMarked(backup))) {
    throw new DatabaseError('folder-foreign', `The backup in ${name} is not complete: its mark is missing.`);
  }
  await claimTarget(target);
  for (const segment of names) {
    await copyFile(backup, target, `${segmentFolder}/${segment}`, Number.POSITIVE_INFINITY);
  }
  await target.syncDirectory(segmentFolder);
  await markRestored(target);
}

async function claimTarget(target: FileSystem): Promise<void> {
  await target.makeDirectory('.');
  const names = (await target.list('.')).filter((name) => name !== 'lost+found');
  if (names.length > 0) {
    throw new DatabaseError(
      'folder-foreign',
      `The target folder is not empty: it holds "${names[0]}". Choose another name, or empty it first.`,
    );
  }
  await target.makeDirectory(segmentFolder);
}

async function copyFile(source: FileSystem, target: FileSystem, path: string, bytesMax: number): Promise<void> {
  const from = await source.open(path);
  const to = await target.open(path, { create: true });
  try {
    const size = Math.min(bytesMax, await from.sizeBytes());
    const buffer = Buffer.alloc(copyBytes);
    for (let offset = 0; offset < size; ) {
      const part = buffer.subarray(0, Math.min(copyBytes, size - offset));
      const read = await from.read(part, offset);
      if (read === 0) throw new DatabaseError('corrupt', `The file ${path} is shorter than it should be.`);
      await to.write(part.subarray(0, read), offset);
      offset += read;
    }
    await to.sync();
  } finally {
    await from.close();
    await to.close();
  }
}
