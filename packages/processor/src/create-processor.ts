// From what users pass in to a processor that is ready to start.

import { systemEnvironment } from '@tidemark/client';
import { systemInstance, systemLogger } from './ambient.ts';
import { connectSource, connectStore } from './connect.ts';
import type { ContainerPlace, Environment } from './environment.ts';
import type { FeedSource, SourceIdentity } from './feed/feed-source.ts';
import type { BalanceStrategy } from './host/balance.ts';
import { leaseNames } from './lease/lease-names.ts';
import { EventLog } from './logger.ts';
import type { Handler, Observer } from './observer.ts';
import type { LatestOptions, ProcessorOptions, VersionsOptions } from './options.ts';
import { settingsOf } from './options.ts';
import { Processor } from './processor.ts';
import { ProcessorError } from './processor-error.ts';
import type { MakePump } from './pump/pump.ts';
import { makePumpFactory } from './pump/pump-factory.ts';
import type { StandardSchema } from './pump/schema.ts';
import type { Reached } from './reach.ts';
import { reachAll, reachedStore } from './reach.ts';
import { makeEventSink } from './telemetry.ts';

/** What the APIs of the seeds plug in: they are not options, so that the options stay plain. */
export interface ProcessorPlugs {
  readonly balance?: BalanceStrategy | undefined;
  /** Takes the place of the pump; given the one that would have been made. */
  readonly wrapPump?: ((make: MakePump) => MakePump) | undefined;
}

/** A processor of the latest version of each document: `T` is the document without its system properties. */
export function createProcessor<T = Record<string, unknown>>(options: LatestOptions<T>): Processor;
/** A processor of every version, deletes included. */
export function createProcessor<T = Record<string, unknown>>(options: VersionsOptions<T>): Processor;
export function createProcessor<T>(options: ProcessorOptions<T>): Processor {
  return buildProcessor(options, {});
}

export function buildProcessor<T>(options: ProcessorOptions<T>, plugs: ProcessorPlugs): Processor {
  const environment: Environment = options.environment ?? systemEnvironment();
  const chosen = settingsOf(options, options.instance ?? systemInstance(environment.random));
  const connecting = { environment, sessionToken: options.sessionToken };
  const source = new IdentifiedSource(connectSource(options.source, connecting));
  const leases = connectStore(options.leases, 'leases', connecting);
  const deadLetters = options.deadLetters && connectStore(options.deadLetters, 'deadLetters', connecting);
  const isBeside = deadLetters?.at !== undefined && deadLetters.at.endpoint === leases.at?.endpoint;
  const settings = { ...chosen, deadLetters: isBeside ? deadLetters.name : undefined };
  const observer = observerOf(options);
  const { logger = systemLogger } = options;
  const { name: group, instance } = settings;
  const about = { group, instance, source: source.at?.container ?? 'a container of this process', leases: leases.name };
  const log = logger === false ? undefined : new EventLog({ ...about, logger, clock: environment.clock });
  const emit = makeEventSink(log, options.onEvent);
  let factory: MakePump | undefined;
  const makePump: MakePump = (lease, context) => {
    const { known: identity } = source;
    factory ??= makePumpFactory({
      settings: settings.pump,
      handler: observer.changes,
      identity,
      schema: options.schema as StandardSchema | undefined,
      deadLetters: deadLetters && { store: deadLetters, group: leaseNames(settings.name, identity).prefix },
    });
    return factory(lease, context);
  };
  const processor = new Processor({
    settings,
    source,
    leases,
    prepare: (signal) => {
      const all: (Reached | undefined)[] = [
        { option: 'source', at: source.at, ask: (inner) => source.prepare(inner) },
        reachedStore(leases, 'leases'),
        deadLetters && reachedStore(deadLetters, 'deadLetters'),
      ];
      return reachAll(
        all.filter((each) => each !== undefined),
        environment,
        emit,
        signal,
      );
    },
    makePump: plugs.wrapPump?.(makePump) ?? makePump,
    ground: environment,
    emit,
    observer: {
      open: async (context) => observer.open?.(context),
      close: async (context, reason) => observer.close?.(context, reason),
    },
    balance: plugs.balance,
  });
  stopWith(processor, options.signal);
  return processor;
}

/** Before a pump is made the host has asked which container this is; every pump needs to know. */
class IdentifiedSource implements FeedSource {
  readonly #source: FeedSource;
  #identity: SourceIdentity | undefined;
  /** What the start was told when it asked whether the source is there: the host need not ask at once again. */
  #isFresh = false;
  readonly ranges: FeedSource['ranges'];
  readonly read: FeedSource['read'];

  constructor(source: FeedSource) {
    this.#source = source;
    this.ranges = (signal) => source.ranges(signal);
    this.read = (read) => source.read(read);
  }

  get at(): ContainerPlace | undefined {
    return this.#source.at;
  }

  async prepare(signal?: AbortSignal): Promise<void> {
    this.#identity = await this.#source.identity(signal);
    this.#isFresh = true;
  }

  async identity(signal?: AbortSignal): Promise<SourceIdentity> {
    if (!this.#isFresh) this.#identity = await this.#source.identity(signal);
    this.#isFresh = false;
    return this.known;
  }

  get known(): SourceIdentity {
    if (this.#identity !== undefined) return this.#identity;
    throw new ProcessorError('invalid-option', 'The source was read before it was asked who it is.');
  }
}

function observerOf(options: object): Observer<unknown> & { readonly changes: Handler<unknown> } {
  const { handler, observer }: { handler?: unknown; observer?: unknown } = options;
  if ((handler === undefined) === (observer === undefined)) {
    throw new ProcessorError('invalid-option', 'Give a handler or an observer: one of the two.');
  }
  if (typeof handler === 'function') return { changes: handler as Handler<unknown> };
  const { open, changes, close }: Partial<Observer<unknown>> = Object(observer);
  if (typeof changes !== 'function') {
    throw new ProcessorError('invalid-option', 'A handler is a function; an observer has a function `changes`.');
  }
  return {
    changes: changes.bind(observer),
    ...(open && { open: open.bind(observer) }),
    ...(close && { close: close.bind(observer) }),
  };
}

function stopWith(processor: Processor, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  const stop = (): void => void processor.stop();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  void processor.stopped.then(() => signal.removeEventListener('abort', stop));
}
