// An engine that passes everything on to another one; the broken engines change one thing each.

import type {
  ContainerInfo,
  DatabaseInfo,
  Decide,
  DocumentKey,
  EngineProfile,
  FeedPage,
  FeedRequest,
  FeedScope,
  NamedResources,
  RangeEngine,
  RangeInfo,
  ScanBatch,
  Snapshot,
  StoredDocument,
  Unit,
  UnitResult,
  WatchScope,
} from '@tidemark/engine/internal';

export class EngineWrapper implements RangeEngine {
  protected readonly inner: RangeEngine;

  constructor(inner: RangeEngine) {
    this.inner = inner;
  }

  get profile(): EngineProfile {
    return this.inner.profile;
  }

  databases(): DatabaseInfo[] {
    return this.inner.databases();
  }

  get resources(): NamedResources {
    return this.inner.resources;
  }

  createDatabase(...args: Parameters<RangeEngine['createDatabase']>): Promise<DatabaseInfo> {
    return this.inner.createDatabase(...args);
  }

  deleteDatabase(...args: Parameters<RangeEngine['deleteDatabase']>): Promise<void> {
    return this.inner.deleteDatabase(...args);
  }

  containers(database: string): ContainerInfo[] {
    return this.inner.containers(database);
  }

  findDatabase(id: string): DatabaseInfo | undefined {
    return this.inner.findDatabase(id);
  }

  findContainer(database: string, id: string): ContainerInfo | undefined {
    return this.inner.findContainer(database, id);
  }

  container(number: number): ContainerInfo {
    return this.inner.container(number);
  }

  createContainer(...args: Parameters<RangeEngine['createContainer']>): Promise<ContainerInfo> {
    return this.inner.createContainer(...args);
  }

  replaceContainer(...args: Parameters<RangeEngine['replaceContainer']>): Promise<ContainerInfo> {
    return this.inner.replaceContainer(...args);
  }

  deleteContainer(...args: Parameters<RangeEngine['deleteContainer']>): Promise<void> {
    return this.inner.deleteContainer(...args);
  }

  setHistory(container: number, historyMs: number): Promise<void> {
    return this.inner.setHistory(container, historyMs);
  }

  ranges(container: number): RangeInfo[] {
    return this.inner.ranges(container);
  }

  range(container: number, id: string): RangeInfo {
    return this.inner.range(container, id);
  }

  rangeOf(container: number, epk: Uint8Array): string {
    return this.inner.rangeOf(container, epk);
  }

  split(container: number, range: string, at?: string): Promise<readonly RangeInfo[]> {
    return this.inner.split(container, range, at);
  }

  grow(container: number, ranges: number): Promise<void> {
    return this.inner.grow(container, ranges);
  }

  merge(container: number, left: string, right: string): Promise<RangeInfo> {
    return this.inner.merge(container, left, right);
  }

  onRoutingChange(callback: (container: number) => void): void {
    this.inner.onRoutingChange(callback);
  }

  commit(container: number, range: string | undefined, unit: Unit, decide: Decide): Promise<UnitResult> {
    return this.inner.commit(container, range, unit, decide);
  }

  get(container: number, key: DocumentKey): StoredDocument | undefined | Promise<StoredDocument | undefined> {
    return this.inner.get(container, key);
  }

  getMany(container: number, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]> {
    return this.inner.getMany(container, keys);
  }

  getByRid(container: number, ridNumber: number): Promise<StoredDocument | undefined> {
    return this.inner.getByRid(container, ridNumber);
  }

  scan(...args: Parameters<RangeEngine['scan']>): Promise<ScanBatch> {
    return this.inner.scan(...args);
  }

  snapshot(container: number): Snapshot {
    return this.inner.snapshot(container);
  }

  deletePartition(...args: Parameters<RangeEngine['deletePartition']>): Promise<void> {
    return this.inner.deletePartition(...args);
  }

  feed(scope: FeedScope, request: FeedRequest): Promise<FeedPage> {
    return this.inner.feed(scope, request);
  }

  lsnAt(container: number, range: string, timeMs: number): number {
    return this.inner.lsnAt(container, range, timeMs);
  }

  watch(container: number, scope: WatchScope, callback: () => void): () => void {
    return this.inner.watch(container, scope, callback);
  }

  trim(container: number): Promise<void> {
    return this.inner.trim(container);
  }

  sweep(container: number): Promise<number> {
    return this.inner.sweep(container);
  }
}
