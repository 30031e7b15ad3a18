// The trial that every start puts an index to, seen from the database; index/lmdb-provider.ts keeps its record.
//
// It is eased as soon as the index has taken a transaction that changes nothing, and over when it has taken one with everything
// there is. Nobody waits for either but a close: on a full disk they would not end.

import type { IndexWriter } from './index-writer.ts';
import type { IndexProvider } from './recovery.ts';

export class IndexTrial {
  readonly #provider: IndexProvider;
  readonly #writer: IndexWriter;
  /** One step after the other. Never rejects. */
  #steps: Promise<void> = Promise.resolve();

  constructor(provider: IndexProvider, writer: IndexWriter) {
    this.#provider = provider;
    this.#writer = writer;
  }

  ease(): void {
    const { eased } = this.#provider;
    // Without the mark this start only counts more.
    if (eased !== undefined) this.#proveAnd(eased);
  }

  end(): void {
    const { proven } = this.#provider;
    // Where it cannot be written down, the next start looks again.
    if (proven !== undefined) this.#proveAnd(proven);
  }

  /** Resolves when nothing of it is under way. */
  settled(): Promise<void> {
    return this.#steps;
  }

  #proveAnd(told: () => Promise<void>): void {
    this.#steps = this.#steps.then(async () => {
      try {
        await this.#writer.prove();
        await told();
      } catch {
        // A failure of the index is in the health by now, and the index condemned.
      }
    });
  }
}
