// The database, as an embedder sees it: `openDatabase` gives the same database in-process that the server puts on the wire.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { systemEnvironment } from './ambient.ts';
import { backUp, restore } from './backup.ts';
import type { CheckReport } from './check.ts';
import { checkDatabase } from './check.ts';
import { Container } from './container.ts';
import type { ContainerDefinition } from './container-definition.ts';
import { checkReplaceable, readContainerDefinition } from './container-definition.ts';
import { EmbeddedEngine } from './embedded/engine.ts';
import type { EngineFigures, EngineHealth } from './embedded/health.ts';
import { runMaintenance } from './embedded/maintenance.ts';
import type { IndexProvider } from './embedded/recovery.ts';
import type { Environment } from './environment.ts';
import type { FileSystem } from './files/file-system.ts';
import type { FolderLock } from './files/folder-lock.ts';
import { lockFolder } from './files/folder-lock.ts';
import { memoryFiles } from './files/memory-files.ts';
import { nodeFiles } from './files/node-files.ts';
import { claimFolder, isBackup } from './folder.ts';
import { indexBytes, lmdbIndexProvider } from './index/lmdb-provider.ts';
import { memoryIndex } from './index/memory-index.ts';
import type { OptionNames } from './known-options.ts';
import { checkOptionNames } from './known-options.ts';
import { indexGatherMs, indexRestMs, segmentBytesMax, segmentBytesMin } from './limits.ts';
import type { LongWorkOptions } from './long-work.ts';
import type { MatchOptions, NamedResources } from './named-resource.ts';
import { Queries } from './query/queries.ts';
import type { ContainerInfo, DatabaseInfo, OfferOptions } from './range-engine.ts';

export interface OpenOptions {
  /** Where the data is kept. Left out together with `memory: true`. */
  readonly folder?: string;
  /** Keeps nothing: everything is gone when the database is closed. */
  readonly memory?: boolean;
  /** 'full': acknowledged means on disk. 'os': as far as the operating system, a power cut may lose the last writes. */
  readonly sync?: 'full' | 'os';
  /** Told how much of the index has been rebuilt, 0 to 1, when it has to be. */
  readonly onRebuildProgress?: (fraction: number) => void;
  /** Time and chance, for tests. */
  readonly environment?: Environment;
  /** Without it expired documents, history and dead segments are tidied up only by `maintain`. */
  readonly maintenance?: boolean;
}

export interface ContainerOptions extends OfferOptions {
  /** The number of ranges it begins with. */
  readonly ranges?: number;
  /** How long every version is kept; overrides `changeFeedPolicy.retentionDuration` and `keepHistory`, until it is called. */
  readonly historyMs?: number;
}

export async function openDatabase(options: OpenOptions): Promise<Database> {
  checkOptions(options);
  const environment = options.environment ?? systemEnvironment();
  const segments = { sync: options.sync ?? 'full', segmentBytesMin, segmentBytesMax };
  const progress = options.onRebuildProgress === undefined ? {} : { onRebuildProgress: options.onRebuildProgress };
  const runsMaintenance = options.maintenance ?? true;
  if (options.memory === true) {
    const index: IndexProvider = { open: async () => memoryIndex(), discard: async () => {} };
    const files = memoryFiles();
    const engine = await EmbeddedEngine.open({
      files,
      index,
      environment,
      segments,
      isRestored: false,
      indexGatherMs,
      ...progress,
    });
    return new Database(engine, { files, environment, runsMaintenance, release: async () => {} });
  }
  // checkOptions has seen that it is there.
  return openFolder(options.folder as string, { environment, segments, progress, runsMaintenance });
}

/** For callers without types: above all, a misspelt `sync` must not pass for one that flushes. */
function checkOptions(options: OpenOptions): void {
  const given: OpenOptions = Object(options);
  const { folder, memory, sync = 'full' } = given;
  if (typeof options === 'object') checkOptionNames<OpenOptions>(given, optionNames);
  if (memory === true && folder !== undefined)
    throw new DatabaseError('bad-request', 'Give a folder or memory: true, not both.');
  if (memory !== true && (typeof folder !== 'string' || folder === ''))
    throw new DatabaseError('bad-request', "Give the folder of the data, { folder: './data' }, or { memory: true }.");
  if (sync !== 'full' && sync !== 'os')
    throw new DatabaseError('bad-request', `sync is 'full' or 'os', not ${JSON.stringify(sync)}.`);
}

const optionNames: OptionNames<OpenOptions> = {
  folder: true,
  memory: true,
  sync: true,
  onRebuildProgress: true,
  environment: true,
  maintenance: true,
};

const containerOptionNames: OptionNames<ContainerOptions> = { ranges: true, historyMs: true, offer: true };

