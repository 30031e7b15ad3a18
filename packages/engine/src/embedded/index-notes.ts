// What published groups mean for the index besides the entries of their documents, written down until a transaction takes it:
// slices of frames, rids, seconds, expiries, unique keys, the catalog and the positions of ranges.

import { Buffer } from 'node:buffer';
import type { IndexChange } from '../index/index-store.ts';
import { framesKey, metaKey, metaKind, timeKey, ttlKey, writeUint48BE } from '../index/keys.ts';
import type { LateIndex } from '../index/late-index.ts';
import { RidChanges } from '../index/rid-blocks.ts';
import type { Slice } from '../index/slices.ts';
import { decodeSlices, encodeSlices } from '../index/slices.ts';
import { encodeTtlValue } from '../index/ttl-values.ts';
import { indexedRangesMax, slicesPerChunk } from '../limits.ts';
import { operation } from '../log/frame.ts';
import type { CatalogChange } from '../state/catalog.ts';
import type { DurableGroup, StagedRecord } from '../state/group.ts';
import { forEachUnique } from '../state/group.ts';
import type { Overlay } from '../state/overlay.ts';
import type { RangePosition } from '../state/range.ts';
import type { SegmentUsage } from '../state/segment-usage.ts';

export interface IndexNotesOptions {
  readonly index: LateIndex;
  readonly overlay: Overlay<StagedRecord>;
  readonly usage: SegmentUsage;
  /** The positions of ranges as of everything published. */
  position(range: number): RangePosition | undefined;
}

export type LastFrame = Pick<DurableGroup, 'sequence' | 'segment' | 'endOffset'>;

/** What one transaction takes. */
export interface Noted {
  readonly last: LastFrame | undefined;
  /** In the overlay until it is in the index. */
  readonly records: number;
  readonly bytes: number;
  readonly uniqueKeys: readonly string[];
  readonly changes: IndexChange[];
  readonly rids: RidChanges;
}

export class IndexNotes {
  readonly #options: IndexNotesOptions;
  #pending: Pending = nothing();
  /** Range → the slices of its last chunk, while it can take more. */
  readonly #chunks = new Map<number, Slice[]>();
  readonly #seconds = new Map<number, number>();
  /** Of the record that was noted last: the next one is often of the same. */
  #lastRange: number | undefined;
  #lastSecond: number | undefined;

  constructor(options: IndexNotesOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#pending.isEmpty;
  }

  /** Something was put into the index, or removed, that was not published. */
  noteEntered(): void {
    this.#pending.isEmpty = false;
  }

  /** Writes down what the next transaction needs of a group, which is not needed any more then. */
  note(group: DurableGroup): void {
    const pending = this.#pending;
    pending.isEmpty = false;
    pending.last = { sequence: group.sequence, segment: group.segment, endOffset: group.endOffset };
    pending.records += group.records.length;
    pending.bytes += group.view.header.length;
    // How far its segment has come: of a group without documents nothing else tells, and the next one may be in another segment.
    this.#options.usage.touch(group.segment);
    for (const record of group.records) if (!this.#isUsual(record)) this.#noteBeside(pending, record);
    for (const entry of group.slices) {
      pending.slices.push(entry);
      pending.ranges.add(entry.range);
    }
    for (const change of group.changes) {
      pending.beside.push(catalogChange(change));
      if (change.put?.type === 'container') for (const range of change.put.ranges) pending.ranges.add(range.number);
    }
  }

  /** All of it as of now: nothing may be published in between. */
  take(): Noted {
    const pending = this.#pending;
    const changes = this.#changesOf(pending);
    const rids = this.#ridsOf(pending);
    this.#pending = nothing();
    const { last, records, bytes, uniqueKeys } = pending;
    return { last, records, bytes, uniqueKeys, changes, rids };
  }

  /** What it remembers of ranges is in the index by now, or pending; ranges come and go for as long as the database is open. */
  forgetIfMany(): void {
    if (Math.max(this.#chunks.size, this.#seconds.size) <= indexedRangesMax) return;
    this.#chunks.clear();
    this.#seconds.clear();
    this.#lastRange = undefined;
    for (const [range, second] of this.#pending.seconds) this.#seconds.set(range, second);
  }

  /** Forgets what it remembers of these ranges' chunks, after somebody else has rewritten them. */
  forgetChunks(ranges: Iterable<number>): void {
    for (const range of ranges) this.#chunks.delete(range);
  }

  #changesOf(pending: Pending): IndexChange[] {
    const changes = this.#options.index.take();
    for (const change of pending.beside) changes.push(change);
    const touchedChunks = new Map<number, Slice[]>();
    for (const { range, slice } of pending.slices) this.#addSlice(changes, touchedChunks, range, slice);
    for (const [range, slices] of touchedChunks) {
      changes.push({ key: framesKey(range, (slices[0] as Slice).firstLsn), value: encodeSlices(slices) });
    }
    for (const range of pending.ranges) {
      const position = this.#options.position(range);
      if (position === undefined) continue;
      changes.push(positionChange(range, position));
    }
    return changes;
  }

  #ridsOf(pending: Pending): RidChanges {
    const rids = new RidChanges();
    this.#options.overlay.rids.take(rids);
    // A rid is never given twice, so that it is removed after it was put, if at all.
    for (const { container, ridNumber } of pending.goneRids) rids.remove(container, ridNumber);
    return rids;
  }

  /** Most writes: of one more version of a document, in a second that has begun, nothing is noted. */
  #isUsual({ operation: kind, owner, ttl, timeMs, previous, ridNumber, range }: StagedRecord): boolean {
    if (kind === operation.delete || owner !== undefined || ttl !== undefined) return false;
    if (previous !== undefined && (previous.ttl !== undefined || previous.ridNumber !== ridNumber)) return false;
    return this.#lastSecond === Math.floor(timeMs / 1000) && this.#lastRange === range;
  }

  /** Ttl, unique and time entries and rids that are gone, in the order of the records. */
  #noteBeside({ beside: changes, goneRids, uniqueKeys, seconds }: Pending, record: StagedRecord): void {
    const { version, previous } = record;
    // Of another document as well: compaction may have dropped the delete between the two, and a rebuild find both.
    if (previous !== undefined && previous.ridNumber !== version?.ridNumber) {
      goneRids.push({ container: record.container, ridNumber: previous.ridNumber });
    }
    const oldExpiry = previous === undefined ? undefined : ownExpirySecond(previous);
    const newExpiry = version === undefined ? undefined : ownExpirySecond(version);
    if (oldExpiry !== undefined && oldExpiry !== newExpiry) {
      changes.push({ key: ttlKey(oldExpiry, record.key), value: undefined });
    }
    if (newExpiry !== undefined) changes.push({ key: ttlKey(newExpiry, record.key), value: encodeTtlValue(record) });
    if (record.owner !== undefined) {
      forEachUnique(record, (key, id) => {
        changes.push({ key, value: id === undefined ? undefined : Buffer.from(id) });
        uniqueKeys.push(key.toString('latin1'));
      });
    }
    const second = Math.floor(record.timeMs / 1000);
    this.#lastSecond = second;
    this.#lastRange = record.range;
    if (this.#seconds.get(record.range) !== second) {
      this.#pushSecond(changes, record.range, second, record.lsn);
      seconds.set(record.range, second);
    }
  }

