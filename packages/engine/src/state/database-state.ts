// The open database in memory: catalog, ranges, and the two layers that hold a document's latest version.
//
//   staged    decided, not yet on disk; only decisions look here
//   index     on disk and visible
//
// What else the index has is in the overlay before that.
//
// `publish` is the one place where anything becomes visible, for new groups and for those that recovery finds.

import { Buffer } from 'node:buffer';
import { keyRangesIntersect } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import type { Version } from '../index/documents.ts';
import { epkOfDocKey, partitionBounds } from '../index/keys.ts';
import type { LateIndex } from '../index/late-index.ts';
import { pagesPerTurn } from '../limits.ts';
import type { FrameView } from '../log/frame.ts';
import type { SegmentStore } from '../log/segment-store.ts';
import type { Catalog, CatalogChange, ContainerEntry, RangeEntry } from './catalog.ts';
import type { Purge } from './container-state.ts';
import { ContainerState } from './container-state.ts';
import type { DurableGroup, StagedRecord } from './group.ts';
import { forEachUnique } from './group.ts';
import { Overlay } from './overlay.ts';
import type { RangePosition } from './range.ts';
import { RangeState } from './range.ts';
import { SegmentUsage } from './segment-usage.ts';
import type { ContainerSnapshot } from './snapshot.ts';
import { Snapshots } from './snapshot.ts';
import { tell } from './tell.ts';

export const purgeKind = 'purge';
export const erasureKind = 'erasure';

/** The value of a catalog resource of kind `erasure`: a container that is gone, and all ranges it ever had records of. */
export interface ErasureValue {
  readonly container: number;
  readonly ranges: readonly number[];
}

/** The value of a catalog resource of kind `purge`. */
export interface PurgeValue {
  readonly container: number;
  /** Latin-1 text of the bytes. */
  readonly partitionKey: string;
  readonly epk: string;
  readonly lsnMax: number;
}

/** Told of what has become visible. */
export interface CommitListener {
  onCommit(view: FrameView, run: number): void;
  /** Split or merged, or its container was deleted. */
  onRangeGone(range: number): void;
  onContainerGone(container: number): void;
}

export class DatabaseState {
  readonly environment: Environment;
  readonly segments: SegmentStore;
  readonly catalog: Catalog;
  readonly overlay: Overlay<StagedRecord> = new Overlay();
  readonly usage: SegmentUsage;
  readonly snapshots: Snapshots;
  readonly index: LateIndex;
  /** Chosen at creation and at every restore: etags of two histories never agree. */
  readonly epoch: number;
  /** What META frames say: of a database just restored the old epoch, until its tails have been raised. */
  writtenEpoch: number;
  readonly #containers = new Map<number, ContainerState>();
  readonly #ranges = new Map<number, RangeState>();
  readonly #stagedUniques = new Map<string, StagedUnique>();
  /** Deletes by partition key that are decided and not yet published, with their last LSN. */
  readonly #stagedPurges = new Map<string, number>();
  /** Split or merged by the group that is being published. */
  readonly #gone: number[] = [];
  readonly #onRouting: ((container: number) => void)[] = [];
  readonly #listeners: CommitListener[] = [];
  readonly #findVisible = (key: Buffer, hash: number): Version | undefined => this.findVisible(key, hash);
  #layout = 0;
  #pages = 0;
  #relayout: Promise<void> | undefined;

  constructor(options: {
    readonly environment: Environment;
    readonly segments: SegmentStore;
    readonly index: LateIndex;
    readonly catalog: Catalog;
    readonly epoch: number;
    readonly writtenEpoch?: number;
    position(range: number): RangePosition | undefined;
  }) {
    this.environment = options.environment;
    this.segments = options.segments;
    this.index = options.index;
    this.catalog = options.catalog;
    this.epoch = options.epoch;
    this.writtenEpoch = options.writtenEpoch ?? options.epoch;
    this.usage = new SegmentUsage(() => options.index);
    this.snapshots = new Snapshots(options.segments);
    for (const entry of options.catalog.containers()) this.#openContainer(entry, options.position);
  }

  container(number: number): ContainerState {
    const found = this.#containers.get(number);
    if (found !== undefined) return found;
    this.catalog.container(number);
    throw new Error('unreachable: the catalog knows a container that is not open');
  }

