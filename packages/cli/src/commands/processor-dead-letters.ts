// `tidemark processor dead-letters`: what a group has parked, and why.

import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { groupOf } from '../group.ts';
import { letterFilterOf } from '../letter-filter.ts';
import { count, counted, print, shown, table } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const office = await (await groupOf(call, { needsDeadLetters: true })).deadLetters();
  const letters = await office.list({ filter: letterFilterOf(call) });
  if (isOn(call, 'json')) {
    for (const letter of letters) await print(`${JSON.stringify(letter)}\n`);
    return 0;
  }
  const rows = letters.map(({ itemId, laneKey, reason, state, attempts, parkedAtMs, error }) =>
    [itemId, laneKey, reason, state, count(attempts), new Date(parkedAtMs).toISOString(), error].map(shown),
  );
  const head = ['document', 'key', 'reason', 'state', 'attempts', 'parked', 'error'];
  await print(`${rows.length === 0 ? '' : table([head, ...rows])}${counted(letters.length, 'dead letters')}.\n`);
  return 0;
}
