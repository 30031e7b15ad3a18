// The embedded engine: the seam on one process, one log and one index.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { ContainerDefinition } from '../container-definition.ts';
import type { Environment } from '../environment.ts';
import type { FeedTarget } from '../feed/reader.ts';
import { readFeedPage } from '../feed/reader.ts';
import { lsnAtTime } from '../feed/time.ts';
import { Waiters } from '../feed/waiters.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { IndexStore } from '../index/index-store.ts';
import type { LateLimits } from '../index/late-index.ts';
import { queuedBytesMax, readsPerTurn, restoredTailGap } from '../limits.ts';
import { FrameMemory } from '../log/frame-memory.ts';
import type { SegmentOptions } from '../log/segment-store.ts';
import type { MatchOptions } from '../named-resource.ts';
import type {
  ContainerInfo,
  DatabaseInfo,
  Decide,
  DocumentKey,
  EngineProfile,
  FeedPage,
  FeedRequest,
  FeedScope,
  OfferOptions,
  RangeEngine,
  RangeInfo,
  ScanBatch,
  ScanRequest,
  StoredDocument,
  UnitResult,
  WatchScope,
} from '../range-engine.ts';
import type { CatalogChange } from '../state/catalog.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { DurableGroup } from '../state/group.ts';
import { readByRid, readDocument } from '../state/read-documents.ts';
import { scanInRidOrder } from '../state/scan.ts';
import type { ContainerSnapshot } from '../state/snapshot.ts';
import type { Unit } from '../write/command.ts';
import {
  containerInfo,
  containerRemoval,
  databaseInfo,
  databaseRemoval,
  newContainer,
  newDatabase,
  newPurge,
  rangeInfo,
  replacedContainer,
  withHistory,
} from './catalog-changes.ts';
import { ClockJumps } from './clock-jumps.ts';
import { Committer } from './committer.ts';
import { Compactor } from './compaction.ts';
import { wantRanges } from './growth.ts';
import type { EngineFigures, EngineHealth } from './health.ts';
import { statusOf } from './health.ts';
import { IndexTrial } from './index-trial.ts';
import { IndexWriter } from './index-writer.ts';
import { runErasures, runPurges, sweepExpired, trimHistory } from './jobs.ts';
import { encodeMetaFrame, metaRecords } from './meta-frame.ts';
import { CatalogResources, newOffer } from './named-changes.ts';
import { liveRange, mergeChange, splitChange } from './range-changes.ts';
import type { IndexProvider, Recovered } from './recovery.ts';
import { metaOf, recover } from './recovery.ts';
import type { UnitHost } from './unit.ts';
import { UnitSubmission, unitTarget } from './unit.ts';
import { UnitReturn } from './unit-return.ts';

export interface EmbeddedEngineOptions {
  readonly files: FileSystem;
  readonly index: IndexProvider;
  readonly environment: Environment;
  readonly segments: SegmentOptions;
  readonly isRestored: boolean;
  readonly late?: LateLimits;
  readonly frames?: FrameMemory;
  /** How long the index may lag behind while nobody waits for it; the log has everything meanwhile. */
  readonly indexGatherMs?: number;
  /** How long nobody may have written for the index to do more than it must; never, if it is not given. */
  readonly indexRestMs?: number;
  readonly onRebuildProgress?: (fraction: number) => void;
}

export class EmbeddedEngine implements RangeEngine {
  readonly profile: EngineProfile = {
    shared: false,
    push: 'inproc',
    merge: true,
    maxUnitBytes: queuedBytesMax,
    syncReads: true,
  };
  readonly state: DatabaseState;
  readonly resources: CatalogResources = new CatalogResources(this);
  readonly #options: EmbeddedEngineOptions;
  readonly #waiters = new Waiters();
  readonly writer: IndexWriter;
  readonly #trial: IndexTrial;
  readonly #compactor: Compactor;
  readonly #host: UnitHost;
  #committer: Committer | undefined;
  /** Catalog changes one at a time: each is decided on the published catalog. */
  #catalogTurn: Promise<unknown> = Promise.resolve();
  #failure: DatabaseError | undefined;
  readonly #clockJumps: ClockJumps;
  #reads = 0;

