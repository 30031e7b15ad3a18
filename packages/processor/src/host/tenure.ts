// One lease that this host owns, from its acquisition to its last write. States and events stand in `tenure-states.ts`; here is what is
// done on entering each state. Whatever is begun ends by dispatching an event, and nothing is awaited without a bound.
//
// The observer's `open` is called before a pump exists and `close` after it has ended. The lease is let go only after that. A pump that does
// not end keeps its lease until it expires, since somebody still handles changes.

import { setMaxListeners } from 'node:events';
import { isDatabaseError } from '@tidemark/model';
import { bounded, retryPauseMs } from '../bounded.ts';
import { notNeeded } from '../environment.ts';
import type { ProcessorEvent } from '../events.ts';
import type { FeedStart } from '../feed/feed-source.ts';
import type { Acquired } from '../lease/acquire.ts';
import type { KeeperEnd } from '../lease/keeper.ts';
import { Keeper } from '../lease/keeper.ts';
import { abortMsMax, closeMsMax, failuresBeforeHealth } from '../limits.ts';
import type { CloseReason, RangeContext } from '../observer.ts';
import { isProcessorError, messageOf, ProcessorError } from '../processor-error.ts';
import type { Pump, PumpEnd } from '../pump/pump.ts';
import { hungWords } from '../pump/watchdog.ts';
import { RangeDoor } from './range-door.ts';
import type { DrainOrder, Halted, TenureEnd, TenureParts } from './tenure-parts.ts';
import type { TenureEvent, TenureState } from './tenure-states.ts';
import { tenureTable } from './tenure-states.ts';

export class Tenure {
  readonly #parts: TenureParts;
  readonly #acquired: Acquired;
  readonly keeper: Keeper;
  readonly done: Promise<TenureEnd>;
  #resolveDone: (end: TenureEnd) => void = () => {};
  #state: TenureState = 'opening';
  readonly #controller = new AbortController();
  readonly #door: RangeDoor;
  /** Before this moment the former owner may still be at work. */
  readonly #openAtMs: number;
  /** Where the pump begins while the lease has no position. */
  #start: FeedStart = 'now';
  #pump: Pump | undefined;
  #pumpEnd: PumpEnd | undefined;
  #order: DrainOrder | undefined;
  #reason: CloseReason = 'shutdown';
  #error: unknown;
  #to: string | undefined;
  /** The lease is not this host's to write any more. */
  #isGone = false;
  #isHung = false;
  #successors: readonly Acquired[] = [];
  #redirects = 0;
  #redirectingSinceMs: number | undefined;
  #halted: Halted | undefined;
  /** When the pump has told that it halts. */
  #haltedAtTurn: number | undefined;
  #disarm: () => void = () => {};

