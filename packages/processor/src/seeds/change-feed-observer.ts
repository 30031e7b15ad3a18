// The observer of the older APIs: one object for each range, made by a factory, opened, given changes, and closed with a reason.

import type { ChangedDocument } from '../feed/change.ts';
import type { BatchContext, CloseReason, Observer, RangeContext } from '../observer.ts';
import { messageOf, ProcessorError } from '../processor-error.ts';
import type { ChangeFeedObserverCloseReason } from './close-reason.ts';
import { closeReasonOf } from './close-reason.ts';

export interface ChangeFeedObserverContext {
  /** Id of the range, or its keys. */
  readonly partitionKeyRangeId: string;
  /** Of the page; undefined outside `processChanges`. */
  readonly feedResponse:
    | {
        readonly responseContinuation: string;
        readonly sessionToken: string | undefined;
        readonly requestCharge: number;
      }
    | undefined;
  /** Everything up to this batch is done. Rejects when another host has the range. Outside `processChanges` there is nothing to store. */
  checkpoint(): Promise<void>;
}

export interface ChangeFeedObserver<T = Record<string, unknown>> {
  open(context: ChangeFeedObserverContext): Promise<void> | void;
  processChanges(
    context: ChangeFeedObserverContext,
    documents: readonly ChangedDocument<T>[],
    signal: AbortSignal,
  ): Promise<void> | void;
  close(context: ChangeFeedObserverContext, reason: ChangeFeedObserverCloseReason): Promise<void> | void;
}

export interface ChangeFeedObserverFactory<T = Record<string, unknown>> {
  createObserver(): ChangeFeedObserver<T>;
}

export interface ObserverRules<T> {
  /** Which changes the observer is given. */
  isWanted(document: ChangedDocument<T>): boolean;
  /** Called after each batch that the observer has finished. */
  afterBatch(context: BatchContext, documents: number): Promise<void>;
  closed(context: RangeContext): void;
}

interface OpenRange {
  readonly leaseToken: string;
  readonly epoch: number;
}

/** The observers of the ranges that this host has. */
export class ObserverDesk<T> implements Observer<ChangedDocument<T>> {
  readonly #factory: ChangeFeedObserverFactory<T>;
  readonly #rules: ObserverRules<T>;
  readonly #observers = new Map<string, ChangeFeedObserver<T>>();
  /** What failed in a range last: an observer is told what it means for the range. */
  readonly #errors = new Map<string, unknown>();

  constructor(factory: ChangeFeedObserverFactory<T>, rules: ObserverRules<T>) {
    this.#factory = factory;
    this.#rules = rules;
  }

  async open(context: RangeContext): Promise<void> {
    await this.#made(context).open(contextOf(context));
  }

  async changes(documents: readonly ChangedDocument<T>[], context: BatchContext): Promise<void> {
    const wanted = documents.filter((document) => this.#rules.isWanted(document));
    if (wanted.length > 0) await this.#process(wanted, context);
    await this.#rules.afterBatch(context, documents.length);
  }

  async close(context: RangeContext, reason: CloseReason): Promise<void> {
    const name = nameOf(context);
    const observer = this.#observers.get(name);
    const told = closeReasonOf(reason, this.#errors.get(name));
    this.#observers.delete(name);
    this.#errors.delete(name);
    this.#rules.closed(context);
    await observer?.close(contextOf(context), told);
  }

  failed(range: OpenRange, error: unknown): void {
    const name = nameOf(range);
    if (this.#observers.has(name)) this.#errors.set(name, error);
  }

  /** For those who call the observer of a range themselves: what it throws is told from everything else that may fail. */
  guarded(range: OpenRange): ChangeFeedObserver<T> {
    const observer = this.#observers.get(nameOf(range));
    if (observer === undefined) throw new Error(`The range ${range.leaseToken} is not open.`);
    return {
      open: (context) => observer.open(context),
      close: (context, reason) => observer.close(context, reason),
      processChanges: async (context, documents, signal) => {
        try {
          await observer.processChanges(context, documents, signal);
        } catch (cause) {
          const error = new ProcessorError('handler-failed', `The observer failed: ${messageOf(cause)}`, { cause });
          this.failed(range, error);
          throw error;
        }
      },
    };
  }

  /** An observer that throws is closed; when the batch comes again, a new one is given it. */
  async #process(documents: readonly ChangedDocument<T>[], context: BatchContext): Promise<void> {
    const name = nameOf(context);
    const isNew = !this.#observers.has(name);
    const observer = this.#observers.get(name) ?? this.#made(context);
    try {
      if (isNew) await observer.open(contextOf(context));
      await observer.processChanges(batchContextOf(context), documents, context.signal);
    } catch (error) {
      // The range may be another host's by now: then whoever closes it says why.
      if (!context.signal.aborted && this.#observers.get(name) === observer) {
        this.#observers.delete(name);
        await observer.close(contextOf(context), 'ObserverError');
      }
      throw error;
    }
  }

  #made(range: OpenRange): ChangeFeedObserver<T> {
    const observer = this.#factory.createObserver();
    this.#observers.set(nameOf(range), observer);
    return observer;
  }
}

function nameOf({ leaseToken, epoch }: OpenRange): string {
  return `${leaseToken} ${epoch}`;
}

function contextOf({ leaseToken }: RangeContext): ChangeFeedObserverContext {
  return { partitionKeyRangeId: leaseToken, feedResponse: undefined, checkpoint: async () => {} };
}

function batchContextOf(context: BatchContext): ChangeFeedObserverContext {
  const { leaseToken, position, sessionToken, charge } = context;
  return {
    partitionKeyRangeId: leaseToken,
    feedResponse: { responseContinuation: position, sessionToken, requestCharge: charge },
    checkpoint: () => context.checkpoint(),
  };
}
