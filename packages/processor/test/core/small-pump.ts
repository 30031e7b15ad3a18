// The smallest pump that keeps the contract of pump.ts: read a page, handle it, checkpoint, again.

import { isDatabaseError } from '@tidemark/model';
import type { MakePump, Pump, PumpContext, PumpEnd, PumpLease } from '../../src/pump/pump.ts';

export interface Batch {
  readonly lease: PumpLease;
  readonly context: PumpContext;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly position: string;
}

export interface SmallPumpOptions {
  readonly handle: (batch: Batch) => Promise<void> | void;
  readonly pollMs?: number;
  readonly stallMs?: number;
  readonly itemsMax?: number;
}

export function smallPump(options: SmallPumpOptions): MakePump {
  return (lease, context) => new SmallPump(lease, context, options);
}

export class Halt extends Error {
  readonly scope: 'range' | 'all';

  constructor(scope: 'range' | 'all') {
    super(`halt ${scope}`);
    this.scope = scope;
  }
}

/** The handler goes on in spite of its signal. */
export class Hung extends Error {}

class SmallPump implements Pump {
  stored: string | undefined;
  readonly #lease: PumpLease;
  readonly #context: PumpContext;
  readonly #options: SmallPumpOptions;
  readonly #draining = new AbortController();

  constructor(lease: PumpLease, context: PumpContext, options: SmallPumpOptions) {
    this.#lease = lease;
    this.#context = context;
    this.#options = options;
    context.signal.addEventListener('abort', () => this.#draining.abort(), { once: true });
  }

  drain(): void {
    this.#draining.abort();
  }

  async run(): Promise<PumpEnd> {
    const { source, clock, signal } = this.#context;
    const { range, keys, mode } = this.#lease;
    let from = this.#lease.start;
    let failingSinceMs: number | undefined;
    while (!this.#draining.signal.aborted) {
      try {
        const page = await source.read({ range, keys, mode, from, itemsMax: this.#options.itemsMax, signal });
        failingSinceMs = undefined;
        if (page.items.length > 0) {
          if (!this.#context.isHeld()) return { kind: 'aborted', error: new Error('not held') };
          await this.#deliver(page.items, page.position);
          await this.#context.checkpoint(page.position);
          this.stored = page.position;
        } else {
          this.#context.offer(page.position);
        }
        from = { position: page.position };
        if (page.isDrained) await clock.sleep(this.#options.pollMs ?? 1000, this.#draining.signal);
      } catch (error) {
        if (signal.aborted) return { kind: 'aborted', error };
        if (error instanceof Hung) return { kind: 'aborted', error, isHung: true };
        if (error instanceof Halt) return { kind: 'halted', scope: error.scope, error };
        if (!isDatabaseError(error)) return { kind: 'aborted', error };
        if (error.code === 'range-gone') return { kind: 'gone' };
        if (error.code === 'invalid-continuation') return { kind: 'feed-failed', error };
        failingSinceMs ??= clock.monotonicMs();
        if (clock.monotonicMs() - failingSinceMs >= (this.#options.stallMs ?? 0)) return { kind: 'feed-failed', error };
        await clock.sleep(1000, this.#draining.signal);
      }
    }
    return signal.aborted ? { kind: 'aborted', error: signal.reason } : { kind: 'drained' };
  }

  async #deliver(items: readonly object[], position: string): Promise<void> {
    const values = items.map((item) => Reflect.get(item, 'value') as Record<string, unknown>); // Of a SmallFeed: all parsed.
    await this.#options.handle({ lease: this.#lease, context: this.#context, items: values, position });
  }
}
