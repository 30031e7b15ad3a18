// What a run has exercised: kinds of faults that really happened to something, and transitions of tenures.

import type { HostRules } from '@tidemark/processor/testing';
import { tenureTable } from '@tidemark/processor/testing';

export interface Coverage {
  readonly faults: Map<string, number>;
  readonly steps: Map<string, number>;
  /** For the rules of the hosts. */
  readonly onStep: HostRules['onStep'];
}

export function newCoverage(): Coverage {
  const steps = new Map<string, number>();
  return {
    faults: new Map(),
    steps,
    onStep: (state, event) => add(steps, `${state} ${event}`, 1),
  };
}

export function noteFaults(coverage: Coverage, hits: ReadonlyMap<string, number>): void {
  for (const [kind, count] of hits) add(coverage.faults, kind, count);
}

/**
 * Transitions that no fault of the plans can bring about, each with the test that does. Those marked `!` in the table cannot happen at
 * all, and those marked `-` change nothing.
 */
const elsewhere: Readonly<Record<string, string>> = {};

export function missingOf(coverage: Coverage, faultKinds: readonly string[]): string[] {
  return [
    ...faultKinds.filter((kind) => !coverage.faults.has(kind)).map((kind) => `fault ${kind}`),
    ...reachableSteps()
      .filter((step) => !coverage.steps.has(step))
      .map((step) => `transition ${step}`),
  ];
}

function reachableSteps(): string[] {
  return Object.entries(tenureTable).flatMap(([state, events]) =>
    Object.entries(events)
      .filter(([, step]) => step !== '!' && step !== '-')
      .map(([event]) => `${state} ${event}`)
      .filter((step) => elsewhere[step] === undefined),
  );
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
