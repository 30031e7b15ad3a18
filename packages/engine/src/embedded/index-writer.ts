// Carries published groups into the index, in the background. Entries of documents are there already, in memory
// (index/late-index.ts); what else a group means is written down when it comes. One index transaction at a time takes everything
// published meanwhile; the next starts when it is flushed. A group is committed whatever happens here: an index
// that fails is tried again, and condemned when it fails again, to be rebuilt at the next open. A full disk is not the
// index's fault: the transaction is tried until there is room.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import type { IndexChange, IndexStore } from '../index/index-store.ts';
import { framesKey, metaKey, metaKind, timeKey, ttlKey, writeUint48BE } from '../index/keys.ts';
import type { LateIndex } from '../index/late-index.ts';
import { RidChanges } from '../index/rid-blocks.ts';
import type { Slice } from '../index/slices.ts';
import { decodeSlices, encodeSlices } from '../index/slices.ts';
import { indexedRangesMax, slicesPerChunk } from '../limits.ts';
import type { CatalogChange, CatalogEntry } from '../state/catalog.ts';
import type { DurableGroup, StagedRecord } from '../state/group.ts';
import { forEachUnique } from '../state/group.ts';
import type { Overlay } from '../state/overlay.ts';
import type { RangePosition } from '../state/range.ts';
import type { SegmentUsage } from '../state/segment-usage.ts';

/** Of keys and values in the index. One of another format is thrown away and made anew: the log has everything. */
export const indexFormat = 4;

/** The frame up to which the index is complete, and where the next one begins. */
export interface Checkpoint {
  readonly sequence: number;
  readonly segment: number;
  readonly offset: number;
  /** Catalog numbers below this have been given. */
  readonly nextNumber: number;
  readonly epoch: number;
}

export interface IndexWriterOptions {
  readonly index: LateIndex;
  readonly overlay: Overlay<StagedRecord>;
  readonly usage: SegmentUsage;
  readonly environment: Environment;
  /** The positions of ranges as of everything published. */
  position(range: number): RangePosition | undefined;
  /** What is kept of a segment beside its sums. */
  segmentFacts(segment: number): Record<string, unknown> | undefined;
  nextCatalogNumber(): number;
  /** The catalog and the positions of all ranges: a rebuild gets them from a META frame, not from changes. */
  standing(): Standing[];
  /** How long a transaction waits for more to come along; 0 for not at all. */
  readonly gatherMs: number;
  /** In 'os' mode the log is flushed first, so that the index never overtakes it. */
  flushLog(): Promise<void>;
  onFailure(error: DatabaseError): void;
}

const attemptsMax = 3;
const retryMs = 100;

/** The index, for whoever has it to itself. */
export type ExclusiveIndex = Pick<IndexStore, 'get' | 'range' | 'apply'>;

export class IndexWriter {
  readonly #options: IndexWriterOptions;
  #pending: Pending = nothing();
  /** Range → the slices of its last chunk, while it can take more. */
  readonly #chunks = new Map<number, Slice[]>();
  readonly #seconds = new Map<number, number>();
  #running: Promise<void> | undefined;
  /** Work that needs the index for itself, between two transactions. */
  readonly #exclusive: { run(): Promise<void>; fail(error: DatabaseError): void }[] = [];
  /** What was handed over so far, and how much of that is in the index. */
  #taken = 0;
  #done = 0;
  /** Ends the wait for more, when there is one. */
  #hurry: AbortController | undefined;
  #hasGathered = false;
  #failure: DatabaseError | undefined;
  /** Set while a transaction waits for room on the disk. */
  #stall: DatabaseError | undefined;
  readonly #stop = new AbortController();
  readonly #progress: (() => void)[] = [];
  #checkpoint: Checkpoint;
  /** A rebuild writes no checkpoint before it is complete: an index without one is thrown away at the next open. */
  #isRebuilding: boolean;

  constructor(options: IndexWriterOptions, checkpoint: Checkpoint, isRebuilding: boolean) {
    this.#options = options;
    this.#checkpoint = checkpoint;
    this.#isRebuilding = isRebuilding;
  }

