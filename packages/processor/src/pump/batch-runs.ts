// A batch on its way through the handler, until each of its changes is done, skipped by policy or parked (F10-F13).
//
//   deliver ──done──▶ settled
//      ├─ some items named ─▶ the others are settled, the named ones delivered again
//      ├─ nobody named ─▶ cut in halves, the left one first; a single item, or a batch that may not be cut, is delivered again
//      └─ attempts used up, or poison ─▶ skip · park · halt
//
// After every failure there is a pause that grows until something succeeds, so a sink that is down is asked ever less often. Cutting a
// batch uses up no attempts: attempts count failures that are known to be an item's own.

import { failuresBeforeHealth } from '../limits.ts';
import { messageOf, ProcessorError } from '../processor-error.ts';
import type { AttemptOutcome } from './attempt.ts';
import type { AttemptLog } from './attempt-log.ts';
import { backoffMs } from './backoff.ts';
import { BatchPlan } from './bisect.ts';
import type { Flow } from './flow.ts';
import type { HandlerCalls } from './handler-calls.ts';
import type { OpenPage } from './open-page.ts';
import type { Parking } from './parking.ts';
import { unlessAborted } from './unless-aborted.ts';
import { hungError, hungWords } from './watchdog.ts';

type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;
interface OwnFailure {
  readonly index: number;
  readonly error: unknown;
}

export class BatchRuns {
  readonly #flow: Flow;
  readonly #calls: HandlerCalls;
  readonly #attempts: AttemptLog;
  readonly #parking: Parking;
  /** Items given up since something succeeded: while everything fails, the pause before the next item grows too. */
  #givenUp = 0;
  /** Owners before this one died here: changes are counted before they are handled, so that the next owner knows who was in hand. */
  #isCautious = false;

  constructor(flow: Flow, calls: HandlerCalls, attempts: AttemptLog, parking: Parking) {
    this.#flow = flow;
    this.#calls = calls;
    this.#attempts = attempts;
    this.#parking = parking;
  }

  set isCautious(value: boolean) {
    this.#isCautious = value;
  }

