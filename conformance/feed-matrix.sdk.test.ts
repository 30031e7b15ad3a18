// The change feed through @azure/cosmos 4.9.3, cell by cell: both modes, every scope, every start, over one range, four and
// many; then all of it at once under load, while ranges are split and merged: nothing lost, repeated or out of order.

import type { ChangeFeedIteratorOptions, Container as SdkContainer } from '@azure/cosmos';
import { ChangeFeedMode, ChangeFeedStartFrom } from '@azure/cosmos';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

type Mode = 'latest' | 'all';
type Resource = Parameters<typeof ChangeFeedStartFrom.Beginning>[0];

/** A change, whatever the mode: the key, the number that was written, the LSN. */
interface Seen {
  readonly key: string;
  readonly n: number;
  readonly lsn: number;
}

const partitionKey = { paths: ['/tenant', '/pk'], kind: 'MultiHash', version: 2 };
const tenants = ['t0', 't1', 't2'];
const pks = ['p0', 'p1', 'p2', 'p3'];
const allKeys: readonly (readonly [tenant: string, pk: string])[] = tenants.flatMap((tenant) =>
  pks.map((pk) => [tenant, pk] as const),
);

async function aContainer(ranges: number): Promise<SdkContainer> {
  return world.container({
    partitionKey,
    throughput: ranges === 1 ? 400 : ranges * 6_000,
    changeFeedPolicy: { retentionDuration: 60 },
  } as never);
}

/** One version of every key. */
async function write(container: SdkContainer, n: number, keys = allKeys): Promise<void> {
  await Promise.all(keys.map(([tenant, pk]) => container.items.upsert({ id: `${tenant}-${pk}`, tenant, pk, n })));
}

class Reader {
  readonly seen: Seen[] = [];
  readonly #mode: Mode;
  #iterator: ReturnType<SdkContainer['items']['getChangeFeedIterator']>;
  continuation = '';

