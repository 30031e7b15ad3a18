// Changes as an AsyncIterable, for one consumer that likes loops better than callbacks:
//
//   for await (const batch of iterateChanges({ source, leases, name })) { … }
//
// A batch is done when the next one is asked for, or when `done()` is called. A loop that is left by `break`, `return` or an error leaves
// the batch in hand undone: it is delivered again to the next one who reads. So nothing is lost by leaving a loop.

import type { ProcessorPlugs } from './create-processor.ts';
import { buildProcessor } from './create-processor.ts';
import type { ChangedDocument, VersionChange } from './feed/change.ts';
import type { BatchContext } from './observer.ts';
import type { LatestOptions, ProcessorOptions, VersionsOptions } from './options.ts';
import type { Processor } from './processor.ts';
import { ProcessorError } from './processor-error.ts';

export interface ChangeBatch<Change> {
  readonly changes: readonly Change[];
  readonly context: BatchContext;
  /** It is done, although the next one is not asked for yet. */
  done(): void;
}

type Unhandled<Options> = Omit<Options, 'handler' | 'observer'>;

/** Starts with the first batch that is asked for, stops when the loop is left. */
export function iterateChanges<T = Record<string, unknown>>(
  options: Unhandled<LatestOptions<T>>,
): AsyncIterableIterator<ChangeBatch<ChangedDocument<T>>>;
export function iterateChanges<T = Record<string, unknown>>(
  options: Unhandled<VersionsOptions<T>>,
): AsyncIterableIterator<ChangeBatch<VersionChange<T>>>;
export function iterateChanges(
  options: Unhandled<ProcessorOptions<unknown>>,
): AsyncIterableIterator<ChangeBatch<unknown>> {
  return new Iteration(options, {});
}

interface Waiting {
  readonly batch: ChangeBatch<unknown>;
  fail(error: unknown): void;
}

class Iteration implements AsyncIterableIterator<ChangeBatch<unknown>> {
  readonly #processor: Processor;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | undefined;
  #start: Promise<void> | undefined;
  #wake: () => void = () => {};
  #end: { readonly error: ProcessorError | undefined } | undefined;

  constructor(options: Unhandled<ProcessorOptions<unknown>>, plugs: ProcessorPlugs) {
    const handler = (changes: readonly unknown[], context: BatchContext): Promise<void> =>
      this.#offer(changes, context);
    this.#processor = buildProcessor({ ...options, handler } as ProcessorOptions<unknown>, plugs);
    void this.#processor.stopped.then((error) => {
      this.#end = { error };
      this.#wake();
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ChangeBatch<unknown>>> {
    this.#current?.batch.done();
    this.#current = undefined;
    this.#start ??= this.#processor.start();
    await this.#start;
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#current = next;
        return { done: false, value: next.batch };
      }
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<ChangeBatch<unknown>>> {
    const stopping = this.#processor.stop();
    const left = new ProcessorError('stopped', 'The loop was left before the batch was done.');
    this.#current?.fail(left);
    for (const waiting of this.#waiting.splice(0)) waiting.fail(left);
    await stopping;
    return { done: true, value: undefined };
  }

  /** Resolves when the consumer is done with the batch. */
  #offer(changes: readonly unknown[], context: BatchContext): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = context;
      const settle = (): void => signal.removeEventListener('abort', abort);
      const done = (): void => {
        settle();
        resolve();
      };
      const fail = (error: unknown): void => {
        settle();
        reject(error);
      };
      const abort = (): void => {
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        fail(signal.reason);
      };
      const waiting: Waiting = { batch: { changes, context, done }, fail };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiting);
      this.#wake();
    });
  }
}
