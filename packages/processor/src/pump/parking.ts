// Parks changes for one range. A change counts as parked only when its letter is written: while the dead letters cannot be written the
// range stands still, and nothing is skipped (S27, S63).

import type { ErrorCode } from '@tidemark/model';
import { isDatabaseError } from '@tidemark/model';
import { heldKeysMax, letterRetryPauseMsMax, letterRetryPauseMsMin } from '../limits.ts';
import { messageOf, ProcessorError } from '../processor-error.ts';
import { backoffMs } from './backoff.ts';
import type { DeadLetters, LetterReason } from './dead-letters.ts';
import type { Flow } from './flow.ts';
import { ownsKey } from './key-owner.ts';
import type { OpenPage } from './open-page.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface ParkFacts {
  readonly reason: LetterReason;
  readonly error: unknown;
  readonly attempts: number;
  /** Later changes of its key go the same way. */
  readonly holdsKey: boolean;
}

export class Parking {
  readonly #flow: Flow;
  readonly #letters: DeadLetters | undefined;
  /** Keys of this range whose changes are parked. */
  readonly #held: Set<string> = new Set();

  constructor(flow: Flow, letters: DeadLetters | undefined) {
    this.#flow = flow;
    this.#letters = letters;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  get canPark(): boolean {
    return this.#letters !== undefined;
  }

  isHeld(laneKey: string): boolean {
    return this.#held.has(laneKey);
  }

  /** Before the first delivery. False: the pump is stopping. */
  async load(): Promise<boolean> {
    const letters = this.#letters;
    if (letters === undefined) return true;
    const { identity } = this.#flow.parts;
    return this.#persist(async (signal) => {
      this.#held.clear();
      for (const laneKey of await letters.heldKeys(signal)) {
        if (!ownsKey(this.#flow.lease.keys, identity, laneKey, undefined)) continue;
        this.#held.add(laneKey);
        if (this.#held.size > heldKeysMax) throw this.#tooMany(letters);
      }
    });
  }

  /** False: it is not parked, and the pump is stopping. */
  async park(page: OpenPage, index: number, facts: ParkFacts): Promise<boolean> {
    const letters = this.#letters;
    if (letters === undefined) throw new ProcessorError('invalid-option', 'There are no dead letters to park in.');
    const { laneKey, id, identity, lsn, invalid } = page.delivery(index);
    const { lease, context } = this.#flow;
    const letter = {
      reason: facts.reason,
      itemId: id,
      laneKey,
      identity,
      lsn,
      error: messageOf(facts.error),
      attempts: facts.attempts,
      parkedAtMs: context.clock.nowMs(),
      leaseToken: lease.leaseToken,
      keysMin: lease.keys.min,
      epoch: lease.epoch,
      instance: context.instance,
      position: page.page.position,
      item: invalid === undefined ? page.itemOf(index) : undefined,
      raw: invalid === undefined ? undefined : Buffer.from(invalid.raw).toString('base64'),
    };
    const isParked = await this.#persist(async (signal) => {
      if (facts.holdsKey && this.#held.size >= heldKeysMax && !this.#held.has(laneKey)) throw this.#tooMany(letters);
      // The key first: a crash in between holds a key whose change comes again, and is then parked behind.
      if (facts.holdsKey) await letters.holdKey(laneKey, signal);
      await letters.park(letter, signal);
    });
    if (!isParked) return false;
    if (facts.holdsKey) this.#held.add(laneKey);
    const { leaseToken, epoch } = lease;
    context.emit({ type: 'item.parked', leaseToken, epoch, id, error: facts.error });
    return true;
  }

  #tooMany(letters: DeadLetters): ProcessorError {
    return new ProcessorError('halted', `${heldKeysMax} keys are held in ${letters.name} already: replay them.`);
  }

  /** The key flows again. */
  release(laneKey: string): void {
    this.#held.delete(laneKey);
  }

  /** Tries until it is done or the pump stops. What will never succeed halts the range. */
  async #persist(write: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const { context, finishing } = this.#flow;
    for (let failures = 0; ; ) {
      if (finishing.aborted || !this.#flow.isHeld()) return false;
      try {
        await unlessAborted(write(context.signal), context.signal);
        if (context.signal.aborted) return false;
        this.#flow.health.clear('dead-letters-failing');
        return !this.#flow.isAborted() && this.#flow.isHeld();
      } catch (error) {
        if (context.signal.aborted) return false;
        const text = `The dead letters cannot be reached: ${messageOf(error)}`;
        this.#flow.health.raise('dead-letters-failing', text, error);
        if (isHopeless(error)) {
          const message = `The dead letters will never take it: ${messageOf(error)}`;
          this.#flow.health.raise('halted', message, error);
          const halt = new ProcessorError('dead-letter-failed', message, { cause: error });
          this.#flow.stop({ kind: 'halted', scope: 'range', error: halt });
          return false;
        }
        failures += 1;
        const pauseMs = backoffMs(retryPolicy, failures, context.random);
        const askedMs = isDatabaseError(error) ? (error.retryAfterMs ?? 0) : 0;
        await context.clock.sleep(Math.max(pauseMs, askedMs), finishing);
      }
    }
  }
}

const retryPolicy = { firstMs: letterRetryPauseMsMin, factor: 2, maxMs: letterRetryPauseMsMax, jitter: 0.5 };

/** The store will say the same again, however often it is asked. Credentials may be renewed any moment (S64). */
function isHopeless(error: unknown): boolean {
  if (error instanceof ProcessorError) return true;
  return isDatabaseError(error) && hopeless.has(error.code);
}

const hopeless: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'document-too-large',
  'document-too-deep',
  'invalid-document',
  'invalid-id',
  'bad-request',
  'container-not-found',
  'database-not-found',
  'not-supported',
]);
