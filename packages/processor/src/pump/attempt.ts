// One call of the handler, and what came of it. It never rejects.

import type { BatchContext, BatchError, Handler } from '../observer.ts';
import { ProcessorError } from '../processor-error.ts';
import type { Watchdog } from './watchdog.ts';

export type AttemptOutcome =
  | { readonly kind: 'done' }
  /** `failed`: the others are done. Undefined: the handler did not say which. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly failed: BatchError['failed'] | undefined }
  /** It still runs, or may: nothing that it was given may be given to anybody here. */
  | { readonly kind: 'hung' };

/** `controller` is the one of the context's signal. */
export function attempt(
  handler: Handler<unknown>,
  changes: readonly unknown[],
  context: BatchContext,
  controller: AbortController,
  watchdog: Watchdog,
): Promise<AttemptOutcome> {
  // The handler may change the array.
  const count = changes.length;
  return new Promise((resolve) => {
    const call = watchdog.begin(controller, () => resolve(hung));
    const finish = (outcome: AttemptOutcome): void => {
      watchdog.end(call);
      resolve(outcome);
    };
    try {
      Promise.resolve(handler(changes, context)).then(
        (result) => finish(outcomeOf(result, count)),
        (error: unknown) => finish(failureOf(error, count)),
      );
    } catch (error) {
      finish(failureOf(error, count));
    }
  });
}

const done: AttemptOutcome = { kind: 'done' };
const hung: AttemptOutcome = { kind: 'hung' };

function outcomeOf(result: unknown, count: number): AttemptOutcome {
  if (typeof result !== 'object' || result === null || !('failed' in result)) return done;
  const failed = failedOf(result, count);
  if (failed !== undefined && failed.length === 0) return done;
  return { kind: 'failed', error: failed?.[0]?.error ?? incomprehensible(), failed };
}

/** A thrown error may name items; known by its shape, since it may come from another copy of this package. */
function failureOf(error: unknown, count: number): AttemptOutcome {
  const named = error instanceof Error && 'failed' in error ? failedOf(error, count) : undefined;
  return { kind: 'failed', error, failed: named === undefined || named.length === 0 ? undefined : named };
}

/** Undefined when it cannot be believed, or not even asked: then the whole batch counts as failed. */
function failedOf(told: { readonly failed?: unknown }, count: number): BatchError['failed'] | undefined {
  try {
    return checkedIndexes(told.failed, count);
  } catch {
    return undefined;
  }
}

function checkedIndexes(failed: unknown, count: number): BatchError['failed'] | undefined {
  if (!Array.isArray(failed)) return undefined;
  for (const entry of failed) {
    const { index }: { index?: unknown } = Object(entry);
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return undefined;
  }
  return failed.map(({ index, error }) => ({ index, error }));
}

function incomprehensible(): ProcessorError {
  return new ProcessorError('handler-failed', 'The handler returned something that does not name items of its batch.');
}
