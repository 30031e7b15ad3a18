// One process of a world: its clocks, its connections, its handler, and the program that runs in it. A process never comes back: what starts
// again, under the same name or not, is another one.

import type { Ground } from '../environment.ts';
import type { EventSink, ProcessorEvent } from '../events.ts';
import type { FeedSource } from '../feed/feed-source.ts';
import type { BatchContext, HandlerResult, Observer, RangeContext } from '../observer.ts';
import { BatchError } from '../observer.ts';
import type { DocumentStore } from '../store/document-store.ts';
import type { Chance } from './chance.ts';
import type { Port } from './fault.ts';
import { HostClock } from './host-clock.ts';
import type { Change } from './model-container.ts';
import type { NetworkNode } from './network.ts';
import type { DeliveryRecord, Oracle } from './oracle.ts';
import type { Gate, Schedule } from './schedule.ts';

/** What a program is given; everything that it can reach of its world. */
export interface HostEquipment {
  readonly instance: string;
  readonly ground: Ground;
  readonly source: FeedSource;
  readonly leases: DocumentStore;
  readonly deadLetters: DocumentStore;
  readonly observer: Observer<unknown>;
  readonly emit: EventSink;
}

/** What runs in a process. */
export interface HostProgram {
  start(): Promise<void>;
  stop(options: { readonly drainMs: number }): Promise<void>;
}

export type MakeProgram = (equipment: HostEquipment) => HostProgram;

export type HandlerInWorld = (
  changes: readonly unknown[],
  context: BatchContext,
  host: { readonly instance: string; readonly ground: Ground },
) => Promise<HandlerResult> | HandlerResult;

export type HostState = 'starting' | 'running' | 'stopping' | 'ended' | 'dead';

export interface WorldHostOptions {
  readonly id: string;
  readonly instance: string;
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly oracle: Oracle;
  readonly handler: HandlerInWorld;
  readonly isManual: boolean;
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
  readonly #options: WorldHostOptions;
  state: HostState = 'starting';
  startError: unknown;
  /** Part of the handler calls that throw, and of those that take long: set by faults. */
  throwShare = 0;
  slowShare = 0;
  program: HostProgram | undefined;

  constructor(options: WorldHostOptions) {
    const { schedule, chance } = options;
    this.#options = options;
    this.id = options.id;
    this.instance = options.instance;
    this.clock = new HostClock(schedule, this.gate, chance.between(0, 1e6));
    this.node = { gate: this.gate, chance: chance.fork('network'), closed: new Map<Port, number>(), open: 0 };
    const random = chance.fork('random');
    this.ground = { clock: this.clock, random: () => random.float() };
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
      open: (context) => oracle.opened(this, context),
      changes: (values, context) => this.#handle(values, context),
      close: (context, reason) => oracle.closed(this, context, reason),
    };
  }

  async #handle(values: readonly unknown[], context: BatchContext): Promise<HandlerResult> {
    const { oracle, chance, handler, isManual } = this.#options;
    const changes = values.map((value) => this.#changeOf(value, context));
    const record = oracle.delivered(this, context, changes, context.attempt);
    try {
      if (this.slowShare > 0 && chance.bool(this.slowShare)) await this.#dawdle(context);
      if (this.throwShare > 0 && chance.bool(this.throwShare)) throw new Error('the handler fails');
      const result = await handler(values, context, { instance: this.instance, ground: this.ground });
      if (isManual) return await this.#acknowledgeByHand(record, context, result);
      return this.#acknowledge(record, result);
    } catch (error) {
      if (error instanceof BatchError) this.#acknowledge(record, error);
      else oracle.failed(record);
      throw error;
    }
  }

  /** Items that are not reported as failed are done. */
  #acknowledge(record: DeliveryRecord, result: HandlerResult): HandlerResult {
    const { oracle } = this.#options;
    const failed = new Set((result?.failed ?? []).map(({ index }) => index));
    if (failed.size === 0) oracle.acknowledged(record);
    else oracle.acknowledged({ ...record, changes: record.changes.filter((_, index) => !failed.has(index)) });
    return result;
  }

  async #acknowledgeByHand(
    record: DeliveryRecord,
    context: BatchContext,
    result: HandlerResult,
  ): Promise<HandlerResult> {
    this.#acknowledge(record, result);
    if ((result?.failed ?? []).length === 0) {
      // It says itself what becomes of a position that is not stored: the range ends. The handler need not care.
      context.checkpoint().catch(() => undefined);
    }
    return result;
  }

  async #dawdle(context: RangeContext): Promise<void> {
    const { chance } = this.#options;
    const isObedient = chance.bool(0.6);
    await this.clock.sleep(chance.between(100, 2500), isObedient ? context.signal : undefined);
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
