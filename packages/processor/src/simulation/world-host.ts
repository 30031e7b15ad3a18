// One process of a world: its clocks, its connections, its handler, and the program that runs in it. A process never comes back: what starts
// again, under the same name or not, is another one.

import type { KeyRange } from '@tidemark/model';
import type { Ground } from '../environment.ts';
import type { EventSink, ProcessorEvent } from '../events.ts';
import type { FeedSource, SourceIdentity } from '../feed/feed-source.ts';
import type { BatchContext, HandlerResult, Observer, RangeContext } from '../observer.ts';
import { BatchError } from '../observer.ts';
import type { DocumentStore } from '../store/document-store.ts';
import type { Chance } from './chance.ts';
import type { DeliveryRecord } from './delivery.ts';
import type { Port } from './fault.ts';
import { HostClock } from './host-clock.ts';
import type { Change } from './model-container.ts';
import type { NetworkNode } from './network.ts';
import type { Oracle } from './oracle.ts';
import type { Gate, Schedule } from './schedule.ts';

/** What a program is given; everything that it can reach of its world. */
export interface HostEquipment {
  readonly instance: string;
  readonly ground: Ground;
  readonly source: FeedSource;
  /** What `source.identity()` will say. */
  readonly identity: SourceIdentity;
  readonly leases: DocumentStore;
  readonly deadLetters: DocumentStore;
  readonly observer: Observer<unknown>;
  readonly emit: EventSink;
}

/** What runs in a process. */
export interface HostProgram {
  start(): Promise<void>;
  stop(options: { readonly drainMs: number }): Promise<void>;
  pause?(): Promise<void>;
  resume?(): Promise<void>;
}

export type MakeProgram = (equipment: HostEquipment) => HostProgram;

/** What a handler throws when nothing it is given will ever succeed; a policy has to say that this halts the range. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

export type HandlerInWorld = (
  changes: readonly unknown[],
  context: BatchContext,
  host: { readonly instance: string; readonly ground: Ground },
) => Promise<HandlerResult> | HandlerResult;

export type HostState = 'starting' | 'running' | 'stopping' | 'ended' | 'dead';

/** A call of `open` of an observer, in true time. */
export interface OpenCall {
  readonly beganMs: number;
  endedMs: number | undefined;
  /** Aborts when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

export interface WorldHostOptions {
  readonly id: string;
  readonly instance: string;
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly oracle: Oracle;
  readonly handler: HandlerInWorld;
  readonly isManual: boolean;
  /** How long a feed must have failed before a host may give a range up. */
  readonly stallMs: number;
  /** Whether the range of a lease is neither split nor merged. */
  readonly isRangeThere: (leaseToken: string, keys: KeyRange) => boolean;
}

export class WorldHost {
  readonly id: string;
  readonly instance: string;
  readonly gate: Gate = { isDead: false, isFrozen: false, held: [] };
  readonly clock: HostClock;
  readonly node: NetworkNode;
  readonly ground: Ground;
  readonly observer: Observer<unknown>;
  readonly events: ProcessorEvent[] = [];
  /** True time of each. */
  readonly eventTimes: number[] = [];
  readonly #options: WorldHostOptions;
  /** Chance of its own: a handler must not change what the processor draws. */
  readonly #handlerGround: Ground;
  readonly #fedMs = new Map<string, number>();
  /** By lease, the last call of `open`. */
  readonly opens: Map<string, OpenCall> = new Map();
  state: HostState = 'starting';
  startError: unknown;
  /** Part of the handler calls that throw, and of those that take long: set by faults. */
  throwShare = 0;
  slowShare = 0;
  fatalShare = 0;
  /** Part of the calls of `open` and `close` that take long. */
  observerShare = 0;
  hangUntil: Promise<void> | undefined;
  /** How often it was frozen. */
  freezes = 0;
  /** True time from which on it runs without a break. */
  thawedMs: number;
  program: HostProgram | undefined;

  constructor(options: WorldHostOptions) {
    const { schedule, chance } = options;
    this.#options = options;
    this.id = options.id;
    this.instance = options.instance;
    this.thawedMs = schedule.nowMs;
    this.clock = new HostClock(schedule, this.gate, chance.between(0, 1e6));
    this.node = { gate: this.gate, chance: chance.fork('network'), closed: new Map<Port, number>(), open: 0 };
    const random = chance.fork('random');
    this.ground = { clock: this.clock, random: () => random.float() };
    const handlerRandom = chance.fork('handler');
    this.#handlerGround = { clock: this.clock.ofHandlers, random: () => handlerRandom.float() };
    this.observer = this.#makeObserver();
  }

  get isAlive(): boolean {
    return this.state === 'starting' || this.state === 'running' || this.state === 'stopping';
  }

  kill(): void {
    this.gate.isDead = true;
    this.gate.held.length = 0;
    this.state = 'dead';
  }

