// The handler of a host process: it tells what it was given, waits at a gate that the parent opens and closes, and tells that it
// has come to its end. All of it is out of the process before the handler returns.

import type { HostWord, Item } from './host-protocol.ts';

export interface Call {
  readonly lease: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly position: string;
  readonly signal: AbortSignal | undefined;
  readonly checkpoint: () => Promise<void>;
}

export class HeldHandler {
  readonly #isDeaf: boolean;
  readonly #isManual: boolean;
  #isHeld: boolean;
  #calls = 0;
  readonly #waiting = new Set<() => void>();
  readonly #unacknowledged: { readonly call: number; readonly lease: string; checkpoint(): Promise<void> }[] = [];

  constructor(options: { readonly isHeld: boolean; readonly isDeaf: boolean; readonly isManual: boolean }) {
    this.#isHeld = options.isHeld;
    this.#isDeaf = options.isDeaf;
    this.#isManual = options.isManual;
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const pass of [...this.#waiting]) pass();
  }

  /** With manual checkpoints: everything that was handled so far. */
  async checkpoint(): Promise<void> {
    for (const { call, lease, checkpoint } of this.#unacknowledged.splice(0)) {
      try {
        await checkpoint();
        await say({ type: 'acknowledged', call, lease });
      } catch (error) {
        const { code = 'none' }: { code?: string } = Object(error);
        await say({ type: 'refused', call, lease, code });
      }
    }
  }

  async handle(
    changes: readonly unknown[],
    { lease, epoch, attempt, position, signal, checkpoint }: Call,
  ): Promise<void> {
    this.#calls += 1;
    const call = this.#calls;
    const items = changes.map((change) => {
      const { id, pk, n } = change as Item;
      return { id, pk, n };
    });
    await say({ type: 'batch', call, lease, epoch, attempt, position, items, at: now() });
    if (this.#isHeld) await this.#pass(signal);
    if (signal?.aborted === true && !this.#isDeaf) {
      await say({ type: 'aborted', call, lease, at: now() });
      throw signal.reason;
    }
    if (this.#isManual) this.#unacknowledged.push({ call, lease, checkpoint });
    await say({ type: 'handled', call, lease, at: now() });
  }

  #pass(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const pass = (): void => {
        this.#waiting.delete(pass);
        resolve();
      };
      this.#waiting.add(pass);
      if (this.#isDeaf || signal === undefined) return;
      if (signal.aborted) pass();
      else signal.addEventListener('abort', pass, { once: true });
    });
  }
}

export function say(word: HostWord): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(word, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

export function now(): string {
  return String(process.hrtime.bigint());
}