  findContainer(number: number): ContainerState | undefined {
    return this.#containers.get(number);
  }

  containers(): IterableIterator<ContainerState> {
    return this.#containers.values();
  }

  findRange(number: number): RangeState | undefined {
    return this.#ranges.get(number);
  }

  /** The latest version that a decision may see. `hash` is what the index gives of the key. */
  findDecided(key: Buffer, hash: number): Version | undefined {
    const staged = this.overlay.findStaged(key, hash);
    return staged === undefined ? this.findVisible(key, hash) : staged.version;
  }

  /** The latest version that a reader may see. */
  findVisible(key: Buffer, hash?: number): Version | undefined {
    return this.index.version(key, hash);
  }

  findUniqueHolder(key: Buffer): string | undefined {
    const keyText = key.toString('latin1');
    const staged = this.#stagedUniques.get(keyText);
    if (staged !== undefined) return staged.id;
    const recent = this.overlay.findUnique(keyText);
    if (recent !== undefined) return recent.id;
    return this.index.get(key)?.toString('utf8');
  }

  stage(record: StagedRecord): void {
    this.overlay.stage(record);
    if (record.owner === undefined) return;
    forEachUnique(record, (key, id) => {
      this.#stagedUniques.set(key.toString('latin1'), { id, record });
    });
  }

  stagePurge(purge: PurgeValue): void {
    this.#stagedPurges.set(`${purge.container}/${purge.partitionKey}`, purge.lsnMax);
  }

