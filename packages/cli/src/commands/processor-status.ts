// `tidemark processor status`: who owns which range of a group, what it has parked, and what needs a person; then the exit code is 1.

import type { GroupStatus } from '@tidemark/processor';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { groupOf, rangeName } from '../group.ts';
import { count, print, shown, table } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const status = await (await groupOf(call)).status();
  // What nobody knows stays in the JSON, as null: a missing member might be taken for none.
  const answer = { ...status, deadLetters: status.deadLetters ?? null };
  await print(isOn(call, 'json') ? `${JSON.stringify(answer)}\n` : textOf(status));
  return status.problems.length === 0 ? 0 : 1;
}

function textOf(status: GroupStatus): string {
  const { group, source, leases, mode, hosts, ranges, problems } = status;
  const lines = [
    table([
      ['group', shown(group === '' ? "''" : group)],
      ['source', `${shown(source)} (${mode})`],
      ['leases', shown(leases)],
      ['state', stateOf(status)],
      ...lettersOf(status.deadLetters),
    ]),
    hosts.length === 0 ? '' : table([['host', 'ranges', 'capacity', 'quiet for', 'state'], ...hosts.map(hostRow)]),
    table([['range', 'owner', 'epoch', 'position', 'written'], ...ranges.map(rangeRow)]),
    problems.map((problem) => `! ${shown(problem)}\n`).join(''),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function stateOf({ isPaused, pauseReason, hosts, lastSignAt }: GroupStatus): string {
  const paused = isPaused ? [`paused: ${shown(pauseReason ?? 'no reason given')}`] : [];
  if (hosts.some(({ isAlive }) => isAlive)) return paused[0] ?? 'running';
  const last = lastSignAt === undefined ? '' : `, the last sign of one is of ${lastSignAt.replace('.000Z', 'Z')}`;
  return [...paused, `no host is running${last}`].join('; ');
}

function lettersOf(letters: GroupStatus['deadLetters']): string[][] {
  // Most groups have none. Those of a group whose hosts say nothing of them are shown with --dead-letters.
  if (letters === undefined) return [];
  const { container } = letters;
  if ('error' in letters) return [['dead letters', `unknown: ${shown(container)} cannot be read`]];
  const { letters: number, isAtLeast, oldestAt, parkedKeys, someKeys } = letters;
  const oldest = oldestAt === undefined ? '' : `, the oldest of ${oldestAt}`;
  const more = parkedKeys > someKeys.length ? ` and ${count(parkedKeys - someKeys.length)} more` : '';
  return [
    ['dead letters', `${isAtLeast ? 'at least ' : ''}${count(number)} in ${shown(container)}${oldest}`],
    ['parked keys', parkedKeys === 0 ? 'none' : `${someKeys.map(shown).join(', ')}${more}`],
  ];
}

function hostRow({ instance, ranges, capacity, quietSeconds, isAlive }: GroupStatus['hosts'][number]): string[] {
  const quiet = quietSeconds === undefined ? 'unknown' : `${count(quietSeconds)} s`;
  const state = isAlive ? 'alive' : 'dead';
  return [shown(instance), count(ranges), capacity === undefined ? 'unknown' : String(capacity), quiet, state];
}

function rangeRow({ leaseToken, owner, epoch, position, writtenAt }: GroupStatus['ranges'][number]): string[] {
  const row = [rangeName(leaseToken), owner ?? '-', epoch === undefined ? '-' : String(epoch)];
  return [...row, position ?? '-', writtenAt ?? '-'].map(shown);
}
