// What a feed can be of: a range, an interval, the prefix of a hierarchical key, one key, the whole container; and where it
// can start.

import type { Container } from '@tidemark/engine/internal';
import { effectiveKeyHex, effectiveKeyPrefixRange } from '@tidemark/model';
import { expect } from 'vitest';
import type { ContractCase, Item, VersionItem } from './bench.ts';
import { idsOf, keyScope, numbers, rangeScope } from './bench.ts';

/** Everything that the whole container's feed shows from a position on, and the position it ends with. */
async function drain(
  container: Container,
  options: Parameters<Container['changes']>[0] = {},
): Promise<{ readonly items: Item[]; readonly etag: string }> {
  const feed = container.changes(options);
  const items: Item[] = [];
  for (;;) {
    const page = await feed.page();
    items.push(...(JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`) as Item[]));
    if (page.isDrained) return { items, etag: page.etag };
  }
}

const epkOf = (container: Container, pk: string): string => effectiveKeyHex(container.partitionKey(pk).epk);

async function write(container: Container, count: number, from = 0): Promise<string[]> {
  const ids = numbers(count, from).map(String);
  for (const id of ids) await container.upsert({ id, pk: `p${id}` });
  return ids;
}

export const feedScopeCases: readonly ContractCase[] = [
  {
    title: '[M3] [M5] the feeds of all ranges together are the container, and none has what is another’s',
    async run(bench) {
      const container = await bench.container({ ranges: 5 });
      const ids = await write(container, 60);

      const feeds = await Promise.all(bench.rangeIds(container).map((id) => bench.items(rangeScope(container, id))));

      expect(feeds.flatMap(idsOf).sort()).toEqual([...ids].sort());
      expect(feeds.every((items) => items.length > 0)).toBe(true);
    },
  },
  {
    title: '[wire 11.3] an interval of effective keys shows its documents, its first key in and its last key out',
    async run(bench) {
      const container = await bench.container();
      const ids = await write(container, 40);
      const sorted = ids
        .map((id) => ({ id, epk: epkOf(container, `p${id}`) }))
        .sort((a, b) => (a.epk < b.epk ? -1 : 1));
      const [from, to] = [sorted[10]?.epk as string, sorted[20]?.epk as string];

      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        const scope = { ...rangeScope(container), keys: { min: from, max: to } };
        const found = idsOf(await bench.items(scope, { itemsMax: 3 }));
        expect(found).toEqual(
          sorted
            .slice(10, 20)
            .map(({ id }) => id)
            .sort((a, b) => Number(a) - Number(b)),
        );
      }
    },
  },
  {
    title: '[wire 11.3] an interval that lies outside the range shows what both have in common',
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      await write(container, 40);
      const [low, high] = container.ranges;
      const whole = { min: '', max: 'FF' };

      expect(await bench.items({ ...rangeScope(container, '0'), keys: whole })).toEqual(
        await bench.items(rangeScope(container, '0')),
      );
      const beside = { min: high?.min as string, max: high?.max as string };
      const { items, page } = await bench.page({ ...rangeScope(container, '0'), keys: beside });
      expect(items).toEqual([]);
      expect(page).toMatchObject({ last: low?.tailLsn, isDrained: true });
    },
  },
  {
    title: '[wire 11.3] the prefix of a hierarchical key shows every key below it, and only those',
    async run(bench) {
      const partitionKey = { paths: ['/tenant', '/user', '/n'], kind: 'MultiHash', version: 2 };
      const container = await bench.container({ partitionKey, ranges: 3 });
      for (const n of numbers(60)) {
        await container.create({ id: `${n}`, tenant: `t${n % 3}`, user: `u${n % 2}`, n });
      }

      const tenant = await drain(container, { partitionKey: ['t1'] });
      const user = await drain(container, { partitionKey: ['t1', 'u0'] });
      const one = await drain(container, { partitionKey: ['t1', 'u0', 4] });

      expect(
        idsOf(tenant.items)
          .map(Number)
          .sort((a, b) => a - b),
      ).toEqual(numbers(20).map((n) => 3 * n + 1));
      expect(user.items.every(({ user: name }) => name === 'u0')).toBe(true);
      expect(user.items).toHaveLength(10);
      expect(idsOf(one.items)).toEqual(['4']);
      const keys = effectiveKeyPrefixRange(container.info.definition.partitionKey, ['t2']);
      const found = await Promise.all(
        bench.rangeIds(container).map((id) => bench.items({ ...rangeScope(container, id), keys })),
      );
      expect(found.flat()).toHaveLength(20);
    },
  },
  {
    title: '[M7] the feed of one partition key with few documents',
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      for (const n of numbers(40)) await container.upsert({ id: `${n % 8}`, pk: `p${n % 4}`, n });
      await container.delete('2', 'p2');

      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        const p1 = await bench.items(keyScope(bench, container, 'p1'), { itemsMax: 1 });
        const p2 = await bench.items(keyScope(bench, container, 'p2'));
        expect(p1.map(({ n }) => n)).toEqual([33, 37]);
        expect(p2.map(({ n }) => n)).toEqual([38]);
        const beyond = await bench.items(keyScope(bench, container, 'p1'), { after: p1[0]?._lsn as number });
        expect(beyond.map(({ n }) => n)).toEqual([37]);
      }
    },
  },
  {
    title: '[M7] the feed of one partition key with many documents, among many of another',
    async run(bench) {
      const container = await bench.container();
      const writes = numbers(700).map((n) => container.create({ id: `${n}`, pk: n % 7 === 0 ? 'other' : 'many', n }));
      await Promise.all(writes);
      for (const n of [1, 2, 3]) await container.upsert({ id: `${n}`, pk: 'many', n: -n });
      await container.delete('4', 'many');

      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        const pages = await bench.pages(keyScope(bench, container, 'many'), { itemsMax: 50 });
        const items = pages.flatMap((read) => read.items);
        expect(items).toHaveLength(599);
        expect(items.every(({ pk }) => pk === 'many')).toBe(true);
        expect(items.slice(-3).map(({ n }) => n)).toEqual([-1, -2, -3]);
        expect(new Set(idsOf(items)).size).toBe(599);
        expect(pages.at(-1)?.page.last).toBe(704);
        expect(await bench.items(keyScope(bench, container, 'other'))).toHaveLength(100);
      }
    },
  },
  {
    title: '[M6] [M7] the feed of one partition key with many documents never cuts a transaction',
    async run(bench) {
      const container = await bench.container();
      for (const round of numbers(4)) {
        await container.batch(
          'a',
          numbers(100).map((n) => ({ create: { id: `${round}-${n}`, pk: 'a' } })),
        );
        await container.create({ id: 'x', pk: `other${round}` });
      }
      await bench.settle();

      const pages = await bench.pages(keyScope(bench, container, 'a'), { itemsMax: 1 });

      expect(pages.map(({ items }) => items.length).filter((size) => size > 0)).toEqual([100, 100, 100, 100]);
    },
  },
  {
    title: '[wire 11.5] a filtered feed moves its position on over what is not its own',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'mine' });
      for (const n of numbers(30)) await container.create({ id: `${n}`, pk: 'other' });

      const epk = epkOf(container, 'mine');
      const scopes = [
        keyScope(bench, container, 'mine'),
        { ...rangeScope(container), keys: { min: epk, max: `${epk}FF` } },
      ];
      for (const scope of scopes) {
        const pages = await bench.pages(scope);
        expect(pages.flatMap(({ items }) => idsOf(items))).toEqual(['1']);
        expect(pages.at(-1)?.page).toMatchObject({ last: 31, isDrained: true });
        expect((await bench.page(scope, { after: 31 })).page).toMatchObject({ count: 0, last: 31 });
      }
    },
  },
  {
    title: '[engine 7] a long stretch that is filtered out advances page by page and is not taken for the end',
    async run(bench) {
      const container = await bench.container();
      const pad = 'x'.repeat(900_000);
      for (const n of numbers(40)) await container.create({ id: `${n}`, pk: 'other', pad });
      await container.create({ id: 'found', pk: 'mine' });
      await bench.settle();
      const epk = epkOf(container, 'mine');

      const pages = await bench.pages({ ...rangeScope(container), keys: { min: epk, max: `${epk}FF` } });

      expect(pages.flatMap(({ items }) => idsOf(items))).toEqual(['found']);
      for (const { items, page } of pages)
        if (items.length === 0 && !page.isDrained) expect(page.last).toBeGreaterThan(0);
      expect(pages.at(-1)?.page.last).toBe(41);
    },
  },
  {
    title: '[M5] the whole container’s feed shows every document once and goes on from its etag',
    async run(bench) {
      const container = await bench.container({ ranges: 4 });
      const ids = await write(container, 50);

      const first = await drain(container, { itemsMax: 3 });
      await write(container, 5, 10);
      const second = await drain(container, { from: { etag: first.etag } });

      expect(idsOf(first.items).sort()).toEqual([...ids].sort());
      expect(idsOf(second.items).sort()).toEqual(['10', '11', '12', '13', '14']);
    },
  },
  {
    title: '[M5] the etag of a container with one range is its LSN',
    async run(bench) {
      const container = await bench.container();
      await write(container, 7);

      expect((await drain(container)).etag).toBe('"7"');
    },
  },
  {
    title: '[B8] [wire 17.5] the whole container’s etag survives splits: nothing lost, nothing twice',
    async run(bench) {
      const container = await bench.container();
      await write(container, 30);
      const feed = container.changes({ itemsMax: 8 });
      const page = await feed.page();
      const seen = idsOf(JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`) as Item[]);

      await container.split('0');
      await container.split('2');
      const rest = await drain(container, { from: { etag: page.etag } });

      expect([...seen, ...idsOf(rest.items)].map(Number).sort((a, b) => a - b)).toEqual(numbers(30));
      await write(container, 3, 100);
      expect(idsOf((await drain(container, { from: { etag: rest.etag } })).items).sort()).toEqual([
        '100',
        '101',
        '102',
      ]);
    },
  },
  {
    title: '[B8] [wire 10] the whole container’s etag survives merges, also one made in the middle',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      await write(container, 45);
      const feed = container.changes({ itemsMax: 4 });
      const seen: unknown[] = [];
      for (const _ of numbers(3)) {
        const page = await feed.page();
        seen.push(...idsOf(JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`) as Item[]));
      }

      await container.merge('0', '1');
      const [merged, other] = bench.rangeIds(container);
      await write(container, 5, 100);
      await container.merge(merged as string, other as string);
      const rest = await drain(container, { from: { etag: feed.etag } });

      expect([...seen, ...idsOf(rest.items)].map(Number).sort((a, b) => a - b)).toEqual([
        ...numbers(45),
        ...numbers(5, 100),
      ]);
      expect((await drain(container, { from: { etag: rest.etag } })).items).toEqual([]);
    },
  },
  {
    title: '[B8] [M7] the feed of one key goes on through a split and a merge from the etag it had',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container();
      const put = (n: number) => container.upsert({ id: `${n}`, pk: 'a' });
      for (const n of numbers(5)) await put(n);
      await write(container, 20);
      const first = await drain(container, { partitionKey: 'a' });

      await container.split('0');
      await put(5);
      const second = await drain(container, { partitionKey: 'a', from: { etag: first.etag } });
      await container.merge('1', '2');
      await put(6);
      const third = await drain(container, { partitionKey: 'a', from: { etag: second.etag } });

      expect([first, second, third].map(({ items }) => idsOf(items))).toEqual([numbers(5).map(String), ['5'], ['6']]);
    },
  },
];

export const feedStartCases: readonly ContractCase[] = [
  {
    title: '[B8] [M7] the feed of one key shows nothing twice after a merge, page by page and from etag to etag',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2, historyMs: 3_600_000 });
      const keys = ['0', '1'].map((range) => bench.keyIn(container, range));
      const etags = new Map(keys.flatMap((pk) => [`latest ${pk}`, `all ${pk}`].map((name) => [name, '"0"'])));
      const follow = async (pk: string, mode: 'latest' | 'all', expected: number) => {
        const name = `${mode} ${pk}`;
        const options = { partitionKey: pk, itemsMax: 1, from: { etag: etags.get(name) ?? '' } };
        const feed = mode === 'all' ? container.versions(options) : container.changes(options);
        let count = 0;
        for (let page = await feed.page(); !page.isDrained; page = await feed.page()) count += page.count;
        expect(count, name).toBe(expected);
        expect(feed.etag, name).toMatch(/^"\d+"$/);
        etags.set(name, feed.etag);
      };
      const writeAndFollow = async () => {
        // The busier one has the greater LSN when they merge.
        for (const n of numbers(5)) await container.upsert({ id: `${n % 3}`, pk: keys[0], n });
        await container.upsert({ id: '0', pk: keys[1], n: 0 });
        for (const [pk, latest, all] of [[keys[0], 3, 5] as const, [keys[1], 1, 1] as const]) {
          await follow(pk ?? '', 'latest', latest);
          await follow(pk ?? '', 'all', all);
        }
      };

      await writeAndFollow();
      await container.merge('0', '1');
      await writeAndFollow();
      await writeAndFollow();
      await container.split('2');
      await writeAndFollow();
      await container.merge('3', '4');
      await writeAndFollow();
    },
  },
  {
    title: '[M5] [wire 11.2] starts from the beginning, after an LSN, and from now',
    async run(bench) {
      const container = await bench.container();
      await write(container, 10);

      expect(await bench.items(rangeScope(container))).toHaveLength(10);
      expect(idsOf(await bench.items(rangeScope(container), { after: 7 }))).toEqual(['7', '8', '9']);
      const now = container.ranges[0]?.tailLsn as number;
      await write(container, 2, 50);
      expect(idsOf(await bench.items(rangeScope(container), { after: now }))).toEqual(['50', '51']);
    },
  },
  {
    title: '[wire 11.2] the whole container from now shows what comes, in every range, and nothing before',
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      await write(container, 30);
      const feed = container.changes({ from: 'now' });
      const { etag } = feed;

      const ids = await write(container, 10, 20);

      const { items } = await drain(container, { from: { etag } });
      expect(idsOf(items).sort()).toEqual([...ids].sort());
    },
  },
  {
    title: '[M7] starts at a time, exact to the second',
    async run(bench) {
      const container = await bench.container();
      const { number } = container.info;
      const startMs = bench.clock.nowMs();
      for (const n of numbers(20)) {
        await container.create({ id: `${n}`, pk: 'a', at: Math.floor(bench.clock.nowMs() / 1000) });
        bench.clock.jump(400);
      }

      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        for (const ms of [-5_000, 0, 1, 999, 1_000, 1_500, 3_999, 4_000, 7_200, 60_000]) {
          const after = bench.engine.lsnAt(number, '0', startMs + ms);
          const items = await bench.items(rangeScope(container), { after });
          const second = Math.floor((startMs + ms) / 1000);
          const expected = numbers(20).filter((n) => Math.floor((startMs + n * 400) / 1000) > second);
          expect(idsOf(items), `${ms} ms`).toEqual(expected.map(String));
        }
      }
    },
  },
  {
    title: '[M7] a time finds the same changes after a split, in every child, and after a reopen',
    needs: ['reopen'],
    async run(bench) {
      const before = await bench.container();
      const startMs = bench.clock.nowMs();
      for (const n of numbers(20)) {
        if (n === 10) await before.split('0');
        await before.create({ id: `${n}`, pk: `p${n}` });
        bench.clock.jump(1_000);
      }

      for (const isReopened of [false, true]) {
        if (isReopened) await bench.reopen();
        const container = bench.open();
        for (const second of [0, 4, 9, 10, 15, 19]) {
          const { items } = await drain(container, { from: { time: new Date(startMs + second * 1_000) } });
          expect(
            idsOf(items)
              .map(Number)
              .sort((a, b) => a - b),
            `second ${second}`,
          ).toEqual(numbers(19 - second, second + 1));
        }
      }
    },
  },
  {
    title: '[M7] after a merge a time misses nothing that came later, in either half',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const startMs = bench.clock.nowMs();
      const busy = bench.keyIn(container, '0');
      const quiet = bench.keyIn(container, '1');
      for (const n of numbers(12)) {
        await container.create({ id: `${n}`, pk: n % 4 === 0 ? quiet : busy, n });
        bench.clock.jump(1_000);
      }
      await container.merge('0', '1');
      await container.create({ id: '12', pk: quiet, n: 12 });

      for (const second of [0, 3, 6, 9, 11]) {
        const { items } = await drain(container, { from: { time: new Date(startMs + second * 1_000) } });
        expect(idsOf(items).map(Number), `second ${second}`).toEqual(
          expect.arrayContaining(numbers(12 - second, second + 1)),
        );
        expect(new Set(idsOf(items)).size).toBe(items.length);
      }
    },
  },
  {
    title: '[B2] all versions starts at the floor, at a time and from now',
    async run(bench) {
      const container = await bench.container({ ranges: 2, historyMs: 3_600_000 });
      const startMs = bench.clock.nowMs();
      for (const n of numbers(10)) {
        await container.upsert({ id: '1', pk: `p${n % 2}`, n });
        bench.clock.jump(1_000);
      }
      const read = async (from: NonNullable<Parameters<Container['versions']>[0]>['from']) => {
        const feed = container.versions(from === undefined ? {} : { from });
        const shown: number[] = [];
        for (;;) {
          const page = await feed.page();
          const items = JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`) as VersionItem[];
          shown.push(...items.map(({ current }) => current.n as number));
          if (page.isDrained) return shown.sort((a, b) => a - b);
        }
      };

      expect(await read('beginning')).toEqual(numbers(10));
      expect(await read({ time: new Date(startMs + 6_000) })).toEqual([7, 8, 9]);
      expect(await read('now')).toEqual([]);
    },
  },
];
