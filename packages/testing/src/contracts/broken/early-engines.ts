// BROKEN ON PURPOSE, in two ways. One acknowledges, and shows, a change before its flush: it starts the flush and does not
// wait for it. The other one acknowledges in time but shows a document as soon as it is decided.

import type {
  Decide,
  DocumentKey,
  FileSystem,
  LogFile,
  RangeEngine,
  StoredDocument,
  Unit,
  UnitResult,
} from '@tidemark/engine/internal';
import { EngineWrapper } from './engine-wrapper.ts';

/** Files whose `sync` comes back before it is done. */
export function impatientFiles(inner: FileSystem): FileSystem {
  return {
    open: async (path, options) => impatientFile(await inner.open(path, options)),
    list: (directory) => inner.list(directory),
    rename: (from, to) => inner.rename(from, to),
    remove: (path) => inner.remove(path),
    makeDirectory: (path) => inner.makeDirectory(path),
    syncDirectory: (path) => inner.syncDirectory(path),
  };
}

function impatientFile(inner: LogFile): LogFile {
  const syncs: Promise<void>[] = [];
  return {
    preallocate: (sizeBytes, pace) => inner.preallocate(sizeBytes, pace),
    write: (bytes, offset) => inner.write(bytes, offset),
    sync: async () => {
      syncs.push(inner.sync());
    },
    readSync: (target, offset) => inner.readSync(target, offset),
    read: (target, offset) => inner.read(target, offset),
    sizeBytes: () => inner.sizeBytes(),
    close: async () => {
      await Promise.allSettled(syncs);
      await inner.close();
    },
  };
}

/** Shows what is in flight to whoever reads by id. */
export class DirtyReadEngine extends EngineWrapper {
  readonly #inFlight = new Map<string, StoredDocument>();

  override async commit(container: number, range: string | undefined, unit: Unit, decide: Decide): Promise<UnitResult> {
    const names: string[] = [];
    for (const command of unit.commands) {
      if (command.kind !== 'create' && command.kind !== 'upsert') continue;
      const name = nameOf(container, unit.partitionKey.bytes, command.document.id);
      const bytes = Buffer.concat([command.document.openBytes, Buffer.from(',"_lsn":0}')]);
      this.#inFlight.set(name, { lsn: 0, ix: 0, etag: '', timeMs: 0, sizeBytes: bytes.length, bytes });
      names.push(name);
    }
    try {
      return await this.inner.commit(container, range, unit, decide);
    } finally {
      for (const name of names) this.#inFlight.delete(name);
    }
  }

  override async get(...[container, key]: Parameters<RangeEngine['get']>): Promise<StoredDocument | undefined> {
    return this.#inFlight.get(nameOfKey(container, key)) ?? this.inner.get(container, key);
  }
}

function nameOfKey(container: number, key: DocumentKey): string {
  return nameOf(container, key.partitionKey, key.id);
}

function nameOf(container: number, partitionKey: Buffer, id: string): string {
  return `${container}/${partitionKey.toString('hex')}/${id}`;
}
