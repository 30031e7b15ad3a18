// `tidemark processor pause`: every host of a group finishes what is in flight and stands still.

import type { Call } from '../call.ts';
import { isOn, textOption } from '../call.ts';
import { groupOf } from '../group.ts';
import { print, shown } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const group = await groupOf(call);
  const reason = textOption(call, 'reason') ?? 'paused from the command line';
  await group.pause(reason);
  const answer = { group: group.name, isPaused: true, reason };
  await print(isOn(call, 'json') ? `${JSON.stringify(answer)}\n` : `The group ${shown(group.name)} is paused.\n`);
  return 0;
}
