// Carries published groups from the overlay into the index, in the background. One index transaction at a time takes
// everything published meanwhile; the next starts when it is flushed. A group is committed whatever happens here: an index
// that fails is tried again, and condemned when it fails again, to be rebuilt at the next open. A full disk is not the
// index's fault: the transaction is tried until there is room.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import type { Version } from '../index/documents.ts';
import { encodeVersion } from '../index/documents.ts';
import type { IndexChange, IndexStore } from '../index/index-store.ts';
import { framesKey, metaKey, metaKind, ridKey, timeKey, ttlKey, writeUint48BE } from '../index/keys.ts';
import type { Slice } from '../index/slices.ts';
import { decodeSlices, encodeSlices } from '../index/slices.ts';
import { indexedPerTurn, indexedRangesMax, slicesPerChunk } from '../limits.ts';
import type { CatalogChange, CatalogEntry } from '../state/catalog.ts';
import type { DurableGroup, StagedRecord } from '../state/group.ts';
import { forEachUnique } from '../state/group.ts';
import type { Overlay } from '../state/overlay.ts';
import type { RangePosition } from '../state/range.ts';
import type { SegmentUsage } from '../state/segment-usage.ts';
import { DocumentPut, RidPut } from './document-put.ts';

/** Of keys and values in the index. One of another format is thrown away and made anew: the log has everything. */
export const indexFormat = 2;

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
  readonly index: IndexStore;
  readonly overlay: Overlay;
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
  #pending: DurableGroup[] = [];
  #moved = new Map<string, StagedMove>();
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

  take(group: DurableGroup): void {
    this.#pending.push(group);
    this.#taken += 1;
    if (this.#isUrgent) this.#hurry?.abort();
    this.#start();
  }

  /** A version that compaction copied: the same version at another place. Its entry is already in the overlay. */
  move(keyText: string, move: StagedMove): void {
    this.#moved.set(keyText, move);
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
            this.#fail(error);
            reject(error);
          }
        },
      });
      this.#hurry?.abort();
      this.#start();
    });
  }

  /** What it remembers of ranges is in the index by now; ranges come and go for as long as the database is open. */
  #forgetIfMany(): void {
    if (Math.max(this.#chunks.size, this.#seconds.size) <= indexedRangesMax) return;
    this.#chunks.clear();
    this.#seconds.clear();
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
        if (this.#pending.length === 0 && this.#moved.size === 0) return;
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
    const groups = this.#pending;
    const moved = this.#moved;
    const taken = this.#taken;
    // Whatever is published is handed over in the same breath, so this is the order of the last of these groups.
    const { order } = this.#options.overlay;
    this.#pending = [];
    this.#moved = new Map();
    try {
      // Reads the index as well: one that cannot be read has failed like one that cannot be written.
      const changes = this.#changesOf(groups, moved);
      await this.#applyAndSync(changes, groups, moved, order);
      this.#done = taken;
      this.#forgetIfMany();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
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

  async #applyAndSync(
    changes: readonly IndexChange[],
    groups: readonly DurableGroup[],
    moved: ReadonlyMap<string, StagedMove>,
    order: number,
  ): Promise<void> {
    const { index, overlay, environment } = this.#options;
    await this.#options.flushLog();
    await this.#applyPatiently(changes);
    const last = groups.at(-1);
    let records = 0;
    let bytes = 0;
    let keys: string[] = [...moved.keys()];
    const uniqueKeys: string[] = [];
    for (const group of groups) {
      records += group.records.length;
      bytes += group.view.header.length;
      for (const record of group.records) {
        if (!record.isReplaced) keys.push(record.keyText);
        if (record.owner !== undefined) forEachUnique(record, (key) => uniqueKeys.push(key.toString('latin1')));
        record.previous = undefined;
      }
      if (keys.length < indexedPerTurn) continue;
      overlay.shed(order, keys);
      keys = [];
      await environment.clock.nextTurn();
    }
    overlay.shed(order, keys);
    overlay.shrink(order, uniqueKeys, records, bytes);
    this.#wake();
    await index.sync();
    if (last !== undefined) this.#checkpoint = this.#checkpointAfter(last);
  }

  #changesOf(groups: readonly DurableGroup[], moved: ReadonlyMap<string, StagedMove>): IndexChange[] {
    const changes: IndexChange[] = [];
    // Only compaction moves versions: the keys of these groups are seldom looked up.
    const written = moved.size === 0 ? undefined : new Set<string>();
    const ranges = new Set<number>();
    const touchedChunks = new Map<number, Slice[]>();
    for (const group of groups) {
      for (const record of group.records) {
        this.#pushBeside(changes, record);
        written?.add(record.keyText);
        if (!record.isReplaced) {
          changes.push(record.version === undefined ? { key: record.key, value: undefined } : new DocumentPut(record));
        }
        ranges.add(record.range);
      }
      for (const { range, slice } of group.slices) this.#addSlice(changes, touchedChunks, range, slice);
      for (const change of group.changes) changes.push(catalogChange(change));
      for (const change of group.changes) {
        if (change.put?.type === 'container') for (const range of change.put.ranges) ranges.add(range.number);
      }
    }
    for (const [keyText, move] of moved) {
      // A newer version published since has its own entry and wins.
      if (!written?.has(keyText)) changes.push({ key: move.key, value: encodeVersion(move.version) });
    }
    for (const [range, slices] of touchedChunks) {
      changes.push({ key: framesKey(range, (slices[0] as Slice).firstLsn), value: encodeSlices(slices) });
    }
    for (const range of ranges) {
      const position = this.#options.position(range);
      if (position === undefined) continue;
      changes.push(positionChange(range, position));
    }
    const last = groups.at(-1);
    if (last !== undefined) this.#options.usage.touch(last.segment);
    changes.push(...this.sharedChanges());
    if (last !== undefined && !this.#isRebuilding) changes.push(checkpointChange(this.#checkpointAfter(last)));
    return changes;
  }

  /** What has changed of the segments, or of one of them; for whoever has the index to itself. */
  sharedChanges(only?: number): IndexChange[] {
    return this.#options.usage.takeChanges((segment) => this.#options.segmentFacts(segment), only);
  }

  #checkpointAfter(last: DurableGroup): Checkpoint {
    const { sequence, segment, endOffset } = last;
    const { epoch } = this.#checkpoint;
    return { sequence, segment, offset: endOffset, nextNumber: this.#options.nextCatalogNumber(), epoch };
  }

  /** Rid, ttl, unique and time entries, in the order of the records. */
  #pushBeside(changes: IndexChange[], record: StagedRecord): void {
    const { version, previous } = record;
    if (record.isInsert && version !== undefined) {
      changes.push(new RidPut(record));
    }
    if (version === undefined && previous !== undefined) {
      changes.push({ key: ridKey(record.container, previous.ridNumber), value: undefined });
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
      });
    }
    const second = Math.floor(record.timeMs / 1000);
    if (this.#seconds.get(record.range) !== second) {
      this.#pushSecond(changes, record.range, second, record.lsn);
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

export interface StagedMove {
  readonly key: Buffer;
  readonly version: Version;
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
