// `tidemark processor resume`: a group that was paused, or ranges that its failure policy has halted, go on.

import type { GroupStatus } from '@tidemark/processor';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { groupOf } from '../group.ts';
import { print, shown } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const group = await groupOf(call);
  const before = await group.status();
  // Also where nothing seems to stand still: a range may have been halted a moment ago.
  await group.resume();
  const answer = { group: group.name, isPaused: false };
  await print(isOn(call, 'json') ? `${JSON.stringify(answer)}\n` : textOf(before));
  return 0;
}

function textOf({ group, isPaused, ranges, hosts }: GroupStatus): string {
  const isHalted = ranges.some(({ halted }) => halted !== undefined);
  if (!isPaused && !isHalted) return `The group ${shown(group)} was not paused, and no range of it stood still.\n`;
  const isRunning = hosts.some(({ isAlive }) => isAlive);
  return `The group ${shown(group)} goes on${isRunning ? '' : ' as soon as a host of it runs: none does now'}.\n`;
}
