// Many seeds one after the other: what failed, how to repeat it, what was exercised, and how fast.

import type { Violation } from '@tidemark/processor/testing';
import { faultKinds } from '@tidemark/processor/testing';
import type { Coverage } from './coverage.ts';
import { missingOf, newCoverage, noteFaults } from './coverage.ts';
import type { Plan } from './plan.ts';
import { drawPlan, leastOfPlan } from './plan.ts';
import type { PlanReport, Program } from './run-plan.ts';
import { runPlan } from './run-plan.ts';
import { describePlan, shrink } from './shrink.ts';

export interface Failure {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** The smallest plan that still fails in the same way. */
  readonly plan: Plan;
}

export interface SeedsOptions {
  readonly from: number;
  readonly count: number;
  readonly program: Program;
  readonly isShrunk?: boolean;
  /** What the program notes its steps in. */
  readonly coverage?: Coverage;
  /** Stop after so many failures. */
  readonly failuresMax?: number;
  readonly onProgress?: (line: string) => void;
}

export interface SeedsResult {
  readonly failures: readonly Failure[];
  /** Fault kinds and transitions that never happened. */
  readonly missing: readonly string[];
  readonly coverage: Coverage;
  readonly summary: string;
}

export async function runSeeds(options: SeedsOptions): Promise<SeedsResult> {
  const failures: Failure[] = [];
  const coverage = options.coverage ?? newCoverage();
  const started = performance.now();
  let events = 0;
  let changes = 0;
  let done = 0;
  for (let seed = options.from; seed < options.from + options.count; seed += 1) {
    const plan = drawPlan(seed);
    const report = await runWatched(plan, options.program);
    done += 1;
    events += report.events;
    changes += report.changes;
    noteFaults(coverage, report.hits);
    if (report.violations.length > 0)
      failures.push(await failureOf(plan, report.violations, options.program, options.isShrunk ?? true));
    else checkLeast(plan, report.changes, report.turns);
    if (failures.length >= (options.failuresMax ?? 5)) break;
    if (done % 500 === 0)
      options.onProgress?.(`${done} seeds, ${failures.length} failed, ${rate(done, started)} seeds/s`);
  }
  const missing = missingOf(coverage, faultKinds);
  return { failures, missing, coverage, summary: summarize() };

  function summarize(): string {
    const seconds = (performance.now() - started) / 1000;
    const lines = [
      `${done} seeds in ${seconds.toFixed(1)} s (${rate(done, started)} seeds/s): ${done - failures.length} passed, ${failures.length} failed`,
      `${changes} changes, ${events} events (${Math.round(events / seconds)} events/s)`,
      ...(missing.length === 0 ? [] : [`never exercised: ${missing.join(', ')}`]),
    ];
    return lines.join('\n');
  }
}

/** A promise that fails with nobody listening is a defect too. Node tells of it between two turns of the event loop, of which a run has none. */
async function runWatched(plan: Plan, program: Program): Promise<PlanReport> {
  const unheard: unknown[] = [];
  const listen = (error: unknown): void => void unheard.push(error);
  process.on('unhandledRejection', listen);
  try {
    const report = await runPlan(plan, program);
    await new Promise((resolve) => setImmediate(resolve));
    for (const error of unheard)
      report.world.oracle.report(
        'I11',
        `a promise failed and nobody listened: ${error instanceof Error ? error.stack : error}`,
      );
    return report;
  } finally {
    process.off('unhandledRejection', listen);
  }
}

export async function runSeed(
  seed: number,
  program: Program,
  options: { readonly isShrunk: boolean },
): Promise<Failure | undefined> {
  const plan = drawPlan(seed);
  const { violations } = await runWatched(plan, program);
  return violations.length === 0 ? undefined : failureOf(plan, violations, program, options.isShrunk);
}

export function formatFailure({ seed, violations, plan }: Failure): string {
  return [
    `seed ${seed} fails; to repeat it: npm run simulate -- --seed ${seed}`,
    ...violations
      .slice(0, 5)
      .map(({ invariant, timeMs, message }) => `  ${invariant} at ${Math.round(timeMs)} ms: ${message}`),
    ' smallest plan that still fails:',
    describePlan(plan),
  ].join('\n');
}

async function failureOf(
  plan: Plan,
  violations: readonly Violation[],
  program: Program,
  isShrunk: boolean,
): Promise<Failure> {
  const [first] = violations;
  const smallest = isShrunk && first !== undefined ? await shrink(plan, program, first.invariant) : plan;
  return { seed: plan.seed, violations, plan: smallest };
}

function checkLeast(plan: Plan, changes: number, turns: number): void {
  const isEnough =
    plan.hosts >= leastOfPlan.hosts &&
    plan.ranges >= leastOfPlan.ranges &&
    plan.faults.length >= leastOfPlan.faults &&
    changes >= leastOfPlan.changes &&
    turns >= leastOfPlan.turns;
  if (!isEnough)
    throw new Error(
      `seed ${plan.seed} is too tame: ${changes} changes, ${turns} splits and merges, ${plan.faults.length} faults`,
    );
}

function rate(done: number, started: number): string {
  return (done / ((performance.now() - started) / 1000)).toFixed(1);
}
