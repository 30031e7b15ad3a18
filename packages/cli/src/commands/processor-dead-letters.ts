// `tidemark processor dead-letters`: what a group has parked, and why.

import type { DeadLetter } from '@tidemark/processor';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { groupOf } from '../group.ts';
import { letterFilterOf } from '../letter-filter.ts';
import { count, counted, print, shown, table } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const office = await (await groupOf(call, { needsDeadLetters: true })).deadLetters();
  const letters = office.each({ filter: letterFilterOf(call) });
  if (isOn(call, 'json')) {
    for await (const letter of letters) await print(`${JSON.stringify(letter)}\n`);
    return 0;
  }
  let [rows, shownBefore]: [string[][], number] = [[], 0];
  for await (const letter of letters) {
    rows.push(rowOf(letter));
    if (rows.length < tableRowsMax) continue;
    await print(table([head, ...rows]));
    [rows, shownBefore] = [[], shownBefore + rows.length];
  }
  const total = counted(shownBefore + rows.length, 'dead letters');
  await print(`${rows.length === 0 ? '' : table([head, ...rows])}${total}.\n`);
  return 0;
}

const head = ['document', 'key', 'reason', 'state', 'attempts', 'parked', 'error'];

/** Columns are as wide as their widest cell: of so many rows it is known, whatever the number of letters. */
const tableRowsMax = 1000;

function rowOf({ itemId, laneKey, reason, state, attempts, parkedAtMs, error }: DeadLetter): string[] {
  return [itemId, laneKey, reason, state, count(attempts), new Date(parkedAtMs).toISOString(), error].map(shown);
}
