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

/**
 * Transitions that need two rare things within a moment: not every thousand seeds have them, so a run is not blamed for one that is
 * missing. Positions that the feed refuses (`refused`, `barred`) come in the scenarios S22 and S23, halted ranges (`halted`) in tests of the
 * pump: nobody would resume them here. Those marked `!` in the table
 * cannot happen at all, and those marked `-` change nothing.
 */
const rare: ReadonlySet<string> = new Set([
  'opening pause',
  'opening lost',
  'opening fenced',
  'running drained',
  'running refused',
  'running halted',
  'draining open-failed',
  'draining refused',
  'draining halted',
  'draining feed-failed',
  'draining aborted',
  'pausing opened',
  'pausing open-failed',
  'pausing refused',
  'pausing halted',
  'pausing feed-failed',
  'pausing aborted',
  'aborting opened',
  'aborting drained',
  'aborting gone',
  'aborting refused',
  'aborting halted',
  'aborting feed-failed',
  'aborting overdue',
  'aborting redirected',
  'aborting replaced',
  'aborting barred',
  'redirecting barred',
  'parking drain',
  'parking lost',
  'parking fenced',
]);

export function missingOf(coverage: Coverage, faultKinds: readonly string[]): string[] {
  return [
    ...[...coverage.impossible].map((step) => `impossible transition ${step}, which happened`),
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
      .filter((step) => !rare.has(step)),
  );
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
