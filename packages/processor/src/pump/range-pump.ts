// The pump of one range: reader → pages in order → handler, in one lane or several → watermark → checkpoints.
//
//   run ──▶ READING ──drain, gone, feed failed, halted──▶ FINISHING ──handlers returned, position stored──▶ ended
//              └──── signal aborted, checkpoint refused, handler hung ────▶ ABORTED ──handlers obeyed, or given up──▶ ended
//
// FINISHING starts nothing new: what was read but not given to the handler is left to the next owner, so a stop is short and repeats
// nothing. ABORTED acknowledges nothing any more.

import { setMaxListeners } from 'node:events';
import type { DatabaseError, ErrorCode } from '@tidemark/model';
import { isDatabaseError } from '@tidemark/model';
import { retryPauseMs } from '../bounded.ts';
import { notNeeded } from '../environment.ts';
import type { FeedPage } from '../feed/feed-source.ts';
import { acknowledgeMsMax, deathsBeforeCaution, doneSaveMs, unacknowledgedPagesMax } from '../limits.ts';
import { ProcessorError } from '../processor-error.ts';
import { AttemptLog } from './attempt-log.ts';
import { BatchRuns } from './batch-runs.ts';
import { indexesOf } from './bisect.ts';
import { Checkpointer } from './checkpointer.ts';
import { Decoder } from './deliveries.ts';
import { DoneLog } from './done-log.ts';
import { Doorbell } from './doorbell.ts';
import type { Flow } from './flow.ts';
import { HandlerCalls } from './handler-calls.ts';
import { Lanes } from './lanes.ts';
import { OpenPage } from './open-page.ts';
import { Parking } from './parking.ts';
import type { Pump, PumpContext, PumpEnd, PumpLease } from './pump.ts';
import { PumpHealth } from './pump-health.ts';
import type { PumpParts } from './pump-parts.ts';
import type { ReadEnd } from './reader.ts';
import { FeedReader } from './reader.ts';
import { Replays } from './replays.ts';
import { unlessAborted } from './unless-aborted.ts';
import { Watermark } from './watermark.ts';

export class RangePump implements Pump {
  readonly #parts: PumpParts;
  readonly #lease: PumpLease;
  readonly #context: PumpContext;
  readonly #decoder: Decoder;
  readonly #health: PumpHealth;
  readonly #reader: FeedReader;
  readonly #checkpointer: Checkpointer;
  readonly #calls: HandlerCalls;
  readonly #runs: BatchRuns;
  readonly #parking: Parking;
  readonly #replays: Replays | undefined;
  readonly #attempts: AttemptLog;
  readonly #doneLog: DoneLog;
  readonly #watermark: Watermark = new Watermark();
  readonly #bell: Doorbell = new Doorbell();
  /** Read, not given to the handler yet; a part of `#pages`. */
  readonly #queue: OpenPage[] = [];
  /** Until the watermark has passed them; with manual checkpoints until they are handled. They bound what is read ahead. */
  readonly #pages: Map<number, OpenPage> = new Map();
  #openBytes = 0;
  /** Sequence numbers below it are passed. */
  #passed = 0;
  readonly #lanes: Lanes<OpenPage> | undefined;
  /** With one lane: what is done between two pages. */
  readonly #tasks: Task[] = [];
  readonly #startPosition: string | undefined;
  /** The feed was read to its end with nothing left to do: what killed owners before is not there any more. */
  #wasIdle = false;
  readonly #finishing: AbortController = new AbortController();
  #end: PumpEnd | undefined;

