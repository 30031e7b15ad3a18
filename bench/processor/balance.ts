// Hosts that join, in virtual time with the default intervals of each kind: how many ticks until everybody has a share, and
// what it costs. A lease that moves has to be written once; renewals are not counted.

import { dotnetDefaults } from '@tidemark/testing';
import { showProgress } from '../common/progress.ts';
import type { HostRules } from './hosts.ts';
import { tidemarkDefaults } from './hosts.ts';
import type { ProcessorSetting } from './setting.ts';
import { VirtualGroup } from './virtual-group.ts';

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

export async function measureBalance({ report }: ProcessorSetting): Promise<void> {
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
}

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
