// The change feed through @azure/cosmos 4.9.3: every start, every scope, both modes, over one range and several, across
// splits, merges and restarts.

import type { ChangeFeedIteratorOptions, Container as SdkContainer } from '@azure/cosmos';
import { ChangeFeedMode, ChangeFeedPolicy, ChangeFeedRetentionTimeSpan, ChangeFeedStartFrom } from '@azure/cosmos';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

interface Item {
  readonly id: string;
  readonly pk: string;
  readonly n: number;
  readonly _lsn: number;
}

interface Version {
  readonly current: Partial<Item>;
  readonly previous?: Partial<Item>;
  readonly metadata: {
    readonly operationType: string;
    readonly lsn: number;
    readonly crts: number;
    readonly id?: string;
    readonly partitionKey?: object;
    readonly previousImageLSN?: number;
    readonly timeToLiveExpired?: boolean;
  };
}

type Iterator = ReturnType<SdkContainer['items']['getChangeFeedIterator']>;

function iterate(container: SdkContainer, options: ChangeFeedIteratorOptions): Iterator {
  return container.items.getChangeFeedIterator(options);
}

/** Everything up to the first 304. */
async function drain<T = Item>(iterator: Iterator): Promise<{ items: T[]; pages: T[][]; continuation: string }> {
  const pages: T[][] = [];
  for (;;) {
    const page = await iterator.readNext();
    if (page.statusCode === 304) return { items: pages.flat(), pages, continuation: page.continuationToken };
    pages.push(page.result as unknown as T[]);
  }
}

const ids = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id).sort();

async function fill(container: SdkContainer, keys: readonly string[], n: number = 1): Promise<void> {
  for (const pk of keys) await container.items.upsert({ id: `id-${pk}`, pk, n });
}

const keys: readonly string[] = Array.from({ length: 24 }, (_, i) => `k${i}`);

