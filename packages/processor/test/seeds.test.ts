// The two older APIs, against a real server.

import type { Container } from '@tidemark/engine';
import { wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { FeedStart } from '../src/feed/feed-source.ts';
import { ChangeFeedEventHost } from '../src/seeds/change-feed-event-host.ts';
import type { ChangeFeedObserver, ChangeFeedObserverContext } from '../src/seeds/change-feed-observer.ts';
import { ChangeFeedProcessorBuilder } from '../src/seeds/change-feed-processor-builder.ts';
import type { ChangeFeedObserverCloseReason } from '../src/seeds/close-reason.ts';
import type { DocumentCollectionInfo } from '../src/seeds/collection-info.ts';
import type { HealthMonitoringRecord } from '../src/seeds/health-monitor.ts';
import type { ChangeFeedOptions, ChangeFeedProcessorOptions } from '../src/seeds/seed-options.ts';
import { optionsOf } from '../src/seeds/seed-options.ts';
import { AdapterBench } from './adapter-bench.ts';

vi.setConfig({ testTimeout: 360_000 });

interface Doc {
  readonly id: string;
  readonly pk: string;
}

let bench: AdapterBench;
let feed: Container;
let leases: Container;
let told: string[];
let seen: string[];
let wake: () => void;

beforeAll(async () => {
  bench = await AdapterBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  feed = await bench.container('/pk');
  leases = await bench.container('/id');
  told = [];
  seen = [];
  wake = () => {};
});

/** Resolves when the observers have seen so many documents. */
async function arrived(count: number): Promise<void> {
  while (seen.length < count) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

const infoOf = ({ id }: Container): DocumentCollectionInfo => ({
  uri: bench.server.url,
  masterKey: wellKnownKey,
  databaseName: 'db',
  collectionName: id,
});

class Observer implements ChangeFeedObserver<Doc> {
  #range = '';

  open({ partitionKeyRangeId }: ChangeFeedObserverContext): void {
    this.#range = partitionKeyRangeId;
    told.push(`open ${partitionKeyRangeId}`);
  }

  processChanges(context: ChangeFeedObserverContext, documents: readonly Doc[]): void {
    if (context.partitionKeyRangeId !== this.#range) throw new Error('an observer is for one range');
    told.push(`changes ${documents.length}`);
    for (const { id } of documents) seen.push(id);
    wake();
  }

  close(_: ChangeFeedObserverContext, reason: ChangeFeedObserverCloseReason): void {
    told.push(`close ${this.#range} ${reason}`);
  }
}

const quick: ChangeFeedProcessorOptions = {
  leaseAcquireInterval: 200,
  leaseRenewInterval: 1_000,
  leaseExpirationInterval: 6_000,
  startFromBeginning: true,
};

function builder(options: ChangeFeedProcessorOptions = {}): ChangeFeedProcessorBuilder<Doc> {
  return new ChangeFeedProcessorBuilder<Doc>()
    .withHostName('host-1')
    .withFeedCollection(infoOf(feed))
    .withLeaseCollection(infoOf(leases))
    .withProcessorOptions({ ...quick, ...options })
    .withObserver(Observer);
}

async function writeAll(...ids: string[]): Promise<void> {
  for (const id of ids) await feed.upsert({ id, pk: `k${id}` });
}

async function leaseDocuments(): Promise<Record<string, unknown>[]> {
  const { documents } = await leases.readPage('0');
  return documents.map(({ value }) => value as Record<string, unknown>);
}

const positionsOf = async (): Promise<unknown[]> =>
  (await leaseDocuments())
    .filter(({ id }) => String(id).includes('..'))
    .map(({ ContinuationToken }) => ContinuationToken);

test('[M11] the builder: an observer is opened, given the changes and closed with the reason, and goes on where it was', async () => {
  await writeAll('1', '2');
  const processor = await builder().build();
  await processor.start();
  await arrived(2);
  await processor.stop();
  await writeAll('3');
  const again = await builder().build();
  await again.start();
  await arrived(3);
  await again.stop();

  expect(seen).toEqual(['1', '2', '3']);
  expect(told).toEqual(['open 0', 'changes 2', 'close 0 Shutdown', 'open 0', 'changes 1', 'close 0 Shutdown']);
});

test('[M11] the event host: it runs from the registration of an observer or a factory to its end', async () => {
  const { startFromBeginning, ...host } = quick;
  const open = (): ChangeFeedEventHost<Doc> =>
    new ChangeFeedEventHost<Doc>('host-1', infoOf(feed), infoOf(leases), { startFromBeginning: true }, host);
  await writeAll('1');
  const first = open();
  await first.registerObserver(Observer);
  await expect(first.registerObserver(Observer)).rejects.toMatchObject({ code: 'invalid-option' });
  await arrived(1);
  await first.unregisterObservers();
  await first.unregisterObservers();
  const second = open();
  let made = 0;
  await second.registerObserverFactory({
    createObserver: () => {
      made += 1;
      return new Observer();
    },
  });
  await writeAll('2');
  await arrived(2);
  await second.unregisterObservers();

  expect(startFromBeginning).toBe(true);
  expect(seen).toEqual(['1', '2']);
  expect(made).toBe(1);
  expect((await leaseDocuments()).filter(({ Owner }) => typeof Owner === 'string')).toEqual([]);
});

test('[M11] what is missing is named', async () => {
  await expect(new ChangeFeedProcessorBuilder().build()).rejects.toThrow(/withHostName/);
  await expect(new ChangeFeedProcessorBuilder().withHostName('h').build()).rejects.toThrow(/withFeedCollection/);
});

const time = new Date('2026-01-31T12:00:00Z');
const startCases: [ChangeFeedOptions, FeedStart][] = [
  [{}, 'now'],
  [{ startFromBeginning: true }, 'beginning'],
  [{ startTime: time, startFromBeginning: true }, { timeMs: time.getTime() }],
  [{ requestContinuation: '"7"', startTime: time }, { position: '"7"' }],
];
test.each(startCases)('[M12] [M7] %j begins at %j', (options, start) => {
  expect(optionsOf('h', options).start).toEqual(start);
});

test('[M12] every option has the default of its time', () => {
  expect(optionsOf('h', {})).toEqual({
    name: '',
    instance: 'h',
    start: 'now',
    checkpoint: 'every-batch',
    itemsMax: 0,
    leaseRenewMs: 17_000,
    leaseAcquireMs: 13_000,
    leaseExpirationMs: 60_000,
    pollMs: 5_000,
    waitMs: 20_000,
    stallMs: 600_000,
    rangesMin: 0,
    rangesMax: 0,
    sessionToken: undefined,
  });
});

test.each([
  [{ processedDocumentCount: 5 }, { items: 5 }],
  [{ timeInterval: 100 }, { intervalMs: 100 }],
  [{ explicitCheckpoint: true }, { manual: true, isCumulative: true }],
  [
    { processedDocumentCount: 5, timeInterval: 100 },
    { manual: true, isCumulative: true },
  ],
])('[M12] a checkpoint frequency of %j is %j', (checkpointFrequency, checkpoint) => {
  expect(optionsOf('h', { checkpointFrequency }).checkpoint).toEqual(checkpoint);
});

test('[M12] MaxItemCount bounds the batches, and PartitionKey lets only its documents through', async () => {
  await writeAll('1', '2', '3', '4');
  await feed.upsert({ id: '5', pk: 'k2' });
  const processor = await builder({ maxItemCount: 1, partitionKey: 'k2' }).build();
  await processor.start();
  await arrived(2);
  await processor.stop();

  expect(seen).toEqual(['2', '5']);
  expect(told.filter((line) => line.startsWith('changes'))).toEqual(['changes 1', 'changes 1']);
});

test('[M12] PartitionKeyRangeId: the host takes that range and no other', async () => {
  await feed.split('0');
  const [left] = feed.ranges;
  await writeAll(...Array.from({ length: 20 }, (_, n) => `${n}`));
  const inLeft = (await feed.readPage(left?.id ?? '')).documents.length;
  const processor = await builder({ partitionKeyRangeId: left?.id ?? '' }).build();
  await processor.start();
  await arrived(inLeft);
  await processor.stop();

  expect(seen).toHaveLength(inLeft);
  expect(inLeft).toBeLessThan(20);
  expect(told.filter((line) => line.startsWith('open'))).toEqual([`open ${left?.id}`]);
});

test('[M12] explicit checkpoints: what was not checkpointed comes again', async () => {
  class Careless extends Observer {}
  class Careful extends Observer {
    override async processChanges(context: ChangeFeedObserverContext, documents: readonly Doc[]): Promise<void> {
      await context.checkpoint();
      super.processChanges(context, documents);
    }
  }
  const checkpointFrequency = { explicitCheckpoint: true };
  const run = async (Kind: new () => Observer, count: number): Promise<void> => {
    const processor = await builder({ checkpointFrequency }).withObserver(Kind).build();
    await processor.start();
    await arrived(count);
    await processor.stop();
  };
  await writeAll('1');

  await run(Careless, 1);
  await run(Careful, 2);
  await writeAll('2');
  await run(Careful, 3);

  expect(seen).toEqual(['1', '1', '2']);
});

test('[M12] with a count and an interval the position is stored at whichever comes first', async () => {
  const checkpointFrequency = { processedDocumentCount: 2, timeInterval: 3_600_000 };
  const processor = await builder({ checkpointFrequency, maxItemCount: 1 }).build();
  await processor.start();
  const [before] = await positionsOf();
  await writeAll('1');
  await arrived(1);
  const [after1] = await positionsOf();
  await writeAll('2');
  await arrived(2);
  await vi.waitUntil(async () => (await positionsOf())[0] !== after1, { timeout: 120_000 });
  await processor.stop();

  expect(after1).toBe(before);
});

test('[M12] DiscardExistingLeases begins from scratch, and another LeasePrefix is another reader', async () => {
  const run = async (options: ChangeFeedProcessorOptions, count: number): Promise<void> => {
    const processor = await builder(options).build();
    await processor.start();
    await arrived(count);
    await processor.stop();
  };

  await writeAll('1');
  await run({}, 1);
  await run({ discardExistingLeases: true }, 2);
  await run({ leasePrefix: 'other' }, 3);
  await writeAll('2');
  await run({ leasePrefix: 'other' }, 4);

  expect(seen).toEqual(['1', '1', '1', '2']);
});

test('[M12] an own strategy decides which leases are taken', async () => {
  await feed.split('0');
  const [, right] = feed.ranges;
  await writeAll(...Array.from({ length: 20 }, (_, n) => `${n}`));
  const inRight = (await feed.readPage(right?.id ?? '')).documents.length;
  const processor = await builder()
    .withPartitionLoadBalancingStrategy({
      selectLeasesToTake: (all) => all.filter(({ leaseToken }) => leaseToken === right?.id),
    })
    .build();
  await processor.start();
  await arrived(inRight);
  await processor.stop();

  expect(told.filter((line) => line.startsWith('open'))).toEqual([`open ${right?.id}`]);
});

test('[M12] an own partition processor reads the feed in its own way and checkpoints', async () => {
  await writeAll('1', '2');
  const run = async (count: number): Promise<void> => {
    const processor = await builder()
      .withPartitionProcessorFactory({
        create: (lease, observer) => ({
          run: async (signal) => {
            let from = lease.start;
            const context = {
              partitionKeyRangeId: lease.leaseToken,
              feedResponse: undefined,
              checkpoint: async () => {},
            };
            while (!signal.aborted) {
              const page = await lease.read({ from, itemsMax: 1, waitMs: 1_000, signal });
              const documents = page.items.flatMap((item) => ('value' in item ? [item.value as never] : []));
              if (documents.length > 0) await observer.processChanges(context, documents, signal);
              await lease.checkpoint(page.position);
              from = { position: page.position };
            }
          },
        }),
      })
      .build();
    await processor.start();
    await arrived(count);
    await processor.stop();
  };

  await run(2);
  await writeAll('3');
  await run(3);

  expect(seen).toEqual(['1', '2', '3']);
  expect(told.filter((line) => line.startsWith('close'))).toEqual(['close 0 Shutdown', 'close 0 Shutdown']);
});

test('[M11] the health monitor is told, and the estimator says what is left', async () => {
  const records: HealthMonitoringRecord[] = [];
  let isBroken = true;
  class Fragile extends Observer {
    override processChanges(context: ChangeFeedObserverContext, documents: readonly Doc[]): void {
      if (isBroken) throw new Error('broken');
      super.processChanges(context, documents);
    }
  }
  const made = builder()
    .withObserver(Fragile)
    .withHealthMonitor({ inspect: (record) => records.push(record) });
  const processor = await made.build();
  await processor.start();
  await writeAll('1', '2', '3');
  await vi.waitUntil(() => records.some(({ operation }) => operation === 'ProcessChanges'), { timeout: 120_000 });
  const estimator = await made.buildEstimator();
  const left = await estimator.getEstimatedRemainingWork();
  isBroken = false;
  await arrived(3);
  await processor.stop();

  expect(left).toBe(3);
  expect(await estimator.getEstimatedRemainingWork()).toBe(0);
  expect(await estimator.getEstimatedRemainingWorkPerPartition()).toEqual([
    { partitionKeyRangeId: '0', remainingWork: 0 },
  ]);
  expect(records).toContainEqual(
    expect.objectContaining({ severity: 'Informational', operation: 'AcquireLease', leaseToken: '0' }),
  );
  expect(records.find(({ operation }) => operation === 'ProcessChanges')).toMatchObject({
    severity: 'Error',
    error: expect.objectContaining({ message: 'broken' }),
  });
});

test('[M11] an endpoint that is behind the session closes the observer with ReadSessionNotAvailable, until it has come to it', async () => {
  await writeAll('1');
  const processor = await builder({ sessionToken: '0:-1#2' }).build();
  await processor.start();
  await vi.waitUntil(() => told.includes('close 0 ReadSessionNotAvailable'), { timeout: 120_000 });
  const seenBefore = seen.length;
  await writeAll('2');
  await arrived(2);
  await processor.stop();

  expect(seenBefore).toBe(0);
  expect(seen).toEqual(['1', '2']);
  expect(told.at(-1)).toBe('close 0 Shutdown');
});

test('[M11] a collection that is removed closes the observer with ResourceGone', async () => {
  await writeAll('1');
  const processor = await builder().build();
  await processor.start();
  await arrived(1);
  await bench.database.deleteContainer('db', feed.id);
  await vi.waitUntil(() => told.includes('close 0 ResourceGone'), { timeout: 120_000 });
  await processor.stop();
});
