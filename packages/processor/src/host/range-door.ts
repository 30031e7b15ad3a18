// The observer of one range: `open` before anything is delivered, `close` after everything was, once for each `open` that was begun (I10).
// Neither is waited for without a bound.

import { bounded } from '../bounded.ts';
import { closeMsMax, openMsMax } from '../limits.ts';
import type { CloseReason, RangeContext } from '../observer.ts';
import type { TenureParts } from './tenure-parts.ts';

export class RangeDoor {
  readonly #parts: Pick<TenureParts, 'clock' | 'observer' | 'health' | 'emit' | 'life'>;
  readonly #context: RangeContext;
  #isOpen = false;
  #closing: Promise<void> | undefined;

  constructor(parts: Pick<TenureParts, 'clock' | 'observer' | 'health' | 'emit' | 'life'>, context: RangeContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async open(): Promise<void> {
    const { clock, observer, health, emit } = this.#parts;
    const { signal, leaseToken, epoch } = this.#context;
    this.#isOpen = true;
    this.#closing = undefined;
    try {
      await bounded(clock, openMsMax, signal, async () => observer.open?.(this.#context));
      signal.throwIfAborted();
    } catch (error) {
      if (!signal.aborted) health.raise('handler-failing', leaseToken, 'The observer could not open.', error);
      throw error;
    }
    health.clear('handler-failing', leaseToken);
    emit({ type: 'range.opened', leaseToken, epoch });
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
      await bounded(clock, ms, life, async () => observer.close?.(this.#context, reason));
    } catch (error) {
      health.raise('handler-failing', leaseToken, 'The observer could not close.', error);
    }
    emit({ type: 'range.closed', reason, leaseToken, epoch });
  }
}
