// From the death of a host until others have all of its leases, as a share of what is allowed: expiration and one tick.

import { median } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { chanceOf } from '../engine/chance.ts';
import { intervalsOf } from './balance.ts';
import { HostProcess } from './host-process.ts';
import type { HostRules, Intervals } from './hosts.ts';
import type { ProcessorSetting } from './setting.ts';
import { many, nextGroup } from './setting.ts';
import { VirtualGroup } from './virtual-group.ts';

const leases = 40;
const hosts = 4;
const hourMs = 3_600_000;

export async function measureTakeover(setting: ProcessorSetting): Promise<void> {
  const { report, options } = setting;
  showProgress('takeover in virtual time');
  report.section(`one of ${hosts} hosts dies, ${leases} leases, in virtual time with default intervals`);
  const rounds = options.isQuick ? 3 : 20;
  const ours = await takeovers('tidemark', rounds, false);
  const told = await takeovers('tidemark', rounds, true);
  const theirs = await takeovers('dotnet', rounds, false);
  const allowedMs = (rules: HostRules): number => intervalsOf[rules].expirationMs + intervalsOf[rules].acquireMs;
  const row = { unit: 's' } as const;
  report.add({
    ...row,
    id: 'takeover-median',
    label: 'until others have everything, median',
    figure: median(ours) / 1_000,
    against: { name: 'the .NET rules', figure: median(theirs) / 1_000 },
  });
  report.add({
    ...row,
    id: 'takeover-max',
    label: 'until others have everything, longest',
    figure: Math.max(...ours) / 1_000,
    against: { name: 'expiration and a tick', figure: allowedMs('tidemark') / 1_000 },
    bound: { kind: 'at most', floor: 1 },
  });
  report.add({
    ...row,
    id: 'takeover-told-max',
    label: 'where the endpoint can wait, longest',
    figure: Math.max(...told) / 1_000,
    against: { name: 'expiration and a tick', figure: allowedMs('tidemark') / 1_000 },
    bound: { kind: 'at most', floor: 1 },
  });
  await measureKill(setting);
}

/** From SIGKILL until another process has opened every range of the dead one, over HTTP. */
async function measureKill({ report, server, options }: ProcessorSetting): Promise<void> {
  report.section(`SIGKILL of one of two processes, ${many.ranges} ranges, expiration ${short.expirationMs} ms`);
  const spans: Record<HostRules, number[]> = { tidemark: [], dotnet: [] };
  for (let round = 0; round < (options.isQuick ? 1 : 5); round += 1) {
    for (const rules of ['tidemark', 'dotnet'] as const) {
      showProgress(`takeover after SIGKILL, ${rules}, ${round}`);
      const shared = { rules, port: server.port, name: nextGroup(), intervals: short };
      await using victim = new HostProcess({ ...shared, instance: 'victim' });
      await victim.untilOpened(many.ranges);
      await using heir = new HostProcess({ ...shared, instance: 'heir' });
      await heir.untilOpened(many.ranges / 2);
      const killedMs = performance.now();
      victim.kill();
      await heir.untilOpened(many.ranges);
      spans[rules].push(performance.now() - killedMs);
    }
  }
  const allowedMs = short.expirationMs + short.acquireMs;
  report.add({
    id: 'takeover-kill',
    label: 'until the other one has everything, longest',
    figure: Math.max(...spans.tidemark),
    unit: 'ms',
    against: { name: 'expiration and a tick', figure: allowedMs },
    bound: { kind: 'at most', floor: 1 },
  });
  report.add({
    id: 'takeover-kill-dotnet',
    label: 'until the other one has everything, median',
    figure: median(spans.tidemark),
    unit: 'ms',
    against: { name: 'the .NET rules', figure: median(spans.dotnet) },
  });
}

const short: Intervals = { renewMs: 400, acquireMs: 400, expirationMs: 2_000, pollMs: 150 };

async function takeovers(rules: HostRules, rounds: number, canWait: boolean): Promise<number[]> {
  const spans: number[] = [];
  const { acquireMs, renewMs } = intervalsOf[rules];
  const chance = chanceOf(7);
  for (let round = 0; round < rounds; round += 1) {
    const group = new VirtualGroup(rules, leases, canWait);
    for (let n = 0; n < hosts; n += 1) {
      await group.start(group.host(`h${n}`));
      await group.clock.advance(chance(acquireMs));
    }
    await group.until(() => group.isBalanced(leases), hourMs);
    await group.clock.advance(acquireMs * 3 + chance(renewMs));
    const [victim] = group.living;
    if (victim === undefined) throw new Error('Nobody is left.');
    group.kill(victim);
    spans.push(await group.until(async () => !(await group.owners()).has(victim.instance), hourMs));
    await group.stop(group.living);
  }
  return spans;
}
