// The observer of one range: `open` before anything is delivered, `close` after everything was, once for each `open` that was begun (I10).
// Neither is waited for without a bound.

import { bounded } from '../bounded.ts';
import { notNeeded } from '../environment.ts';
import { closeMsMax, openMsMax } from '../limits.ts';
import type { CloseReason, RangeContext } from '../observer.ts';
import type { TenureParts } from './tenure-parts.ts';

type DoorParts = Pick<TenureParts, 'clock' | 'observer' | 'health' | 'emit' | 'life' | 'settings'>;

export class RangeDoor {
  readonly #parts: DoorParts;
  readonly #context: RangeContext;
  #isOpen = false;
  #closing: Promise<void> | undefined;

  constructor(parts: DoorParts, context: RangeContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async open(): Promise<void> {
    const { clock, observer, health, emit } = this.#parts;
    const { signal, leaseToken, epoch } = this.#context;
    this.#isOpen = true;
    this.#closing = undefined;
    const opened = new AbortController();
    void this.#tellIfSlow(opened.signal);
    try {
      await bounded(clock, openMsMax, signal, async () => observer.open?.(this.#context));
      signal.throwIfAborted();
    } catch (error) {
      if (!signal.aborted) health.raise('handler-failing', leaseToken, 'The observer could not open.', error);
      throw error;
    } finally {
      opened.abort(notNeeded);
      health.clear('handler-slow', leaseToken);
    }
    health.clear('handler-failing', leaseToken);
    emit({ type: 'range.opened', leaseToken, epoch });
  }

  /** Nothing is read before it returns (I13). */
  async #tellIfSlow(opened: AbortSignal): Promise<void> {
    const { clock, health, settings } = this.#parts;
    const { handlerWarnMs } = settings.pump;
    if (handlerWarnMs >= openMsMax) return;
    await clock.sleep(handlerWarnMs, opened);
    if (opened.aborted) return;
    const message = `The observer has taken ${handlerWarnMs / 1000} s to open the range.`;
    health.raise('handler-slow', this.#context.leaseToken, message);
  }

  /** Once for each open, however often it is asked for. */
  close(reason: CloseReason, endAtMs: number): Promise<void> {
    this.#closing ??= this.#close(reason, endAtMs);
    return this.#closing;
  }

  async #close(reason: CloseReason, endAtMs: number): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { clock, observer, health, emit, life } = this.#parts;
    const { leaseToken, epoch } = this.#context;
    try {
      const ms = Math.max(0, Math.min(closeMsMax, endAtMs - clock.monotonicMs()));
      // Begun also where no time is left to wait for it: whoever was opened hears of the end (I10).
      const closing = Promise.resolve(observer.close?.(this.#context, reason));
      closing.catch(() => {});
      await bounded(clock, ms, life, () => closing);
    } catch (error) {
      health.raise('handler-failing', leaseToken, 'The observer could not close.', error);
    }
    emit({ type: 'range.closed', reason, leaseToken, epoch });
  }
}