  #pushSecond(changes: IndexChange[], range: number, second: number, lsn: number): void {
    const key = timeKey(range, second);
    const isFirstOfRange = !this.#seconds.has(range);
    this.#seconds.set(range, second);
    // After a start the second may have been begun before: its first LSN stays.
    if (isFirstOfRange && this.#options.index.get(key) !== undefined) return;
    const value = Buffer.allocUnsafe(6);
    writeUint48BE(value, lsn, 0);
    changes.push({ key, value });
  }

  #addSlice(changes: IndexChange[], touched: Map<number, Slice[]>, range: number, slice: Slice): void {
    let chunk = this.#chunks.get(range) ?? this.#lastChunk(range);
    if (chunk.length >= slicesPerChunk) {
      const full = touched.get(range);
      if (full !== undefined) {
        changes.push({ key: framesKey(range, (full[0] as Slice).firstLsn), value: encodeSlices(full) });
      }
      chunk = [];
    }
    chunk.push(slice);
    this.#chunks.set(range, chunk);
    touched.set(range, chunk);
  }

  #lastChunk(range: number): Slice[] {
    const bounds = { from: framesKey(range, 0), to: framesKey(range + 1, 0) };
    const [last] = this.#options.index.range({ ...bounds, limit: 1, reverse: true });
    return last === undefined ? [] : decodeSlices(last.value);
  }
}

/** What the next transaction has to write besides entries of documents, new rids, positions and sums. */
interface Pending {
  isEmpty: boolean;
  last: LastFrame | undefined;
  /** In the overlay, for as long. */
  records: number;
  bytes: number;
  readonly beside: IndexChange[];
  readonly goneRids: { readonly container: number; readonly ridNumber: number }[];
  readonly uniqueKeys: string[];
  readonly slices: { readonly range: number; readonly slice: Slice }[];
  readonly ranges: Set<number>;
  /** The last second of each range that is among `beside`. */
  readonly seconds: Map<number, number>;
}

function nothing(): Pending {
  return {
    isEmpty: true,
    last: undefined,
    records: 0,
    bytes: 0,
    beside: [],
    goneRids: [],
    uniqueKeys: [],
    slices: [],
    ranges: new Set(),
    seconds: new Map(),
  };
}

function ownExpirySecond(version: { readonly timeMs: number; readonly ttl: number | undefined }): number | undefined {
  if (version.ttl === undefined || version.ttl <= 0) return undefined;
  return Math.floor(version.timeMs / 1000) + version.ttl;
}

export function catalogChange(change: CatalogChange): IndexChange {
  if (change.put === undefined) return { key: metaKey(metaKind.catalog, change.remove), value: undefined };
  return { key: metaKey(metaKind.catalog, change.put.number), value: Buffer.from(JSON.stringify(change.put)) };
}

export function positionChange(range: number, position: RangePosition): IndexChange {
  return { key: metaKey(metaKind.range, range), value: Buffer.from(JSON.stringify(position)) };
}
