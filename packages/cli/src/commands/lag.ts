// `tidemark lag`: how far a group of processors is behind, in changes and seconds.

import type { GroupStatus, Lag, RangeLag } from '@tidemark/processor';
import type { Call } from '../call.ts';
import { isOn, numberOption } from '../call.ts';
import { groupOf, rangeName } from '../group.ts';
import { count, counted, print, shown, table } from '../terminal.ts';

const countMax = 1_000_000_000;

export async function run(call: Call): Promise<number> {
  const itemsMax = numberOption(call, 'countMax', { min: 1, max: countMax });
  const group = await groupOf(call);
  const lag = await group.lag({ itemsMax });
  await print(isOn(call, 'json') ? `${JSON.stringify(withNulls(lag))}\n` : lagText(lag, (await group.status()).hosts));
  return 0;
}

/** What is unknown stays in the JSON, as null: a missing member might be taken for zero. */
function withNulls(lag: Lag): object {
  const known = <T extends object>(part: T): object =>
    Object.fromEntries(Object.entries(part).map(([name, value]) => [name, value ?? null]));
  return { ...known(lag), ranges: lag.ranges.map(known) };
}

/** With a line for each host that owns ranges and does nothing: the lag of those will grow. */
export function lagText(lag: Lag, hosts: GroupStatus['hosts']): string {
  const rows = lag.ranges.map((range) => [
    shown(rangeName(range.leaseToken)),
    shown(range.owner ?? '-'),
    shown(range.position ?? '-'),
    itemsOf(range),
    secondsOf(range.seconds),
    shown(range.reason ?? ''),
  ]);
  const head = ['range', 'owner', 'position', 'behind', 'seconds', ''];
  const { items, isAtLeast, seconds } = lag;
  const total =
    items === undefined
      ? 'In all: unknown, since that of a range is.'
      : `In all: ${isAtLeast ? 'at least ' : ''}${counted(items, 'changes')}, ${behindOf(seconds)} behind.`;
  return `${table([head, ...rows])}${total}\n${absent(hosts)}`;
}

function absent(hosts: GroupStatus['hosts']): string {
  const gone = hosts.filter(({ isAlive, ranges }) => !isAlive && ranges > 0);
  if (gone.length === 0) return hosts.some(({ isAlive }) => isAlive) ? '' : '! No host of the group is running.\n';
  const lines = gone.map(({ instance, quietSeconds = 0 }) => {
    const quiet = `has given no sign of life for ${counted(quietSeconds, 'seconds')}`;
    return `! ${shown(instance)} ${quiet}: its ranges wait for another host.\n`;
  });
  return lines.join('');
}

function itemsOf({ items, isAtLeast }: RangeLag): string {
  return items === undefined ? 'unknown' : `${isAtLeast ? '>= ' : ''}${count(items)}`;
}

function behindOf(seconds: number | undefined): string {
  return seconds === undefined ? 'unknown seconds' : counted(Math.round(seconds), 'seconds');
}

function secondsOf(seconds: number | undefined): string {
  return seconds === undefined ? 'unknown' : count(Math.round(seconds));
}
