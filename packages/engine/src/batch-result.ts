// What became of a batch, as an embedder sees it.

import { inspect } from 'node:util';
import { Document } from './document.ts';
import type { UnitOutcome, UnitResult } from './range-engine.ts';

/** Of one operation. In a batch that was not committed all are refused: one for its own reason, the others because of it. */
export type BatchOutcome =
  | { readonly kind: 'created' | 'replaced' | 'read'; readonly document: Document }
  | Exclude<UnitOutcome, { readonly document: unknown }>;

export interface BatchResult {
  readonly isCommitted: boolean;
  readonly lsn: number;
  /** One for each operation, in their order. */
  readonly outcomes: readonly BatchOutcome[];
}

/** Outcomes are made for those who look at them: most want to know only whether it was committed. */
export class ShownBatch implements BatchResult {
  readonly isCommitted: boolean;
  readonly lsn: number;
  readonly #outcomes: readonly UnitOutcome[];
  #shown: readonly BatchOutcome[] | undefined;

  constructor({ isCommitted, lsn, outcomes }: UnitResult) {
    this.isCommitted = isCommitted;
    this.lsn = lsn;
    this.#outcomes = outcomes;
  }

  get outcomes(): readonly BatchOutcome[] {
    this.#shown ??= this.#outcomes.map(shown);
    return this.#shown;
  }

  toJSON(): BatchResult {
    const { isCommitted, lsn, outcomes } = this;
    return { isCommitted, lsn, outcomes };
  }
}

// What `console.log` shows; the compiler cannot declare a member with this name.
Object.defineProperty(ShownBatch.prototype, inspect.custom, {
  value(this: ShownBatch): object {
    return this.toJSON();
  },
});

function shown(outcome: UnitOutcome): BatchOutcome {
  if (!('document' in outcome)) return outcome;
  return { kind: outcome.kind, document: new Document(outcome.document) };
}
