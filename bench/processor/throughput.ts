// Changes a second from the beginning of a feed: to a handler with a checkpoint after every batch, beside those who only read
// the same pages, a loop over the iterator of the official client, and the rules of .NET.

import { ChangeFeedStartFrom, CosmosClient } from '@azure/cosmos';
import { systemEnvironment } from '@tidemark/client';
import { RestFeedSource, RestStore } from '@tidemark/processor';
import { wellKnownKey } from '@tidemark/server';
import { contest, ratioOfRounds, standingOf } from '../common/contest.ts';
import type { Drive } from '../common/drive.ts';
import { quantiles } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { databaseId } from '../server/requests.ts';
import type { HostRules } from './hosts.ts';
import { makeHost } from './hosts.ts';
import type { ProcessorSetting } from './setting.ts';
import { clientOf, endpointOf, leasesId, many, nextGroup, one } from './setting.ts';

const { clock: systemClock } = systemEnvironment();

/** Smaller where the same changes lie in many ranges, so that each of them still has a number of pages. */
const pageItemsOf = (container: string): number => (container === one.id ? 1_000 : 250);

export async function measureThroughput(setting: ProcessorSetting): Promise<void> {
  const { report, options } = setting;
  // The quick run takes its time for what is held to a floor.
  const roundsOfOthers = options.isQuick ? 1 : options.rounds;
  report.section('the feed from the beginning, changes a second; beside only reading, round by round');
  for (const { id, ranges } of [one, many]) {
    showProgress(`throughput of ${ranges} ranges`);
    const standings = await contest(
      [
        { name: 'processor', turn: () => deliver(setting, id, 'tidemark') },
        { name: 'only reading', turn: () => read(setting, id) },
        { name: '@azure/cosmos', rounds: roundsOfOthers, turn: () => iterate(setting, id) },
        { name: 'the .NET rules', rounds: roundsOfOthers, turn: () => deliver(setting, id, 'dotnet') },
      ],
      options.rounds,
    );
    const { perSecond: figure } = standingOf(standings, 'processor');
    const beside = (name: string) => ({ name, figure: standingOf(standings, name).perSecond });
    const label = `${ranges === 1 ? 'one range' : `${ranges} ranges`}, pages of ${pageItemsOf(id)}`;
    const row = { label, figure, unit: '/s' };
    report.add({
      ...row,
      id: `throughput-${ranges}`,
      against: beside('only reading'),
      ratio: ratioOfRounds(standings, 'processor', 'only reading'),
      bound: { kind: 'at least', floor: 0.8 },
    });
    report.add({
      id: `throughput-${ranges}-time`,
      label: `${label}, processor time of a change`,
      figure: standingOf(standings, 'processor').processorMicros,
      unit: 'µs',
      against: { name: 'only reading', figure: standingOf(standings, 'only reading').processorMicros },
    });
    report.add({ ...row, id: `throughput-${ranges}-sdk`, against: beside('@azure/cosmos') });
    report.add({ ...row, id: `throughput-${ranges}-dotnet`, against: beside('the .NET rules') });
  }
}

/** Counts when a quarter has come: how long a start takes is another question. */
class Count {
  readonly #wanted: number;
  readonly done: Promise<void>;
  #finish!: () => void;
  #first = 0;
  #items = 0;
  #startedMs = 0;
  #endedMs = 0;
  #processorBefore: NodeJS.CpuUsage | undefined;
  #processorMs = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  add(items: number): void {
    this.#items += items;
    if (this.#processorBefore === undefined && this.#items >= this.#wanted / 4) {
      this.#first = this.#items;
      this.#startedMs = performance.now();
      this.#processorBefore = process.cpuUsage();
    }
    if (this.#items < this.#wanted || this.#endedMs > 0) return;
    this.#endedMs = performance.now();
    const { user, system } = process.cpuUsage(this.#processorBefore);
    this.#processorMs = (user + system) / 1_000;
    this.#finish();
  }

  result(): Drive {
    if (this.#items !== this.#wanted) throw new Error(`${this.#items} of ${this.#wanted} changes came.`);
    const elapsedMs = this.#endedMs - this.#startedMs;
    const operations = this.#items - this.#first;
    const latencyMs = quantiles([]);
    return { operations, elapsedMs, acknowledgedMs: elapsedMs, processorMs: this.#processorMs, latencyMs };
  }
}

async function deliver({ server, options }: ProcessorSetting, container: string, rules: HostRules): Promise<Drive> {
  const count = new Count(options.documents);
  const client = clientOf(server);
  const host = makeHost(rules, {
    source: new RestFeedSource(client, databaseId, container),
    store: new RestStore(client, databaseId, leasesId),
    clock: systemClock,
    name: nextGroup(),
    instance: 'bench',
    itemsMax: pageItemsOf(container),
    onBatch: (changes) => count.add(changes.length),
  });
  await host.start();
  await count.done;
  await host.stop();
  return count.result();
}

async function read({ server, options }: ProcessorSetting, container: string): Promise<Drive> {
  const count = new Count(options.documents);
  const source = new RestFeedSource(clientOf(server), databaseId, container);
  const readRange = async (range: string): Promise<void> => {
    let position: string | undefined;
    for (;;) {
      const from = position === undefined ? ('beginning' as const) : { position };
      const page = await source.read({ range, mode: 'latest', from, itemsMax: pageItemsOf(container) });
      if (page.isDrained) return;
      count.add(page.items.length);
      position = page.position;
    }
  };
  await Promise.all((await source.ranges()).map(({ id }) => readRange(id)));
  return count.result();
}

async function iterate({ server, options }: ProcessorSetting, container: string): Promise<Drive> {
  const count = new Count(options.documents);
  const client = new CosmosClient({ endpoint: endpointOf(server), key: wellKnownKey });
  const items = client.database(databaseId).container(container).items;
  const changeFeedStartFrom = ChangeFeedStartFrom.Beginning();
  const iterator = items.getChangeFeedIterator({ changeFeedStartFrom, maxItemCount: pageItemsOf(container) });
  for (let page = await iterator.readNext(); page.statusCode !== 304; page = await iterator.readNext()) {
    count.add(page.count);
  }
  client.dispose();
  return count.result();
}
