// What is wrong with a range at the moment, told once when it begins and once when it is over (I13).

import type { EventSink, HealthProblem } from '../events.ts';

export class PumpHealth {
  readonly #emit: EventSink;
  readonly #leaseToken: string;
  readonly #problems: Set<HealthProblem> = new Set();

  constructor(emit: EventSink, leaseToken: string) {
    this.#emit = emit;
    this.#leaseToken = leaseToken;
  }

  raise(problem: HealthProblem, message: string, error?: unknown, documentId?: string): void {
    if (this.#problems.has(problem)) return;
    this.#problems.add(problem);
    this.#emit({ type: 'health', problem, leaseToken: this.#leaseToken, message, error, documentId });
  }

  clear(problem: HealthProblem): void {
    if (!this.#problems.delete(problem)) return;
    this.#emit({ type: 'healthy', problem, leaseToken: this.#leaseToken });
  }

  /** The range is not read here any more, so nobody knows here whether it got better. What stays wrong without a pump stays told. */
  close(): void {
    for (const problem of this.#problems) {
      if (outliving.has(problem)) continue;
      this.#problems.delete(problem);
      this.#emit({ type: 'healthy', problem, leaseToken: this.#leaseToken, isLeft: true });
    }
  }
}

const outliving: ReadonlySet<HealthProblem> = new Set<HealthProblem>(['halted', 'handler-hung']);
