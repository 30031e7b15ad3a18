// Carries published groups into the index, in the background. Entries of documents are there already, in memory
// (index/late-index.ts); what else a group means is written down when it comes (index-notes.ts). One index transaction at a time takes everything
// published meanwhile; the next starts when it is flushed. A group is committed whatever happens here: an index
// that fails is tried again, and condemned when it fails again, to be rebuilt at the next open. A full disk is not the
// index's fault: the transaction is tried until there is room.

import { Buffer } from 'node:buffer';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import type { IndexChange, IndexStore } from '../index/index-store.ts';
import { metaKey, metaKind } from '../index/keys.ts';
import type { CatalogEntry } from '../state/catalog.ts';
import type { DurableGroup } from '../state/group.ts';
import type { RangePosition } from '../state/range.ts';
import type { IndexNotesOptions, LastFrame, Noted } from './index-notes.ts';
import { catalogChange, IndexNotes, positionChange } from './index-notes.ts';

/** Of keys and values in the index. One of another format is thrown away and made anew: the log has everything. */
export const indexFormat = 5;

/** The frame up to which the index is complete, and where the next one begins. */
export interface Checkpoint {
  readonly sequence: number;
  readonly segment: number;
  readonly offset: number;
  /** Catalog numbers below this have been given. */
  readonly nextNumber: number;
  readonly epoch: number;
}

export interface IndexWriterOptions extends IndexNotesOptions {
  readonly environment: Environment;
  /** What is kept of a segment beside its sums. */
  segmentFacts(segment: number): Record<string, unknown> | undefined;
  nextCatalogNumber(): number;
  /** The catalog and the positions of all ranges: a rebuild gets them from a META frame, not from changes. */
  standing(): Standing[];
  /** How long a transaction waits for more to come along; 0 for not at all. */
  readonly gatherMs: number;
  /** Who has published nothing for so long is at rest: entries go to their places then. Undefined: only as far as they must. */
  readonly restMs: number | undefined;
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
  /** Of what was published and is not in the index. */
  readonly #notes: IndexNotes;
  #running: Promise<void> | undefined;
  /** Work that needs the index for itself, between two transactions. */
  readonly #exclusive: { run(): Promise<void>; fail(error: DatabaseError): void }[] = [];
  /** What was handed over so far, and how much of that is in the index. */
  #taken = 0;
  #done = 0;
  /** Ends the wait for more, when there is one. */
  #hurry: AbortController | undefined;
  #hasGathered = false;
  /** Nothing was published since it was waited for that. */
  #isAtRest = false;
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
    this.#notes = new IndexNotes(options);
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
    this.#isAtRest = false;
    try {
      this.#notes.note(group);
    } catch (error) {
      // It reads the index: one that cannot be read has failed like one that cannot be written.
      this.fail(error);
    }
    if (this.#isUrgent) this.#hurry?.abort();
    this.#start();
  }

  /** Something was put into the index, or removed, that was not published: it has to be written. */
  noteEntered(): void {
    this.#notes.noteEntered();
    this.#taken += 1;
    this.#isAtRest = false;
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

  /** Somebody else has rewritten the slices of these ranges. */
  forgetChunks(ranges: Iterable<number>): void {
    this.#notes.forgetChunks(ranges);
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

  /** Resolves when nothing more is done until somebody publishes or asks for something. */
  async rested(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
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
        if (this.#notes.isEmpty) {
          const isDone = !(await this.#mergeAtRest());
          if (isDone && this.#notes.isEmpty && this.#exclusive.length === 0) return;
          continue;
        }
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
    await this.#pause(ms);
    this.#hasGathered = true;
    return true;
  }

  /** Until somebody is in a hurry. Resolves with whether nobody was. */
  async #pause(ms: number): Promise<boolean> {
    const hurry = new AbortController();
    this.#hurry = hurry;
    await this.#options.environment.clock.sleep(ms, hurry.signal);
    this.#hurry = undefined;
    return !hurry.signal.aborted;
  }

  /** A part of what is on its way into the tree. Resolves with whether there may be more to do. */
  async #mergeAtRest(): Promise<boolean> {
    const { index, restMs } = this.#options;
    const isOver = (): boolean => !index.isMerging || this.#stop.signal.aborted;
    if (restMs === undefined || this.#isRebuilding || isOver()) return false;
    if (!this.#isAtRest) {
      const isUndisturbed = restMs === 0 || (await this.#pause(restMs));
      this.#isAtRest = isUndisturbed && this.#notes.isEmpty;
    }
    if (!this.#isAtRest || this.#exclusive.length > 0) return true;
    if (isOver()) return false;
    try {
      await this.#patiently(() => index.mergeAhead(), false);
      await index.sync();
      return true;
    } catch (error) {
      // Nobody needs it to go there now: whether there is room again shows when somebody writes.
      if (!isFull(error)) this.fail(error);
      return false;
    }
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
      const noted = this.#notes.take();
      const { changes, rids, last } = noted;
      for (const change of this.sharedChanges()) changes.push(change);
      if (last !== undefined && !this.#isRebuilding) changes.push(checkpointChange(this.#checkpointAfter(last)));
      const { index, environment } = this.#options;
      // Nobody else changes those in the index.
      for (const change of await rids.on(index, () => environment.clock.nextTurn())) changes.push(change);
      await this.#applyAndSync(noted, order);
      this.#done = taken;
      this.#notes.forgetIfMany();
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

  #applyPatiently(changes: readonly IndexChange[]): Promise<void> {
    const { index } = this.#options;
    return this.#patiently(() => index.apply(changes), true);
  }

  async #patiently(write: () => Promise<void>, isRoomAwaited: boolean): Promise<void> {
    const { environment } = this.#options;
    for (let attempt = 1; ; ) {
      try {
        await write();
        this.#stall = undefined;
        return;
      } catch (error) {
        if (isFull(error) && isRoomAwaited) this.#stall = error;
        else if (isFull(error) || attempt === attemptsMax) throw error;
        else attempt += 1;
        if (this.#stop.signal.aborted) throw error;
        this.#wake();
        await environment.clock.sleep(retryMs, this.#stop.signal);
      }
    }
  }

  async #applyAndSync({ changes, uniqueKeys, records, bytes, last }: Noted, order: number): Promise<void> {
    const { index, overlay } = this.#options;
    await this.#options.flushLog();
    await this.#applyPatiently(changes);
    overlay.shrink(order, uniqueKeys, records, bytes);
    this.#wake();
    await index.sync();
    if (last !== undefined) this.#checkpoint = this.#checkpointAfter(last);
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

function checkpointChange(checkpoint: Checkpoint): IndexChange {
  const value = Buffer.from(JSON.stringify({ format: indexFormat, ...checkpoint }));
  return { key: metaKey(metaKind.checkpoint, 0), value };
}

function isFull(error: unknown): error is DatabaseError {
  return isDatabaseError(error) && error.code === 'disk-full';
}