  get failure(): DatabaseError | undefined {
    return this.#failure;
  }

  /** Why nothing reaches the index at the moment: it has failed, or there is no room for it. */
  get obstacle(): DatabaseError | undefined {
    return this.#failure ?? this.#stall;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  /** What has just been published. */
  take(group: DurableGroup): void {
    this.#taken += 1;
    try {
      this.#note(group);
    } catch (error) {
      // It reads the index: one that cannot be read has failed like one that cannot be written.
      this.fail(error);
    }
    if (this.#isUrgent) this.#hurry?.abort();
    this.#start();
  }

  /** Something was put into the index, or removed, that was not published: it has to be written. */
  noteEntered(): void {
    this.#pending.isEmpty = false;
    this.#taken += 1;
    this.#start();
  }

  /** Runs alone, after the transaction under way; what it applies is flushed when it resolves. */
  exclusively(work: (index: ExclusiveIndex) => Promise<void>): Promise<void> {
    const { index } = this.#options;
    const exclusive: ExclusiveIndex = {
      get: (key) => index.get(key),
      range: (options) => index.range(options),
      apply: async (changes) => {
        await this.#options.flushLog();
        await this.#applyPatiently(changes);
      },
    };
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#exclusive.push({
        fail: reject,
        run: async () => {
          try {
            await work(exclusive);
            await index.sync();
            resolve();
          } catch (error) {
            // What it was about to write may have been taken from what the next transactions would have written.
            this.fail(error);
            reject(error);
          }
        },
      });
      this.#hurry?.abort();
      this.#start();
    });
  }

  /** What it remembers of ranges is in the index by now, or pending; ranges come and go for as long as the database is open. */
  #forgetIfMany(): void {
    if (Math.max(this.#chunks.size, this.#seconds.size) <= indexedRangesMax) return;
    this.#chunks.clear();
    this.#seconds.clear();
    for (const [range, second] of this.#pending.seconds) this.#seconds.set(range, second);
  }

  /** Forgets what it remembers of these ranges' chunks, after somebody else has rewritten them. */
  forgetChunks(ranges: Iterable<number>): void {
    for (const range of ranges) this.#chunks.delete(range);
  }

  /** Resolves at the next index transaction, or at once when there is nothing to wait for. */
  progress(): Promise<void> {
    if (this.#running === undefined) return Promise.resolve();
    const next = new Promise<void>((resolve) => this.#progress.push(resolve));
    this.#hurry?.abort();
    return next;
  }

  /** Resolves when everything published before the call is in the index and flushed. */
  async drained(): Promise<void> {
    const wanted = this.#taken;
    while (this.#done < wanted && this.#failure === undefined) await this.progress();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** As `drained`, but does not wait for room on the disk. */
  async settled(): Promise<void> {
    const wanted = this.#taken;
    while (this.#done < wanted && this.obstacle === undefined) await this.progress();
    if (this.obstacle !== undefined) throw this.obstacle;
  }

  /** From now on nothing waits for room. What is not in the index is replayed from the log by the next open. */
  stopWaiting(): void {
    this.#stop.abort();
    this.#hurry?.abort();
  }

  /** A transaction that changes nothing, to see whether the index takes one. */
  prove(): Promise<void> {
    return this.exclusively((index) => index.apply([checkpointChange(this.#checkpoint)]));
  }

  /** Everything has been replayed: from now on the index counts as complete up to its checkpoint. */
  async finishRebuild(sequence: number, segment: number, offset: number): Promise<void> {
    await this.drained();
    this.#isRebuilding = false;
    const { epoch } = this.#checkpoint;
    const checkpoint: Checkpoint = { sequence, segment, offset, nextNumber: this.#options.nextCatalogNumber(), epoch };
    await this.exclusively((index) => {
      const changes = [...this.#options.standing().flatMap(standingChanges), ...this.sharedChanges()];
      return index.apply([...changes, checkpointChange(checkpoint)]);
    });
    this.#checkpoint = checkpoint;
  }

  #start(): void {
    if (this.#running !== undefined || this.#failure !== undefined) return;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    try {
      // What is published in this turn goes along.
      await this.#options.environment.clock.nextTurn();
      while (this.#failure === undefined) {
        const exclusive = this.#exclusive.shift();
        if (exclusive !== undefined) {
          await exclusive.run();
          this.#wake();
          continue;
        }
        if (this.#pending.isEmpty) return;
        if (await this.#gather()) continue;
        await this.#writeOnce();
        this.#wake();
      }
    } finally {
      // In the same breath as the last look at the queues: work that came between the two would wait for ever.
      this.#running = undefined;
      this.#wake();
    }
  }

  /**
   * Lets more come along as long as nobody waits for the index: its flushes compete with those that writers wait for.
   * Resolves with whether it waited, since there may be other work then.
   */
  async #gather(): Promise<boolean> {
    const ms = this.#options.gatherMs;
    if (ms === 0 || this.#isUrgent || this.#hasGathered) {
      this.#hasGathered = false;
      return false;
    }
    this.#hurry = new AbortController();
    await this.#options.environment.clock.sleep(ms, this.#hurry.signal);
    this.#hurry = undefined;
    this.#hasGathered = true;
    return true;
  }

  get #isUrgent(): boolean {
    const isAwaited = this.#progress.length > 0 || this.#exclusive.length > 0 || this.#stop.signal.aborted;
    return isAwaited || this.#options.overlay.isFilling;
  }

  async #writeOnce(): Promise<void> {
    const taken = this.#taken;
    // Whatever is published is handed over in the same breath, so this is the order of the last of these groups.
    const { order } = this.#options.overlay;
    try {
      const pending = this.#pending;
      const changes = this.#changesOf(pending);
      const rids = this.#ridsOf(pending);
      this.#pending = nothing();
      const { index, environment } = this.#options;
      // Nobody else changes those in the index.
      for (const change of await rids.on(index, () => environment.clock.nextTurn())) changes.push(change);
      await this.#applyAndSync(changes, pending, order);
      this.#done = taken;
      this.#forgetIfMany();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Nothing is written any more; the next open makes the index anew. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    if (this.#stop.signal.aborted && isFull(error)) {
      this.#failure = error;
    } else {
      const reason = error instanceof Error ? error.message : String(error);
      const advice = 'Nothing is lost; open the database again to have the index rebuilt.';
      this.#failure = new DatabaseError('unavailable', `The index has failed: ${reason} ${advice}`, { cause: error });
      this.#options.onFailure(this.#failure);
    }
    for (const { fail } of this.#exclusive.splice(0)) fail(this.#failure);
  }

  async #applyPatiently(changes: readonly IndexChange[]): Promise<void> {
    const { index, environment } = this.#options;
    for (let attempt = 1; ; ) {
      try {
        await index.apply(changes);
        this.#stall = undefined;
        return;
      } catch (error) {
        if (isFull(error)) this.#stall = error;
        else if (attempt === attemptsMax) throw error;
        else attempt += 1;
        if (this.#stop.signal.aborted) throw error;
        this.#wake();
        await environment.clock.sleep(retryMs, this.#stop.signal);
      }
    }
  }

  async #applyAndSync(changes: readonly IndexChange[], pending: Pending, order: number): Promise<void> {
    const { index, overlay } = this.#options;
    await this.#options.flushLog();
    await this.#applyPatiently(changes);
    overlay.shrink(order, pending.uniqueKeys, pending.records, pending.bytes);
    this.#wake();
    await index.sync();
    if (pending.last !== undefined) this.#checkpoint = this.#checkpointAfter(pending.last);
  }

  /** All of it as of now: nothing may be published in between. */
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
    const { last } = pending;
    changes.push(...this.sharedChanges());
    if (last !== undefined && !this.#isRebuilding) changes.push(checkpointChange(this.#checkpointAfter(last)));
    return changes;
  }

  #ridsOf(pending: Pending): RidChanges {
    const rids = new RidChanges();
    this.#options.overlay.rids.take(rids);
    // A rid is never given twice, so that it is removed after it was put, if at all.
    for (const { container, ridNumber } of pending.goneRids) rids.remove(container, ridNumber);
    return rids;
  }

  /** Writes down what the next transaction needs of a group, which is not needed any more then. */
  #note(group: DurableGroup): void {
    const pending = this.#pending;
    pending.isEmpty = false;
    pending.last = { sequence: group.sequence, segment: group.segment, endOffset: group.endOffset };
    pending.records += group.records.length;
    pending.bytes += group.view.header.length;
    // How far its segment has come: of a group without documents nothing else tells, and the next one may be in another segment.
    this.#options.usage.touch(group.segment);
    for (const record of group.records) {
      this.#noteBeside(pending, record);
      record.previous = undefined;
    }
    for (const entry of group.slices) {
      pending.slices.push(entry);
      pending.ranges.add(entry.range);
    }
    for (const change of group.changes) {
      pending.beside.push(catalogChange(change));
      if (change.put?.type === 'container') for (const range of change.put.ranges) pending.ranges.add(range.number);
    }
  }

  /** What has changed of the segments, or of one of them; for whoever has the index to itself. */
  sharedChanges(only?: number): IndexChange[] {
    return this.#options.usage.takeChanges((segment) => this.#options.segmentFacts(segment), only);
  }

  #checkpointAfter(last: LastFrame): Checkpoint {
    const { sequence, segment, endOffset } = last;
    const { epoch } = this.#checkpoint;
    return { sequence, segment, offset: endOffset, nextNumber: this.#options.nextCatalogNumber(), epoch };
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

  #wake(): void {
    for (const resolve of this.#progress.splice(0)) resolve();
  }
}

type LastFrame = Pick<DurableGroup, 'sequence' | 'segment' | 'endOffset'>;

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

type Standing =
  | { readonly entry: CatalogEntry; readonly range?: undefined }
  | { readonly range: number; readonly position: RangePosition };

function standingChanges(standing: Standing): IndexChange[] {
  if (standing.range === undefined) return [catalogChange({ put: standing.entry })];
  return [positionChange(standing.range, standing.position)];
}

function positionChange(range: number, position: RangePosition): IndexChange {
  return { key: metaKey(metaKind.range, range), value: Buffer.from(JSON.stringify(position)) };
}

/** TTL VALUE: length of the partition key u16, partition key, id: the sweep needs both, and keys may be shortened. */
function encodeTtlValue(record: StagedRecord): Buffer {
  const { partitionKey, id } = record;
  const value = Buffer.allocUnsafe(2 + partitionKey.length + id.length);
  value.writeUInt16LE(partitionKey.length, 0);
  partitionKey.copy(value, 2);
  id.copy(value, 2 + partitionKey.length);
  return value;
}

export function decodeTtlValue(value: Buffer): { readonly partitionKey: Buffer; readonly id: string } {
  const end = 2 + value.readUInt16LE(0);
  return { partitionKey: value.subarray(2, end), id: value.toString('utf8', end) };
}

function ownExpirySecond(version: { readonly timeMs: number; readonly ttl: number | undefined }): number | undefined {
  if (version.ttl === undefined || version.ttl <= 0) return undefined;
  return Math.floor(version.timeMs / 1000) + version.ttl;
}

function catalogChange(change: CatalogChange): IndexChange {
  if (change.put === undefined) return { key: metaKey(metaKind.catalog, change.remove), value: undefined };
  return { key: metaKey(metaKind.catalog, change.put.number), value: Buffer.from(JSON.stringify(change.put)) };
}

function checkpointChange(checkpoint: Checkpoint): IndexChange {
  const value = Buffer.from(JSON.stringify({ format: indexFormat, ...checkpoint }));
  return { key: metaKey(metaKind.checkpoint, 0), value };
}

function isFull(error: unknown): error is DatabaseError {
  return isDatabaseError(error) && error.code === 'disk-full';
}
