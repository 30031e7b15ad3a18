// What a run has exercised: kinds of faults that really happened to something, kinds of events, transitions of tenures.

import type { PlanReport } from './run-plan.ts';

export interface Coverage {
  readonly faults: Map<string, number>;
  readonly events: Map<string, number>;
  readonly steps: Map<string, number>;
}

export function newCoverage(): Coverage {
  return { faults: new Map(), events: new Map(), steps: new Map() };
}

export function noteRun(coverage: Coverage, report: PlanReport): void {
  for (const [kind, count] of report.hits) add(coverage.faults, kind, count);
  for (const process of report.world.hosts) for (const event of process.events) add(coverage.events, event.type, 1);
}

export function missingOf(coverage: Coverage, faultKinds: readonly string[]): string[] {
  return faultKinds.filter((kind) => !coverage.faults.has(kind)).map((kind) => `fault ${kind}`);
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
