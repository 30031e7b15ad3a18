// What the linked library brought up to its version 2.5.0, under its names: time-outs of the feed, reasons to close, factories, options.

import { VirtualClock } from '@tidemark/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Environment } from '../src/environment.ts';
import type { ChangedDocument } from '../src/feed/change.ts';
import type { FeedPage, FeedRead } from '../src/feed/feed-source.ts';
import { MemoryFeedSource } from '../src/feed/memory-feed-source.ts';
import { ChangeFeedEventHost, ChangeFeedProcessorHost } from '../src/seeds/change-feed-event-host.ts';
import type { ChangeFeedObserver, ChangeFeedObserverContext } from '../src/seeds/change-feed-observer.ts';
import { ChangeFeedProcessorBuilder } from '../src/seeds/change-feed-processor-builder.ts';
import type { ChangeFeedObserverCloseReason } from '../src/seeds/close-reason.ts';
import type { HealthMonitoringRecord } from '../src/seeds/health-monitor.ts';
import type { CheckpointPartitionProcessorFactory } from '../src/seeds/partition-processor.ts';
import type { ChangeFeedHostOptions, ChangeFeedProcessorOptions } from '../src/seeds/seed-options.ts';
import { optionsOf } from '../src/seeds/seed-options.ts';
import { MemoryDocumentStore } from '../src/store/memory-store.ts';

interface Doc {
  readonly id: string;
  readonly pk: string;
}

/** A feed that can be made to fail. */
class FragileFeed extends MemoryFeedSource {
  /** What a read does in the place of its answer. */
  fault: ((read: FeedRead) => Promise<FeedPage>) | undefined;

  override read(read: FeedRead): Promise<FeedPage> {
    return this.fault?.(read) ?? super.read(read);
  }
}

let clock: VirtualClock;
let environment: Environment;
let feed: FragileFeed;
let leases: MemoryDocumentStore;
let told: string[];
let seen: string[];
let records: HealthMonitoringRecord[];

beforeEach(() => {
  clock = new VirtualClock();
  environment = { clock, random: () => 0.5, fetch: () => Promise.reject(new Error('nothing here is far away')) };
  feed = new FragileFeed({ clock });
  leases = new MemoryDocumentStore({ clock });
  told = [];
  seen = [];
  records = [];
});

class Observer implements ChangeFeedObserver<Doc> {
  open({ partitionKeyRangeId }: ChangeFeedObserverContext): void {
    told.push(`open ${partitionKeyRangeId}`);
  }

  processChanges(_: ChangeFeedObserverContext, documents: readonly Doc[]): void {
    seen.push(...documents.map(({ id }) => id));
  }

  close({ partitionKeyRangeId }: ChangeFeedObserverContext, reason: ChangeFeedObserverCloseReason): void {
    told.push(`close ${partitionKeyRangeId} ${reason}`);
  }
}

const builder = (options: ChangeFeedProcessorOptions = {}): ChangeFeedProcessorBuilder<Doc> =>
  new ChangeFeedProcessorBuilder<Doc>()
    .withHostName('host-1')
    .withFeedCollection(feed)
    .withLeaseCollection(leases)
    .withProcessorOptions({ startFromBeginning: true, ...options })
    .withObserver(Observer)
    .withEnvironment(environment);

interface Running {
  stop(): Promise<void>;
}

async function started(made: ChangeFeedProcessorBuilder<Doc>): Promise<Running> {
  const processor = await made.withHealthMonitor({ inspect: (record) => void records.push(record) }).build();
  await passing(processor.start());
  return { stop: () => passing(processor.stop()) };
}

/** Lets time pass until it is done. */
async function passing<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {}); // Awaited below.
  while (!isDone) await clock.advance(100);
  return done;
}

/** Lets time pass until it is so. */
async function until(what: () => boolean, withinMs = 120_000): Promise<void> {
  const endMs = clock.monotonicMs() + withinMs;
  while (!what()) {
    if (clock.monotonicMs() > endMs) throw new Error(`It has not come to it: ${JSON.stringify({ told, seen })}`);
    await clock.advance(100);
  }
}

const never = (): Promise<FeedPage> => new Promise(() => {});