for (const throughput of [400, 24_000]) {
  describe(`[wire 11] over ${throughput === 400 ? 'one range' : 'four ranges'}`, () => {
    test('[M4] [M5] from the beginning: the latest version of each document, each change once', async () => {
      const container = await world.container({ throughput });
      await fill(container, keys);
      await fill(container, ['k3', 'k7'], 2);
      await container.item('id-k5', 'k5').delete();
      const iterator = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning() });

      const { items } = await drain(iterator);

      expect(ids(items)).toEqual(ids(keys.filter((pk) => pk !== 'k5').map((pk) => ({ id: `id-${pk}` }))));
      expect(items.find(({ pk }) => pk === 'k3')?.n).toBe(2);
      await fill(container, ['k0'], 3);
      expect((await drain(iterator)).items).toMatchObject([{ id: 'id-k0', n: 3 }]);
    });

    test('[M4] from now: only what comes after the first poll', async () => {
      const container = await world.container({ throughput });
      await fill(container, keys);
      const iterator = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Now() });
      expect((await drain(iterator)).items).toEqual([]);
      await fill(container, ['k1', 'k2'], 2);
      expect(ids((await drain(iterator)).items)).toEqual(['id-k1', 'id-k2']);
    });

    test('[M7] from a time, exact to the second', async () => {
      const container = await world.container({ throughput });
      await fill(container, keys.slice(0, 8));
      world.shiftMs += 5_000;
      const time = new Date(Date.now() + world.shiftMs);
      world.shiftMs += 5_000;
      await fill(container, keys.slice(8));
      const iterator = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Time(time) });
      expect((await drain(iterator)).items.length).toBe(keys.length - 8);
    });

    test('[M5] from a continuation, also after a restart of the server', async () => {
      const container = await world.container({ throughput });
      await fill(container, keys);
      const first = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(), maxItemCount: 3 });
      const page = await first.readNext();
      expect(page.result.length).toBe(3);

      await world.restart();
      const again = world.client.database('db').container(container.id);
      const continuation = page.continuationToken;
      const rest = await drain(iterate(again, { changeFeedStartFrom: ChangeFeedStartFrom.Continuation(continuation) }));

      expect(ids([...(page.result as unknown as Item[]), ...rest.items])).toEqual(
        ids(keys.map((pk) => ({ id: `id-${pk}` }))),
      );
      await fill(again, ['k9'], 2);
      const next = iterate(again, { changeFeedStartFrom: ChangeFeedStartFrom.Continuation(rest.continuation) });
      expect((await drain(next)).items).toMatchObject([{ id: 'id-k9', n: 2 }]);
    });

    test('[M7] of one partition key, in the order of modification', async () => {
      const container = await world.container({ throughput });
      await fill(container, keys);
      for (let n = 0; n < 10; n += 1) await container.items.upsert({ id: `${n % 4}`, pk: 'k3', n });
      const start = ChangeFeedStartFrom.Beginning('k3');
      const { items } = await drain(iterate(container, { changeFeedStartFrom: start, maxItemCount: 2 }));
      expect(items.map(({ id, n }) => [id, n])).toEqual([
        ['id-k3', 1],
        ['2', 6],
        ['3', 7],
        ['0', 8],
        ['1', 9],
      ]);
    });

    test('[M3] of each feed range, so that readers share the work', async () => {
      const container = await world.container({ throughput });
      await fill(container, keys);
      const feedRanges = await container.getFeedRanges();
      expect(feedRanges).toHaveLength(throughput === 400 ? 1 : 4);
      const parts = await Promise.all(
        feedRanges.map((range) =>
          drain(iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(range) })),
        ),
      );
      expect(ids(parts.flatMap(({ items }) => items))).toEqual(ids(keys.map((pk) => ({ id: `id-${pk}` }))));
    });

    test('[M6] a transaction is on one page, also above the page size', async () => {
      const container = await world.container({ throughput });
      const batch = Array.from({ length: 7 }, (_, i) => ({
        operationType: 'Create' as const,
        resourceBody: { id: `${i}`, pk: 'a', n: i },
      }));
      await container.items.batch(batch, 'a');
      await container.items.create({ id: 'after', pk: 'a', n: 7 });
      const start = ChangeFeedStartFrom.Beginning('a');
      const { pages } = await drain(iterate(container, { changeFeedStartFrom: start, maxItemCount: 1 }));
      expect(pages.map((page) => page.length)).toEqual([7, 1]);
      expect(new Set(pages[0]?.map(({ _lsn }) => _lsn)).size).toBe(1);
    });
  });
}

test('[M9] [wire 17.6] an item of the feed is the document and `_lsn`, nothing else', async () => {
  const container = await world.container();
  const { resource } = await container.items.create({ id: '1', pk: 'a', n: 1 });
  const { items } = await drain(iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning() }));
  const { _lsn, ...document } = items[0] as Item;
  expect(document).toEqual(resource);
  expect(_lsn).toBe(1);
});

test('[M5] any number of feeds at once on the same container', async () => {
  const container = await world.container({ throughput: 12_000 });
  await fill(container, keys);
  const iterators = Array.from({ length: 5 }, () =>
    iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(), maxItemCount: 5 }),
  );
  const all = await Promise.all(iterators.map((iterator) => drain(iterator)));
  for (const { items } of all) expect(ids(items)).toEqual(ids(keys.map((pk) => ({ id: `id-${pk}` }))));
});

test('[M7] of the prefix of a hierarchical key, also where it lies in several ranges', async () => {
  const partitionKey = { paths: ['/tenant', '/pk'], kind: 'MultiHash', version: 2 } as never;
  const container = await world.container({ partitionKey });
  for (const tenant of ['a', 'b'])
    for (const pk of keys.slice(0, 6)) await container.items.create({ id: `${tenant}-${pk}`, tenant, pk, n: 1 });
  const prefix = ChangeFeedStartFrom.Beginning(['a']);
  const iterator = iterate(container, { changeFeedStartFrom: prefix, maxItemCount: 2 });
  expect(ids((await drain(iterator)).items)).toEqual(ids(keys.slice(0, 6).map((pk) => ({ id: `a-${pk}` }))));
  const whole = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(['b', 'k2']) });
  expect(ids((await drain(whole)).items)).toEqual(['b-k2']);
});

