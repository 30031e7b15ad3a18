// Hosts that join, in virtual time with the default intervals of each kind: how many ticks until everybody has a share, and
// what it costs. A lease that moves has to be written once; renewals are not counted.

import { systemEnvironment } from '@tidemark/client';
import { RestFeedSource, RestStore } from '@tidemark/processor';
import { CountedStore, dotnetDefaults } from '@tidemark/testing';
import { showProgress } from '../common/progress.ts';
import { databaseId } from '../server/requests.ts';
import type { BenchHost, HostRules } from './hosts.ts';
import { makeHost, tidemarkDefaults } from './hosts.ts';
import type { ProcessorSetting } from './setting.ts';
import { clientOf, leasesId, many, nextGroup } from './setting.ts';
import { VirtualGroup } from './virtual-group.ts';

const { clock: systemClock } = systemEnvironment();

const leases = 100;
const hourMs = 3_600_000;

export const intervalsOf: Readonly<Record<HostRules, { acquireMs: number; renewMs: number; expirationMs: number }>> = {
  tidemark: tidemarkDefaults,
  dotnet: dotnetDefaults,
};

interface Balanced {
  readonly ticks: number;
  readonly writesPerMove: number;
}

export async function measureBalance(setting: ProcessorSetting): Promise<void> {
  const { report } = setting;
  report.section(`${leases} leases, in virtual time with default intervals: until everybody has a share`);
  const cases = [
    ['1-2', '1 host, a 2nd joins', 1, 1],
    ['1-10', '1 host, 9 join', 1, 9],
    ['0-10', '10 hosts start together', 0, 10],
  ] as const;
  for (const [id, label, first, joining] of cases) {
    showProgress(`balance: ${label}`);
    const ours = await balance('tidemark', first, joining, false);
    const told = await balance('tidemark', first, joining, true);
    const theirs = await balance('dotnet', first, joining, false);
    report.add({
      id: `balance-${id}-ticks`,
      label: `${label}, ticks`,
      figure: ours.ticks,
      unit: 'ticks',
      against: { name: 'the .NET rules', figure: theirs.ticks },
      bound: { kind: 'at most', floor: 2 },
      boundOf: 'figure',
    });
    report.add({
      id: `balance-${id}-told`,
      label: `${label}, where the endpoint can wait`,
      figure: told.ticks,
      unit: 'ticks',
      bound: { kind: 'at most', floor: 2 },
    });
    report.add({
      id: `balance-${id}-writes`,
      label: `${label}, writes of a lease that moves`,
      figure: Math.max(ours.writesPerMove, told.writesPerMove),
      unit: '',
      against: { name: 'the .NET rules', figure: theirs.writesPerMove },
      bound: { kind: 'at most', floor: 1.2 },
      boundOf: 'figure',
    });
  }
  await measureReal(setting);
}

/** Over HTTP, with default intervals; the rules of .NET would take minutes. */
async function measureReal({ server, report }: ProcessorSetting): Promise<void> {
  report.section(`${many.ranges} leases over HTTP with default intervals`);
  const name = nextGroup();
  const stores: CountedStore[] = [];
  const owned = new Map<string, number>();
  const host = (instance: string): BenchHost => {
    const client = clientOf(server);
    const store = new CountedStore(new RestStore(client, databaseId, leasesId));
    stores.push(store);
    return makeHost('tidemark', {
      source: new RestFeedSource(client, databaseId, many.id),
      store,
      clock: systemClock,
      name,
      instance,
      start: 'now',
      onBatch: () => {},
      onOpened: () => void owned.set(instance, (owned.get(instance) ?? 0) + 1),
    });
  };
  const writes = (): number => stores.reduce((sum, store) => sum + store.leaseWrites + store.refusals, 0);
  const until = async (instance: string, ranges: number): Promise<void> => {
    while ((owned.get(instance) ?? 0) < ranges) await systemClock.sleep(pauseMs);
  };
  const started = [host('a')];
  await started[0]?.start();
  await until('a', many.ranges);
  for (const [instance, moves] of [
    ['b', many.ranges / 2],
    ['c', Math.floor(many.ranges / 3)],
  ] as const) {
    showProgress(`balance over HTTP: ${instance} joins`);
    const [before, startedMs] = [writes(), performance.now()];
    const joining = host(instance);
    await joining.start();
    await until(instance, moves);
    const elapsedMs = performance.now() - startedMs;
    const label = instance === 'b' ? '1 host, a 2nd joins' : '2 hosts, a 3rd joins';
    report.add({
      id: `balance-http-${instance}`,
      label,
      figure: elapsedMs,
      unit: 'ms',
      against: { name: 'two ticks', figure: 2 * tidemarkDefaults.acquireMs },
      bound: { kind: 'at most', floor: 1 },
    });
    report.add({
      id: `balance-http-${instance}-writes`,
      label: `${label}, writes of a lease that moves`,
      figure: (writes() - before) / moves,
      unit: '',
      bound: { kind: 'at most', floor: 1.2 },
    });
    started.push(joining);
  }
  await Promise.all(started.map((each) => each.stop()));
}

const pauseMs = 2;

async function balance(rules: HostRules, first: number, joining: number, canWait: boolean): Promise<Balanced> {
  const group = new VirtualGroup(rules, leases, canWait);
  const { acquireMs } = intervalsOf[rules];
  const makers = Array.from({ length: Math.max(first, 1) }, (_, n) => group.host(`a${n}`));
  await group.start(...makers);
  await group.until(() => group.isBalanced(leases), hourMs);
  if (first === 0) {
    // The leases are there and nobody has them: what a deployment finds.
    await group.stop(makers);
  } else {
    // All hosts have been here for a while.
    await group.clock.advance(acquireMs * 3);
  }
  const before = group.store.leaseWrites + group.store.refusals;
  const startedMs = group.clock.monotonicMs();
  await group.start(...Array.from({ length: joining }, (_, n) => group.host(`b${n}`)));
  await group.until(() => group.isBalanced(leases), hourMs);
  const ticks = (group.clock.monotonicMs() - startedMs) / acquireMs;
  const writes = group.store.leaseWrites + group.store.refusals - before;
  const moves = first === 0 ? leases : Math.floor((leases * joining) / (first + joining));
  await group.stop(group.living);
  return { ticks, writesPerMove: writes / moves };
}