test.each([5_000, 90_000, 600_000])(
  '[M11] a feed that gives no page for a ChangeFeedTimeout of %d ms: the lease is given up, the monitor told, and reading begins anew',
  async (changeFeedTimeout) => {
    const processor = await started(builder({ changeFeedTimeout }));
    feed.put({ id: '1', pk: 'a' });
    await until(() => seen.length === 1);
    let sinceMs: number | undefined;
    feed.fault = () => {
      sinceMs ??= clock.monotonicMs();
      return never();
    };
    await until(() => told.length === 2, 25_000 + changeFeedTimeout);
    const tookMs = clock.monotonicMs() - (sinceMs ?? 0);
    const owners = async (): Promise<unknown[]> =>
      (await leases.list('')).filter(({ id }) => id.includes('..')).map(({ body }) => body['Owner']);
    const left = await owners();
    feed.fault = undefined;
    feed.put({ id: '2', pk: 'a' });
    await until(() => seen.length === 2);
    await processor.stop();

    expect(told).toEqual(['open 0', 'close 0 Unknown', 'open 0', 'close 0 Shutdown']);
    expect(left).toEqual([null]);
    expect(tookMs).toBeGreaterThanOrEqual(changeFeedTimeout);
    expect(tookMs).toBeLessThanOrEqual(changeFeedTimeout + 100);
    expect(records).toContainEqual(
      expect.objectContaining({ severity: 'Error', operation: 'ReadChangeFeed', leaseToken: '0' }),
    );
    expect(seen).toEqual(['1', '2']);
  },
);

test('[M11] an idle feed is no feed that does not answer', async () => {
  const processor = await started(builder({ changeFeedTimeout: 2_000 }));
  await clock.advance(60_000);
  await processor.stop();

  expect(told).toEqual(['open 0', 'close 0 Shutdown']);
  expect(records.map(({ severity }) => severity)).not.toContain('Error');
});

test('[M11] an observer is told LeaseGone after a split', async () => {
  const processor = await started(builder());
  feed.split('0');
  await until(() => told.length === 4);
  await processor.stop();

  expect(told.slice(0, 4)).toEqual(['open 0', 'close 0 LeaseGone', 'open 1', 'open 2']);
});

test('[M11] an observer that throws is closed with ObserverError, and a new one is given the batch again', async () => {
  const made: Observer[] = [];
  class Throwing extends Observer {
    constructor() {
      super();
      made.push(this);
    }

    override processChanges(context: ChangeFeedObserverContext, documents: readonly Doc[]): void {
      if (made.length < 3) throw new Error('broken');
      super.processChanges(context, documents);
    }
  }
  const processor = await started(builder().withObserver(Throwing));
  feed.put({ id: '1', pk: 'a' });
  await until(() => seen.length === 1);
  await processor.stop();

  expect(made).toHaveLength(3);
  expect(seen).toEqual(['1']);
  expect(told).toEqual([
    'open 0',
    ...['close 0 ObserverError', 'open 0', 'close 0 ObserverError', 'open 0'],
    'close 0 Shutdown',
  ]);
  const leaseRecords = records.filter(({ operation }) => operation.endsWith('Lease'));
  expect(leaseRecords.map(({ operation }) => operation)).toEqual(['AcquireLease', 'ReleaseLease']);
});

test('[M11] an own partition processor that lets the error of its observer through: the observer is told ObserverError', async () => {
  let isBroken = true;
  class Throwing extends Observer {
    override processChanges(context: ChangeFeedObserverContext, documents: readonly Doc[]): void {
      if (isBroken) throw new Error('broken');
      super.processChanges(context, documents);
    }
  }
  const processor = await started(
    builder()
      .withObserver(Throwing)
      .withPartitionProcessorFactory({
        create: (lease, observer) => ({
          run: async (signal) => {
            const context = {
              partitionKeyRangeId: lease.leaseToken,
              feedResponse: undefined,
              checkpoint: async () => {},
            };
            const page = await lease.read({ from: 'beginning', waitMs: 1_000, signal });
            await observer.processChanges(context, page.items as never, signal);
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
          },
        }),
      }),
  );
  feed.put({ id: '1', pk: 'a' });
  await until(() => told.includes('close 0 ObserverError'));
  isBroken = false;
  await until(() => seen.length === 1);
  await processor.stop();

  expect(told.slice(0, 3)).toEqual(['open 0', 'close 0 ObserverError', 'open 0']);
  expect(records).toContainEqual(expect.objectContaining({ severity: 'Error', operation: 'ProcessChanges' }));
});

