// `tidemark processor status`: who owns which range of a group, and what is wrong with it.

import type { GroupStatus } from '@tidemark/processor';
import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { groupOf } from '../group.ts';
import { count, print, shown, table } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const status = await (await groupOf(call)).status();
  await print(isOn(call, 'json') ? `${JSON.stringify(status)}\n` : textOf(status));
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
    ]),
    table([['host', 'ranges', 'capacity', 'quiet for'], ...hosts.map(hostRow)]),
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

function hostRow({ instance, ranges, capacity, quietSeconds }: GroupStatus['hosts'][number]): string[] {
  const quiet = quietSeconds === undefined ? 'unknown' : `${count(quietSeconds)} s`;
  return [shown(instance), count(ranges), capacity === undefined ? 'unknown' : String(capacity), quiet];
}

function rangeRow({ leaseToken, owner, epoch, position, writtenAt }: GroupStatus['ranges'][number]): string[] {
  return [leaseToken, owner ?? '-', epoch === undefined ? '-' : String(epoch), position ?? '-', writtenAt ?? '-'].map(
    shown,
  );
}
