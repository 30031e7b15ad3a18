// Seeds one after the other: what failed, how to repeat it, and what was exercised.

import type { Violation } from '@tidemark/processor/testing';
import type { Coverage } from './coverage.ts';
import { newCoverage, noteFaults } from './coverage.ts';
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
}

export interface SeedsResult {
  readonly failures: readonly Failure[];
  readonly coverage: Coverage;
  /** How many seeds were run. */
  readonly done: number;
  readonly events: number;
  readonly changes: number;
}

export async function runSeeds(options: SeedsOptions): Promise<SeedsResult> {
  const failures: Failure[] = [];
  const coverage = options.coverage ?? newCoverage();
  const counts = { done: 0, events: 0, changes: 0 };
  for (let seed = options.from; seed < options.from + options.count; seed += 1) {
    const plan = drawPlan(seed);
    const report = await runWatched(plan, options.program, coverage);
    counts.done += 1;
    counts.events += report.events;
    counts.changes += report.changes;
    noteFaults(coverage, report.hits);
    if (report.violations.length > 0)
      failures.push(await failureOf(plan, report.violations, options.program, options.isShrunk ?? true));
    else checkLeast(plan, report.changes, report.turns);
    if (failures.length >= (options.failuresMax ?? 5)) break;
  }
  return { failures, coverage, ...counts };
}

/** A promise that fails with nobody listening is a defect too. Node tells of it between two turns of the event loop, of which a run has none. */
async function runWatched(plan: Plan, program: Program, coverage: Coverage): Promise<PlanReport> {
  const unheard: unknown[] = [];
  const listen = (error: unknown): void => void unheard.push(error);
  const impossibleBefore = new Set(coverage.impossible);
  process.on('unhandledRejection', listen);
  try {
    const report = await runPlan(plan, program);
    await new Promise((resolve) => setImmediate(resolve));
    for (const error of unheard)
      report.world.oracle.report(
        'I11',
        `a promise failed and nobody listened: ${error instanceof Error ? error.stack : error}`,
      );
    for (const step of coverage.impossible)
      if (!impossibleBefore.has(step))
        report.world.oracle.report('I10', `a tenure took the step ${step}, which the table calls impossible`);
    return report;
  } catch (cause) {
    throw new Error(`the simulation itself broke at seed ${plan.seed}`, { cause });
  } finally {
    process.off('unhandledRejection', listen);
  }
}

export async function runSeed(
  seed: number,
  program: Program,
  options: { readonly isShrunk: boolean; readonly coverage?: Coverage },
): Promise<Failure | undefined> {
  const plan = drawPlan(seed);
  const { violations } = await runWatched(plan, program, options.coverage ?? newCoverage());
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
