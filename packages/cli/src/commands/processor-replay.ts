// `tidemark processor replay`: asks the hosts of a group to try parked changes again.

import type { ProcessorGroup } from '@tidemark/processor';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { groupOf } from '../group.ts';
import { letterFilterOf } from '../letter-filter.ts';
import { counted, print } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const group = await groupOf(call, { needsDeadLetters: true });
  const filter = letterFilterOf(call);
  const asked = await (await group.deadLetters()).replay({ filter });
  // Where nothing was named, there is nothing to do; what was named and is not there is a mistake.
  const isNamed = Object.values(filter).some((value) => value !== undefined);
  if (isOn(call, 'json')) await print(`${JSON.stringify({ asked })}\n`);
  else if (asked === 0) await print(isNamed ? 'There is no such dead letter.\n' : 'There are no dead letters.\n');
  else await print(`${counted(asked, 'changes')} will be tried again ${await byWhom(group)}.\n`);
  return asked === 0 && isNamed ? 1 : 0;
}

async function byWhom(group: ProcessorGroup): Promise<string> {
  const { hosts } = await group.status();
  const isRunning = hosts.some(({ isAlive }) => isAlive);
  return isRunning ? 'by the hosts of the group' : 'as soon as a host of the group runs: none does now';
}
