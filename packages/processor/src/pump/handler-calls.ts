// Calls of the user's handler: its context, its signal, and its acknowledgements.

import { doneItemsMax } from '../limits.ts';
import type { BatchContext } from '../observer.ts';
import { ProcessorError } from '../processor-error.ts';
import type { AttemptOutcome } from './attempt.ts';
import { attempt } from './attempt.ts';
import { ChildSignals } from './child-signals.ts';
import type { Flow } from './flow.ts';
import type { OpenPage } from './open-page.ts';
import { Watchdog } from './watchdog.ts';

/** What a call is about; a replayed dead letter has no page any more. */
export interface CallFacts {
  readonly position: string;
  readonly charge: number;
  readonly sessionToken: string | undefined;
  /** The same for every delivery of the change. */
  identityOf(index: number): string;
}

export class HandlerCalls {
  readonly #flow: Flow;
  readonly #signals: ChildSignals = new ChildSignals();
  /** With manual checkpoints: returned, but not acknowledged. */
  readonly #unacknowledged: Set<Call> = new Set();
  readonly #watchdog: Watchdog;
  #running = 0;
  #hung = 0;
  /** Names of changes that are not acknowledged. */
  #namesOpen = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
    const { context, parts } = flow;
    this.#watchdog = new Watchdog(context.clock, parts.settings, () => {
      const message = `The handler has worked for ${parts.settings.handlerWarnMs / 1000} s on one batch.`;
      flow.health.raise('handler-slow', message);
    });
  }

  /** Calls that were given up: they may still be running. */
  get hung(): number {
    return this.#hung;
  }

  /** Calls that have not ended, those given up among them. */
  get running(): number {
    return this.#running;
  }

  get unacknowledged(): number {
    return this.#unacknowledged.size;
  }

  /** `indexes` are those of the page, rising. A call that was acknowledged is done, even if it fails afterwards. */
  async deliver(page: OpenPage, indexes: readonly number[], number: number): Promise<AttemptOutcome> {
    const { values } = page;
    const isWhole = indexes.length === values.length;
    // An array of its own: a handler that sorts or empties it takes nothing from the next attempt.
    const changes = isWhole ? values.slice() : indexes.map((index) => values[index]);
    const { sequence } = page;
    const controller = this.#signals.open();
    const call: Call = {
      sequence,
      items: indexes.length,
      controller,
      isAcknowledged: false,
      names: [],
      open: { page, indexes },
    };
    const { position, charge, sessionToken } = page.page;
    const identityOf = (index: number): string => page.delivery(isWhole ? index : (indexes[index] ?? index)).identity;
    const facts: CallFacts = { position, charge, sessionToken, identityOf };
    const outcome = await this.#call(changes, facts, call, number, this.#checkpointOf(call));
    call.open = undefined;
    if (outcome.kind === 'failed') call.items = doneBeside(indexes.length, outcome.failed);
    const isOpen = this.#isManual() && outcome.kind !== 'hung' && !call.isAcknowledged && call.items > 0;
    if (isOpen) this.#leaveOpen(call, page, indexes, outcome);
    else this.#signals.release(call.controller);
    return call.isAcknowledged && outcome.kind === 'failed' ? { kind: 'done' } : outcome;
  }

  /** It may be acknowledged when its page is forgotten: what is then finished above the position is known by these names. */
  #leaveOpen(call: Call, page: OpenPage, indexes: readonly number[], outcome: AttemptOutcome): void {
    const failed = new Set(outcome.kind === 'failed' ? outcome.failed?.map(({ index }) => index) : []);
    const done = indexes.filter((_, at) => !failed.has(at));
    if (this.#namesOpen + done.length <= doneItemsMax) call.names = done.map((index) => page.digestOf(index));
    this.#namesOpen += call.names.length;
    this.#unacknowledged.add(call);
  }

  /** A dead letter: done when the handler returns, whatever the checkpoints. */
  async replay(value: unknown, facts: CallFacts, number: number): Promise<AttemptOutcome> {
    const controller = this.#signals.open();
    try {
      return await this.#call([value], facts, { controller }, number, () => Promise.resolve());
    } finally {
      this.#signals.release(controller);
    }
  }

  abort(reason: unknown): void {
    this.#signals.abort(reason);
    this.#watchdog.aborted();
    this.#unacknowledged.clear();
    this.#namesOpen = 0;
  }

  close(): void {
    this.abort(new ProcessorError('stopped', 'The range is not read by this host any more.'));
    this.#watchdog.close();
  }

  async #call(
    changes: readonly unknown[],
    facts: CallFacts,
    { controller }: { readonly controller: AbortController },
    number: number,
    checkpoint: () => Promise<void>,
  ): Promise<AttemptOutcome> {
    // While it was made ready the range may have been given up: another host may have it by now.
    if (this.#flow.isAborted() || !this.#flow.isHeld()) return notBegun;
    const batch = this.#contextOf(facts, controller, number, changes.length, checkpoint);
    this.#running += 1;
    const outcome = await attempt(this.#flow.parts.handler, changes, batch, controller, this.#watchdog);
    if (outcome.kind === 'hung') {
      this.#hung += 1;
      return outcome;
    }
    this.#running -= 1;
    this.#flow.health.clear('handler-slow');
    return outcome;
  }

  #contextOf(
    { position, charge, sessionToken, identityOf }: CallFacts,
    { signal }: AbortController,
    number: number,
    count: number,
    checkpoint: () => Promise<void>,
  ): BatchContext {
    const { leaseToken, keys, epoch } = this.#flow.lease;
    const { instance } = this.#flow.context;
    const idempotencyKey = (index: number): string => {
      if (Number.isInteger(index) && index >= 0 && index < count) return identityOf(index);
      throw new RangeError(`The batch has ${count} changes and none at ${index}.`);
    };
    return {
      leaseToken,
      keys,
      epoch,
      instance,
      signal,
      position,
      charge,
      sessionToken,
      attempt: number,
      checkpoint,
      idempotencyKey,
    };
  }

  #isManual(): boolean {
    return this.#flow.parts.settings.checkpoint.kind === 'manual';
  }

  /** Apart from the call's other closures, so that who keeps it for an acknowledgement does not keep the page. */
  #checkpointOf(call: Call): () => Promise<void> {
    return () => this.#checkpoint(call);
  }

  #checkpoint(call: Call): Promise<void> {
    const flow = this.#flow;
    const strategy = flow.parts.settings.checkpoint;
    const stored = ((): Promise<void> => {
      if (strategy.kind !== 'manual') {
        const message = `Checkpoints are taken by the strategy '${strategy.kind}'; choose 'manual' to take them yourself.`;
        return Promise.reject(new ProcessorError('invalid-option', message));
      }
      const { open, sequence } = call;
      if (!call.isAcknowledged) {
        if (flow.isAborted() || !flow.isHeld()) {
          return Promise.reject(new ProcessorError('fenced', 'The range is not held by this host any more.'));
        }
        this.#acknowledge(call);
        if (strategy.isCumulative === true) this.#acknowledgeBefore(sequence);
      }
      return open === undefined ? flow.whenStored(sequence) : flow.whenKept(open.page);
    })();
    // Who does not wait for it does not want to crash by it either.
    stored.catch(() => {});
    return stored;
  }

  #acknowledge(call: Call): void {
    call.isAcknowledged = true;
    if (this.#unacknowledged.delete(call)) {
      this.#signals.release(call.controller);
      this.#namesOpen -= call.names.length;
    }
    if (call.open === undefined) this.#flow.acknowledge(call.sequence, call.items, call.names);
    else this.#flow.settle(call.open.page, call.open.indexes);
  }

  /** Everything that a handler has returned from; never what none was given yet, though it be on the same page. */
  #acknowledgeBefore(sequence: number): void {
    // The oldest last: the position moves over all of them at once.
    const before = [...this.#unacknowledged].filter((call) => call.sequence <= sequence);
    for (const call of before.reverse()) this.#acknowledge(call);
  }
}

interface Call {
  /** Of its page. */
  readonly sequence: number;
  /** What an acknowledgement acknowledges. */
  items: number;
  readonly controller: AbortController;
  isAcknowledged: boolean;
  /** Of the changes that it is about, once it has returned without an acknowledgement; none where there are too many. */
  names: readonly string[];
  /** While it runs. Afterwards the page may be forgotten. */
  open: { readonly page: OpenPage; readonly indexes: readonly number[] } | undefined;
}

const notBegun: AttemptOutcome = {
  kind: 'failed',
  error: new ProcessorError('stopped', 'The range is not read by this host any more.'),
  failed: undefined,
};

/** How many did not fail; none when nobody knows which did. */
function doneBeside(count: number, failed: readonly { readonly index: number }[] | undefined): number {
  if (failed === undefined) return 0;
  return count - new Set(failed.map(({ index }) => index)).size;
}