async function openFolder(
  folder: string,
  how: {
    readonly environment: Environment;
    readonly segments: { sync: 'full' | 'os'; segmentBytesMin: number; segmentBytesMax: number };
    readonly progress: { onRebuildProgress?: (fraction: number) => void };
    readonly runsMaintenance: boolean;
  },
): Promise<Database> {
  const { environment, segments, progress, runsMaintenance } = how;
  const files = nodeFiles(folder);
  await makeFolder(folder, files);
  const lock = await lockFolder(folder);
  try {
    const claim = await claimFolder(folder, files, environment);
    const engine = await EmbeddedEngine.open({
      files,
      index: lmdbIndexProvider(folder, files, environment),
      environment,
      segments,
      isRestored: claim.isRestored,
      indexGatherMs,
      indexRestMs,
      ...progress,
    });
    await claim.opened();
    return new Database(engine, { folder, files, environment, runsMaintenance, release: () => lock.close() });
  } catch (error) {
    await lock.close();
    throw error;
  }
}

async function makeFolder(folder: string, files: FileSystem): Promise<void> {
  try {
    await files.makeDirectory('.');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // The file seam throws nothing else.
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    const message = `${folder} cannot be a folder: it, or something above it, is a file. Choose another folder.`;
    throw new DatabaseError('folder-foreign', message, { cause: error });
  }
}

export class Database implements AsyncDisposable {
  /** Where the data is kept; undefined when it is in memory. */
  readonly folder: string | undefined;
  readonly #engine: EmbeddedEngine;
  readonly #files: FileSystem;
  readonly #environment: Environment;
  readonly #release: () => Promise<void>;
  readonly #queries: Queries;
  readonly #stop = new AbortController();
  readonly #maintenance: Promise<void>;
  #closing: Promise<void> | undefined;
  #historyMs = 0;
  /** By number. A container has buffers to read documents with; a request should not need new ones. */
  readonly #opened = new Map<number, Container>();

