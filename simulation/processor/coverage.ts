// What a run has exercised: kinds of faults that really happened to something, and transitions of tenures.

import type { HostRules } from '@tidemark/processor/testing';
import { tenureTable } from '@tidemark/processor/testing';

export interface Coverage {
  readonly faults: Map<string, number>;
  readonly steps: Map<string, number>;
  /** Transitions that the table says cannot happen, and that did. */
  readonly impossible: Set<string>;
  /** For the rules of the hosts. */
  readonly onStep: HostRules['onStep'];
}

export function newCoverage(): Coverage {
  const steps = new Map<string, number>();
  const impossible = new Set<string>();
  return {
    faults: new Map(),
    steps,
    impossible,
    onStep: (state, event, step) => {
      if (step === '!') impossible.add(`${state} ${event}`);
      add(steps, `${state} ${event}`, 1);
    },
  };
}

export function noteFaults(coverage: Coverage, hits: ReadonlyMap<string, number>): void {
  for (const [kind, count] of hits) add(coverage.faults, kind, count);
}

export function missingOf(coverage: Coverage, faultKinds: readonly string[]): string[] {
  return [
    ...[...coverage.impossible].map((step) => `impossible transition ${step}, which happened`),
    ...faultKinds.filter((kind) => !coverage.faults.has(kind)).map((kind) => `fault ${kind}`),
    ...reachableSteps()
      .filter((step) => !coverage.steps.has(step))
      .map((step) => `transition ${step}`),
  ];
}

/** All but those marked `!`, which cannot happen (SPEC.md says why), and those marked `-`, which change nothing. */
function reachableSteps(): string[] {
  return Object.entries(tenureTable).flatMap(([state, events]) =>
    Object.entries(events)
      .filter(([, step]) => step !== '!' && step !== '-')
      .map(([event]) => `${state} ${event}`),
  );
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
