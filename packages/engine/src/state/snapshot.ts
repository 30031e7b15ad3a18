// Snapshots: the documents of a container as they were at one moment, for scans of many batches.
//
// Nothing is copied when one is opened. While it is open it is told of every record that is published, and keeps the version that
// the record replaces or deletes, where that was there when it was opened. A version that the index has counts if it was there as well:
// if its LSN is not behind the tail that its range had. What is kept is bounded; beyond it the largest snapshot is lost.

import type { Buffer } from 'node:buffer';
import { DatabaseError } from '@tidemark/model';
import type { Version } from '../index/documents.ts';
import { readableVersion } from '../index/documents.ts';
import { epkOfDocKey } from '../index/keys.ts';
import { snapshotBytesMax } from '../limits.ts';
import type { SegmentKeeper } from '../log/segment-keeper.ts';
import type { SegmentStore } from '../log/segment-store.ts';
import type { Snapshot } from '../range-engine.ts';
import { isExpired } from '../write/ttl.ts';
import type { ContainerState, Purge } from './container-state.ts';
import { isPurgedBy } from './container-state.ts';
import type { DatabaseState } from './database-state.ts';
import { GoneDocuments } from './gone-documents.ts';
import type { StagedRecord } from './group.ts';
import type { RangeState } from './range.ts';

/** What a version costs that is kept, and what the key of a document costs that is gone beside its bytes; about. */
const versionBytes = 320;
const goneBytes = 128;

/** A document of which another version, or none, becomes visible. */
interface Change {
  readonly key: Buffer;
  /** What is visible of it yet. */
  readonly visible: Version;
  /** Of the new version, if there is one. */
  readonly ridNumber: number | undefined;
}

interface Tail {
  readonly lsn: number;
  readonly timeMs: number;
}

/** Those of one database. */
export class Snapshots {
  readonly #segments: SegmentStore;
  readonly #open = new Map<number, Set<ContainerSnapshot>>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(segments: SegmentStore, bytesMax: number = snapshotBytesMax) {
    this.#segments = segments;
    this.#bytesMax = bytesMax;
  }

  open(container: ContainerState, nowMs: number): ContainerSnapshot {
    const snapshot = new ContainerSnapshot(container, nowMs, this.#segments.keepRetired(), () => this.#close(snapshot));
    const others = this.#open.get(container.number);
    if (others === undefined) this.#open.set(container.number, new Set([snapshot]));
    else others.add(snapshot);
    return snapshot;
  }

  /** Before a record of this range becomes visible. `find` gives what is visible yet: the record before it may have no place any more. */
  note(record: StagedRecord, range: RangeState, find: (key: Buffer, hash: number) => Version | undefined): void {
    const snapshots = this.#open.get(record.container);
    if (snapshots === undefined) return;
    for (const snapshot of snapshots) snapshot.noteTail(range);
    if (record.previous === undefined) return;
    const { key, hash, version } = record;
    const visible = find(key, hash);
    if (visible === undefined) return;
    const change: Change = { key, visible, ridNumber: version?.ridNumber };
    for (const snapshot of snapshots) this.#bytes += snapshot.keep(change, range);
    while (this.#bytes > this.#bytesMax) this.#bytes -= this.#largest().lose();
  }

  #largest(): ContainerSnapshot {
    let largest: ContainerSnapshot | undefined;
    for (const snapshots of this.#open.values()) {
      for (const snapshot of snapshots) if (largest === undefined || snapshot.bytes > largest.bytes) largest = snapshot;
    }
    return largest as ContainerSnapshot; // Something has the bytes.
  }

  #close(snapshot: ContainerSnapshot): void {
    const { container, keeper } = snapshot;
    const others = this.#open.get(container.number);
    if (others?.delete(snapshot) !== true) return;
    if (others.size === 0) this.#open.delete(container.number);
    this.#bytes -= snapshot.lose();
    // The file has no name any more: should closing it fail, nobody misses it.
    this.#segments.letGo(keeper).catch(() => {});
  }
}

