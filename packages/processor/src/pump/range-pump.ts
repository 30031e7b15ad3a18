// The pump of one range: reader → pages in order → handler → watermark → checkpoints.
//
//   run ──▶ READING ──drain, gone, feed failed, halted──▶ FINISHING ──handlers returned, position stored──▶ ended
//              └────────── signal aborted, checkpoint refused ──────────▶ ABORTED ──handlers obeyed, or given up──▶ ended
//
// FINISHING starts nothing new: what was read but not given to the handler is left to the next owner, so a stop is short and repeats
// nothing. ABORTED acknowledges nothing any more.

import type { FeedPage } from '../feed/feed-source.ts';
import { itemBytesGuess } from '../limits.ts';
import { ProcessorError } from '../processor-error.ts';
import type { AttemptOutcome } from './attempt.ts';
import { attempt } from './attempt.ts';
import { backoffMs } from './backoff.ts';
import { Checkpointer } from './checkpointer.ts';
import { ChildSignals } from './child-signals.ts';
import { Decoder } from './deliveries.ts';
import { Doorbell } from './doorbell.ts';
import type { Pump, PumpContext, PumpEnd, PumpLease } from './pump.ts';
import type { PumpParts } from './pump-parts.ts';
import type { ReadEnd } from './reader.ts';
import { FeedReader } from './reader.ts';
import { Watermark } from './watermark.ts';

export class RangePump implements Pump {
  readonly #parts: PumpParts;
  readonly #lease: PumpLease;
  readonly #context: PumpContext;
  readonly #reader: FeedReader;
  readonly #checkpointer: Checkpointer;
  readonly #decoder: Decoder;
  readonly #signals: ChildSignals;
  readonly #watermark: Watermark = new Watermark();
  readonly #bell: Doorbell = new Doorbell();
  /** Read, not given to the handler yet. */
  readonly #queue: { readonly page: FeedPage; readonly sequence: number }[] = [];
  /** Of pages queued or with the handler. */
  #openPages = 0;
  #openBytes = 0;
  /** Aborted as soon as nothing new is to be started: it ends pauses. */
  readonly #finishing: AbortController = new AbortController();
  #end: PumpEnd | undefined;

