// The feed, latest version: every document once, in the order of change, and never a unit cut.

import type { BatchOperation } from '@tidemark/engine';
import { expect } from 'vitest';
import type { ContractCase, VersionItem } from './bench.ts';
import { idsOf, keyScope, numbers, rangeScope } from './bench.ts';

const batchOf = (ids: readonly string[], pk = 'a'): BatchOperation[] => ids.map((id) => ({ upsert: { id, pk } }));

export const feedLatestCases: readonly ContractCase[] = [
  {
    title: '[M5] shows every document once, in the order of change; an update moves it to the end',
    async run(bench) {
      const container = await bench.container();
      for (const isSettled of [false, true]) {
        for (const id of ['1', '2', '3', '4']) await container.upsert({ id, pk: 'a' });
        await container.upsert({ id: '2', pk: 'a' });
        await container.patch('1', 'a', [{ op: 'set', path: '/x', value: 1 }]);
        if (isSettled) await bench.settle();

        for (const itemsMax of [1, 2, 100]) {
          const items = await bench.items(rangeScope(container), { itemsMax });
          expect(idsOf(items)).toEqual(['3', '4', '2', '1']);
          expect(items.map(({ _lsn }) => _lsn)).toEqual([...items.map(({ _lsn }) => _lsn)].sort((a, b) => a - b));
        }
      }
    },
  },
  {
    title: '[wire 17.6] [M9] an item is the stored document with `_lsn` and nothing else',
    async run(bench) {
      const container = await bench.container();
      const { document } = await container.create({ id: '1', pk: 'a', x: { y: [1, 'é'] } });

      const [item] = await bench.items(rangeScope(container));

      expect(item).toEqual({ ...document.value, _lsn: 1 });
    },
  },
  {
    title:
      '[wire-2026 1] in an envelope an item is the stored document without `_lsn`, and the metadata has it, in every scope',
    async run(bench) {
      const container = await bench.container();
      for (const id of ['1', '2', '3']) await container.create({ id, pk: 'a', x: { y: [1, 'é'] } });
      await container.upsert({ id: '2', pk: 'a', n: 1 });
      await container.delete('3', 'a');
      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        for (const scope of [rangeScope(container), keyScope(bench, container, 'a')]) {
          for (const itemsMax of [1, 100]) {
            const bare = await bench.items(scope, { itemsMax });
            const wrapped = await bench.items<VersionItem>(scope, { itemsMax, isWrapped: true });
            expect(bare).toMatchObject([
              { id: '1', _lsn: 1 },
              { id: '2', _lsn: 4 },
            ]);
            expect(wrapped).toEqual(
              bare.map(({ _lsn: lsn, ...current }) => ({ current, metadata: { lsn, crts: current['_ts'] } })),
            );
          }
        }
      }
    },
  },
  {
    title: '[M5] [wire 11.6] deleted documents vanish from the feed and produce nothing',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(10)) await container.create({ id: `${n}`, pk: 'a' });
      for (const n of [0, 4, 9]) await container.delete(`${n}`, 'a');

      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['1', '2', '3', '5', '6', '7', '8']);
      await bench.settle();
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['1', '2', '3', '5', '6', '7', '8']);
      const { items, page } = await bench.page(rangeScope(container), { after: 10 });
      expect(items).toEqual([]);
      expect(page).toMatchObject({ last: 13, tail: 13, isDrained: true });
    },
  },
  {
    title: '[M6] [wire 11.4] a page never cuts a transaction, even far above the items asked for',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: 'before', pk: 'a' });
      await container.batch('a', batchOf(numbers(100).map(String)));
      await container.batch('a', batchOf(['x', 'y', 'z']));
      await container.create({ id: 'after', pk: 'a' });

      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        for (const scope of [rangeScope(container), keyScope(bench, container, 'a')]) {
          const pages = await bench.pages(scope, { itemsMax: 1 });
          const sizes = pages.map(({ items }) => items.length).filter((size) => size > 0);
          expect(sizes).toEqual([1, 100, 3, 1]);
          const pagesOfTwo = await bench.pages(scope, { itemsMax: 2 });
          expect(pagesOfTwo.map(({ items }) => items.length).filter((size) => size > 0)).toEqual([101, 3, 1]);
        }
      }
    },
  },
  {
    title: '[M6] a page never cuts a transaction at its byte budget either',
    async run(bench) {
      const container = await bench.container();
      const pad = 'x'.repeat(20_000);
      for (const round of numbers(3)) {
        await container.batch(
          'a',
          numbers(20).map((n) => ({ create: { id: `${round}-${n}`, pk: 'a', pad } })),
        );
      }

      const pages = await bench.pages(rangeScope(container), { bytesMax: 1_000 });

      expect(pages.map(({ items }) => items.length).filter((size) => size > 0)).toEqual([20, 20, 20]);
    },
  },
  {
    title: '[M6] what is left of a transaction after later updates still comes in one page',
    async run(bench) {
      const container = await bench.container();
      await container.batch('a', batchOf(['1', '2', '3', '4', '5']));
      await container.upsert({ id: '2', pk: 'a' });
      await container.delete('4', 'a');

      const pages = await bench.pages(rangeScope(container), { itemsMax: 1 });

      expect(pages.map(({ items }) => idsOf(items)).filter((ids) => ids.length > 0)).toEqual([['1', '3', '5'], ['2']]);
    },
  },
  {
    title: '[M5] [wire 11.5] paging visits everything once: every page goes on where the one before ended',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(100)) await container.create({ id: `${n}`, pk: `p${n % 9}` });

      for (const itemsMax of [1, 3, 7, 99, 100, 101]) {
        const pages = await bench.pages(rangeScope(container), { itemsMax });
        expect(pages.flatMap(({ items }) => items.map(({ _lsn }) => _lsn))).toEqual(numbers(100, 1));
        expect(pages.every(({ items }) => items.length <= itemsMax)).toBe(true);
        for (const { items, page } of pages) {
          if (!page.isDrained) expect(page.last).toBe(items.at(-1)?._lsn);
        }
        expect(pages.at(-1)?.page.last).toBe(100);
      }
    },
  },
  {
    title: '[wire 11.2] [wire 11.5] a drained feed stays where it is, and a position beyond the end is kept',
    async run(bench) {
      const container = await bench.container();
      expect((await bench.page(rangeScope(container))).page).toMatchObject({
        count: 0,
        last: 0,
        tail: 0,
        isDrained: true,
      });
      await container.create({ id: '1', pk: 'a' });

      expect((await bench.page(rangeScope(container), { after: 1 })).page).toMatchObject({
        count: 0,
        last: 1,
        isDrained: true,
      });
      expect((await bench.page(rangeScope(container), { after: 50 })).page).toMatchObject({
        count: 0,
        last: 50,
        tail: 1,
        isDrained: true,
      });
    },
  },
  {
    title: '[wire 11.6] a replace with the same content is a change all the same',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a' });

      await container.replace({ id: '1', pk: 'a' });

      expect(await bench.items(rangeScope(container), { after: 1 })).toMatchObject([{ id: '1', _lsn: 2 }]);
    },
  },
  {
    title: '[M5] any number of feeds read the same range at once, each at its own pace',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(60)) await container.create({ id: `${n}`, pk: 'a' });

      const feeds = await Promise.all(
        numbers(20).map((n) => bench.items(rangeScope(container), { itemsMax: n + 1, after: n })),
      );

      for (const [n, items] of feeds.entries()) expect(items.map(({ _lsn }) => _lsn)).toEqual(numbers(60 - n, n + 1));
    },
  },
  {
    title: '[M5] the feed is there for ever: it begins with the oldest document after a reopen, too',
    needs: ['reopen'],
    async run(bench) {
      const before = await bench.container();
      for (const n of numbers(50)) await before.create({ id: `${n}`, pk: `p${n % 3}` });
      await before.upsert({ id: '0', pk: 'p0' });
      await before.delete('1', 'p1');
      const expected = await bench.items(rangeScope(before));

      await bench.reopen();

      const container = bench.open();
      expect(await bench.items(rangeScope(container))).toEqual(expected);
      expect(idsOf(expected)).toEqual([...numbers(48, 2).map(String), '0']);
    },
  },
  {
    title: '[M5] documents of any size come whole, in pages that keep to the bytes asked for as far as they can',
    async run(bench) {
      const container = await bench.container();
      const sizes = [1, 300_000, 5, 900_000, 200_000, 20, 1_500_000, 3];
      for (const [n, size] of sizes.entries())
        await container.create({ id: `${n}`, pk: 'a', pad: 'é'.repeat(size / 2) });
      await bench.settle();

      const pages = await bench.pages(rangeScope(container), { bytesMax: 500_000 });

      const items = pages.flatMap((read) => read.items);
      expect(items.map(({ pad }) => (pad as string).length)).toEqual(sizes.map((size) => Math.floor(size / 2)));
      expect(pages.map((read) => read.items.length).filter((size) => size > 0)).toEqual([4, 3, 1]);
    },
  },
];
