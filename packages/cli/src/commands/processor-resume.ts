// `tidemark processor resume`: a group that was paused, or ranges that its failure policy has halted, go on.

import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { groupOf } from '../group.ts';
import { print, shown } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const group = await groupOf(call);
  await group.resume();
  const answer = { group: group.name, isPaused: false };
  await print(isOn(call, 'json') ? `${JSON.stringify(answer)}\n` : `The group ${shown(group.name)} goes on.\n`);
  return 0;
}