  constructor(parts: PumpParts, lease: PumpLease, context: PumpContext) {
    this.#parts = parts;
    this.#lease = lease;
    this.#context = context;
    // Every acknowledgement that waits to be stored listens for the end.
    setMaxListeners(0, this.#finishing.signal);
    const { clock, random, source, emit, memory } = context;
    const { settings } = parts;
    this.#decoder = new Decoder(parts.identity, lease.mode, parts.schema);
    this.#health = new PumpHealth(emit, lease.leaseToken);
    const health = this.#health;
    const flow = this.#flow();
    this.#calls = new HandlerCalls(flow);
    this.#parking = new Parking(flow, parts.deadLetters);
    this.#attempts = new AttemptLog(memory);
    this.#runs = new BatchRuns(flow, this.#calls, this.#attempts, this.#parking);
    this.#replays =
      parts.deadLetters === undefined || parts.replays === undefined
        ? undefined
        : new Replays(flow, this.#calls, this.#parking, parts.deadLetters, parts.replays);
    this.#lanes = settings.lanes > 1 ? new Lanes(settings.lanes) : undefined;
    this.#doneLog = new DoneLog({ clock, memory, pages: () => this.#pages.values(), stored: () => this.stored });
    const { start } = lease;
    this.#startPosition = typeof start === 'object' && 'position' in start ? start.position : undefined;
    this.#reader = new FeedReader({
      clock,
      random,
      source,
      health,
      lease,
      settings,
      whenRoom: () => this.#whenRoom(),
      onPage: (page) => this.#onPage(page),
    });
    this.#checkpointer = new Checkpointer({
      clock,
      random,
      strategy: settings.checkpoint,
      idleMs: settings.idleCheckpointMs,
      stored: this.#startPosition,
      store: (position) => context.checkpoint(position),
      offer: (position) => context.offer(position),
      // What is done above the position is done above the new one.
      onStored: () => {
        if (this.#hasPartlyDone() || this.#doneLog.isSaved) this.#doneLog.touch();
      },
      onFailed: (error) => this.#stop({ kind: 'aborted', error }),
    });
  }

  get stored(): string | undefined {
    return this.#checkpointer.stored;
  }

  get isHandling(): boolean {
    return this.#calls.running > 0;
  }

  drain(): void {
    this.#stop({ kind: 'drained' });
  }

  leave(): void {
    this.#calls.close();
    this.#doneLog.close();
    this.#checkpointer.close(new ProcessorError('lease-lost', 'The range is not read by this host any more.'));
  }

  async run(): Promise<PumpEnd> {
    const { signal } = this.#context;
    const onAbort = (): void => this.#stop({ kind: 'aborted', error: signal.reason });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    try {
      // The first page is under way while memory is read.
      const reading = this.#reader.run().then(
        (end) => this.#onReadEnd(end),
        (error: unknown) => this.#stop({ kind: 'aborted', error }),
      );
      if (await this.#remember()) {
        const replaying = this.#replays?.watch((laneKey, task) => this.#alone(laneKey, task));
        await Promise.all([reading, this.#consume(), replaying]);
      } else await reading;
      await this.#finish();
    } catch (error) {
      // A defect of the pump: better to give the range up than to go on with a state that nobody understands.
      this.#stop({ kind: 'aborted', error });
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.leave();
      this.#health.close();
    }
    const end = this.#end ?? { kind: 'drained' };
    return end.kind === 'aborted' && this.#calls.hung > 0 ? { ...end, isHung: true } : end;
  }

  #stop(end: PumpEnd): void {
    const isWorse = end.kind === 'aborted' && this.#end?.kind !== 'aborted';
    if (this.#end === undefined || isWorse) this.#end = end;
    if (end.kind === 'aborted') this.#calls.abort(end.error);
    this.#finishing.abort(notNeeded);
    this.#reader.stop();
    this.#bell.ring();
  }

  #onReadEnd(end: ReadEnd): void {
    if (end.kind === 'gone') this.#stop({ kind: 'gone' });
    else if (end.kind === 'failed') this.#stop({ kind: 'feed-failed', error: end.error });
  }

  /**
   * Nothing is delivered before it is known what the owner before has done: a store that cannot be read for so long cannot keep the lease
   * either. What will never be readable means that more is repeated, not that nothing is done.
   */
  async #loadMemory(): Promise<void> {
    const { clock, random } = this.#context;
    for (let failures = 0; this.#end === undefined; failures += 1) {
      try {
        await Promise.all([this.#attempts.load(), this.#doneLog.load(this.#startPosition)]);
        return this.#health.clear('lease-store-failing');
      } catch (error) {
        const message = 'What the owner before remembered about the range could not be read.';
        this.#health.raise('lease-store-failing', message, error);
        if (!isPassing(error)) return;
        await clock.sleep(retryPauseMs({ clock, random }, failures, error.retryAfterMs), this.#finishing.signal);
      }
    }
  }

  /** False: the pump is stopping. */
  async #remember(): Promise<boolean> {
    const { signal } = this.#context;
    await unlessAborted(this.#loadMemory(), this.#finishing.signal);
    if (this.#lease.isTakeover === true && this.#end === undefined) {
      if (this.#wasIdle) this.#survived();
      else this.#countDeath();
      await unlessAborted(this.#attempts.save(), signal);
    }
    return (await this.#parking.load()) && this.#end === undefined;
  }

  #countDeath(): void {
    const deaths = this.#attempts.countDeath(this.#startPosition);
    if (deaths < deathsBeforeCaution) return;
    this.#runs.isCautious = true;
    this.#health.raise('no-progress', `${deaths} owners in a row have come no further than this position.`);
  }

  /** Handlers have returned: store what they did, as far as this host may. */
  async #finish(): Promise<void> {
    const { signal } = this.#context;
    if (!this.#isAborted()) await this.#whenAcknowledged();
    if (!this.#isAborted()) await unlessAborted(this.#checkpointer.flush(), signal);
    if (this.#isAborted() || !this.#isHeld()) return;
    this.#doneLog.close();
    await unlessAborted(this.#saveMemory(), signal);
  }

  /** A clean end repeats nothing: what is done above the position is on record before another has the range, or its time is over. */
  async #saveMemory(): Promise<void> {
    const { clock, random, signal } = this.#context;
    for (let failures = 0; ; failures += 1) {
      const [, isKept] = await Promise.all([this.#attempts.save(), this.#doneLog.save()]);
      // Successors of a range that is gone do not know its pages.
      if (isKept || this.#end?.kind === 'gone' || !isPassing(this.#doneLog.error)) return;
      await clock.sleep(retryPauseMs({ clock, random }, failures), signal);
      if (this.#isAborted() || !this.#isHeld()) return;
    }
  }

  /** With manual checkpoints: handlers have returned, their work may go on. It is waited for, by a range that is gone only for a while. */
  async #whenAcknowledged(): Promise<void> {
    const { checkpoint } = this.#parts.settings;
    if (checkpoint.kind !== 'manual' || checkpoint.isCumulative === true) return;
    const { clock, signal } = this.#context;
    const isPatient = this.#end?.kind === 'drained';
    // A pause has no deadline of its own: what nobody acknowledges for so long is handled again after it.
    const limitMs = isPatient ? this.#parts.settings.stallMs : acknowledgeMsMax;
    const untilMs = clock.monotonicMs() + limitMs;
    const late = new AbortController();
    const timer = clock.sleep(limitMs, late.signal).then(() => this.#bell.ring());
    while (this.#calls.unacknowledged > 0 && !this.#isAborted()) {
      if (clock.monotonicMs() >= untilMs) break;
      await unlessAborted(this.#bell.wait(), signal);
    }
    late.abort(notNeeded);
    await timer;
  }

  /** While nothing moves there is no room: told of when it takes as long as a feed may fail. */
  async #whenRoom(): Promise<void> {
    if (this.#end !== undefined || this.#hasRoom()) return;
    const { clock } = this.#context;
    const room = new AbortController();
    void clock.sleep(this.#parts.settings.stallMs, room.signal).then(() => {
      if (room.signal.aborted) return;
      this.#health.raise('no-progress', 'Changes wait, and none was acknowledged for a long time.');
    });
    while (this.#end === undefined && !this.#hasRoom()) await this.#bell.wait();
    room.abort(notNeeded);
    this.#health.clear('no-progress');
  }

  #hasRoom(): boolean {
    const { readAheadPages, readAheadBytes } = this.#parts.settings;
    if (this.#watermark.size >= unacknowledgedPagesMax) return false;
    return this.#pages.size === 0 || (this.#pages.size <= readAheadPages && this.#openBytes < readAheadBytes);
  }

  #onPage(page: FeedPage): void {
    if (this.#end !== undefined) return;
    const sequence = this.#watermark.open(page.position, page.items.length);
    if (page.items.length > 0) {
      const open = new OpenPage(page, sequence, this.#decoder);
      this.#pages.set(sequence, open);
      this.#openBytes += open.sizeBytes;
      this.#queue.push(open);
      this.#bell.ring();
      return;
    }
    this.#advance();
    if (page.isDrained && this.#watermark.size === 0) {
      this.#wasIdle = true;
      this.#doneLog.forgetKnown();
      // Nothing is left that an owner could have died of. Kept now: the position stays, and the next one would count on.
      if (this.#survived() && this.#isHeld()) void this.#attempts.save();
      const { leaseToken, epoch } = this.#lease;
      this.#context.emit({ type: 'idle', leaseToken, epoch, position: page.position });
    }
  }

  async #consume(): Promise<void> {
    await (this.#lanes === undefined ? this.#consumeInOrder() : this.#consumeInLanes(this.#lanes));
    for (const task of this.#tasks.splice(0)) task.skip();
  }

  async #consumeInOrder(): Promise<void> {
    while (this.#end === undefined) {
      const task = this.#tasks.shift();
      if (task !== undefined) await task.run();
      else if (this.#queue.length > 0) await this.#runNext();
      else await this.#bell.wait();
    }
  }

  /** Apart from the loop: while a loop waits for the next page, its variables would keep this one and all its changes. */
  async #runNext(): Promise<void> {
    const page = this.#queue.shift();
    const indexes = page && (await this.#open(page));
    if (page !== undefined && indexes !== undefined) await this.#runs.run(page, indexes);
  }

  async #consumeInLanes(lanes: Lanes<OpenPage>): Promise<void> {
    const running = new Set<Promise<void>>();
    while (this.#end === undefined) {
      const page = this.#queue.shift();
      if (page !== undefined) {
        const indexes = await this.#open(page);
        if (indexes !== undefined) lanes.add(page, indexes, (index) => page.laneKeyOf(index));
      }
      while (running.size < this.#parts.settings.lanes && this.#end === undefined) {
        const batch = lanes.take();
        if (batch === undefined) break;
        const run: Promise<void> = this.#runs
          .run(batch.page, batch.indexes)
          .catch((error: unknown) => this.#stop({ kind: 'aborted', error }))
          .then(() => {
            running.delete(run);
            lanes.release(batch.keys);
            this.#bell.ring();
          });
        running.add(run);
      }
      if (this.#queue.length === 0 && this.#end === undefined) await this.#bell.wait();
    }
    await Promise.all(running);
  }

  /** The items that the handler is to see; undefined: the pump is stopping. */
  async #open(page: OpenPage): Promise<readonly number[] | undefined> {
    const { invalid } = await page.decode();
    for (const index of invalid.keys()) {
      if (!(await this.#runs.refuse(page, index))) return undefined;
    }
    if (invalid.size === 0 && this.#doneLog.knownCount === 0) return indexesOf(page.count);
    const indexes: number[] = [];
    const done: number[] = [];
    for (const index of indexesOf(page.count)) {
      if (invalid.has(index)) continue;
      if (this.#doneLog.knownCount > 0 && this.#doneLog.take(page.digestOf(index))) done.push(index);
      else indexes.push(index);
    }
    if (done.length > 0) {
      this.#settle(page, done);
      this.#handled(page, done.length);
    }
    return indexes;
  }

  /** Runs a task while nobody works on the key; with one lane, while nobody works at all. */
  async #alone(laneKey: string, run: () => Promise<void>): Promise<void> {
    const lanes = this.#lanes;
    if (lanes === undefined) {
      await new Promise<void>((resolve) => {
        this.#tasks.push({ run: () => run().finally(resolve), skip: resolve });
        this.#bell.ring();
      });
      return;
    }
    while (!lanes.reserve(laneKey)) {
      if (this.#end !== undefined) return;
      await this.#bell.wait();
    }
    try {
      await run();
    } finally {
      lanes.release([laneKey]);
      this.#bell.ring();
    }
  }

  #isAborted(): boolean {
    return this.#end?.kind === 'aborted';
  }

  #isHeld(): boolean {
    if (this.#context.isHeld()) return true;
    this.#stop({ kind: 'aborted', error: new ProcessorError('fenced', 'The lease is not held any more.') });
    return false;
  }

  #settle(page: OpenPage, indexes: readonly number[]): void {
    this.#watermark.finish(page.sequence, indexes.length);
    this.#advance();
    if (page.sequence < this.#passed) return;
    page.settled ??= new Set();
    for (const index of indexes) page.settled.add(index);
    this.#doneLog.touch();
  }

  async #whenKept(page: OpenPage): Promise<void> {
    while (page.sequence >= this.#passed && this.#end?.kind !== 'aborted') {
      if (await this.#doneLog.save()) return;
      await this.#context.clock.sleep(doneSaveMs, this.#finishing.signal);
      if (this.#end !== undefined)
        throw new ProcessorError('lease-lost', 'The range is given up before it was stored.');
    }
    return this.#checkpointer.whenStored(page.sequence);
  }

  #handled(page: OpenPage, count: number): void {
    page.left -= count;
    if (page.left > 0 || this.#parts.settings.checkpoint.kind !== 'manual') return;
    if (page.settled !== undefined && page.sequence >= this.#passed) {
      this.#doneLog.keep(
        page.sequence,
        [...page.settled].map((index) => page.digestOf(index)),
      );
    }
    this.#close(page);
    this.#bell.ring();
  }

  #advance(): void {
    const move = this.#watermark.advance();
    if (move === undefined) return;
    for (; this.#passed <= move.sequence; this.#passed += 1) {
      const page = this.#pages.get(this.#passed);
      if (page !== undefined) this.#close(page);
      this.#doneLog.passed(this.#passed);
    }
    if (move.items > 0) this.#survived();
    if (this.#doneLog.isSaved) this.#doneLog.touch();
    this.#checkpointer.moved(move.position, move.sequence, move.items);
    this.#bell.ring();
  }

  /** False when nobody had died here. */
  #survived(): boolean {
    if (!this.#attempts.forgetDeaths()) return false;
    this.#runs.isCautious = false;
    this.#health.clear('no-progress');
    return true;
  }

  #close(page: OpenPage): void {
    if (this.#pages.delete(page.sequence)) this.#openBytes -= page.sizeBytes;
  }

  #hasPartlyDone(): boolean {
    for (const page of this.#pages.values()) if (page.settled !== undefined) return true;
    return false;
  }

  #flow(): Flow {
    return {
      parts: this.#parts,
      lease: this.#lease,
      context: this.#context,
      decoder: this.#decoder,
      health: this.#health,
      finishing: this.#finishing.signal,
      isAborted: () => this.#isAborted(),
      isHeld: () => this.#isHeld(),
      stop: (end) => this.#stop(end),
      settle: (page, indexes) => this.#settle(page, indexes),
      acknowledge: (sequence, items, names) => {
        this.#watermark.finish(sequence, items);
        this.#advance();
        if (sequence >= this.#passed) this.#doneLog.keep(sequence, names);
        this.#bell.ring();
      },
      handled: (page, count) => this.#handled(page, count),
      whenStored: (sequence) => this.#checkpointer.whenStored(sequence),
      whenKept: (page) => this.#whenKept(page),
    };
  }
}

/** Whether asking the store again may help. Credentials may be renewed any moment (S64). */
function isPassing(error: unknown): error is DatabaseError {
  return isDatabaseError(error) && (error.isRetriable || openCodes.has(error.code));
}

const openCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'outcome-unknown',
  'precondition-failed',
  'conflict',
  'unauthorized',
]);

interface Task {
  run(): Promise<void>;
  skip(): void;
}
