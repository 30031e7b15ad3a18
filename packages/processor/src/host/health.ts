// What is wrong at the moment, told once when it begins and once when it is over (I13).

import type { EventSink, HealthProblem } from '../events.ts';
import { problemsMax } from '../limits.ts';

export class Health {
  readonly #emit: EventSink;
  readonly #problems = new Map<string, { problem: HealthProblem; leaseToken: string | undefined }>();

  constructor(emit: EventSink) {
    this.#emit = emit;
  }

  raise(
    problem: HealthProblem,
    leaseToken: string | undefined,
    message: string,
    error?: unknown,
    documentId?: string,
  ): void {
    const name = `${problem}\n${leaseToken ?? ''}`;
    if (this.#problems.has(name)) return;
    const oldest = this.#problems.keys().next();
    if (this.#problems.size >= problemsMax && !oldest.done) this.#problems.delete(oldest.value);
    this.#problems.set(name, { problem, leaseToken });
    this.#emit({ type: 'health', problem, leaseToken, message, error, documentId });
  }

  /** `isLeft`: the range is not read here any more, whether or not it got better. */
  clear(problem: HealthProblem, leaseToken?: string, isLeft?: true): void {
    if (!this.#problems.delete(`${problem}\n${leaseToken ?? ''}`)) return;
    this.#emit({ type: 'healthy', problem, leaseToken, ...(isLeft && { isLeft }) });
  }

  get current(): readonly { readonly problem: HealthProblem; readonly leaseToken: string | undefined }[] {
    return [...this.#problems.values()];
  }
}
