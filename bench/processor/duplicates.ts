// A second host joins while changes come at full speed, then the first one stops: what was delivered twice, and what never.

import { systemEnvironment } from '@tidemark/client';
import { RestFeedSource, RestStore } from '@tidemark/processor';
import { showProgress } from '../common/progress.ts';
import { databaseId } from '../server/requests.ts';
import type { BenchHost, HostRules } from './hosts.ts';
import { makeHost } from './hosts.ts';
import type { ProcessorSetting } from './setting.ts';
import { clientOf, definitionOf, leasesId, nextGroup } from './setting.ts';

const { clock: systemClock } = systemEnvironment();

const ranges = 4;
const writers = 16;
const containerId = 'written';

interface Account {
  readonly written: number;
  readonly lost: number;
  readonly afterJoin: number;
  readonly afterStop: number;
}

export async function measureDuplicates(setting: ProcessorSetting): Promise<void> {
  const { report } = setting;
  report.section(`${ranges} ranges under writes: a 2nd host joins, then the 1st stops`);
  await makeContainer(setting);
  const ours = await run(setting, 'tidemark');
  const theirs = await run(setting, 'dotnet');
  const rows = [
    ['duplicates-join', 'delivered twice after a host joined', ours.afterJoin, theirs.afterJoin],
    ['duplicates-stop', 'delivered twice after a clean stop', ours.afterStop, theirs.afterStop],
    ['lost', `lost, of ${ours.written}`, ours.lost, theirs.lost],
  ] as const;
  for (const [id, label, figure, beside] of rows) {
    report.add({
      id,
      label,
      figure,
      unit: '',
      against: { name: 'the .NET rules', figure: beside },
      bound: { kind: 'at most', floor: 0 },
      boundOf: 'figure',
    });
  }
}

async function makeContainer({ client }: ProcessorSetting): Promise<void> {
  await client.createContainer(databaseId, definitionOf(containerId, '/pk'));
  const container = client.container(databaseId, containerId);
  for (let all = await container.ranges(); all.length < ranges; all = await container.ranges()) {
    for (const { id } of all) {
      await client.admin('POST', ['dbs', databaseId, 'colls', containerId, 'split'], { range: id });
    }
  }
}

async function run(setting: ProcessorSetting, rules: HostRules): Promise<Account> {
  showProgress(`duplicates, ${rules}`);
  const { server, options } = setting;
  const name = nextGroup();
  const times = new Map<string, number>();
  const opened = new Map<string, number>();
  let repeats = 0;
  const host = (instance: string): BenchHost =>
    makeHost(rules, {
      source: new RestFeedSource(clientOf(server), databaseId, containerId),
      store: new RestStore(clientOf(server), databaseId, leasesId),
      clock: systemClock,
      name,
      instance,
      itemsMax: 20,
      intervals: { renewMs: 500, acquireMs: 400, expirationMs: 2_500, pollMs: 150 },
      onBatch: (changes) => {
        for (const { id } of changes) {
          // Of the other contestant.
          if (!String(id).startsWith(name)) continue;
          const before = times.get(String(id)) ?? 0;
          if (before > 0) repeats += 1;
          times.set(String(id), before + 1);
        }
      },
      onOpened: () => void opened.set(instance, (opened.get(instance) ?? 0) + 1),
    });
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await systemClock.sleep(pauseMs);
  };
  const first = host('a');
  await first.start();
  await until(() => opened.get('a') === ranges);
  const written = new Set<string>();
  const container = setting.client.container(databaseId, containerId);
  let isOver = false;
  const writing = Array.from({ length: writers }, async (_, writer) => {
    for (let n = 0; !isOver; n += 1) {
      const id = `${name}${writer}-${n}`;
      await container.createDocument([id], { id, pk: id });
      written.add(id);
    }
  });
  const isCaughtUp = (): boolean => [...written].every((id) => times.has(id));
  await systemClock.sleep(options.turnMs / 2);

  const second = host('b');
  await second.start();
  await until(() => opened.get('b') === ranges / 2);
  await systemClock.sleep(options.turnMs / 2);
  const afterJoin = repeats;
  await first.stop();
  await until(() => opened.get('b') === ranges);
  await systemClock.sleep(options.turnMs / 2);
  isOver = true;
  await Promise.all(writing);
  const deadlineMs = performance.now() + patienceMs;
  await until(() => isCaughtUp() || performance.now() > deadlineMs);
  await second.stop();
  const lost = [...written].filter((id) => !times.has(id)).length;
  return { written: written.size, lost, afterJoin, afterStop: repeats - afterJoin };
}

const pauseMs = 5;
const patienceMs = 10_000;
