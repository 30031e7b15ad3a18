// What of a group needs a person, in sentences. Empty: nothing does.

import { auditCoverage } from './host/audit.ts';
import type { Group } from './host/group.ts';
import type { LetterSummary } from './pump/letter-summary.ts';

/** Wrong with the documents of the group, whoever runs. */
export function leaseProblems(group: Group): string[] {
  const problems: string[] = [];
  const { holes, overlaps } = auditCoverage(group.leases);
  for (const { min, max } of holes) problems.push(`No lease has the keys from '${min}' to '${max}'.`);
  for (const overlap of overlaps) problems.push(`Leases overlap: ${JSON.stringify(overlap)}.`);
  for (const { token } of group.duplicates) problems.push(`The range ${token} has more than one lease.`);
  for (const { token } of group.tombstones) problems.push(`The lease ${token} was split and could not be removed.`);
  if (!group.hasMarker) problems.push('The group is not set up completely: its marker is missing.');
  return problems;
}

interface Sign {
  readonly instance: string;
  readonly ranges: number;
  readonly quietSeconds: number | undefined;
  readonly isAlive: boolean;
}

/** Nothing gets done, or not everything. */
export function hostProblems({ control }: Group, hosts: readonly Sign[]): string[] {
  const paused = control.isPaused ? [`The group is paused: ${control.reason ?? 'no reason given'}`] : [];
  const dead = hosts
    .filter(({ isAlive, ranges }) => !isAlive && ranges > 0)
    .map(({ instance, quietSeconds = 0, ranges }) => {
      const what = ranges === 1 ? 'its range waits' : `its ${ranges} ranges wait`;
      return `The host ${instance} is dead, without a sign of life for ${quietSeconds} s: ${what} for another one.`;
    });
  const nobody = hosts.some(({ isAlive }) => isAlive) ? [] : ['No host of the group is running.'];
  return [...paused, ...dead, ...nobody];
}

export function letterProblems(summary: LetterSummary | { readonly error: string } | undefined): string[] {
  if (summary === undefined) return [];
  if ('error' in summary) return [`The dead letters cannot be read: ${summary.error}`];
  const { container, letters, isAtLeast, parkedKeys } = summary;
  if (letters === 0 && parkedKeys === 0) return [];
  const count = `${isAtLeast ? 'At least ' : ''}${letters} ${letters === 1 ? 'change is' : 'changes are'}`;
  const keys = parkedKeys === 1 ? '1 key waits' : `${parkedKeys} keys wait`;
  return [`${count} parked in ${container}; ${parkedKeys === 0 ? 'no key waits' : keys} for a replay.`];
}