  /** Resolves when nothing is left to do, or when the pump stops: what is not settled then belongs to the next owner. */
  async run(page: OpenPage, indexes: readonly number[]): Promise<void> {
    const plan = new BatchPlan(indexes);
    const known = this.#attempts.size === 0 ? 0 : await this.#resume(page, plan);
    if (known === undefined) return;
    let failures = known;
    for (let segment = plan.next; segment !== undefined; segment = plan.next) {
      if (this.#parking.heldCount > 0) {
        const flowing = await this.#parkBehind(page, segment);
        if (flowing === undefined) return;
        if (flowing.length < segment.length) {
          plan.keep(flowing);
          continue;
        }
      }
      if (!(await this.#pause(failures))) return;
      const beganMs = this.#flow.context.clock.monotonicMs();
      const isCounted = this.#isCautious;
      if (isCounted) await this.#countAhead(page, segment);
      const number = known + plan.tries + 1;
      const outcome = await this.#calls.deliver(page, segment, number);
      if (outcome.kind === 'hung') return this.#giveUpHandler(page, segment);
      if (this.#flow.isAborted() || !this.#flow.isHeld()) return;
      if (outcome.kind === 'done') {
        failures = 0;
        plan.settle();
        this.#done(page, segment, beganMs);
      } else {
        this.#emitFailed(segment, number, outcome.error);
        // It failed without dying, which is counted as every failure is.
        if (isCounted) this.#attempts.uncount(page.digestOf(segment[0] ?? 0));
        const next = await this.#failed(page, outcome, plan, failures + 1);
        if (next === undefined) return;
        failures = next;
      }
    }
  }

  /** An invalid item: it is not for the handler, and not for nobody (F35). False: the pump is stopping. */
  async refuse(page: OpenPage, index: number): Promise<boolean> {
    const invalid = page.invalid.get(index);
    if (invalid === undefined) return true;
    const { reason, kind } = invalid;
    const { action } = this.#flow.parts.settings.failure;
    const error = new ProcessorError('handler-failed', `The change is not one for the handler: ${reason}`);
    if (this.#parking.canPark) {
      const holdsKey = action === 'park-key' && kind === 'schema';
      if (!(await this.#parking.park(page, index, { reason: kind, error, attempts: 0, holdsKey }))) return false;
      this.#settle(page, [index]);
      return true;
    }
    return this.#giveUp(page, { index, error }, 0);
  }

  /**
   * What a former owner knew about the changes: what has used up its attempts is given up, and cutting goes on where it was. Returns the
   * failures to begin with; undefined: the pump is stopping.
   */
  async #resume(page: OpenPage, plan: BatchPlan): Promise<number | undefined> {
    const { bisect, retry } = this.#flow.parts.settings.failure;
    let failures = 0;
    const left: number[] = [];
    for (const index of plan.next ?? []) {
      const known = this.#attempts.item(page.digestOf(index));
      if (known === undefined || known.failures < retry.attemptsMax) {
        failures = Math.max(failures, known?.failures ?? 0);
        left.push(index);
      } else if (!(await this.#giveUp(page, { index, error: new Error(known.message) }, known.failures)))
        return undefined;
    }
    plan.keep(left);
    const first = left[0];
    const batch = first === undefined ? undefined : this.#attempts.batch(page.digestOf(first));
    if (batch === undefined) return failures;
    let canCut = bisect;
    while (canCut && (plan.next?.length ?? 0) >= batch.items) canCut = plan.cut();
    return Math.max(failures, batch.failures);
  }

  /** Changes of held keys join the letters there. Returns the others; undefined: the pump is stopping. */
  async #parkBehind(page: OpenPage, segment: readonly number[]): Promise<readonly number[] | undefined> {
    const flowing: number[] = [];
    const error = new ProcessorError('handler-failed', 'An earlier change of the same key is parked.');
    for (const index of segment) {
      if (!this.#parking.isHeld(page.laneKeyOf(index))) {
        flowing.push(index);
        continue;
      }
      const facts = { reason: 'behind', error, attempts: 0, holdsKey: true } as const;
      if (!(await this.#parking.park(page, index, facts))) return undefined;
      this.#settle(page, [index]);
    }
    return flowing;
  }

  /** False: nothing new may be started. */
  async #pause(failures: number): Promise<boolean> {
    const { context, finishing, parts } = this.#flow;
    const counted = Math.max(failures, this.#givenUp);
    if (counted > 0 && !finishing.aborted) {
      await context.clock.sleep(backoffMs(parts.settings.failure.retry, counted, context.random), finishing);
    }
    return !finishing.aborted && this.#flow.isHeld();
  }

  #done(page: OpenPage, segment: readonly number[], beganMs: number): void {
    const { context, lease, parts } = this.#flow;
    this.#givenUp = 0;
    this.#flow.health.clear('handler-failing');
    this.#forget(page, segment);
    if (parts.settings.checkpoint.kind === 'manual') this.#flow.handled(page, segment.length);
    else this.#settle(page, segment);
    const { leaseToken, epoch } = lease;
    const durationMs = context.clock.monotonicMs() - beganMs;
    context.emit({ type: 'batch.delivered', leaseToken, epoch, items: segment.length, durationMs });
  }

  #emitFailed(segment: readonly number[], attempt: number, error: unknown): void {
    const { leaseToken, epoch } = this.#flow.lease;
    this.#flow.context.emit({ type: 'batch.failed', leaseToken, epoch, items: segment.length, attempt, error });
  }

  /** Failures in a row, for the next pause; undefined: the pump is stopping. */
  async #failed(page: OpenPage, outcome: Failed, plan: BatchPlan, failures: number): Promise<number | undefined> {
    const segment = plan.next ?? [];
    const { bisect } = this.#flow.parts.settings.failure;
    if (Math.max(failures, this.#givenUp + 1) >= failuresBeforeHealth) {
      const message = `The handler keeps failing: ${messageOf(outcome.error)}`;
      this.#flow.health.raise('handler-failing', message, outcome.error, idOf(page, segment[0]));
    }
    const kind = this.#classify(outcome.error);
    if (kind === 'fatal') return this.#halt('range', outcome.error, idOf(page, segment[0]));
    let next: number | undefined = failures;
    if (outcome.failed !== undefined) {
      next = await this.#ownFailures(page, segment, outcome.failed, plan, failures);
    } else if (segment.length === 1) {
      next = await this.#ownFailures(page, segment, [{ index: 0, error: outcome.error }], plan, failures);
    } else if (bisect) {
      this.#attempts.failBatch(page.digestOf(segment[0] ?? 0), segment.length);
      plan.cut();
      if (kind === 'poison') next = 0;
    } else next = await this.#wholeFailure(page, segment, outcome.error, plan, failures);
    // The count is on record before the next try: a host that dies by it leaves it to the next one.
    await this.#saveAttempts();
    return next;
  }

  /** The handler named them by their places in the segment: all others are done. */
  async #ownFailures(
    page: OpenPage,
    segment: readonly number[],
    failed: readonly OwnFailure[],
    plan: BatchPlan,
    failures: number,
  ): Promise<number | undefined> {
    const errors = new Map(failed.map(({ index, error }) => [segment[index], error]));
    const done = segment.filter((index) => !errors.has(index));
    if (done.length > 0) this.#doneBeside(page, done);
    const left: number[] = [];
    const { attemptsMax } = this.#flow.parts.settings.failure.retry;
    for (const index of segment) {
      if (!errors.has(index)) continue;
      const error = errors.get(index);
      const kind = this.#classify(error);
      if (kind === 'fatal') return this.#halt('range', error, idOf(page, index));
      const count = this.#attempts.failItem(page.digestOf(index), error);
      if (kind === 'retry' && count < attemptsMax) left.push(index);
      else if (!(await this.#giveUp(page, { index, error }, count))) return undefined;
    }
    plan.retry(left);
    // One bad item says nothing about the others.
    return left.length > 0 ? failures : 0;
  }

  /** The batch is not to be cut: it is tried, and given up, as one. */
  async #wholeFailure(
    page: OpenPage,
    segment: readonly number[],
    error: unknown,
    plan: BatchPlan,
    failures: number,
  ): Promise<number | undefined> {
    const count = this.#attempts.failBatch(page.digestOf(segment[0] ?? 0), segment.length);
    const { attemptsMax } = this.#flow.parts.settings.failure.retry;
    if (this.#classify(error) === 'retry' && count < attemptsMax) {
      plan.retry(segment);
      return failures;
    }
    for (const index of segment) {
      if (!(await this.#giveUp(page, { index, error }, count))) return undefined;
    }
    plan.settle();
    return 0;
  }

  /** By policy. False: the pump is stopping, and the change is not settled. */
  async #giveUp(page: OpenPage, { index, error }: OwnFailure, attempts: number): Promise<boolean> {
    const { parts, context, lease } = this.#flow;
    const { action } = parts.settings.failure;
    switch (action) {
      case 'halt-range':
      case 'halt-all':
        // Whoever lets it go on wants it tried as often as at first.
        this.#forget(page, [index]);
        await this.#saveAttempts();
        this.#halt(action === 'halt-all' ? 'all' : 'range', error, idOf(page, index));
        return false;
      case 'skip': {
        const { leaseToken, epoch } = lease;
        context.emit({ type: 'item.skipped', leaseToken, epoch, id: page.delivery(index).id, error });
        break;
      }
      case 'park-item':
      case 'park-key': {
        const facts = { reason: 'handler', error, attempts, holdsKey: action === 'park-key' } as const;
        if (!(await this.#parking.park(page, index, facts))) return false;
      }
    }
    this.#givenUp += 1;
    this.#forget(page, [index]);
    this.#settle(page, [index]);
    return true;
  }

  #halt(scope: 'range' | 'all', error: unknown, documentId: string | undefined): undefined {
    const message = `The failure policy stops ${scope === 'all' ? 'the group' : 'the range'}: ${messageOf(error)}`;
    const halted = new ProcessorError('halted', message, { cause: error });
    this.#flow.health.raise('halted', message, error, documentId);
    this.#flow.stop({ kind: 'halted', scope, error: halted });
  }

  /** The handler may still be at it, so nobody here may touch these changes again: the whole range is given up (S28). */
  async #giveUpHandler(page: OpenPage, segment: readonly number[]): Promise<void> {
    const error = hungError(this.#flow.parts.settings.handlerMsMax);
    const message = `The handler ignores its signal and may still be running. ${hungWords}`;
    this.#flow.health.raise('handler-hung', message, error);
    if (this.#flow.isAborted()) return;
    const name = page.digestOf(segment[0] ?? 0);
    if (segment.length === 1) this.#attempts.failItem(name, error);
    else this.#attempts.failBatch(name, segment.length);
    await this.#saveAttempts();
    this.#flow.stop({ kind: 'aborted', error });
  }

  #doneBeside(page: OpenPage, done: readonly number[]): void {
    this.#givenUp = 0;
    this.#forget(page, done);
    if (this.#flow.parts.settings.checkpoint.kind === 'manual') this.#flow.handled(page, done.length);
    else this.#settle(page, done);
  }

  #settle(page: OpenPage, indexes: readonly number[]): void {
    this.#flow.settle(page, indexes);
    this.#flow.handled(page, indexes.length);
  }

  #forget(page: OpenPage, indexes: readonly number[]): void {
    if (this.#attempts.size === 0) return;
    for (const index of indexes) this.#attempts.forget(page.digestOf(index));
    if (this.#attempts.size === 0) void this.#attempts.save();
  }

  async #countAhead(page: OpenPage, segment: readonly number[]): Promise<void> {
    const name = page.digestOf(segment[0] ?? 0);
    if (segment.length === 1) this.#attempts.failItem(name, 'The process ended while it was handled.');
    else this.#attempts.failBatch(name, segment.length);
    await this.#saveAttempts();
  }

  async #saveAttempts(): Promise<void> {
    await unlessAborted(this.#attempts.save(), this.#flow.context.signal);
  }

  #classify(error: unknown): 'retry' | 'poison' | 'fatal' {
    try {
      return this.#flow.parts.settings.failure.classify?.(error) ?? 'retry';
    } catch {
      // Whoever cannot say what it is gets it again.
      return 'retry';
    }
  }
}

/** Undefined where the change is none that has an id. */
function idOf(page: OpenPage, index: number | undefined): string | undefined {
  return index === undefined ? undefined : page.delivery(index).id || undefined;
}
