// Files and an index that take their time: between asking and getting, others get a turn. On the real thing cold reads and
// index transactions go through other threads; what may happen meanwhile must be able to happen here too.

import type { FileSystem, IndexChange, IndexStore, LogFile } from '@tidemark/engine/internal';
import type { SeededRandom } from '@tidemark/testing';
import { PowerCutError } from '@tidemark/testing';

/** Opening and reading take a turn now and then. Everything else goes straight to the files below. */
export function turningFiles(files: FileSystem, random: SeededRandom): FileSystem {
  return {
    open: async (path, options) => {
      await someTurns(random);
      return turningFile(await files.open(path, options), random);
    },
    list: (directory) => files.list(directory),
    rename: (from, to) => files.rename(from, to),
    remove: (path) => files.remove(path),
    makeDirectory: (path) => files.makeDirectory(path),
    syncDirectory: (path) => files.syncDirectory(path),
  };
}

function turningFile(file: LogFile, random: SeededRandom): LogFile {
  return {
    preallocate: (sizeBytes, pace) => file.preallocate(sizeBytes, pace),
    write: (bytes, offset) => file.write(bytes, offset),
    sync: () => file.sync(),
    ...(file.writeDurablySync === undefined
      ? {}
      : { writeDurablySync: (bytes: Uint8Array, offset: number) => file.writeDurablySync?.(bytes, offset) }),
    readSync: (target, offset) => file.readSync(target, offset),
    read: async (target, offset) => {
      await someTurns(random);
      return file.read(target, offset);
    },
    sizeBytes: () => file.sizeBytes(),
    close: () => file.close(),
  };
}

/**
 * A transaction becomes visible some turns after it was asked for, and durable some turns after that. When the process that
 * asked has ended meanwhile, it is never.
 */
export function turningIndex(index: IndexStore, random: SeededRandom, hasEnded: () => boolean): IndexStore {
  const turn = async (): Promise<void> => {
    await someTurns(random);
    if (hasEnded()) throw new PowerCutError();
  };
  return {
    keyBytesMax: index.keyBytesMax,
    get: (key) => index.get(key),
    range: (options) => index.range(options),
    apply: async (changes: readonly IndexChange[]) => {
      await turn();
      await index.apply(changes);
      await turn();
    },
    sync: async () => {
      await turn();
      await index.sync();
      await turn();
    },
    close: () => index.close(),
  };
}

async function someTurns(random: SeededRandom): Promise<void> {
  for (let turns = random.int(3); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
}