  constructor(
    engine: EmbeddedEngine,
    options: {
      readonly folder?: string;
      readonly files: FileSystem;
      readonly environment: Environment;
      readonly runsMaintenance: boolean;
      release(): Promise<void>;
    },
  ) {
    this.#engine = engine;
    this.folder = options.folder;
    this.#files = options.files;
    this.#environment = options.environment;
    this.#release = options.release;
    this.#queries = new Queries(options.environment);
    this.#maintenance = options.runsMaintenance
      ? runMaintenance(engine, options.environment.clock, this.#stop.signal)
      : Promise.resolve();
  }

  /** What is below; for packages of this repository. */
  get engine(): EmbeddedEngine {
    return this.#engine;
  }

  /** Prepared queries, and what they run with; for packages of this repository. */
  get queries(): Queries {
    return this.#queries;
  }

  get health(): EngineHealth {
    return this.#engine.health;
  }

  /** What the index takes of the disk; undefined when it is in memory. */
  async indexBytes(): Promise<number | undefined> {
    return this.folder === undefined ? undefined : indexBytes(this.folder);
  }

  get figures(): EngineFigures {
    return this.#engine.figures;
  }

  /** The clock by which documents get their times. */
  nowMs(): number {
    return this.#environment.clock.nowMs();
  }

  databases(): DatabaseInfo[] {
    return this.#engine.databases();
  }

  findDatabase(id: string): DatabaseInfo | undefined {
    return this.#engine.findDatabase(id);
  }

  createDatabase(id: string, options: OfferOptions = {}): Promise<DatabaseInfo> {
    return this.#engine.createDatabase(id, options);
  }

  async createDatabaseIfNotExists(id: string): Promise<DatabaseInfo> {
    try {
      return await this.createDatabase(id);
    } catch (error) {
      const found = this.findDatabase(id);
      if (isConflict(error) && found !== undefined) return found;
      throw error;
    }
  }

  async deleteDatabase(id: string, options: MatchOptions = {}): Promise<void> {
    const numbers = this.containers(id).map(({ number }) => number);
    await this.#engine.deleteDatabase(id, options);
    for (const number of numbers) this.#opened.delete(number);
  }

  /** Offers, users, permissions, client encryption keys, scripts. */
  get resources(): NamedResources {
    return this.#engine.resources;
  }

  containers(database: string): ContainerInfo[] {
    return this.#engine.containers(database);
  }

  findContainer(database: string, id: string): ContainerInfo | undefined {
    return this.#engine.findContainer(database, id);
  }

  /** `definition` is the service's JSON: id, partitionKey, defaultTtl, uniqueKeyPolicy, changeFeedPolicy and so on. */
  async createContainer(database: string, definition: object, options: ContainerOptions = {}): Promise<Container> {
    checkOptionNames<ContainerOptions>(options, containerOptionNames);
    const read = readContainerDefinition(definition);
    const historyMs = options.historyMs ?? this.#historyOf(read);
    await this.#engine.createContainer(database, read, {
      ranges: options.ranges ?? 1,
      historyMs,
      offer: options.offer,
    });
    return this.container(database, read.id);
  }

  async createContainerIfNotExists(
    database: string,
    definition: object,
    options: ContainerOptions = {},
  ): Promise<Container> {
    try {
      return await this.createContainer(database, definition, options);
    } catch (error) {
      if (isConflict(error)) return this.container(database, readContainerDefinition(definition).id);
      throw error;
    }
  }

  async replaceContainer(
    database: string,
    definition: object,
    options: Pick<ContainerOptions, 'historyMs'> & MatchOptions = {},
  ): Promise<Container> {
    const next = readContainerDefinition(definition);
    const { info } = this.container(database, next.id);
    checkReplaceable(info.definition, next);
    const historyMs = options.historyMs ?? this.#historyOf(next);
    const kept = { ...next, partitionKey: info.definition.partitionKey };
    await this.#engine.replaceContainer(info.number, kept, { ...options, historyMs });
    return this.container(database, next.id);
  }

  async deleteContainer(database: string, id: string, options: MatchOptions = {}): Promise<void> {
    const { number } = this.#find(database, id);
    await this.#engine.deleteContainer(number, options);
    this.#opened.delete(number);
  }

  container(database: string, id: string): Container {
    return this.containerOf(this.#find(database, id));
  }

  /** For whoever has looked it up already. */
  containerOf({ number }: Pick<ContainerInfo, 'number'>): Container {
    let container = this.#opened.get(number);
    if (container === undefined) {
      container = new Container(this.#engine, number, this.#queries);
      this.#opened.set(number, container);
    }
    return container;
  }

  /**
   * Every container without a `changeFeedPolicy` of its own keeps all versions this long: those that are there, from now on,
   * and those to come. It has to be said again whenever the database is opened; what is not said leaves the containers as
   * they are.
   */
  async keepHistory(historyMs: number): Promise<void> {
    if (!Number.isSafeInteger(historyMs) || historyMs < 0) {
      throw new DatabaseError('bad-request', `A history is kept for whole milliseconds from 0 on, not ${historyMs}.`);
    }
    this.#historyMs = historyMs;
    for (const { id } of this.databases()) {
      for (const { number, definition, historyMs: before } of this.containers(id)) {
        if (definition.changeFeedPolicy !== undefined || before === historyMs) continue;
        await this.#engine.setHistory(number, historyMs);
      }
    }
  }

  /** Copies everything as of now into an empty folder, while writes go on. */
  backup(
    target: FileSystem | string,
    options: LongWorkOptions = {},
  ): Promise<{ readonly bytes: number; readonly sequence: number }> {
    return backUp(this.#engine, this.#files, typeof target === 'string' ? nodeFiles(target) : target, options);
  }

  /** Proves that log and index agree. */
  check(options: LongWorkOptions = {}): Promise<CheckReport> {
    return checkDatabase(this.#engine, this.#files, options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    await this.#maintenance;
    await this.#engine.close();
    await this.#release();
  }

  #historyOf({ changeFeedPolicy }: ContainerDefinition): number {
    return changeFeedPolicy === undefined ? this.#historyMs : changeFeedPolicy.retentionDuration * 60_000;
  }

  #find(database: string, id: string): ContainerInfo {
    const found = this.#engine.findContainer(database, id);
    if (found !== undefined) return found;
    throw new DatabaseError('container-not-found', `There is no container "${id}" in the database "${database}".`);
  }
}

function isConflict(error: unknown): boolean {
  return isDatabaseError(error) && error.code === 'conflict';
}

/**
 * Copies a backup into an empty folder. Opened, it goes on as a new history with everything the backup has. A data folder is
 * a backup as well, while nobody has it open.
 */
export async function restoreDatabase(options: { readonly backup: string; readonly folder: string }): Promise<void> {
  for (const folder of [options?.backup, options?.folder]) {
    if (typeof folder === 'string' && folder !== '') continue;
    throw new DatabaseError('bad-request', "Give two folders: { backup: './backup', folder: './restored' }.");
  }
  const lock = await lockOfBackup(options.backup);
  try {
    await restore(nodeFiles(options.backup), nodeFiles(options.folder), options.backup);
  } finally {
    await lock?.close();
  }
}

/** Whether a folder holds a backup, which is restored and not opened. False where that cannot be seen: opening it tells what is wrong. */
export function isBackupFolder(folder: string): Promise<boolean> {
  return isBackup(nodeFiles(folder)).catch(() => false);
}

/** Undefined where nobody could write, so that nobody does. Also where nothing is: that is told when it is looked for. */
async function lockOfBackup(backup: string): Promise<FolderLock | undefined> {
  try {
    return await lockFolder(backup);
  } catch (error) {
    if (isDatabaseError(error) && error.code === 'folder-in-use') throw error;
    return undefined;
  }
}
