// A running processor: a host with a life of its own. `createProcessor` makes one of what users pass in.

import type { Ground } from './environment.ts';
import type { EventSink } from './events.ts';
import type { FeedSource } from './feed/feed-source.ts';
import type { BalanceStrategy } from './host/balance.ts';
import { balanceEvenly } from './host/balance.ts';
import type { StopOptions } from './host/host.ts';
import { Host } from './host/host.ts';
import type { HostRules } from './host/rules.ts';
import { hostRules } from './host/rules.ts';
import type { HostStatus } from './host/status.ts';
import type { RangeObserver } from './host/tenure-parts.ts';
import { ProcessorError } from './processor-error.ts';
import type { MakePump } from './pump/pump.ts';
import type { ProcessorSettings } from './settings.ts';
import type { DocumentStore } from './store/document-store.ts';

export type ProcessorState = 'new' | 'starting' | 'running' | 'stopping' | 'stopped';

export interface ProcessorParts {
  readonly settings: ProcessorSettings;
  readonly source: FeedSource;
  readonly leases: DocumentStore;
  readonly makePump: MakePump;
  /** Before anything else: throws what keeps it from starting. */
  readonly prepare?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly ground: Ground;
  readonly emit: EventSink;
  /** Told when ranges open and close. */
  readonly observer?: RangeObserver | undefined;
  /** Who should have which range; the even spread by default. */
  readonly balance?: BalanceStrategy | undefined;
  /** For tests that put a defect back. */
  readonly rules?: HostRules | undefined;
}

export interface ProcessorStatus extends HostStatus {
  readonly state: ProcessorState;
}

export class Processor {
  readonly #parts: ProcessorParts;
  readonly #host: Host;
  #state: ProcessorState = 'new';
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  /** Ends what a start does before the host begins. */
  readonly #preparing: AbortController = new AbortController();
  /** Resolves when it has stopped: with the error when it did so by itself. */
  readonly stopped: Promise<ProcessorError | undefined>;
  #resolveStopped: (error: ProcessorError | undefined) => void = () => {};

  constructor(parts: ProcessorParts) {
    this.#parts = parts;
    const { settings, source, leases, makePump, ground, emit } = parts;
    this.#host = new Host({
      clock: ground.clock,
      random: () => ground.random(),
      settings,
      source,
      leases,
      makePump,
      emit,
      observer: parts.observer ?? {},
      balance: parts.balance ?? balanceEvenly,
      rules: parts.rules ?? hostRules,
    });
    this.stopped = new Promise((resolve) => {
      this.#resolveStopped = resolve;
    });
    void this.#host.failed.then((error) => this.#failed(error));
  }

  get state(): ProcessorState {
    return this.#state;
  }

  get status(): ProcessorStatus {
    return { ...this.#host.status, state: this.#state };
  }

  /** Resolves when every change from now on will be delivered. Once only: a stopped processor does not start again. */
  start(): Promise<void> {
    if (this.#stopping !== undefined) {
      return Promise.reject(
        new ProcessorError('stopped', 'The processor was stopped. It starts once: make another one.'),
      );
    }
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Resolves by its deadline, whatever hangs. May be called at any time and more than once. */
  stop(options: StopOptions = {}): Promise<void> {
    const drainMs = options.drainMs ?? 0;
    if (typeof drainMs !== 'number' || Number.isNaN(drainMs)) {
      return Promise.reject(new ProcessorError('invalid-option', 'drainMs is a number of milliseconds.'));
    }
    if (this.#stopping === undefined) {
      this.#state = 'stopping';
      this.#preparing.abort(new ProcessorError('stopped', 'The processor was stopped while it started.'));
      this.#stopping = this.#host.stop(options).then(() => this.#stopped(undefined));
    } else {
      // A second one that has less time hurries the first.
      this.#host.hurry(options);
    }
    return this.#stopping;
  }

  pause(reason = 'paused by hand'): Promise<void> {
    return this.#host.pause(reason);
  }

  resume(): Promise<void> {
    return this.#host.resume();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #start(): Promise<void> {
    const { settings, emit } = this.#parts;
    this.#state = 'starting';
    try {
      await this.#parts.prepare?.(this.#preparing.signal);
      await this.#host.start();
    } catch (error) {
      if (this.#stopping === undefined) await this.#host.stop({ drainMs: 0 });
      this.#stopped(undefined);
      throw error;
    }
    if (this.#stopping !== undefined)
      throw new ProcessorError('stopped', 'The processor was stopped while it started.');
    this.#state = 'running';
    emit({ type: 'started', group: settings.name, instance: settings.instance });
  }

  async #failed(error: ProcessorError): Promise<void> {
    this.#stopping ??= this.#host.stop({ keepLeases: true }).then(() => this.#stopped(error));
    await this.#stopping;
  }

  #stopped(error: ProcessorError | undefined): void {
    if (this.#state === 'stopped') return;
    const { settings, emit } = this.#parts;
    this.#state = 'stopped';
    this.#resolveStopped(error);
    emit({ type: 'stopped', group: settings.name, instance: settings.instance });
  }
}
