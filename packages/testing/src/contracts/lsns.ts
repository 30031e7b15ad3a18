// LSNs and time: +1 for each commit of a range, moved by nothing else, and a time that never goes back.

import { expect } from 'vitest';
import type { ContractCase, VersionItem } from './bench.ts';
import { codeOf, keyScope, numbers, rangeScope } from './bench.ts';

export const lsnCases: readonly ContractCase[] = [
  {
    title: '[wire 17.12a] [M9] every commit raises the LSN of its own range by one and of no other',
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      const tails = () => container.ranges.map(({ tailLsn }) => tailLsn);
      const expected = [0, 0, 0];

      for (const n of numbers(30)) {
        const range = n % 3;
        const { document } = await container.upsert({ id: `${n % 5}`, pk: bench.keyIn(container, `${range}`, n % 2) });
        expected[range] = (expected[range] as number) + 1;
        expect(document.lsn).toBe(expected[range]);
        expect(tails()).toEqual(expected);
      }
    },
  },
  {
    title: '[wire 17.12a] replace, patch, delete and batch raise the LSN by one each',
    async run(bench) {
      const container = await bench.container();
      const tail = () => container.ranges[0]?.tailLsn;

      await container.create({ id: '1', pk: 'a' });
      expect(tail()).toBe(1);
      await container.replace({ id: '1', pk: 'a' });
      expect(tail()).toBe(2);
      await container.patch('1', 'a', [{ op: 'set', path: '/x', value: 1 }]);
      expect(tail()).toBe(3);
      await container.batch(
        'a',
        numbers(10).map((n) => ({ upsert: { id: `b${n}`, pk: 'a' } })),
      );
      expect(tail()).toBe(4);
      await container.delete('1', 'a');
      expect(tail()).toBe(5);
    },
  },
  {
    title: '[engine 2] a rejected unit takes no LSN, and is told the tail',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a' });

      const attempts = numbers(20).map((n) =>
        n % 2 === 0 ? container.upsert({ id: `${n}`, pk: 'a' }) : codeOf(() => container.create({ id: '1', pk: 'a' })),
      );
      await Promise.all(attempts);
      const key = container.partitionKey('a');
      const rejected = await container.commit(key, [{ kind: 'delete', id: 'absent' }]);

      expect(container.ranges[0]?.tailLsn).toBe(11);
      expect(rejected).toMatchObject({ isCommitted: false, lsn: 11, range: '0' });
      const items = await bench.items(rangeScope(container));
      expect(items.map(({ _lsn }) => _lsn)).toEqual(numbers(11, 1));
    },
  },
  {
    title: '[wire 17.12a] reads of every kind move nothing',
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      for (const n of numbers(10)) await container.create({ id: `${n}`, pk: `p${n}` });
      const before = container.ranges;

      await container.read('1', 'p1');
      await container.read('absent', 'p1');
      await container.readMany([['2', 'p2']]);
      await container.readPage('0');
      await bench.items(rangeScope(container, '0'));
      await bench.items(keyScope(bench, container, 'p3'));
      bench.engine.lsnAt(container.info.number, '0', bench.clock.nowMs());
      bench.engine.watch(container.info.number, { range: '0' }, () => {})();

      expect(container.ranges).toEqual(before);
    },
  },
  {
    title: '[M9] LSNs of writes that come all at once have no gap and no double, in the order of the feed',
    async run(bench) {
      const container = await bench.container();

      const written = await Promise.all(numbers(200).map((n) => container.create({ id: `${n}`, pk: `p${n % 7}` })));

      const lsns = written.map(({ document }) => document.lsn).sort((a, b) => a - b);
      expect(lsns).toEqual(numbers(200, 1));
      const items = await bench.items(rangeScope(container), { itemsMax: 13 });
      expect(items.map(({ _lsn }) => _lsn)).toEqual(numbers(200, 1));
    },
  },
  {
    title: '[engine 6] time never goes back along a range, whatever the clock does',
    async run(bench) {
      const container = await bench.container({ historyMs: 1e12 });
      const times: number[] = [];
      const write = async (n: number) => {
        times.push((await container.upsert({ id: `${n % 3}`, pk: 'a', n })).document.timeMs);
      };

      for (const jump of [0, 5_000, -3_600_000, 10, 7_200_000, -86_400_000, 1]) {
        bench.clock.jump(jump);
        await write(times.length);
        await write(times.length);
      }

      expect(times).toEqual([...times].sort((a, b) => a - b));
      const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all' });
      const stamps = versions.map(({ metadata }) => metadata.crts);
      expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
      expect(stamps.every((crts) => crts > 0)).toBe(true);
    },
  },
  {
    title: '[engine 6] [engine 8] the children of a split and of a merge go on from the time of their parents',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const late = bench.keyIn(container, '0');
      const early = bench.keyIn(container, '1');
      await container.create({ id: '1', pk: early });
      bench.clock.jump(3_600_000);
      const { document } = await container.create({ id: '1', pk: late });
      bench.clock.jump(-3_600_000);

      await container.merge('0', '1');
      const merged = await container.upsert({ id: '1', pk: early });
      await container.split('2');
      const split = await container.upsert({ id: '1', pk: late });

      expect(merged.document.timeMs).toBeGreaterThanOrEqual(document.timeMs);
      expect(split.document.timeMs).toBeGreaterThanOrEqual(merged.document.timeMs);
    },
  },
  {
    title: '[engine 6] [M8] a document stays expired when the clock is set back after a later write',
    async run(bench) {
      const container = await bench.container({ defaultTtl: 10 });
      await container.create({ id: '1', pk: 'a' });
      bench.clock.jump(10_000);
      await container.create({ id: '2', pk: 'a', ttl: -1 });
      expect(await container.read('1', 'a')).toBeUndefined();

      bench.clock.jump(-9_000);

      expect(await container.read('1', 'a')).toBeUndefined();
      expect(await bench.items(rangeScope(container))).toMatchObject([{ id: '2' }]);
      expect(await codeOf(() => container.create({ id: '1', pk: 'a' }))).toBe('none');
    },
  },
  {
    title: '[engine 4] LSNs, times and etags go on after a reopen',
    needs: ['reopen'],
    async run(bench) {
      const before = await bench.container({ ranges: 2 });
      const pk = bench.keyIn(before, '1');
      bench.clock.jump(60_000);
      const { document } = await before.create({ id: '1', pk });
      const second = await before.create({ id: '2', pk });
      bench.clock.jump(-60_000);

      await bench.reopen();

      const container = bench.open();
      expect(container.ranges.map(({ tailLsn }) => tailLsn)).toEqual([0, 2]);
      expect((await container.read('1', pk))?.etag).toBe(document.etag);
      const third = await container.create({ id: '3', pk });
      expect(third.document.lsn).toBe(3);
      expect(third.document.timeMs).toBeGreaterThanOrEqual(second.document.timeMs);
      expect(third.document.value._rid).not.toBe(second.document.value._rid);
      expect(await codeOf(() => container.replace({ id: '1', pk }, { ifMatch: document.etag }))).toBe('none');
    },
  },
];
