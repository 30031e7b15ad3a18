// Databases for the tests of faults: on any file system, with small segments, opened and opened again.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDatabaseError } from '@tidemark/model';
import { MemoryIndexDisk } from '@tidemark/testing';
import type { Container } from '../src/container.ts';
import { Database } from '../src/database.ts';
import type { Environment, FileSystem, FrameMemory, IndexProvider } from '../src/internal.ts';
import { EmbeddedEngine, systemEnvironment } from '../src/internal.ts';

export const smallSegments: { sync: 'full'; segmentBytesMin: number; segmentBytesMax: number } = {
  sync: 'full',
  segmentBytesMin: 16 * 1024,
  segmentBytesMax: 16 * 1024,
};

export interface OpenOn {
  readonly index?: IndexProvider;
  readonly environment?: Environment;
  readonly isRestored?: boolean;
  readonly sync?: 'full' | 'os';
  readonly indexGatherMs?: number;
  readonly frames?: FrameMemory;
}

/** The database on these files, without its jobs: a test runs them when it wants them. */
export async function openOn(files: FileSystem, options: OpenOn = {}): Promise<Database> {
  const environment = options.environment ?? systemEnvironment();
  const engine = await EmbeddedEngine.open({
    files,
    index: options.index ?? lostIndex(),
    environment,
    segments: { ...smallSegments, sync: options.sync ?? smallSegments.sync },
    isRestored: options.isRestored ?? false,
    indexGatherMs: options.indexGatherMs ?? 0,
    ...(options.frames === undefined ? {} : { frames: options.frames }),
  });
  return new Database(engine, { files, environment, runsMaintenance: false, release: async () => {} });
}

/** An index that is never there when the database is opened: everything is rebuilt from the log. */
export function lostIndex(): IndexProvider {
  return indexOn(() => new MemoryIndexDisk());
}

/** An index that is there again when the database is opened again. */
export function keptIndex(): IndexProvider {
  let disk = new MemoryIndexDisk();
  return {
    open: async () => disk.open(),
    discard: async () => {
      disk = new MemoryIndexDisk();
    },
  };
}

function indexOn(make: () => MemoryIndexDisk): IndexProvider {
  return { open: async () => make().open(), discard: async () => {} };
}

export async function aContainer(
  database: Database,
  options: { readonly historyMs?: number; readonly ranges?: number } = {},
): Promise<Container> {
  await database.createDatabaseIfNotExists('d');
  return database.createContainerIfNotExists(
    'd',
    { id: 'c', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } },
    options,
  );
}

export function aDocument(n: number, more: object = {}): { id: string; pk: string } {
  return { id: `d${n}`, pk: `p${n % 5}`, ...more };
}

/** Every document of the container by the feed from its beginning: id → value. */
export async function feedOf(container: Container): Promise<Map<string, Record<string, unknown>>> {
  const found = new Map<string, Record<string, unknown>>();
  const feed = container.changes();
  for (let page = await feed.page(); !page.isDrained; page = await feed.page()) {
    for (const value of parsed(page.pieces)) found.set(String(value['id']), value);
  }
  return found;
}

export function parsed(pieces: readonly Buffer[]): Record<string, unknown>[] {
  return JSON.parse(`[${Buffer.concat(pieces).toString('utf8')}]`) as Record<string, unknown>[]; // Documents are objects.
}

/** The code with which it is refused; the message is for `expect` to look at. */
export async function refusal(work: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  try {
    await work;
  } catch (error) {
    if (isDatabaseError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'accepted', message: '' };
}

export function aFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tidemark-test-'));
}
