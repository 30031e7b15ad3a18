// `tidemark processor replay`: asks the hosts of a group to try parked changes again.

import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { groupOf } from '../group.ts';
import { letterFilterOf } from '../letter-filter.ts';
import { counted, print } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const office = await (await groupOf(call, { needsDeadLetters: true })).deadLetters();
  const asked = await office.replay({ filter: letterFilterOf(call) });
  const text =
    asked === 0
      ? 'There is no such dead letter.\n'
      : `${counted(asked, 'changes')} will be tried again by the hosts of the group.\n`;
  await print(isOn(call, 'json') ? `${JSON.stringify({ asked })}\n` : text);
  return 0;
}
