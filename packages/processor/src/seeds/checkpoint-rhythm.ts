// Checkpoints after so many documents or so long, whichever comes first: no plain strategy has both.

import type { Environment } from '../environment.ts';
import type { BatchContext, RangeContext } from '../observer.ts';
import type { ChangeFeedProcessorOptions } from './seed-options.ts';
import { isExplicit } from './seed-options.ts';

export class CheckpointRhythm {
  readonly #items: number | undefined;
  readonly #intervalMs: number | undefined;
  readonly #clock: Environment['clock'];
  /** Of the ranges that are open. */
  readonly #since = new Map<string, { items: number; atMs: number }>();

  constructor(options: ChangeFeedProcessorOptions, { clock }: Pick<Environment, 'clock'>) {
    const { processedDocumentCount, timeInterval } = options.checkpointFrequency ?? {};
    const isBoth = !isExplicit(options) && processedDocumentCount !== undefined && timeInterval !== undefined;
    this.#items = isBoth ? processedDocumentCount : undefined;
    this.#intervalMs = isBoth ? timeInterval : undefined;
    this.#clock = clock;
  }

  get size(): number {
    return this.#since.size;
  }

  async afterBatch(context: BatchContext, documents: number): Promise<void> {
    if (this.#items === undefined || this.#intervalMs === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const name = nameOf(context);
    const since = this.#since.get(name) ?? { items: 0, atMs: nowMs };
    since.items += documents;
    this.#since.set(name, since);
    if (since.items < this.#items && nowMs - since.atMs < this.#intervalMs) return;
    this.#since.set(name, { items: 0, atMs: nowMs });
    await context.checkpoint();
  }

  closed(context: RangeContext): void {
    this.#since.delete(nameOf(context));
  }
}

function nameOf({ leaseToken, epoch }: Pick<RangeContext, 'leaseToken' | 'epoch'>): string {
  return `${leaseToken} ${epoch}`;
}
