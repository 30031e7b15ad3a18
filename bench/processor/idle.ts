// What a group costs that has nothing to do: requests counted in virtual time with default intervals, charges as this server
// asks for each kind of request.

import { showProgress } from '../common/progress.ts';
import { databaseId } from '../server/requests.ts';
import type { HostRules } from './hosts.ts';
import type { ProcessorSetting } from './setting.ts';
import { definitionOf } from './setting.ts';
import { VirtualGroup } from './virtual-group.ts';

const ranges = 4;
const minutes = 10;
const minuteMs = 60_000;

interface Prices {
  readonly list: number;
  readonly read: number;
  readonly write: number;
  readonly emptyFeed: number;
}

interface Idle {
  readonly requests: number;
  readonly charge: number;
}

export async function measureIdle(setting: ProcessorSetting): Promise<void> {
  const { report } = setting;
  showProgress('an idle group');
  report.section(`one host, ${ranges} ranges, nothing happens: in a minute`);
  const prices = await askPrices(setting);
  const ours = await idle('tidemark', prices, true);
  const polling = await idle('tidemark', prices, false);
  const theirs = await idle('dotnet', prices, false);
  for (const [id, label, unit] of [
    ['requests', 'requests', ''],
    ['charge', 'charge', 'RU'],
  ] as const) {
    const against = { name: 'the .NET rules', figure: theirs[id] };
    report.add({ id: `idle-${id}`, label, figure: ours[id], unit, against });
    const polled = `${label}, where the endpoint cannot wait`;
    report.add({ id: `idle-polling-${id}`, label: polled, figure: polling[id], unit, against });
  }
}

async function idle(rules: HostRules, prices: Prices, canWait: boolean): Promise<Idle> {
  const group = new VirtualGroup(rules, ranges, canWait);
  await group.start(group.host('a'));
  await group.until(() => group.isBalanced(ranges), 10 * minuteMs);
  await group.clock.advance(minuteMs);
  const { store, feed } = group;
  const count = () => ({
    lists: store.lists,
    reads: store.reads,
    writes: store.renewals + store.leaseWrites + store.otherWrites,
    feeds: feed.reads + store.watches,
  });
  const before = count();
  await group.clock.advance(minutes * minuteMs);
  const after = count();
  await group.stop(group.living);
  const perMinute = (name: keyof typeof before): number => (after[name] - before[name]) / minutes;
  const [lists, reads, writes, feeds] = [
    perMinute('lists'),
    perMinute('reads'),
    perMinute('writes'),
    perMinute('feeds'),
  ];
  return {
    requests: lists + reads + writes + feeds,
    charge: lists * prices.list + reads * prices.read + writes * prices.write + feeds * prices.emptyFeed,
  };
}

/** Of documents like leases, as many as there are ranges. */
async function askPrices({ client }: ProcessorSetting): Promise<Prices> {
  const container = await client.createContainer(databaseId, definitionOf('prices', '/id'));
  const lease = (id: string): object => ({ id, Owner: 'somebody', ContinuationToken: '"1"', text: 'x'.repeat(300) });
  for (let n = 0; n < ranges; n += 1) await container.createDocument([String(n)], lease(String(n)));
  const { charge: list } = await container.documents({ range: '0' });
  const read = await container.readDocument(['0'], '0');
  const { charge: write } = await container.replaceDocument(['0'], '0', lease('0'));
  const { charge: emptyFeed } = await container.changes({ range: '0', from: 'now' });
  return { list, read: read?.charge ?? Number.NaN, write, emptyFeed };
}
