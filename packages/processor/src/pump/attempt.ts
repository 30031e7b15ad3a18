// One call of the handler, and what came of it. The call is watched: slow is told of, its signal aborts at the limit, and a handler that
// does not obey is given up. It never rejects.

import type { Ground } from '../environment.ts';
import { handlerGraceMs } from '../limits.ts';
import type { BatchContext, BatchError, Handler } from '../observer.ts';
import { ProcessorError } from '../processor-error.ts';

export type AttemptOutcome =
  | { readonly kind: 'done' }
  /** `failed`: the others are done. Undefined: the handler did not say which. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly failed: BatchError['failed'] | undefined }
  /** It still runs, or may: nothing that it was given may be given to anybody here. */
  | { readonly kind: 'hung'; readonly error: ProcessorError };

export interface AttemptLimits {
  readonly handlerWarnMs: number;
  readonly handlerMsMax: number;
}

export interface AttemptOptions extends Ground {
  readonly limits: AttemptLimits;
  /** Of this call: aborted by the limit here, or by the range from outside. */
  readonly controller: AbortController;
  onSlow(): void;
}

export async function attempt(
  handler: Handler<unknown>,
  changes: readonly unknown[],
  context: BatchContext,
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  const watch = new HandlerWatch(options);
  try {
    const running = Promise.resolve(handler(changes, context));
    const result = await Promise.race([running, watch.run()]);
    if (result === hung) {
      running.catch(() => {});
      return { kind: 'hung', error: watch.error() };
    }
    if (typeof result !== 'object' || result === null || !('failed' in result)) return done;
    const failed = checkedIndexes(result.failed, changes.length);
    if (failed !== undefined && failed.length === 0) return done;
    return { kind: 'failed', error: failed?.[0]?.error ?? incomprehensible(), failed };
  } catch (error) {
    return { kind: 'failed', error, failed: failedOf(error, changes.length) };
  } finally {
    watch.close();
  }
}

const done: AttemptOutcome = { kind: 'done' };
const hung: unique symbol = Symbol('hung');

class HandlerWatch {
  readonly #options: AttemptOptions;
  /** Ends every sleep: by the end of the call, or by the abort of its signal. */
  readonly #awake: AbortController = new AbortController();
  readonly #over: AbortController = new AbortController();

  constructor(options: AttemptOptions) {
    this.#options = options;
    options.controller.signal.addEventListener('abort', this.#wake);
  }

  /** Resolves only when the handler has ignored its signal for too long, or when it does not matter any more. */
  async run(): Promise<typeof hung> {
    const { clock, controller, limits, onSlow } = this.#options;
    const { handlerWarnMs, handlerMsMax } = limits;
    if (!controller.signal.aborted) await this.#wait(Math.min(handlerWarnMs, handlerMsMax));
    if (!this.#awake.signal.aborted && handlerWarnMs < handlerMsMax) {
      onSlow();
      await this.#wait(handlerMsMax - handlerWarnMs);
    }
    if (!this.#over.signal.aborted && !controller.signal.aborted) controller.abort(this.error());
    await clock.sleep(handlerGraceMs, this.#over.signal);
    return hung;
  }

  #wait(ms: number): Promise<void> {
    if (Number.isFinite(ms)) return this.#options.clock.sleep(ms, this.#awake.signal);
    return new Promise((resolve) => this.#awake.signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  error(): ProcessorError {
    const seconds = this.#options.limits.handlerMsMax / 1000;
    return new ProcessorError('handler-hung', `The handler did not finish within ${seconds} s.`);
  }

  close(): void {
    this.#options.controller.signal.removeEventListener('abort', this.#wake);
    this.#over.abort();
    this.#awake.abort();
  }

  readonly #wake = (): void => this.#awake.abort();
}

/** A thrown error that names items, by its shape: it may come from another copy of this package. */
function failedOf(error: unknown, count: number): BatchError['failed'] | undefined {
  if (!(error instanceof Error) || !('failed' in error)) return undefined;
  const failed = checkedIndexes(error.failed, count);
  return failed === undefined || failed.length === 0 ? undefined : failed;
}

/** Undefined when it cannot be believed: then the whole batch counts as failed. */
function checkedIndexes(failed: unknown, count: number): BatchError['failed'] | undefined {
  if (!Array.isArray(failed)) return undefined;
  for (const entry of failed) {
    const { index }: { index?: unknown } = Object(entry);
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return undefined;
  }
  return failed;
}

function incomprehensible(): ProcessorError {
  return new ProcessorError('handler-failed', 'The handler returned something that does not name items of its batch.');
}
