// Dead letters of a range that somebody wants to be tried again (F13, S62).
//
// They go through the same handler, alone and one after the other, while nobody works on their key. Letters are older than everything of
// their key that is still to come, and what comes meanwhile waits for them: so order per key is kept. A letter is removed when the handler
// has returned. When one fails, the rest of its key stays.

import { replayLookMs } from '../limits.ts';
import { messageOf } from '../processor-error.ts';
import type { DeadLetters, ReplayRequest, StoredLetter } from './dead-letters.ts';
import type { Flow } from './flow.ts';
import type { HandlerCalls } from './handler-calls.ts';
import { ownsKey } from './key-owner.ts';
import type { Parking } from './parking.ts';
import type { ReplayBoard } from './replay-board.ts';
import { unlessAborted } from './unless-aborted.ts';
import { hungError, hungWords } from './watchdog.ts';

export class Replays {
  readonly #flow: Flow;
  readonly #calls: HandlerCalls;
  readonly #parking: Parking;
  readonly #letters: DeadLetters;
  readonly #board: ReplayBoard;

  constructor(flow: Flow, calls: HandlerCalls, parking: Parking, letters: DeadLetters, board: ReplayBoard) {
    this.#flow = flow;
    this.#calls = calls;
    this.#parking = parking;
    this.#letters = letters;
    this.#board = board;
  }

  /** Looks until the pump stops. `alone` runs a task while nobody works on the key. */
  async watch(alone: (laneKey: string, task: () => Promise<void>) => Promise<void>): Promise<void> {
    const { context, finishing, lease, parts } = this.#flow;
    for (;;) {
      await context.clock.sleep(replayLookMs, finishing);
      if (finishing.aborted) return;
      // A store that does not answer now is looked at again: nobody waits for it but who asked.
      const requests =
        (await unlessAborted(this.#board.look(context.clock, finishing), finishing).catch(() => [])) ?? [];
      for (const request of requests) {
        if (finishing.aborted) return;
        if (!ownsKey(lease.keys, parts.identity, request.laneKey, request.keysMin)) continue;
        await alone(request.laneKey, () => this.#replay(request));
      }
    }
  }

  /** Never rejects: a store that fails leaves the request for the next look. */
  async #replay(request: ReplayRequest): Promise<void> {
    const { laneKey, letterId, stopAtMs } = request;
    const { signal } = this.#flow.context;
    try {
      const letters = letterId === undefined ? await this.#letters.letters(laneKey, signal) : await this.#one(letterId);
      let isThrough = true;
      for (const letter of letters) {
        isThrough = (stopAtMs === undefined || letter.parkedAtMs <= stopAtMs) && (await this.#tryAgain(letter));
        if (!isThrough) break;
      }
      if (this.#flow.isAborted() || this.#flow.finishing.aborted || !this.#flow.isHeld()) return;
      if (letterId === undefined && isThrough) {
        await this.#letters.releaseKey(laneKey, signal);
        this.#parking.release(laneKey);
      }
      await this.#letters.remove(request.stored, signal);
      this.#board.strike(request);
      this.#flow.health.clear('dead-letters-failing');
    } catch (error) {
      if (this.#flow.isAborted()) return;
      this.#flow.health.raise('dead-letters-failing', 'Dead letters could not be replayed; it is tried again.', error);
    }
  }

  async #one(letterId: string): Promise<StoredLetter[]> {
    const letter = await this.#letters.letter(letterId, this.#flow.context.signal);
    return letter === undefined ? [] : [letter];
  }

  /** True when it is done and gone. */
  async #tryAgain(letter: StoredLetter): Promise<boolean> {
    const { context, decoder, lease } = this.#flow;
    const { leaseToken, epoch } = lease;
    if (this.#flow.finishing.aborted || !this.#flow.isHeld()) return false;
    const value = await decoder.valueOfLetter(letter);
    if ('reason' in value) {
      await this.#refuse(letter, value.reason, letter.attempts);
      return false;
    }
    const facts = {
      position: letter.position,
      charge: 0,
      sessionToken: undefined,
      identityOf: () => letter.identity,
    };
    const number = letter.attempts + 1;
    const outcome = await this.#calls.replay(value.value, facts, number);
    if (outcome.kind === 'hung') {
      const message = `The handler ignores its signal and may still be running. ${hungWords}`;
      const error = hungError(this.#flow.parts.settings.handlerMsMax);
      this.#flow.health.raise('handler-hung', message, error);
      this.#flow.stop({ kind: 'aborted', error });
      return false;
    }
    if (this.#flow.isAborted() || !this.#flow.isHeld()) return false;
    if (outcome.kind === 'done') {
      await this.#letters.remove(letter.stored, context.signal);
      context.emit({ type: 'item.replayed', leaseToken, epoch, id: letter.itemId });
      return true;
    }
    const { error } = outcome;
    context.emit({ type: 'batch.failed', leaseToken, epoch, items: 1, attempt: number, error });
    await this.#refuse(letter, error, number);
    return false;
  }

  async #refuse(letter: StoredLetter, error: unknown, attempts: number): Promise<void> {
    const { context, lease } = this.#flow;
    const { leaseToken, epoch } = lease;
    await this.#letters.refuse(letter, messageOf(error), attempts, context.signal);
    context.emit({ type: 'item.refused', leaseToken, epoch, id: letter.itemId, error });
  }
}
