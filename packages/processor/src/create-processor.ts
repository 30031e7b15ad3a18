// From what users pass in to a processor that is ready to start.

import { systemEnvironment, systemInstance, systemWarning } from './ambient.ts';
import { connectSource, connectStore } from './connect.ts';
import type { Environment } from './environment.ts';
import type { FeedSource, SourceIdentity } from './feed/feed-source.ts';
import type { BalanceStrategy } from './host/balance.ts';
import { leaseNames } from './lease/lease-names.ts';
import type { Handler, Observer } from './observer.ts';
import type { LatestOptions, ProcessorOptions, VersionsOptions } from './options.ts';
import { settingsOf } from './options.ts';
import { Processor } from './processor.ts';
import { ProcessorError } from './processor-error.ts';
import type { MakePump } from './pump/pump.ts';
import { makePumpFactory } from './pump/pump-factory.ts';
import type { StandardSchema } from './pump/schema.ts';
import { advised, checkStore } from './start-advice.ts';
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
  const settings = settingsOf(options, options.instance ?? systemInstance(environment.random));
  const connecting = { environment, sessionToken: options.sessionToken };
  const source = new IdentifiedSource(connectSource(options.source, connecting));
  const leases = connectStore(options.leases, 'leases', connecting);
  const deadLetters = options.deadLetters && connectStore(options.deadLetters, 'deadLetters', connecting);
  const observer = observerOf(options);
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
    prepare: async () => {
      await checkStore(leases, 'leases');
      await checkStore(deadLetters, 'deadLetters');
    },
    makePump: plugs.wrapPump?.(makePump) ?? makePump,
    ground: environment,
    emit: makeEventSink(systemWarning, settings.name, options.onEvent),
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
  readonly ranges: FeedSource['ranges'];
  readonly read: FeedSource['read'];

  constructor(source: FeedSource) {
    this.#source = source;
    this.ranges = (signal) => source.ranges(signal);
    this.read = (read) => source.read(read);
  }

  async identity(signal?: AbortSignal): Promise<SourceIdentity> {
    this.#identity = await this.#source.identity(signal).catch((error: unknown) => {
      throw advised(error, 'source');
    });
    return this.#identity;
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