  constructor(parts: TenureParts, acquired: Acquired, openAtMs: number = Number.NEGATIVE_INFINITY) {
    this.#parts = parts;
    this.#acquired = acquired;
    this.#openAtMs = openAtMs;
    // Handlers pass it on to whatever they call, as often as they like.
    setMaxListeners(0, this.#controller.signal);
    const { token: leaseToken } = acquired.lease;
    const { instance } = parts.settings;
    const { signal } = this.#controller;
    this.#door = new RangeDoor(parts, { leaseToken, keys: this.#keys, epoch: acquired.epoch, instance, signal });
    this.keeper = new Keeper(parts.keeper, acquired.lease, acquired.epoch, acquired.sentAtMs);
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
  }

  get state(): TenureState {
    return this.#state;
  }

  get token(): string {
    return this.#acquired.lease.token;
  }

  get id(): string {
    return this.#acquired.lease.id;
  }

  get acquired(): Acquired {
    return this.#acquired;
  }

  get pump(): Pump | undefined {
    return this.#pump;
  }

  /** It was stopped for a reason that a person must look at, and waits for a resume of a later turn than this. */
  get halted(): Halted | undefined {
    return this.#halted;
  }

  start(): void {
    void this.keeper.run();
    void this.keeper.ended.then((end) => this.#keeperEnded(end));
    void this.#open();
  }

  /** May be called again with less time; the first reason stays. */
  drain(order: DrainOrder): void {
    const before = this.#order;
    this.#order = before === undefined ? order : sooner(before, order);
    if (this.#state === 'closing' || this.#state === 'ended') return;
    if (this.#state === 'aborting') this.#armAbort();
    else this.#arm(this.#order.abortAtMs);
    this.#dispatch('drain', () => {
      this.#reason = order.reason;
    });
  }

  /** Told to end while it was redirected. */
  #drainAsTold(): void {
    const order = this.#order;
    if (order === undefined) return;
    this.#dispatch('drain', () => {
      this.#reason = order.reason;
    });
  }

  pause(): void {
    this.#dispatch('pause', () => {
      this.#reason = 'paused';
    });
  }

  resume(): void {
    this.#dispatch('resume');
  }

  #dispatch(event: TenureEvent, onStep?: () => void): void {
    const from = this.#state;
    const step = tenureTable[from][event];
    this.#parts.rules.onStep(from, event, step);
    if (step === '-' || step === '!') return;
    onStep?.();
    this.#state = step;
    this.#enter(step, from);
  }

  #enter(state: TenureState, from: TenureState): void {
    switch (state) {
      case 'opening':
        if (this.#halted !== undefined) this.#parts.onHalted();
        this.#halted = undefined;
        this.#haltedAtTurn = undefined;
        void this.#open();
        return;
      case 'running':
        void this.#runPump();
        this.#drainAsTold();
        return;
      case 'draining':
      case 'pausing':
        this.#pump?.drain();
        return;
      case 'aborting':
        this.#abort();
        return;
      case 'redirecting':
        void this.#redirect();
        return;
      case 'parking':
        void this.#closeObserver().then(() => {
          if (this.#state === 'parking') this.#dispatch('closed');
        });
        this.#drainAsTold();
        return;
      case 'parked':
        return;
      case 'closing':
        // Out of an abort that took too long: the handler does not obey, if there is one.
        if (from === 'aborting' && this.#isWorking()) {
          this.#isHung = this.#pump?.isHandling ?? true;
          this.#pump?.leave?.();
        }
        void this.#close();
        return;
      case 'ended':
        this.#finish();
        return;
      default:
        state satisfies never;
    }
  }

  async #open(): Promise<void> {
    const { clock, health } = this.#parts;
    const { signal } = this.#controller;
    // It is tried again: what stopped it before is told again if it still does.
    for (const problem of standstills) health.clear(problem, this.token);
    try {
      const waitMs = this.#openAtMs - clock.monotonicMs();
      if (waitMs > 0) await clock.sleep(waitMs, signal);
      const start = await this.#persist(() => this.#parts.firstStart(this.#withPosition(), signal));
      if (typeof start !== 'string' && 'position' in start) await this.keeper.checkpoint(start.position);
      this.#start = start;
      signal.throwIfAborted();
    } catch (error) {
      return this.#dispatch('open-failed', () => this.#failedBy('feed-failed', error));
    }
    // Meanwhile it was told to end: nobody need hear of it.
    if (this.#state !== 'opening') return this.#dispatch('opened');
    try {
      await this.#door.open();
    } catch (error) {
      return this.#dispatch('open-failed', () => this.#failedBy('handler-failed', error));
    }
    this.#dispatch('opened');
  }

  async #runPump(): Promise<void> {
    const { settings, makePump, source, clock, random } = this.#parts;
    const { lease, epoch } = this.#acquired;
    const { signal } = this.#controller;
    const { position } = this.keeper;
    this.#pumpEnd = undefined;
    this.#pump = makePump(
      {
        leaseToken: lease.token,
        range: lease.kind === 'physical' ? lease.token : undefined,
        keys: this.#keys,
        epoch,
        mode: settings.mode,
        start: position === undefined ? this.#start : { position },
        isTakeover: this.#parts.isTakeover && this.#pump === undefined,
      },
      {
        clock,
        random,
        source,
        emit: (event) => this.#tell(event),
        signal,
        instance: settings.instance,
        memory: this.#parts.memory(lease.token, epoch, signal),
        checkpoint: (at) => this.#checkpoint(at),
        offer: (at) => this.keeper.offer(at),
        isHeld: () => this.keeper.isHeld(),
      },
    );
    const end = await this.#pump.run().catch((error: unknown): PumpEnd => ({ kind: 'aborted', error }));
    // Both may come in one moment: what was aborted ends as aborted, whatever the pump was about to say.
    this.#pumpEnd = signal.aborted && end.kind !== 'aborted' ? { kind: 'aborted', error: signal.reason } : end;
    this.#pumpEnded(this.#pumpEnd);
  }

  /** Problems of the pump are problems of the host: they show in its status, and each is told once. */
  #tell(event: ProcessorEvent): void {
    const { health, emit } = this.#parts;
    // What is resumed after it was told is resumed, although what is in flight may take a while to finish.
    if (event.type === 'health' && event.problem === 'halted') this.#haltedAtTurn ??= this.#parts.turn();
    if (event.type === 'health') {
      health.raise(event.problem, event.leaseToken, event.message, event.error, event.documentId);
    } else if (event.type === 'healthy') health.clear(event.problem, event.leaseToken, event.isLeft);
    else {
      if (event.type === 'idle' || event.type === 'batch.delivered') {
        health.clear('feed-failing', event.leaseToken);
        health.clear('position-refused', event.leaseToken);
      }
      emit(event);
    }
  }

  async #checkpoint(position: string): Promise<void> {
    await this.keeper.checkpoint(position);
    this.#redirects = 0;
    this.#redirectingSinceMs = undefined;
    this.#parts.emit({ type: 'checkpoint', position, ...this.#at });
  }

  #pumpEnded(end: PumpEnd): void {
    switch (end.kind) {
      case 'drained':
        this.#dispatch('drained');
        break;
      case 'gone':
        this.#dispatch('gone', () => this.#failedBy('range-gone', undefined));
        break;
      case 'halted':
        if (end.scope === 'all') this.#parts.onHaltAll(this.token, end.error);
        this.#dispatch('halted', () => this.#halt(end.error, messageOf(end.error)));
        break;
      case 'feed-failed': {
        const isRefused = isDatabaseError(end.error) && refusals.has(end.error.code);
        if (!isRefused) {
          const message = `The feed of range ${this.token} cannot be read: ${messageOf(end.error)}`;
          this.#parts.health.raise('feed-failing', this.token, message, end.error);
        }
        this.#dispatch(isRefused ? 'refused' : 'feed-failed', () => this.#failedBy('feed-failed', end.error));
        break;
      }
      case 'aborted':
        if (end.isHung === true) this.#isHung = true;
        this.#dispatch('aborted', () => this.#failedBy(reasonOf(end.error), end.error));
        break;
      default:
        end satisfies never;
    }
  }

  #halt(error: unknown, reason: string): void {
    this.#failedBy('handler-failed', error);
    this.#halted = { atTurn: this.#haltedAtTurn ?? this.#parts.turn(), reason };
    this.#parts.onHalted();
  }

  async #redirect(): Promise<void> {
    const { clock, health } = this.#parts;
    const { signal } = this.#controller;
    const why = this.#pumpEnd ?? { kind: 'gone' };
    const sinceMs = this.#redirectingSinceMs ?? clock.monotonicMs();
    this.#redirectingSinceMs = sinceMs;
    // The same answer again without progress in between: the endpoint has not made up its mind yet.
    if (this.#redirects > 0) await clock.sleep(retryPauseMs(this.#parts, this.#redirects), signal);
    this.#redirects += 1;
    try {
      const redirection = await this.#parts.redirect(this, why, signal);
      // Successors exist whether or not there was time for them; everything else is left to the next owner.
      if (redirection.kind !== 'replaced') signal.throwIfAborted();
      if (redirection.kind === 'same') {
        this.#start = redirection.start ?? this.#start;
        this.#redirectingSinceMs = undefined;
        if (why.kind === 'gone' && this.#redirects >= failuresBeforeHealth) {
          const message = `The feed says again and again that range ${this.token} is gone, although the container still has it.`;
          health.raise('feed-failing', this.token, message);
        }
        return this.#dispatch('redirected');
      }
      if (redirection.kind === 'barred') {
        const { error } = why as { readonly error?: unknown }; // Ends that bar a range carry their error.
        health.raise(redirection.problem, this.token, redirection.message, error);
        return this.#dispatch('barred', () => this.#halt(error, redirection.message));
      }
      this.#successors = redirection.successors;
      this.#parts.emit({ type: 'range.split', children: redirection.tokens, ...this.#at });
      this.#isGone = true;
      this.#dispatch('replaced', () => this.#failedBy('range-gone', undefined));
    } catch (error) {
      // As with reading: an endpoint or a store that fails for a while is no reason to move.
      const isSoon = clock.monotonicMs() - sinceMs < this.#parts.settings.pump.stallMs;
      if (isSoon && this.#state === 'redirecting') return this.#redirect();
      this.#dispatch('stuck', () => this.#failedBy('feed-failed', error));
    }
  }

  /** An endpoint that fails for a moment is no reason to give a range up: moves are dear (D8). */
  async #persist<T>(call: () => Promise<T>): Promise<T> {
    const { clock, settings } = this.#parts;
    const { signal } = this.#controller;
    const giveUpAtMs = clock.monotonicMs() + settings.pump.stallMs;
    for (let failures = 0; ; failures += 1) {
      try {
        return await call();
      } catch (error) {
        const isPassing = isDatabaseError(error) && (error.isRetriable || passing.has(error.code));
        if (!isPassing || signal.aborted || clock.monotonicMs() >= giveUpAtMs) throw error;
        await clock.sleep(retryPauseMs(this.#parts, failures, error.retryAfterMs), signal);
        signal.throwIfAborted();
      }
    }
  }

  #keeperEnded(end: KeeperEnd): void {
    if (end.kind === 'closed') return;
    if (end.kind === 'lost') this.#parts.emit({ type: 'lease.lost', to: end.to, ...this.#at });
    const reason = end.kind === 'lost' ? 'lease-lost' : end.kind === 'gone' ? 'lease-gone' : 'fenced';
    const code = end.kind === 'fenced' ? 'fenced' : 'lease-lost';
    this.#isGone = true;
    this.#dispatch(end.kind === 'fenced' ? 'fenced' : 'lost', () => {
      this.#reason = reason;
      this.#error = new ProcessorError(code, `Range ${this.token} is not this host's any more (${reason}).`);
      this.#to = end.kind === 'lost' ? end.to : undefined;
    });
  }

  #abort(): void {
    const reason =
      this.#error ?? new ProcessorError('stopped', `The time of range ${this.token} on this host is over.`);
    this.#controller.abort(reason);
    this.#armAbort();
  }

  #armAbort(): void {
    const endAtMs = this.#order?.endAtMs ?? Number.POSITIVE_INFINITY;
    this.#arm(Math.min(this.#parts.clock.monotonicMs() + abortMsMax, endAtMs));
  }

  async #close(): Promise<void> {
    const { clock } = this.#parts;
    this.#disarm();
    await this.#closeObserver();
    const endAtMs = this.#order?.endAtMs ?? clock.monotonicMs() + closeMsMax;
    const leftMs = Math.max(0, endAtMs - clock.monotonicMs());
    if (!this.#isGone) await bounded(clock, leftMs, this.#parts.life, () => this.#dispose()).catch(() => {});
    this.keeper.close();
    this.#controller.abort(new ProcessorError('stopped', `Range ${this.token} is closed.`));
    this.#dispatch('closed');
  }

  async #dispose(): Promise<void> {
    const disposal = this.#order?.disposal ?? { kind: 'release' };
    if (disposal.kind === 'keep' || this.#isHung) return;
    if (disposal.kind === 'supersede') {
      const successors = await this.#parts.supersede(this);
      this.#successors = successors ?? [];
      if (successors !== undefined) return;
    }
    const to = disposal.kind === 'hand-over' ? await disposal.to() : undefined;
    const isDone = await this.keeper.finish(to === undefined ? { kind: 'release' } : { kind: 'hand-over', to });
    if (isDone) this.#to = to?.instance;
    if (isDone) this.#parts.emit({ type: 'lease.released', reason: this.#reason, to: to?.instance, ...this.#at });
  }

  #closeObserver(): Promise<void> {
    return this.#door.close(this.#reason, this.#order?.endAtMs ?? Number.POSITIVE_INFINITY);
  }

  #finish(): void {
    const { token } = this;
    if (this.#isHung) {
      const message = `A handler of range ${token} does not obey its signal; its lease is left to run out. ${hungWords}`;
      this.#parts.health.raise('handler-hung', token, message, this.#error);
    }
    this.#resolveDone({
      reason: this.#reason,
      error: this.#error,
      to: this.#to,
      successors: this.#successors,
      isHung: this.#isHung,
    });
  }

  #isWorking(): boolean {
    return this.#pump !== undefined && this.#pumpEnd === undefined;
  }

  /** The first reason counts: what a drain or an abort brings about later is no news. */
  #failedBy(reason: CloseReason, error: unknown): void {
    if (this.#state === 'draining' || this.#state === 'pausing' || this.#state === 'aborting') return;
    this.#reason = reason;
    this.#error = error;
  }

  /** One timer at a time: the next thing that takes too long. */
  #arm(atMs: number): void {
    this.#disarm();
    if (!Number.isFinite(atMs)) return;
    const { clock, life } = this.#parts;
    const controller = new AbortController();
    this.#disarm = () => controller.abort(notNeeded);
    const overdue = (): void => {
      life.removeEventListener('abort', overdue);
      if (controller.signal.aborted) return;
      controller.abort(notNeeded);
      this.#dispatch('overdue');
    };
    // When the host has stopped, time is over.
    life.addEventListener('abort', overdue, { once: true });
    const ms = life.aborted ? 0 : atMs - clock.monotonicMs();
    void (ms > 0 ? clock.sleep(ms, controller.signal) : Promise.resolve()).then(overdue);
  }

  get #at(): { readonly leaseToken: string; readonly epoch: number } {
    return { leaseToken: this.token, epoch: this.#acquired.epoch };
  }

  get #keys(): RangeContext['keys'] {
    return this.#acquired.lease.keys ?? { min: '', max: 'FF' };
  }

  #withPosition(): Acquired {
    return { ...this.#acquired, lease: { ...this.#acquired.lease, position: this.keeper.position } };
  }
}

/** A pump may notice before the keeper that the time of the lease is over. */
function reasonOf(error: unknown): CloseReason {
  if (isProcessorError(error, 'fenced')) return 'fenced';
  return isProcessorError(error, 'lease-lost') ? 'lease-lost' : 'handler-failed';
}

/** The feed does not know the position, or does not know it any more (S22, S23). */
const refusals: ReadonlySet<string> = new Set(['invalid-continuation', 'retention-passed', 'history-rewritten']);

const standstills = ['halted', 'position-refused', 'handler-hung'] as const;

/** Not retried below: what they mean is decided here. Credentials may be renewed any moment (S64). */
const passing: ReadonlySet<string> = new Set(['outcome-unknown', 'unauthorized', 'forbidden', 'range-gone']);

function sooner(a: DrainOrder, b: DrainOrder): DrainOrder {
  return {
    ...a,
    abortAtMs: Math.min(a.abortAtMs, b.abortAtMs),
    endAtMs: Math.min(a.endAtMs, b.endAtMs),
  };
}
