// Holds one operation of a wrapped file system until the test lets it go on.

import { fileError } from '@tidemark/engine/internal';

export interface Gate {
  /** Resolves when the operation has arrived and waits. */
  readonly reached: Promise<void>;
  /** Lets it go on; also when called before it arrives. */
  release(): void;
  /** Makes it fail instead. */
  fail(code?: string): void;
}

export class HeldGate implements Gate {
  readonly reached: Promise<void>;
  readonly #opened: Promise<string | undefined>;
  #arrived: () => void = () => {};
  #open: (failureCode: string | undefined) => void = () => {};

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#arrived = resolve;
    });
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  release(): void {
    this.#open(undefined);
  }

  fail(code = 'EIO'): void {
    this.#open(code);
  }

  async arrive(): Promise<void> {
    this.#arrived();
    const failureCode = await this.#opened;
    if (failureCode) throw fileError(failureCode, 'injected failure of a held operation');
  }
}