  constructor(container: SdkContainer, mode: Mode, start: ChangeFeedStartFrom, itemsMax: number = 5) {
    this.#mode = mode;
    this.#iterator = container.items.getChangeFeedIterator({
      ...modeOptions(mode),
      changeFeedStartFrom: start,
      maxItemCount: itemsMax,
    });
  }

  /** Everything up to the first 304. */
  async drain(): Promise<Seen[]> {
    const from = this.seen.length;
    for (;;) {
      const page = await this.#iterator.readNext();
      this.continuation = page.continuationToken;
      if (page.statusCode === 304) return this.seen.slice(from);
      expect(page.statusCode).toBe(200);
      for (const item of page.result as unknown as Record<string, never>[]) {
        const { tenant, pk, n } = (this.#mode === 'all' ? item['current'] : item) as never;
        const { lsn } = (this.#mode === 'all' ? item['metadata'] : { lsn: item['_lsn'] }) as never;
        this.seen.push({ key: `${tenant}/${pk}`, n, lsn });
      }
    }
  }
}

function modeOptions(mode: Mode): ChangeFeedIteratorOptions {
  return mode === 'all' ? { changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes } : {};
}

/** What a scope is called, what of the container it shows, and how the SDK is told. */
const scopes: readonly {
  readonly name: string;
  readonly keys: readonly (readonly [string, string])[];
  resource(container: SdkContainer): Promise<Resource>;
}[] = [
  { name: 'the container', keys: allKeys, resource: async () => undefined },
  { name: 'a partition key', keys: [['t1', 'p2']], resource: async () => ['t1', 'p2'] },
  { name: 'the prefix of a key', keys: pks.map((pk) => ['t2', pk] as const), resource: async () => ['t2'] },
];

const keysOf = (seen: readonly Seen[]): string[] => seen.map(({ key }) => key).sort();
const namesOf = (keys: readonly (readonly [string, string])[]): string[] => keys.map((key) => key.join('/')).sort();

for (const ranges of [1, 4, 12]) {
  for (const mode of ['latest', 'all'] as const) {
    describe(`over ${ranges} range(s), ${mode === 'all' ? 'all versions' : 'latest versions'}`, () => {
      test.each(scopes)('[M4] [M5] [M7] every start, of $name', async ({ keys, resource }) => {
        const container = await aContainer(ranges);
        const of = await resource(container);
        const names = namesOf(keys);
        await write(container, 1);
        world.shiftMs += 2_000;
        const time = new Date(Date.now() + world.shiftMs);
        world.shiftMs += 2_000;
        const now = new Reader(container, mode, ChangeFeedStartFrom.Now(of));
        expect(await now.drain()).toEqual([]);

        await write(container, 2);

        expect(keysOf(await now.drain())).toEqual(names);
        const later = new Reader(container, mode, ChangeFeedStartFrom.Time(time, of));
        expect(keysOf(await later.drain())).toEqual(names);
        expect(later.seen.every(({ n }) => n === 2)).toBe(true);
        const first = new Reader(container, mode, ChangeFeedStartFrom.Beginning(of), 2);
        if (mode === 'all') await expect(first.drain()).rejects.toMatchObject({ code: 400 });
        else expect(keysOf(await first.drain())).toEqual(names);

        await write(container, 3);
        const { continuation } = now;
        const again = new Reader(container, mode, ChangeFeedStartFrom.Continuation(continuation), 1);
        expect(keysOf(await again.drain())).toEqual(names);
        expect(again.seen.every(({ n }) => n === 3)).toBe(true);
        expect(keysOf(await now.drain())).toEqual(names);
      });

      test('[M3] [M5] the feed ranges together are the container, from every start', async () => {
        const container = await aContainer(ranges);
        await write(container, 1);
        const feedRanges = await container.getFeedRanges();
        expect(feedRanges).toHaveLength(ranges);
        const readers = feedRanges.map((range) => new Reader(container, mode, ChangeFeedStartFrom.Now(range)));
        for (const reader of readers) expect(await reader.drain()).toEqual([]);
        await write(container, 2);
        const seen = (await Promise.all(readers.map((reader) => reader.drain()))).flat();
        expect(keysOf(seen)).toEqual(namesOf(allKeys));
      });
    });
  }
}

describe('under load', () => {
  /** Writes rounds of versions and reads on every reader at once, with a reshaping after every second round. */
  async function run(
    container: SdkContainer,
    readers: readonly Reader[],
    reshape: readonly (() => Promise<unknown>)[],
  ): Promise<number> {
    const rounds = reshape.length * 2 + 2;
    let isWriting = true;
    const writer = (async () => {
      for (let n = 1; n <= rounds; n += 1) {
        await write(container, n);
        if (n % 2 === 0) await reshape[n / 2 - 1]?.();
      }
      isWriting = false;
    })();
    const follow = async (reader: Reader) => {
      while (isWriting) await reader.drain();
      await reader.drain();
    };
    await Promise.all([writer, ...readers.map(follow)]);
    return rounds;
  }

  /** Per key the versions come in order and once; all versions come without a gap; the last one always comes. */
  function check(reader: Reader, mode: Mode, keys: readonly (readonly [string, string])[], rounds: number): void {
    const byKey = new Map<string, Seen[]>();
    for (const change of reader.seen) byKey.set(change.key, [...(byKey.get(change.key) ?? []), change]);
    expect([...byKey.keys()].sort()).toEqual(namesOf(keys));
    for (const [key, changes] of byKey) {
      const numbers = changes.map(({ n }) => n);
      if (mode === 'all') expect(numbers, key).toEqual(Array.from({ length: rounds }, (_, i) => i + 1));
      expect(numbers, key).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(numbers.at(-1), key).toBe(rounds);
      const lsns = changes.map(({ lsn }) => lsn);
      expect(lsns, key).toEqual([...new Set(lsns)].sort((a, b) => a - b));
    }
  }

  async function readersOf(container: SdkContainer, mode: Mode): Promise<{ reader: Reader; keys: typeof allKeys }[]> {
    const made: { reader: Reader; keys: typeof allKeys }[] = [];
    for (const { keys, resource } of scopes) {
      const reader = new Reader(container, mode, ChangeFeedStartFrom.Now(await resource(container)));
      await reader.drain();
      made.push({ reader, keys });
    }
    return made;
  }

  for (const mode of ['latest', 'all'] as const) {
    test(`[M5] [B8] [wire 17.5] splits from one range to many (${mode})`, async () => {
      const container = await aContainer(1);
      const inside = world.inside(container);
      const readers = await readersOf(container, mode);
      const rounds = await run(
        container,
        readers.map(({ reader }) => reader),
        ['0', '1', '2', '3', '4'].map((id) => () => inside.split(id)),
      );
      expect(inside.ranges).toHaveLength(6);
      for (const { reader, keys } of readers) check(reader, mode, keys, rounds);
    });

    test(`[M5] [B8] [wire 10] merges from four to one, and splits again (${mode})`, async () => {
      const container = await aContainer(4);
      const inside = world.inside(container);
      const readers = await readersOf(container, mode);
      const rounds = await run(
        container,
        readers.map(({ reader }) => reader),
        [
          () => inside.merge('0', '1'),
          () => inside.merge('2', '3'),
          () => inside.split('4'),
          () => inside.merge('7', '5'),
          () => inside.merge('6', '8'),
          () => inside.split('9'),
        ],
      );
      expect(inside.ranges).toHaveLength(2);
      for (const { reader, keys } of readers) check(reader, mode, keys, rounds);
    });
  }

  test('[M5] [B8] continuations that were kept before go on after splits, merges and a restart', async () => {
    const container = await aContainer(4);
    const all = await readersOf(container, 'all');
    const latest = await readersOf(container, 'latest');
    await write(container, 1);
    for (const { reader } of [...all, ...latest]) await reader.drain();
    const inside = world.inside(container);
    await inside.split('1');
    await inside.merge('2', '3');
    await write(container, 2);
    await inside.merge('5', '6');

    await world.restart();

    const again = world.client.database('db').container(container.id);
    await write(again, 3);
    for (const { reader, keys } of all) {
      const next = new Reader(again, 'all', ChangeFeedStartFrom.Continuation(reader.continuation));
      await next.drain();
      expect(next.seen.map(({ key, n }) => `${key} ${n}`).sort()).toEqual(
        namesOf(keys)
          .flatMap((key) => [`${key} 2`, `${key} 3`])
          .sort(),
      );
    }
    for (const { reader, keys } of latest) {
      const next = new Reader(again, 'latest', ChangeFeedStartFrom.Continuation(reader.continuation));
      await next.drain();
      expect(next.seen.map(({ key, n }) => `${key} ${n}`).sort()).toEqual(namesOf(keys).map((key) => `${key} 3`));
    }
  });
});

describe('the older iterator', () => {
  test('[M4] [M7] readChangeFeed of a partition key: beginning, now, a time, a continuation', async () => {
    const container = await world.container({ throughput: 24_000 });
    const put = (n: number) => container.items.upsert({ id: `${n}`, pk: 'a', n });
    const read = async (options: object) => {
      const iterator = container.items.readChangeFeed('a', options);
      const seen: number[] = [];
      let continuation = '';
      while (iterator.hasMoreResults) {
        const page = await iterator.fetchNext();
        seen.push(...page.result.map(({ n }: { n: number }) => n));
        continuation = page.etag;
      }
      return { seen, continuation };
    };
    await container.items.create({ id: 'x', pk: 'other', n: 99 });
    await put(1);
    world.shiftMs += 2_000;
    const startTime = new Date(Date.now() + world.shiftMs);
    world.shiftMs += 2_000;
    await put(2);
    await put(3);
    expect((await read({ startFromBeginning: true, maxItemCount: 1 })).seen).toEqual([1, 2, 3]);
    expect((await read({ startTime })).seen).toEqual([2, 3]);
    const now = await read({});
    expect(now.seen).toEqual([]);
    await put(4);
    expect((await read({ continuation: now.continuation })).seen).toEqual([4]);
    expect((await read({ continuation: now.continuation, startTime })).seen).toEqual([4]);
  });

  test('[M6] a transaction above the page size is one page', async () => {
    const container = await world.container();
    const batch = Array.from({ length: 50 }, (_, i) => ({
      operationType: 'Create' as const,
      resourceBody: { id: `${i}`, pk: 'a', n: i },
    }));
    await container.items.batch(batch, 'a');
    await container.items.create({ id: 'after', pk: 'a', n: 50 });
    const iterator = container.items.readChangeFeed('a', { startFromBeginning: true, maxItemCount: 10 });
    const sizes: number[] = [];
    while (iterator.hasMoreResults) sizes.push((await iterator.fetchNext()).result.length);
    expect(sizes).toEqual([50, 1, 0]);
  });
});