test('[M11] how much is left of a group that has no leases yet is unknown, not nothing', async () => {
  feed.put({ id: '1', pk: 'a' });
  const estimator = await builder().buildEstimator();

  expect(await passing(estimator.getEstimatedRemainingWork())).toBeUndefined();
  expect(await passing(estimator.getEstimatedRemainingWorkPerPartition())).toEqual([]);
});

test('[M11] with a CheckpointPartitionProcessorFactory an own partition processor stores positions in the lease', async () => {
  const starts: unknown[] = [];
  const factory: CheckpointPartitionProcessorFactory<Doc> = {
    create: (first, leaseCheckpointer, observer) => ({
      run: async (signal) => {
        starts.push(first.start);
        let lease = first;
        const context = { partitionKeyRangeId: lease.leaseToken, feedResponse: undefined, checkpoint: async () => {} };
        const foreign = leaseCheckpointer.checkpoint({ ...lease, leaseToken: '7' }, '"1"');
        await expect(foreign).rejects.toMatchObject({ code: 'invalid-option' });
        while (!signal.aborted) {
          const page = await lease.read({ from: lease.start, waitMs: 1_000, signal });
          const documents = page.items.flatMap((item) =>
            'value' in item ? [item.value as unknown as ChangedDocument<Doc>] : [],
          );
          if (documents.length > 0) await observer.processChanges(context, documents, signal);
          lease = await leaseCheckpointer.checkpoint(lease, page.position);
        }
      },
    }),
  };
  for (const id of ['1', '2']) {
    feed.put({ id, pk: 'a' });
    const processor = await started(builder().withCheckpointPartitionProcessorFactory(factory));
    await until(() => seen.includes(id));
    await processor.stop();
  }

  expect(seen).toEqual(['1', '2']);
  expect(starts).toEqual(['beginning', { position: '"1"' }]);
  const both = builder()
    .withCheckpointPartitionProcessorFactory(factory)
    .withPartitionProcessorFactory({
      create: () => ({ run: async () => {} }),
    });
  await expect(both.build()).rejects.toThrow(/one of the two/);
});

test('[M11] ChangeFeedProcessorHost is the event host, with its name, options in the fourth place, and an estimate', async () => {
  const hostOptions: ChangeFeedHostOptions = { leasePrefix: 'p', isAutoCheckpointEnabled: false };
  const host = new ChangeFeedProcessorHost<Doc>('host-7', feed, leases, hostOptions, undefined, environment);
  await passing(host.registerObserver(Observer));
  feed.put({ id: '1', pk: 'a' });
  await until(() => seen.length === 1);
  const left = await passing(host.getEstimatedRemainingWork());
  await passing(host.unregisterObservers());

  expect(ChangeFeedProcessorHost).toBe(ChangeFeedEventHost);
  expect(host.hostName).toBe('host-7');
  expect(left).toBe(1);
  expect((await leases.list('')).every(({ id }) => id.startsWith('p'))).toBe(true);
});

test.each<[ChangeFeedProcessorOptions, object]>([
  [{ maxItemCount: -1 }, { itemsMax: 0 }],
  [{ startContinuation: '"9"', startFromBeginning: true }, { start: { position: '"9"' } }],
  [{ isAutoCheckpointEnabled: false }, { checkpoint: { manual: true, isCumulative: true } }],
  [{ isAutoCheckpointEnabled: true }, { checkpoint: 'every-batch' }],
  [{ changeFeedTimeout: 2_000 }, { stallMs: 2_000, waitMs: 500 }],
])('[M12] the option %j of later versions', (given, options) => {
  expect(optionsOf('h', given)).toMatchObject(options);
});

test('[M12] an option that does not exist, or a time-out that is none, is refused', async () => {
  const misspelt = { leaseRenewIntervall: 1 } as ChangeFeedProcessorOptions;

  await expect(builder(misspelt).build()).rejects.toThrow(/leaseRenewIntervall/);
  await expect(builder({ changeFeedTimeout: 0 }).build()).rejects.toThrow(/changeFeedTimeout/);
});

test('[M11] without a health monitor problems are lines on standard error', async () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line).trimEnd()) > 0);
  const processor = await builder({ changeFeedTimeout: 1_000 }).build();
  await passing(processor.start());
  feed.fault = never;
  await until(() => told.includes('close 0 Unknown'));
  feed.fault = undefined;
  await passing(processor.stop());
  write.mockRestore();

  expect(lines.join()).toContain('cannot be read');
});