  #makeObserver(): Observer<unknown> {
    const { oracle } = this.#options;
    return {
      open: async (context) => {
        const { schedule } = this.#options;
        const call: OpenCall = { beganMs: schedule.nowMs, endedMs: undefined, signal: context.signal };
        this.opens.set(context.leaseToken, call);
        try {
          await this.#open(context);
        } finally {
          call.endedMs = schedule.nowMs;
        }
      },
      changes: (values, context) => this.#handle(values, context),
      close: async (context, reason) => {
        oracle.closed(this, context, reason);
        if (reason === 'feed-failed' && this.#options.isRangeThere(context.leaseToken, context.keys))
          this.#checkStall(context);
        const { chance } = this.#options;
        if (this.observerShare > 0 && chance.bool(this.observerShare))
          await this.clock.ofHandlers.sleep(chance.between(2000, 14_000));
      },
    };
  }

  async #open(context: RangeContext): Promise<void> {
    const { oracle, chance } = this.#options;
    oracle.opened(this, context);
    if (this.slowShare > 0 && chance.bool(this.slowShare)) await this.#dawdle(context);
    if (this.observerShare > 0 && chance.bool(this.observerShare))
      await this.clock.ofHandlers.sleep(chance.between(1000, 50_000));
    const isFailing = Math.max(this.throwShare, this.observerShare / 2);
    if (isFailing > 0 && chance.bool(isFailing)) throw new Error('open fails');
  }

  /** The feed has answered: `keys` as a token. */
  fed(range: string): void {
    this.#fedMs.set(range, this.clock.monotonicMs());
  }

  /** It answered that it does not know the position: nobody need be patient with that. */
  refused(range: string): void {
    this.#fedMs.delete(range);
  }

  /** Moves are dear: a feed that fails for a moment is no reason for one (D8). */
  #checkStall({ leaseToken }: RangeContext): void {
    const { oracle, stallMs } = this.#options;
    const sinceMs = this.clock.monotonicMs() - (this.#fedMs.get(leaseToken) ?? Number.NEGATIVE_INFINITY);
    if (sinceMs < 0.7 * stallMs)
      oracle.report(
        'I9',
        `${this.id} gave range ${leaseToken} up ${Math.round(sinceMs)} ms after its feed had answered`,
      );
  }

  async #handle(values: readonly unknown[], context: BatchContext): Promise<HandlerResult> {
    const { oracle, chance, handler, isManual } = this.#options;
    const changes = values.map((value) => this.#changeOf(value, context));
    const record = oracle.delivered(this, context, changes, context.attempt);
    const given = isManual ? this.#watchedContext(record, context) : context;
    try {
      if (this.hangUntil !== undefined) await this.#hang(this.hangUntil);
      if (this.slowShare > 0 && chance.bool(this.slowShare)) await this.#dawdle(context);
      if (this.fatalShare > 0 && chance.bool(this.fatalShare)) throw new FatalError('the handler cannot go on');
      if (this.throwShare > 0 && chance.bool(this.throwShare)) throw new Error('the handler fails');
      const result = await handler(values, given, { instance: this.instance, ground: this.#handlerGround });
      if (isManual) oracle.returned(record);
      else this.#acknowledge(record, result);
      return result;
    } catch (error) {
      if (error instanceof BatchError && !isManual) this.#acknowledge(record, error);
      else oracle.failed(record);
      throw error;
    }
  }

  /** Items that are not reported as failed are done. */
  #acknowledge(record: DeliveryRecord, result: HandlerResult): void {
    const { oracle } = this.#options;
    const failed = new Set((result?.failed ?? []).map(({ index }) => index));
    if (failed.size === 0) oracle.acknowledged(record);
    else oracle.acknowledged({ ...record, changes: record.changes.filter((_, index) => !failed.has(index)) });
  }

  /** With manual checkpoints a batch is done when the handler says so, not when it returns. */
  #watchedContext(record: DeliveryRecord, context: BatchContext): BatchContext {
    const { oracle } = this.#options;
    return Object.create(context, {
      checkpoint: {
        value: () => {
          oracle.acknowledged(record);
          return context.checkpoint();
        },
      },
    }) as BatchContext; // The same but for one method.
  }

  /** Nothing of a dead host goes on, also not what was hung. */
  async #hang(until: Promise<void>): Promise<void> {
    await until;
    await this.clock.ofHandlers.sleep(0);
  }

  async #dawdle(context: RangeContext): Promise<void> {
    const { chance } = this.#options;
    const isObedient = chance.bool(0.6);
    const ms = chance.bool(0.5) ? chance.between(500, 8000) : chance.between(1000, 45_000);
    await this.clock.ofHandlers.sleep(ms, isObedient ? context.signal : undefined);
    if (isObedient && context.signal.aborted) throw context.signal.reason;
  }

  #changeOf(value: unknown, context: RangeContext): Change {
    const { oracle } = this.#options;
    // Documents carry `_lsn`, versions `lsn`; both have an id.
    const facts = value as { readonly id: string; readonly _lsn?: number; readonly lsn?: number };
    const change = oracle.changeOf(facts.id, facts._lsn ?? facts.lsn ?? -1);
    if (change === undefined)
      throw new Error(`lease ${context.leaseToken} delivered what was never committed: ${facts.id}`);
    return change;
  }
}