describe('[B8] [wire 10] splits and merges', () => {
  /** Writes and reads at the same time, while `reshape` changes the ranges. Every key's versions have to come in order. */
  async function follow(container: SdkContainer, iterator: Iterator, reshape: readonly (() => Promise<unknown>)[]) {
    const rounds = reshape.length * 2 + 2;
    let isWriting = true;
    const writer = (async () => {
      for (let n = 1; n <= rounds; n += 1) {
        await Promise.all(keys.map((pk) => container.items.upsert({ id: `id-${pk}`, pk, n })));
        const change = n % 2 === 0 ? reshape[n / 2 - 1] : undefined;
        await change?.();
      }
      isWriting = false;
    })();
    const seen: Item[] = [];
    while (isWriting) seen.push(...(await drain(iterator)).items);
    await writer;
    seen.push(...(await drain(iterator)).items);

    const lastOf = new Map<string, Item>();
    for (const item of seen) {
      const before = lastOf.get(item.pk);
      expect(item.n, `${item.pk} after ${before?.n}`).toBeGreaterThan(before?.n ?? 0);
      expect(item._lsn).toBeGreaterThan(before?._lsn ?? 0);
      lastOf.set(item.pk, item);
    }
    expect([...lastOf.values()].map(({ n }) => n)).toEqual(keys.map(() => rounds));
  }

  test('[M5] [wire 17.5] nothing is lost or repeated while ranges are split under the reader', async () => {
    const container = await world.container();
    const inside = world.inside(container);
    await follow(
      container,
      iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(), maxItemCount: 5 }),
      [() => inside.split('0'), () => inside.split('2'), () => inside.split('1')],
    );
    expect(inside.ranges.map(({ id }) => id)).toEqual(['5', '6', '3', '4']);
  });

  test('[M5] nothing is lost or repeated while ranges are merged under the reader', async () => {
    const container = await world.container({ throughput: 24_000 });
    const inside = world.inside(container);
    await follow(
      container,
      iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(), maxItemCount: 5 }),
      [
        () => inside.merge('0', '1'),
        () => inside.merge('2', '3'),
        () => inside.merge('4', '5'),
        () => inside.split('6'),
      ],
    );
    expect(inside.ranges).toHaveLength(2);
  });

  test('[M5] [M7] the feed of a partition key and of a feed range outlives splits', async () => {
    const container = await world.container();
    const inside = world.inside(container);
    await fill(container, keys);
    const [whole] = await container.getFeedRanges();
    const ofRange = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning(whole), maxItemCount: 5 });
    const ofKey = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning('k4') });
    const first = (await ofRange.readNext()).result as unknown as Item[];
    expect((await drain(ofKey)).items).toHaveLength(1);
    await inside.split('0');
    await fill(container, ['k4'], 2);
    expect((await drain(ofKey)).items).toMatchObject([{ pk: 'k4', n: 2 }]);
    const rest = (await drain(ofRange)).items;
    const isShownBefore = first.some(({ pk }) => pk === 'k4');
    expect([...first, ...rest]).toHaveLength(keys.length + (isShownBefore ? 1 : 0));
  });

  test('a bulk survives a split between two of its requests', async () => {
    const container = await world.container();
    await container.items.create({ id: '0', pk: 'a' });
    const bulk = (from: number) =>
      container.items.executeBulkOperations(
        Array.from({ length: 20 }, (_, i) => ({
          operationType: 'Create',
          partitionKey: `p${i}`,
          resourceBody: { id: `${from + i}`, pk: `p${i}` },
        })) as never,
      );
    await bulk(0);
    await world.inside(container).split('0');
    const results = await bulk(100);
    expect(results.map((each) => each.response?.statusCode)).toEqual(new Array(20).fill(201));
  });
});