  private constructor(options: EmbeddedEngineOptions, recovered: Recovered) {
    this.#options = options;
    this.state = recovered.state;
    this.#host = new UnitReturn(recovered.state, (submission) => this.#committing.submit(submission));
    this.#clockJumps = new ClockJumps(options.environment.clock);
    this.writer = new IndexWriter(
      {
        index: recovered.state.index,
        overlay: recovered.state.overlay,
        usage: recovered.state.usage,
        environment: options.environment,
        position: (range) => this.state.position(range),
        segmentFacts: (segment) => this.#segmentFacts(segment),
        nextCatalogNumber: () => this.state.catalog.nextNumber,
        standing: () => [
          ...this.state.catalog.snapshot().entries.map((entry) => ({ entry })),
          ...this.state.positions().map(({ number, position }) => ({ range: number, position })),
        ],
        gatherMs: options.indexGatherMs ?? 0,
        restMs: options.indexRestMs,
        flushLog: () => (options.segments.sync === 'os' ? this.state.segments.flush() : Promise.resolve()),
        onFailure: (error) => this.#onIndexFailure(error),
      },
      recovered.checkpoint,
      recovered.isRebuild,
    );
    this.#trial = new IndexTrial(options.index, this.writer);
    this.#compactor = new Compactor({
      files: options.files,
      state: this.state,
      writer: this.writer,
      sync: options.segments.sync,
      segmentBytesMax: options.segments.segmentBytesMax,
      unfinished: recovered.unfinished,
      barrier: () => this.#whenSettled(() => undefined),
    });
    this.state.listen(this.#waiters);
  }

  static async open(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
    const opened: IndexStore[] = [];
    const openIndex = async (): Promise<IndexStore> => {
      const index = await options.index.open();
      opened.push(index);
      return index;
    };
    let engine: EmbeddedEngine | undefined;
    try {
      const recovered = await recover({
        ...options,
        index: { open: openIndex, discard: () => options.index.discard() },
        ...(options.onRebuildProgress === undefined ? {} : { progress: options.onRebuildProgress }),
      });
      engine = new EmbeddedEngine(options, recovered);
      await engine.#start(recovered);
      return engine;
    } catch (error) {
      // Whoever is refused may look into it and try again, in this process too: nothing is left open behind.
      await engine?.close().catch(() => {});
      for (const index of opened) await index.close().catch(() => {});
      await options.index.proven?.().catch(() => {});
      throw error;
    }
  }

  async #start(recovered: Recovered): Promise<void> {
    const { segments, usage } = this.state;
    // A rebuild begins with an index that nothing can be wrong with.
    if (!recovered.isRebuild) this.#trial.ease();
    let { nextSequence } = await recovered.replay((group) => this.#publishReplayed(group));
    if (this.#options.isRestored) {
      this.state.raiseTails(restoredTailGap);
      await this.#roll(nextSequence, 0);
      nextSequence += 1;
    }
    for (const segment of segments.all) if (!usage.isKnown(segment.id)) usage.touch(segment.id);
    if (recovered.isRebuild) {
      await this.writer.finishRebuild(nextSequence - 1, segments.active.id, segments.active.usedBytes);
    }
    segments.prepareSpare();
    this.#committer = new Committer({
      environment: this.#options.environment,
      segments,
      nextSequence,
      frames: this.#options.frames ?? new FrameMemory(),
      roll: (sequence, needBytes) => this.#roll(sequence, needBytes),
      publish: (group) => this.#publish(group),
      hasRoom: () => !this.state.overlay.isFull,
      room: () => this.#room(),
      onVoid: () => this.state.unstageAll(),
      onFailure: (error) => this.#onFailure(error),
    });
    for (const output of recovered.unfinished) await this.#compactor.resume(output);
    this.#trial.end();
  }

  /** Ends what is under way, writes a last checkpoint and lets go of the files. */
  async close(): Promise<void> {
    this.writer.stopWaiting();
    await this.#compactor.close();
    await this.#committer?.close();
    this.#waiters.close();
    try {
      await this.writer.drained();
    } catch {
      // An index that failed has been reported and will be rebuilt; closing must still let go of everything.
    }
    await this.writer.rested();
    await this.#trial.settled();
    await this.state.segments.close();
    await this.state.index.close();
    // The process has survived its index: what an earlier start may have suspected was not so.
    if (this.writer.failure === undefined) await this.#options.index.proven?.().catch(() => {});
  }

  get health(): EngineHealth {
    const failure = this.#failure ?? this.state.segments.obstacle ?? this.writer.obstacle;
    return { status: statusOf(failure), message: failure?.message, clockJumpMs: this.#clockJumps.lastJumpMs };
  }

  get figures(): EngineFigures {
    const { segments, overlay, usage } = this.state;
    return {
      ...this.#committing.figures,
      segmentBytes: segments.bytes,
      segments: segments.all.length,
      overlayRecords: overlay.records,
      overlayBytes: overlay.bytes,
      bitmapBytes: usage.memoryBytes,
      waiters: this.#waiters.count,
      sequence: this.#committing.sequence,
      indexedSequence: this.writer.checkpoint.sequence,
    };
  }

  // Databases and containers

  databases(): DatabaseInfo[] {
    return this.state.catalog.databases().map((entry) => databaseInfo(this.state, entry));
  }

  findDatabase(id: string): DatabaseInfo | undefined {
    const entry = this.state.catalog.findDatabase(id);
    return entry === undefined ? undefined : databaseInfo(this.state, entry);
  }

  createDatabase(id: string, { offer }: OfferOptions = {}): Promise<DatabaseInfo> {
    return this.changeCatalog(() => {
      const put = newDatabase(this.state, id);
      const changes = [{ put }, ...newOffer(this.state, offer, [put.number])];
      return { changes, result: () => databaseInfo(this.state, put) };
    });
  }

  deleteDatabase(id: string, options: MatchOptions = {}): Promise<void> {
    return this.changeCatalog(() => ({ changes: databaseRemoval(this.state, id, options), result: () => undefined }));
  }

  containers(database: string): ContainerInfo[] {
    const { number } = this.state.catalog.database(database);
    const entries = this.state.catalog.containers().filter((entry) => entry.database === number);
    return entries.map((entry) => containerInfo(this.state, entry));
  }

  findContainer(database: string, id: string): ContainerInfo | undefined {
    const { number } = this.state.catalog.database(database);
    const entry = this.state.catalog.findContainerByName(number, id);
    return entry === undefined ? undefined : containerInfo(this.state, entry);
  }

  container(number: number): ContainerInfo {
    return containerInfo(this.state, this.state.catalog.container(number));
  }

  createContainer(
    database: string,
    definition: ContainerDefinition,
    options: { readonly ranges: number; readonly historyMs: number } & OfferOptions,
  ): Promise<ContainerInfo> {
    return this.changeCatalog(() => {
      const put = newContainer(this.state, database, definition, options);
      const changes = [{ put }, ...newOffer(this.state, options.offer, [put.database, put.number])];
      return { changes, result: () => containerInfo(this.state, put) };
    });
  }

  replaceContainer(
    container: number,
    definition: ContainerDefinition,
    options: { readonly historyMs: number } & MatchOptions,
  ): Promise<ContainerInfo> {
    return this.changeCatalog(() => {
      const put = replacedContainer(this.state, container, definition, options);
      return { changes: [{ put }], result: () => containerInfo(this.state, put) };
    });
  }

  deleteContainer(container: number, options: MatchOptions = {}): Promise<void> {
    const changes = () => containerRemoval(this.state, this.state.catalog.container(container), options);
    return this.changeCatalog(() => ({ changes: changes(), result: () => undefined }));
  }

  setHistory(container: number, historyMs: number): Promise<void> {
    const change = () => ({ put: withHistory(this.state, container, historyMs) });
    return this.changeCatalog(() => ({ changes: [change()], result: () => undefined }));
  }

  // Ranges

  ranges(container: number): RangeInfo[] {
    return this.state.container(container).ranges.map(rangeInfo);
  }

  range(container: number, id: string): RangeInfo {
    return rangeInfo(liveRange(this.state.container(container), id));
  }

  rangeOf(container: number, epk: Uint8Array): string {
    return this.state.container(container).rangeOf(epk).entry.id;
  }

  split(container: number, range: string, at?: string): Promise<readonly RangeInfo[]> {
    return this.changeCatalog(() => splitChange(this.state, this.state.container(container), range, at));
  }

  grow(container: number, ranges: number): Promise<void> {
    return wantRanges(this, container, ranges);
  }

  merge(container: number, left: string, right: string): Promise<RangeInfo> {
    return this.changeCatalog(() => mergeChange(this.state, this.state.container(container), left, right));
  }

  onRoutingChange(callback: (container: number) => void): void {
    this.state.onRouting(callback);
  }

  // Documents

  commit(container: number, range: string | undefined, unit: Unit, decide: Decide): Promise<UnitResult> {
    return new Promise((resolve, reject) => {
      const target = unitTarget(this.state.container(container), range, unit);
      this.#committing.submit(new UnitSubmission(this.#host, target, unit, decide, undefined, resolve, reject));
    });
  }

  get(container: number, key: DocumentKey): StoredDocument | undefined | Promise<StoredDocument | undefined> {
    return this.#inTurn(readDocument(this.state, this.state.container(container), key));
  }

  getMany(container: number, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]> {
    const state = this.state.container(container);
    return Promise.all(keys.map((key) => this.#inTurn(readDocument(this.state, state, key))));
  }

  async getByRid(container: number, ridNumber: number): Promise<StoredDocument | undefined> {
    return this.#inTurn(readByRid(this.state, this.state.container(container), ridNumber));
  }

  snapshot(container: number): ContainerSnapshot {
    return this.state.openSnapshot(this.state.container(container));
  }

  async scan(container: number, range: string, request: ScanRequest): Promise<ScanBatch> {
    const state = this.state.container(container);
    const own = liveRange(state, range);
    // Only this engine makes them.
    const snapshot = request.snapshot as ContainerSnapshot | undefined;
    if (snapshot !== undefined) return scanInRidOrder(this.state, own, request, snapshot);
    const now = this.snapshot(container);
    try {
      return await scanInRidOrder(this.state, own, request, now);
    } finally {
      now.close();
    }
  }

  deletePartition(container: number, partitionKey: { readonly bytes: Buffer; readonly epk: Buffer }): Promise<void> {
    const change = () => ({ put: newPurge(this.state, container, partitionKey) });
    return this.changeCatalog(() => ({ changes: [change()], result: () => undefined }));
  }

  // The feed

  async feed(scope: FeedScope, request: FeedRequest): Promise<FeedPage> {
    this.#waiters.checkOpen();
    const find = (): FeedTarget => {
      const container = this.state.container(scope.container);
      return { container, range: liveRange(container, scope.range) };
    };
    return readFeedPage(this.state, find, scope, request);
  }

  lsnAt(container: number, range: string, timeMs: number): number {
    return lsnAtTime(this.state, liveRange(this.state.container(container), range), timeMs);
  }

  watch(container: number, scope: WatchScope, callback: () => void): () => void {
    const state = this.state.container(container);
    if (scope.range === undefined) return this.#waiters.ofContainer(container, scope, callback);
    return this.#waiters.ofRange(liveRange(state, scope.range).number, scope, callback);
  }

  // Maintenance: each call does a bounded piece of work

  trim(container: number): Promise<void> {
    return trimHistory(this, this.state.container(container));
  }

  sweep(container: number): Promise<number> {
    return sweepExpired(this, this.state.container(container));
  }

  /** Goes on with deletes by partition key that were acknowledged and are not finished. Resolves with how many documents went. */
  purge(): Promise<number> {
    return runPurges(this);
  }

  /** Takes what the index still has of deleted containers out of it. Resolves with how many entries went. */
  erase(): Promise<number> {
    return runErasures(this);
  }

  /**
   * Rewrites one batch of segments if enough of them is dead; `isLazy`, if the log as a whole takes too much. Resolves with
   * whether anything was done.
   */
  compact({ isLazy = false }: { readonly isLazy?: boolean } = {}): Promise<boolean> {
    return this.#compactor.run(isLazy);
  }

  /** Waits until everything acknowledged is in the index as well. */
  settle(): Promise<void> {
    return this.writer.settled();
  }

  /** Waits until nothing more is done until somebody writes: entries go to their places, and segments are made ready for the next burst. */
  async rested(): Promise<void> {
    await this.writer.settled();
    await this.writer.rested();
    await this.state.segments.rested();
  }

  /** Holds every segment as of now: what a backup copies. */
  async pin(): Promise<{
    readonly segments: readonly { readonly id: number; readonly usedBytes: number }[];
    readonly sequence: number;
    release(): Promise<void>;
  }> {
    const release = await this.#compactor.hold();
    const pinned = this.#whenSettled(() => {
      const segments = this.state.segments.all;
      const unhold = this.state.segments.hold(segments);
      return {
        segments: segments.map(({ id, usedBytes }) => ({ id, usedBytes })),
        sequence: this.#committing.sequence,
        release: async () => {
          await unhold();
          release();
        },
      };
    });
    pinned.catch(release);
    return pinned;
  }

  /** Decides on the published catalog, one change at a time; resolves when it is durable and visible. */
  changeCatalog<T>(decide: () => { readonly changes: readonly CatalogChange[]; result(): T }): Promise<T> {
    const turn = this.#catalogTurn.then(() => this.#submitCatalog(decide));
    this.#catalogTurn = turn.catch(() => {});
    return turn;
  }

  #submitCatalog<T>(decide: () => { readonly changes: readonly CatalogChange[]; result(): T }): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#committing.submit({
        bytes: 4_096,
        fail: reject,
        decide: (group) => {
          try {
            const { changes, result } = decide();
            group.change(changes);
            group.onSettled({ settled: (failure) => (failure === undefined ? resolve(result()) : reject(failure)) });
          } catch (error) {
            reject(error);
          }
        },
      });
    });
  }

  /** Looks at the log at a moment between two groups: everything decided before the call is published, nothing is half written. */
  #whenSettled<T>(look: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const settled = (failure: DatabaseError | undefined) =>
        failure === undefined ? resolve(look()) : reject(failure);
      this.#committing.submit({ bytes: 0, fail: reject, decide: (group) => group.onSettled({ settled }) });
    });
  }

  get #committing(): Committer {
    if (this.#committer === undefined) throw new DatabaseError('closed', 'The database is not open yet.');
    return this.#committer;
  }

  #publish(group: DurableGroup): void {
    this.#show(group);
    this.#clockJumps.look();
  }

  async #publishReplayed(group: DurableGroup): Promise<void> {
    this.#show(group);
    await this.#room();
  }

  #show(group: DurableGroup): void {
    try {
      this.state.publish(group);
    } catch (error) {
      // Half of it is in the index, in memory: none of that may get to the disk.
      this.writer.fail(error);
      throw error;
    }
    this.writer.take(group);
    for (const record of group.records) record.published();
  }

  async #room(): Promise<void> {
    while (this.state.overlay.isFull) {
      if (this.writer.obstacle !== undefined) throw this.writer.obstacle;
      await this.writer.progress();
    }
  }

  async #roll(sequence: number, needBytes: number): Promise<void> {
    const { segments, usage } = this.state;
    await segments.roll(sequence, needBytes, (salt) => ({
      bytes: encodeMetaFrame(metaOf(this.state), salt, sequence),
      records: metaRecords,
    }));
    usage.touch(segments.active.id);
  }

  #segmentFacts(segment: number): Record<string, unknown> | undefined {
    const found = this.state.segments.find(segment);
    if (found === undefined) return undefined;
    const { header, usedBytes, recordCount } = found;
    return { header, usedBytes, recordCount, ...(this.#compactor.isMoving(segment) ? { isMoving: true } : {}) };
  }

  /** What is written to a file without a name ends with the process: then nothing more is acknowledged. */
  async lookForLog(): Promise<void> {
    if (await this.state.segments.isNamed()) return;
    const gone = 'The data folder, or the end of its log, was deleted or moved while the database was open.';
    const advice = 'Close it, and put the folder back or restore a backup; until then it is read-only.';
    this.#committing.refuse(new DatabaseError('read-only', `${gone} ${advice}`));
  }

  /** A job that failed is tried again; damage it found is everybody's business. */
  noteJobFailure(error: unknown): void {
    if (isDatabaseError(error) && error.code === 'corrupt') this.#failure ??= error;
  }

  /** Who reads in a loop what is in memory waits for nothing: after some reads the others get a turn, those who write as well. */
  #inTurn<T>(found: T | Promise<T>): T | Promise<T> {
    // A thread gives them theirs; and should it fail, whoever asked has to hear of it before the turn is over.
    if (found instanceof Promise) return found;
    this.#reads += 1;
    return this.#reads % readsPerTurn === 0 ? this.#options.environment.clock.nextTurn().then(() => found) : found;
  }

  #onIndexFailure(error: DatabaseError): void {
    this.#onFailure(error);
    // Should this fail as well, the next open still finds an index as of its last flush, or one that it cannot open.
    this.#options.index.condemn?.().catch(() => {});
  }

  #onFailure(error: DatabaseError): void {
    this.#failure ??= error;
  }
}