export class ContainerSnapshot implements Snapshot {
  /** As it was. */
  readonly container: ContainerState;
  /** Has what compaction has replaced since. */
  readonly keeper: SegmentKeeper;
  readonly #nowMs: number;
  readonly #close: () => void;
  readonly #purges: ReadonlyMap<string, Purge>;
  /** Of ranges that were written to since, by number. */
  readonly #tails = new Map<number, Tail>();
  /** What was replaced or deleted since, by rid number. */
  readonly #before = new Map<number, Version>();
  /** Those of them whose rid or key the index may not have any more. */
  readonly gone: GoneDocuments = new GoneDocuments();
  #bytes = 0;
  #isLost = false;

  constructor(container: ContainerState, nowMs: number, keeper: SegmentKeeper, close: () => void) {
    this.container = container;
    this.keeper = keeper;
    this.#nowMs = nowMs;
    this.#close = close;
    this.#purges = new Map(container.purges);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isLost(): boolean {
    return this.#isLost || this.keeper.isBroken;
  }

  close(): void {
    this.#close();
  }

  checkNotLost(): void {
    if (this.keeper.isBroken) {
      throw new DatabaseError(
        'unavailable',
        'A file that the query reads could not be kept open beside compaction. Ask again.',
      );
    }
    if (!this.#isLost) return;
    throw new DatabaseError(
      'bad-request',
      `So much was written while the query ran that what it reads would have been kept in more than ${snapshotBytesMax / 2 ** 20} MiB beside it. ` +
        'Let its filter name a partition key, or ask when less is written.',
    );
  }

  /** Before the range is written to. */
  noteTail(range: RangeState): void {
    if (!this.#tails.has(range.number)) this.#tails.set(range.number, this.#tailOf(range));
  }

  /** The version that is visible yet, if it was there. Gives the bytes that it takes more. */
  keep({ key, visible, ridNumber }: Change, range: RangeState): number {
    if (this.#isLost) return 0;
    const isKept = this.#before.has(visible.ridNumber);
    if (!isKept && this.#cameLater(visible, key, range)) return 0;
    let bytes = 0;
    if (!isKept) {
      this.#before.set(visible.ridNumber, readableVersion(visible));
      bytes += versionBytes;
    }
    if (ridNumber !== visible.ridNumber) {
      this.gone.add(visible.ridNumber, key);
      bytes += goneBytes + key.length;
    }
    this.#bytes += bytes;
    return bytes;
  }

  /** The version that a document had, if it was there. */
  find(state: DatabaseState, ridNumber: number, key: Buffer, epk: Buffer): Version | undefined {
    const before = this.#before.get(ridNumber);
    const version = before ?? state.findVisible(key);
    // Another document may have the id by now.
    if (version?.ridNumber !== ridNumber) return undefined;
    if (before === undefined && this.#tails.size > 0 && version.lsn > this.#tailAt(epk).lsn) return undefined;
    return this.#shows(version, key, epk) ? version : undefined;
  }

  /** Of a range as it is now. One that was not there yet has what its parent had. */
  tailLsn(range: RangeState): number {
    return (this.#hasRange(range) ? this.#tailOf(range) : this.#tailAt(range.minKey)).lsn;
  }

  /** Lets go of what it has kept; gives how many bytes that was. */
  lose(): number {
    const bytes = this.#bytes;
    this.#isLost = true;
    this.#before.clear();
    this.gone.clear();
    this.#bytes = 0;
    return bytes;
  }

  /** Neither over its time nor deleted with its partition key, at that moment. */
  #shows(version: Version, key: Buffer, epk: Buffer): boolean {
    const { defaultTtl } = this.container;
    if (defaultTtl !== undefined) {
      const nowMs = Math.max(this.#nowMs, this.#tailAt(epk).timeMs);
      if (isExpired(version, defaultTtl, nowMs)) return false;
    }
    return !isPurgedBy(this.#purges, key, version.lsn);
  }

  /** A version that is replaced in this range: whether it was not there yet when the snapshot was opened. */
  #cameLater(version: Version, key: Buffer, range: RangeState): boolean {
    const { lsn } = this.#hasRange(range) ? this.#tailOf(range) : this.#tailAt(epkOfDocKey(key));
    return version.lsn > lsn;
  }

  #hasRange(range: RangeState): boolean {
    return this.container.rangeWithId(range.entry.id) === range;
  }

  #tailAt(epk: Buffer): Tail {
    return this.#tailOf(this.container.rangeOf(epk));
  }

  #tailOf(range: RangeState): Tail {
    return this.#tails.get(range.number) ?? { lsn: range.tailLsn, timeMs: range.tailTimeMs };
  }
}