  constructor(parts: PumpParts, lease: PumpLease, context: PumpContext) {
    this.#parts = parts;
    this.#lease = lease;
    this.#context = context;
    this.#decoder = new Decoder(parts.identity, lease.mode, parts.schema);
    this.#signals = new ChildSignals(context.signal);
    const { clock, random, source, emit } = context;
    this.#reader = new FeedReader({
      clock,
      random,
      source,
      emit,
      lease,
      settings: parts.settings,
      whenRoom: () => this.#whenRoom(),
      onPage: (page) => this.#onPage(page),
    });
    const { leaseToken, epoch, start } = lease;
    this.#checkpointer = new Checkpointer({
      clock,
      random,
      strategy: parts.settings.checkpoint,
      idleMs: parts.settings.idleCheckpointMs,
      stored: typeof start === 'object' && 'position' in start ? start.position : undefined,
      store: (position) => context.checkpoint(position),
      offer: (position) => context.offer(position),
      onStored: (position) => emit({ type: 'checkpoint', leaseToken, epoch, position }),
      onFailed: (error) => this.#stop({ kind: 'aborted', error }),
    });
  }

  get stored(): string | undefined {
    return this.#checkpointer.stored;
  }

  drain(): void {
    this.#stop({ kind: 'drained' });
  }

  async run(): Promise<PumpEnd> {
    const { signal } = this.#context;
    const onAbort = (): void => this.#stop({ kind: 'aborted', error: signal.reason });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    try {
      const reading = this.#reader.run().then((end) => this.#onReadEnd(end));
      await Promise.all([reading, this.#consume()]);
      await this.#flush();
      return this.#end ?? { kind: 'drained' };
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#signals.close();
      this.#checkpointer.close(new ProcessorError('lease-lost', 'The range is not read by this host any more.'));
    }
  }

  #stop(end: PumpEnd): void {
    if (this.#end === undefined || (end.kind === 'aborted' && this.#end.kind !== 'aborted')) this.#end = end;
    this.#finishing.abort();
    this.#reader.stop();
    this.#bell.ring();
  }

  #onReadEnd(end: ReadEnd): void {
    if (end.kind === 'gone') this.#stop({ kind: 'gone' });
    else if (end.kind === 'failed') this.#stop({ kind: 'feed-failed', error: end.error });
  }

  async #flush(): Promise<void> {
    const { signal } = this.#context;
    if (this.#end?.kind === 'aborted' || signal.aborted) return;
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.#checkpointer.flush(), aborted]);
  }

  async #whenRoom(): Promise<void> {
    const { readAheadPages, readAheadBytes } = this.#parts.settings;
    while (this.#end === undefined && this.#openPages > 0) {
      if (this.#openPages <= readAheadPages && this.#openBytes < readAheadBytes) return;
      await this.#bell.wait();
    }
  }

  #onPage(page: FeedPage): void {
    if (this.#end !== undefined) return;
    const sequence = this.#watermark.open(page.position, page.items.length);
    if (page.items.length === 0) {
      this.#advance();
      if (page.isDrained && this.#openPages === 0) {
        const { leaseToken, epoch } = this.#lease;
        this.#context.emit({ type: 'idle', leaseToken, epoch, position: page.position });
      }
      return;
    }
    this.#openPages += 1;
    this.#openBytes += sizeOf(page);
    this.#queue.push({ page, sequence });
    this.#bell.ring();
  }

  async #consume(): Promise<void> {
    while (this.#end === undefined) {
      const next = this.#queue.shift();
      if (next === undefined) {
        await this.#bell.wait();
        continue;
      }
      const { page, sequence } = next;
      const isDone = await this.#deliver(page);
      if (isDone) {
        this.#watermark.finish(sequence, page.items.length);
        this.#advance();
      }
      this.#openPages -= 1;
      this.#openBytes -= sizeOf(page);
      this.#bell.ring();
    }
  }

  /** False when it is left undone. */
  async #deliver(page: FeedPage): Promise<boolean> {
    const { values } = await this.#decoder.decode(page);
    const { clock, emit, random } = this.#context;
    const { leaseToken, epoch } = this.#lease;
    for (let failures = 0; this.#end === undefined; ) {
      if (!this.#assertHeld()) return false;
      const beganMs = clock.monotonicMs();
      const outcome = await this.#attempt(values, page, failures + 1);
      if (outcome.kind === 'hung') {
        this.#stop({ kind: 'aborted', error: outcome.error });
        return false;
      }
      if (outcome.kind === 'done') {
        if (!this.#assertHeld() || this.#isAborted()) return false;
        const durationMs = clock.monotonicMs() - beganMs;
        emit({ type: 'batch.delivered', leaseToken, epoch, items: values.length, durationMs });
        return true;
      }
      failures += 1;
      emit({ type: 'batch.failed', leaseToken, epoch, items: values.length, attempt: failures, error: outcome.error });
      await clock.sleep(backoffMs(this.#parts.settings.failure.retry, failures, random), this.#finishing.signal);
    }
    return false;
  }

  #isAborted(): boolean {
    return this.#end?.kind === 'aborted';
  }

  #assertHeld(): boolean {
    if (this.#context.isHeld()) return true;
    this.#stop({ kind: 'aborted', error: new ProcessorError('fenced', 'The lease is not held any more.') });
    return false;
  }

  async #attempt(values: readonly unknown[], page: FeedPage, number: number): Promise<AttemptOutcome> {
    const { clock, random, emit, instance } = this.#context;
    const { leaseToken, epoch, keys } = this.#lease;
    const { handlerWarnMs, handlerMsMax } = this.#parts.settings;
    const controller = this.#signals.open();
    const items = page.items;
    const context = {
      leaseToken,
      keys,
      epoch,
      instance,
      signal: controller.signal,
      position: page.position,
      attempt: number,
      charge: page.charge,
      sessionToken: page.sessionToken,
      checkpoint: () => Promise.reject(new ProcessorError('invalid-option', 'Checkpoints are not manual here.')),
      idempotencyKey: (index: number) => {
        const item = items[index];
        if (item === undefined) throw new RangeError(`The batch has no change ${index}.`);
        return this.#decoder.deliveryOf(item, values[index]).identity;
      },
    };
    const message = 'The handler is slow.';
    const onSlow = (): void => emit({ type: 'health', problem: 'handler-slow', leaseToken, message, error: undefined });
    const limits = { handlerWarnMs, handlerMsMax };
    try {
      return await attempt(this.#parts.handler, values, context, { clock, random, limits, controller, onSlow });
    } finally {
      this.#signals.release(controller);
    }
  }

  #advance(): void {
    const move = this.#watermark.advance();
    if (move !== undefined) this.#checkpointer.moved(move.position, move.sequence, move.items);
  }
}

function sizeOf(page: FeedPage): number {
  return page.sizeBytes ?? page.items.length * itemBytesGuess;
}