describe('[B2] [wire 11] all versions and deletes', () => {
  const policy = { changeFeedPolicy: new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(10)) } as never;
  const allVersions = (start: ChangeFeedStartFrom): ChangeFeedIteratorOptions => ({
    changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes,
    changeFeedStartFrom: start,
  });

  for (const throughput of [400, 12_000]) {
    test(`[wire 17.7] every version, and deletes in their envelope (${throughput} RU/s)`, async () => {
      const container = await world.container({ ...(policy as object), throughput });
      const iterator = iterate(container, allVersions(ChangeFeedStartFrom.Now()));
      expect((await iterator.readNext()).statusCode).toBe(304);
      await container.items.create({ id: '1', pk: 'a', n: 1 });
      await container.items.upsert({ id: '1', pk: 'a', n: 2 });
      await container.item('1', 'a').patch([{ op: 'incr', path: '/n', value: 1 }]);
      await container.item('1', 'a').delete();

      const { items } = await drain<Version>(iterator);

      expect(items.map(({ metadata }) => metadata.operationType)).toEqual(['create', 'replace', 'replace', 'delete']);
      expect(items.map(({ current }) => current.n)).toEqual([1, 2, 3, undefined]);
      const removed = items[3] as Version;
      expect(removed.current).toEqual({});
      expect(removed.previous).toMatchObject({ id: '1', n: 3 });
      // What the metadata says is not said again.
      for (const { current } of items) expect(current).not.toHaveProperty('_lsn');
      expect(removed.previous).toEqual(items[2]?.current);
      expect(removed.metadata).toMatchObject({ id: '1', partitionKey: { pk: 'a' } });
      expect(removed.metadata.previousImageLSN).toBe(items[2]?.metadata.lsn);
      for (const { metadata } of items) expect(metadata.crts).toBeGreaterThan(0);
      expect(items[0]?.metadata.id).toBeUndefined();
    });
  }

  test('a document whose time is over is deleted by it', async () => {
    const container = await world.container({ ...(policy as object), defaultTtl: 5 });
    const iterator = iterate(container, allVersions(ChangeFeedStartFrom.Now('a')));
    await drain(iterator);
    await container.items.create({ id: '1', pk: 'a', n: 1 });
    world.shiftMs += 7_000;
    await world.database.engine.sweep(world.inside(container).info.number);
    const { items } = await drain<Version>(iterator);
    expect(items.map(({ metadata }) => metadata.operationType)).toEqual(['create', 'delete']);
    expect(items[1]?.metadata.timeToLiveExpired).toBe(true);
  });

  test('[wire 17.8] the beginning, and what is older than the retention, is refused with the fixed sentence', async () => {
    const sentence = 'You must read the change feed from within the retention period.';
    const container = await world.container(policy);
    const beginning = iterate(container, allVersions(ChangeFeedStartFrom.Beginning()));
    await expect(beginning.readNext()).rejects.toMatchObject({ code: 400, message: expect.stringContaining(sentence) });

    const iterator = iterate(container, allVersions(ChangeFeedStartFrom.Now()));
    const { continuation } = await drain(iterator);
    await fill(container, keys);
    world.shiftMs += 11 * 60_000;
    await fill(container, keys, 2);
    await world.database.engine.trim(world.inside(container).info.number);
    const late = iterate(container, allVersions(ChangeFeedStartFrom.Continuation(continuation)));
    await expect(late.readNext()).rejects.toMatchObject({ code: 400, message: expect.stringContaining(sentence) });
    const latest = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning() });
    expect((await drain(latest)).items).toHaveLength(keys.length);
  });

  test('a container without a policy says which one it would need', async () => {
    const container = await world.container();
    const iterator = iterate(container, allVersions(ChangeFeedStartFrom.Now()));
    const message = expect.stringContaining('changeFeedPolicy');
    await expect(iterator.readNext()).rejects.toMatchObject({ code: 400, message });
  });
});

test('[wire 6] [M5] a continuation is not taken for one of another container that got the same name', async () => {
  const database = await world.sdkDatabase();
  const definition = { id: 'made again', partitionKey: { paths: ['/pk'] } };
  const { container } = await database.containers.create(definition);
  await fill(container, keys);
  const { continuation } = await drain(iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Beginning() }));
  await container.delete();
  await database.containers.create(definition);
  await fill(container, keys.slice(0, 3));

  const goingOn = iterate(container, { changeFeedStartFrom: ChangeFeedStartFrom.Continuation(continuation) });

  await expect(goingOn.readNext()).rejects.toThrow(/rid|container/i);
});
