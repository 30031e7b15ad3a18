// From a write to the handler, of a group that has nothing else to do. The rules of .NET ask again after five seconds, so
// theirs is taken in virtual time.

import { systemEnvironment } from '@tidemark/client';
import { RestFeedSource, RestStore } from '@tidemark/processor';
import { quantiles } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { chanceOf } from '../engine/chance.ts';
import { idOf } from '../engine/documents.ts';
import { Connection } from '../server/connection.ts';
import { databaseId, upsertOf } from '../server/requests.ts';
import { makeHost } from './hosts.ts';
import type { ProcessorSetting } from './setting.ts';
import { clientOf, leasesId, nextGroup, one } from './setting.ts';
import { VirtualGroup } from './virtual-group.ts';

const { clock: systemClock } = systemEnvironment();

const warmUps = 50;

export async function measureLatency(setting: ProcessorSetting): Promise<void> {
  const { report } = setting;
  showProgress('from a write to the handler');
  report.section('from a write to the handler, idle');
  const { acknowledged, sent } = await measureOurs(setting);
  const theirs = await measureTheirs();
  const rows = [
    ['latency-acknowledged-p50', 'acknowledged to handler, p50', acknowledged.p50, 3, theirs.p50],
    ['latency-acknowledged-p99', 'acknowledged to handler, p99', acknowledged.p99, 15, theirs.p99],
    ['latency-sent-p50', 'write sent to handler, p50', sent.p50, undefined, undefined],
    ['latency-sent-p99', 'write sent to handler, p99', sent.p99, undefined, undefined],
  ] as const;
  for (const [id, label, figure, floor, beside] of rows) {
    report.add({
      id,
      label,
      figure,
      unit: 'ms',
      ...(beside === undefined ? {} : { against: { name: 'the .NET rules', figure: beside } }),
      ...(floor === undefined ? {} : { bound: { kind: 'at most', floor }, boundOf: 'figure' }),
    });
  }
}

async function measureOurs({ server, options }: ProcessorSetting): Promise<Record<'acknowledged' | 'sent', Latency>> {
  const client = clientOf(server);
  let awaited: { readonly id: string; arrived(atMs: number): void } | undefined;
  const host = makeHost('tidemark', {
    source: new RestFeedSource(client, databaseId, one.id),
    store: new RestStore(client, databaseId, leasesId),
    clock: systemClock,
    name: nextGroup(),
    instance: 'bench',
    start: 'now',
    onBatch: (changes) => {
      const atMs = performance.now();
      if (awaited !== undefined && changes.some(({ id }) => id === awaited?.id)) awaited.arrived(atMs);
    },
  });
  await host.start();
  const writer = await Connection.open(server.port);
  const acknowledged: number[] = [];
  const sent: number[] = [];
  const writes = options.isQuick ? 300 : 3_000;
  for (let n = -warmUps; n < writes; n += 1) {
    const document = n + warmUps;
    const arrival = new Promise<number>((resolve) => {
      awaited = { id: idOf(document), arrived: resolve };
    });
    const sentMs = performance.now();
    const answer = await writer.ask(upsertOf(document, document + 1));
    const acknowledgedMs = performance.now();
    if (answer.status >= 300) throw new Error(`The server answered: ${answer.head}`);
    const arrivedMs = await arrival;
    // Idle is idle: the checkpoint of the last batch is over before the next one is written.
    await systemClock.sleep(pauseMs);
    if (n < 0) continue;
    acknowledged.push(Math.max(0, arrivedMs - acknowledgedMs));
    sent.push(arrivedMs - sentMs);
  }
  writer.close();
  await host.stop();
  return { acknowledged: quantiles(acknowledged), sent: quantiles(sent) };
}

const pauseMs = 10;

type Latency = ReturnType<typeof quantiles>;

async function measureTheirs(): Promise<Latency> {
  const group = new VirtualGroup('dotnet', 1, true);
  const chance = chanceOf(5);
  await group.start(group.host('a'));
  const spans: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    await group.clock.advance(10_000 + chance(10_000));
    const writtenMs = group.clock.monotonicMs();
    group.feed.add('0', { n });
    await group.until(() => group.arrivalsMs.has(n), 60_000);
    spans.push((group.arrivalsMs.get(n) ?? Number.NaN) - writtenMs);
  }
  await group.stop(group.living);
  return quantiles(spans);
}