  /** Whether a decision must take this version for deleted with its partition key. */
  isPurgeDecided(container: ContainerState, partitionKey: Buffer, lsn: number): boolean {
    if (container.isPurged(partitionKey, lsn)) return true;
    if (this.#stagedPurges.size === 0) return false;
    const lsnMax = this.#stagedPurges.get(`${container.number}/${partitionKey.toString('latin1')}`);
    return lsnMax !== undefined && lsn <= lsnMax;
  }

  /** Forgets every decision that was not published. */
  unstageAll(): void {
    this.#stagedPurges.clear();
    this.overlay.unstageAll();
    this.#stagedUniques.clear();
    for (const range of this.#ranges.values()) {
      range.decidedLsn = range.tailLsn;
      range.decidedTimeMs = range.tailTimeMs;
      range.isSealed = false;
    }
  }

  publish(group: DurableGroup): void {
    const order = this.overlay.grow(group.records.length, group.view.header.length, group.space);
    // History that begins with this group keeps what this group supersedes.
    const turnedOn = group.changes.length === 0 ? nobody : historiesTurnedOn(group.changes);
    for (const record of group.records) this.#publishRecord(record, group.segment, order, turnedOn);
    for (const { range, slice } of group.slices) {
      this.overlay.addSlice(range, { slice, view: group.view, order });
    }
    for (const change of group.changes) this.#publishChange(change);
    // Whoever waits for a range that is no more has to look for its children.
    const gone = this.#gone.length === 0 ? this.#gone : this.#gone.splice(0);
    for (const listener of this.#listeners) {
      for (const { slice } of group.slices) listener.onCommit(group.view, slice.run);
      for (const range of gone) listener.onRangeGone(range);
    }
    for (const change of group.changes) {
      if (change.put?.type === 'container') for (const callback of this.#onRouting) tell(callback, change.put.number);
    }
  }

  /**
   * A restored database goes on, in a new epoch, far beyond the LSNs it was saved with: every range of a container from the
   * same one, so that an LSN tells the epoch that its etag was made in.
   */
  raiseTails(gap: number): void {
    for (const { entry, ranges } of [...this.#containers.values()]) {
      const lsnMax = Math.max(...ranges.map((range) => range.tailLsn));
      for (const range of ranges) {
        range.tailLsn = lsnMax + gap;
        range.decidedLsn = range.tailLsn;
      }
      const epochs = [...(entry.epochs ?? []), { epoch: this.writtenEpoch, lsnMax }];
      this.#publishChange({ put: { ...entry, epochs } });
    }
    this.writtenEpoch = this.epoch;
  }

  /**
   * Compaction puts slices in the place of others and gives them to other ranges of the lineage: whoever walks several
   * ranges while it does may see some twice and others not at all. So a walk notes the layout before its first step, and
   * what it found counts only if the layout is still the same after the last.
   */
  get layout(): number {
    return this.#layout;
  }

  /** The layout, once nobody is changing it. */
  async steadyLayout(): Promise<number> {
    while (this.#relayout !== undefined) await this.#relayout;
    return this.#layout;
  }

  async relayout(change: () => Promise<void>): Promise<void> {
    this.#layout += 1;
    const changed = change();
    this.#relayout = changed.then(
      () => {},
      () => {},
    );
    try {
      await changed;
    } finally {
      this.#relayout = undefined;
    }
  }

  /**
   * Pages of warm data wait for nothing. Whoever reads one after the other would keep everybody else from going on, the
   * flushes that writers wait for as well; so after some of them the others get a turn.
   */
  async takeTurns(): Promise<void> {
    this.#pages += 1;
    if (this.#pages % pagesPerTurn === 0) await this.environment.clock.nextTurn();
  }

  /** Of a container as it is now. */
  openSnapshot(container: ContainerState): ContainerSnapshot {
    return this.snapshots.open(container, this.environment.clock.nowMs());
  }

  listen(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  onRouting(callback: (container: number) => void): void {
    this.#onRouting.push(callback);
  }

  position(range: number): RangePosition | undefined {
    return this.#ranges.get(range)?.position;
  }

  positions(): { readonly number: number; readonly position: RangePosition }[] {
    return [...this.#ranges.values()].map((range) => ({ number: range.number, position: range.position }));
  }

  #publishRecord(record: StagedRecord, segment: number, order: number, turnedOn: ReadonlySet<number>): void {
    const range = this.#ranges.get(record.range);
    if (range !== undefined) this.snapshots.note(record, range, this.#findVisible);
    this.overlay.unstage(record);
    if (record.owner !== undefined) this.#publishUniques(record, order);
    const { previous, version, recordBytes } = record;
    const { keys, keyStart, keyEnd, hash } = record;
    if (version === undefined) this.index.remove(keys, keyStart, keyEnd, hash);
    else this.index.put(keys, keyStart, keyEnd, hash, version);
    if (record.isInsert && version !== undefined) {
      this.overlay.rids.add(record.container, version.ridNumber, keys, keyStart, keyEnd);
    }
    this.usage.add(segment, record.container, recordBytes, version === undefined);
    if (previous !== undefined) {
      const entry = this.#containers.get(record.container)?.entry;
      const keepsHistory = (entry?.historyMs ?? 0) > 0 || turnedOn.has(record.container);
      // What is superseded after a trim is kept by that trim, also when the clock has been set back behind it.
      const second = Math.max(Math.floor(record.timeMs / 1000), (entry?.floorSecond ?? 0) + 1);
      this.usage.supersede(previous.place, record.container, keepsHistory ? second : undefined);
    }
    const counted = range ?? this.#heirOf(record);
    if (counted !== undefined) {
      counted.bytes += (version === undefined ? 0 : recordBytes) - (previous?.place.recordBytes ?? 0);
      counted.documents += (version === undefined ? 0 : 1) - (previous === undefined ? 0 : 1);
    }
    if (range === undefined) return;
    // Written only when they change: a time is a number that is made anew on the heap with each assignment.
    if (record.lsn > range.tailLsn) range.tailLsn = record.lsn;
    if (record.timeMs > range.tailTimeMs) range.tailTimeMs = record.timeMs;
    if (record.lsn > range.decidedLsn) range.decidedLsn = record.lsn;
    if (record.timeMs > range.decidedTimeMs) range.decidedTimeMs = record.timeMs;
    if (record.isInsert && version !== undefined) range.nextRid = Math.max(range.nextRid, version.ridNumber + 1);
  }

  /** A rebuild finds records of ranges that were split or merged since: what they hold is in their successors. */
  #heirOf({ container, key }: StagedRecord): RangeState | undefined {
    return this.#containers.get(container)?.rangeOf(epkOfDocKey(key));
  }

  #publishUniques(record: StagedRecord, order: number): void {
    forEachUnique(record, (key, id) => {
      const keyText = key.toString('latin1');
      if (this.#stagedUniques.get(keyText)?.record === record) this.#stagedUniques.delete(keyText);
      this.overlay.putUnique(keyText, id, order);
    });
  }

  #publishChange(change: CatalogChange): void {
    const removed = change.put === undefined ? this.catalog.entry(change.remove) : undefined;
    this.catalog.apply(change);
    if (change.put?.type === 'container') {
      this.#openContainer(change.put, (number) => this.#ranges.get(number)?.position);
    }
    if (removed?.type === 'container') this.#closeContainer(removed.number);
    if (change.put?.type === 'resource' && change.put.kind === purgeKind) {
      // Only this engine writes resources of this kind.
      this.#addPurge(change.put.number, change.put.value as PurgeValue);
    }
    if (removed?.type === 'resource' && removed.kind === purgeKind) this.#removePurge(removed.value as PurgeValue);
  }

  #openContainer(entry: ContainerEntry, position: (range: number) => RangePosition | undefined): void {
    const before = this.#containers.get(entry.number);
    const ranges = entry.ranges.map((rangeEntry) => {
      const open = this.#ranges.get(rangeEntry.number);
      if (open !== undefined) {
        open.entry = rangeEntry;
        return open;
      }
      const start = position(rangeEntry.number) ?? this.#origin(before, rangeEntry);
      const range = new RangeState(entry.number, rangeEntry, start);
      this.#ranges.set(range.number, range);
      return range;
    });
    const staying = new Set(ranges);
    for (const range of before?.ranges ?? []) {
      if (staying.has(range)) continue;
      this.#ranges.delete(range.number);
      this.#gone.push(range.number);
    }
    const purges = before?.purges ?? new Map<string, Purge>();
    this.#containers.set(entry.number, new ContainerState(entry, ranges, this.epoch, purges));
    if (before === undefined) {
      for (const resource of this.catalog.resources(purgeKind)) {
        const value = resource.value as PurgeValue;
        if (value.container === entry.number) this.#addPurge(resource.number, value);
      }
    }
  }

  /** A child goes on from its parents' time, so that time never goes back along a lineage, and shares their bytes and documents. */
  #origin(before: ContainerState | undefined, entry: RangeEntry): RangePosition {
    const parents = (before?.ranges ?? []).filter((range) => keyRangesIntersect(range.entry, entry));
    const timeMs = Math.max(0, ...parents.map((range) => range.decidedTimeMs));
    const isMerged = parents.length > 1;
    const isFirst = parents.some((range) => range.entry.min === entry.min);
    const bytes = parents.reduce((sum, range) => sum + shareOf(range.bytes, isMerged, isFirst), 0);
    const documents = parents.reduce((sum, range) => sum + shareOf(range.documents, isMerged, isFirst), 0);
    return RangeState.origin(entry, timeMs, { bytes, documents });
  }

  #closeContainer(number: number): void {
    const container = this.#containers.get(number);
    this.#containers.delete(number);
    for (const range of container?.ranges ?? []) {
      this.#ranges.delete(range.number);
      for (const listener of this.#listeners) listener.onRangeGone(range.number);
    }
    for (const listener of this.#listeners) listener.onContainerGone(number);
  }

  #addPurge(number: number, value: PurgeValue): void {
    const name = `${value.container}/${value.partitionKey}`;
    if (this.#stagedPurges.get(name) === value.lsnMax) this.#stagedPurges.delete(name);
    const container = this.#containers.get(value.container);
    if (container === undefined) return;
    const partitionKey = Buffer.from(value.partitionKey, 'latin1');
    const epk = Buffer.from(value.epk, 'latin1');
    const prefix = partitionBounds(value.container, epk, partitionKey).from;
    container.purges.set(value.partitionKey, { number, partitionKey, epk, lsnMax: value.lsnMax, prefix });
  }

  #removePurge(value: PurgeValue): void {
    const purges = this.#containers.get(value.container)?.purges;
    if (purges?.get(value.partitionKey)?.lsnMax === value.lsnMax) purges.delete(value.partitionKey);
  }
}

/** The halves of a split are together what was split. */
function shareOf(amount: number, isMerged: boolean, isFirst: boolean): number {
  if (isMerged) return amount;
  return isFirst ? Math.floor(amount / 2) : Math.ceil(amount / 2);
}

const nobody: ReadonlySet<number> = new Set();

function historiesTurnedOn(changes: readonly CatalogChange[]): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const { put } of changes) if (put?.type === 'container' && put.historyMs > 0) numbers.add(put.number);
  return numbers;
}

interface StagedUnique {
  readonly id: string | undefined;
  readonly record: StagedRecord;
}
