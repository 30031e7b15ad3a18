// Cuts a failing plan down: faults first, then hosts, then changes, as long as it still fails in the same way.

import type { InvariantId } from '@tidemark/processor/testing';
import type { Plan } from './plan.ts';
import type { Program } from './run-plan.ts';
import { runPlan } from './run-plan.ts';

export async function shrink(plan: Plan, program: Program, invariant: InvariantId, runsMax = 150): Promise<Plan> {
  let smallest = plan;
  let runs = 0;
  const isStillFailing = async (candidate: Plan): Promise<boolean> => {
    runs += 1;
    const { violations } = await runPlan(candidate, program);
    return violations.some((violation) => violation.invariant === invariant);
  };
  const cut = async <K extends 'faults' | 'turns' | 'commits'>(part: K): Promise<void> => {
    for (let size = Math.ceil(smallest[part].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < smallest[part].length && runs < runsMax; ) {
        const left = [...smallest[part].slice(0, at), ...smallest[part].slice(at + size)];
        const candidate = { ...smallest, [part]: left };
        if (await isStillFailing(candidate)) smallest = candidate;
        else at += size;
      }
    }
  };
  await cut('faults');
  await cut('turns');
  while (smallest.hosts > 1 && runs < runsMax) {
    const candidate = { ...smallest, hosts: smallest.hosts - 1 };
    if (!(await isStillFailing(candidate))) break;
    smallest = candidate;
  }
  await cut('commits');
  return smallest;
}

export function describePlan(plan: Plan): string {
  const { settings } = plan;
  const lines = [
    `${plan.hosts} hosts, ${plan.ranges} ranges, ${plan.commits.length} commits, ${plan.canWait ? 'waiting' : 'polling'}, ${settings.mode}, start ${JSON.stringify(settings.start)}, finale ${plan.finale}`,
    `lanes ${settings.pump.lanes}, pages of ${settings.pump.itemsMax}, ${settings.pump.readAheadPages} ahead, checkpoint ${settings.pump.checkpoint.kind}, ${settings.pump.failure.action}, handoff ${settings.lease.handoffMs} ms`,
    ...plan.turns.map(({ atMs, kind }) => `${atMs} ms: ${kind}`),
    ...plan.faults.map(
      ({ kind, atMs, durationMs, host, port, share }) =>
        `${atMs} ms: ${kind} for ${durationMs} ms at host ${host ?? 'all'} ${port ?? ''} ${Math.round(share * 100)} %`,
    ),
  ];
  return lines.map((line) => `  ${line}`).join('\n');
}
