// The feed, all versions and deletes: every version in its envelope, as far back as history is kept.

import { expect } from 'vitest';
import type { ContractCase, VersionItem } from './bench.ts';
import { codeOf, keyScope, numbers, rangeScope } from './bench.ts';

const hourMs = 3_600_000;

const shape = ({ metadata }: VersionItem): unknown[] => [metadata.lsn, metadata.operationType];

export const feedVersionsCases: readonly ContractCase[] = [
  {
    title: '[B2] [wire 11.7] shows every version in order: create, replace, patch, delete',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      await container.create({ id: '1', pk: 'a', n: 1 });
      await container.upsert({ id: '1', pk: 'a', n: 2 });
      await container.create({ id: '2', pk: 'b' });
      await container.patch('1', 'a', [{ op: 'incr', path: '/n', value: 1 }]);
      await container.delete('1', 'a');

      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all', itemsMax: 2 });
        expect(versions.map(shape)).toEqual([
          [1, 'create'],
          [2, 'replace'],
          [3, 'create'],
          [4, 'replace'],
          [5, 'delete'],
        ]);
        expect(versions.map(({ current }) => current.n)).toEqual([1, 2, undefined, 3, undefined]);
      }
    },
  },
  {
    title: '[B2] [wire 17.7] the envelope of a create, a replace and a delete has what clients read, and no more',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      const { document } = await container.create({ id: '1', pk: 'a', n: 1 });
      const replaced = await container.replace({ id: '1', pk: 'a', n: 2 });
      await container.delete('1', 'a');
      const crts = bench.clock.nowMs() / 1000;

      const [create, replace, remove] = await bench.items<VersionItem>(rangeScope(container), { mode: 'all' });

      expect(create).toEqual({
        current: document.value,
        metadata: { lsn: 1, crts, operationType: 'create' },
      });
      expect(replace).toEqual({
        current: replaced.document.value,
        metadata: { lsn: 2, crts, operationType: 'replace', previousImageLSN: 1 },
      });
      expect(remove).toEqual({
        current: {},
        previous: replaced.document.value,
        metadata: {
          lsn: 3,
          crts,
          operationType: 'delete',
          previousImageLSN: 2,
          id: '1',
          partitionKey: { pk: 'a' },
        },
      });
    },
  },
  {
    title: '[B2] [wire 11.7] a replace carries the version before when previous images are asked for',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      for (const n of numbers(4)) await container.upsert({ id: '1', pk: 'a', n });
      await bench.settle();

      const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all', previousImages: true });

      expect(versions.map(({ previous }) => previous?.n)).toEqual([undefined, 0, 1, 2]);
      expect(versions.map(({ metadata }) => metadata.previousImageLSN)).toEqual([undefined, 1, 2, 3]);
    },
  },
  {
    title: "[wire 11.7] the container's policy says which versions carry the one before them, and how much of it",
    async run(bench) {
      const policyOf = (feature: object) => ({ supportedFeatures: { allVersionsAndDeletes: feature } });
      const nested = { mode: 3, includedPaths: ['/n', '/x/y'] };
      for (const [i, [policy, ofReplace, ofDelete, ofExpiry]] of (
        [
          [undefined, undefined, 2, undefined],
          [policyOf({}), undefined, 2, undefined],
          [policyOf({ mode: 0 }), undefined, undefined, undefined],
          [policyOf({ mode: 1 }), 1, undefined, undefined],
          [policyOf({ mode: 2 }), undefined, 2, 3],
          [policyOf({ mode: 3 }), 1, 2, 3],
          [{ mode: 1 }, 1, undefined, undefined],
          [policyOf(nested), 1, 2, 3],
        ] as const
      ).entries()) {
        const previousImageRetentionPolicy = policy === undefined ? {} : { previousImageRetentionPolicy: policy };
        const setup = { id: `c${i}`, historyMs: hourMs, defaultTtl: -1, ...previousImageRetentionPolicy };
        const container = await bench.container(setup);
        await container.create({ id: '1', pk: 'a', n: 1, x: { y: 1, z: 1 } });
        await container.upsert({ id: '1', pk: 'a', n: 2, x: { y: 2, z: 2 } });
        await container.delete('1', 'a');
        await container.create({ id: '2', pk: 'a', n: 3, x: { y: 3, z: 3 }, ttl: 1 });
        await bench.settle();
        bench.clock.jump(2_000);
        await bench.engine.sweep(container.info.number);
        await bench.settle();

        const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all' });

        const previous = versions.map((version) => version.previous);
        expect(
          previous.map((version) => version?.n),
          `c${i}`,
        ).toEqual([undefined, ofReplace, ofDelete, undefined, ofExpiry]);
        if (i === 7) expect(previous[1]).toEqual({ n: 1, x: { y: 1 } });
        else if (ofReplace !== undefined) expect(previous[1]).toEqual(versions[0]?.current);
      }
    },
  },
  {
    title: '[wire 11.7] a container that gets a policy, changes it or loses it shows all of its history by it',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      for (const n of numbers(3)) await container.upsert({ id: '1', pk: 'a', n });
      const shown = async () =>
        (await bench.items<VersionItem>(rangeScope(container), { mode: 'all' })).map(({ previous }) => previous?.n);
      const change = (verbatim: object) => bench.redefine(container, { verbatim });

      expect(await shown()).toEqual([undefined, undefined, undefined]);
      await change({ previousImageRetentionPolicy: { supportedFeatures: { allVersionsAndDeletes: { mode: 1 } } } });
      expect(await shown()).toEqual([undefined, 0, 1]);
      await change({ previousImageRetentionPolicy: { supportedFeatures: { allVersionsAndDeletes: { mode: 2 } } } });
      expect(await shown()).toEqual([undefined, undefined, undefined]);
      await change({});
      expect(await shown()).toEqual([undefined, undefined, undefined]);
    },
  },
  {
    title: '[wire 11.7] a delete names every level of a hierarchical key',
    async run(bench) {
      const partitionKey = { paths: ['/tenant', '/user/name'], kind: 'MultiHash', version: 2 };
      const container = await bench.container({ partitionKey, historyMs: hourMs });
      await container.create({ id: '1', tenant: 't', user: { name: 7 } });
      await container.delete('1', ['t', 7]);

      const [, remove] = await bench.items<VersionItem>(rangeScope(container), { mode: 'all' });

      expect(remove?.metadata.partitionKey).toEqual({ tenant: 't', 'user/name': 7 });
    },
  },
  {
    title: '[B2] [M6] a page of all versions never cuts a transaction',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      await container.create({ id: 'x', pk: 'a' });
      await container.batch(
        'a',
        numbers(50).map((n) => ({ create: { id: `${n}`, pk: 'a' } })),
      );
      await container.delete('x', 'a');

      const pages = await bench.pages<VersionItem>(rangeScope(container), { mode: 'all', itemsMax: 1 });

      expect(pages.map(({ items }) => items.length).filter((size) => size > 0)).toEqual([1, 50, 1]);
    },
  },
  {
    title: '[B2] shows the versions of one partition key or of one interval only, and its position moves on',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      for (const n of numbers(30)) await container.upsert({ id: '1', pk: `p${n % 3}`, n });
      const middle = '20000000000000000000000000000000';
      const scope = keyScope(bench, container, 'p1');

      const pages = await bench.pages<VersionItem>(scope, { mode: 'all', itemsMax: 4 });
      const low = await bench.items<VersionItem>(
        { ...rangeScope(container), keys: { min: '', max: middle } },
        { mode: 'all' },
      );
      const high = await bench.items<VersionItem>(
        { ...rangeScope(container), keys: { min: middle, max: 'FF' } },
        { mode: 'all' },
      );

      const shown = pages.flatMap(({ items }) => items.map(({ current }) => current.n));
      expect(shown).toEqual(numbers(10).map((n) => 3 * n + 1));
      expect(pages.at(-1)?.page.last).toBe(30);
      expect([...low, ...high].map(({ metadata }) => metadata.lsn).sort((a, b) => a - b)).toEqual(numbers(30, 1));
    },
  },
  {
    title: '[B2] [wire 17.8] without history all versions is refused, and the latest versions are not',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a' });

      expect(await codeOf(() => bench.page(rangeScope(container), { mode: 'all' }))).toBe('history-off');
      expect(await codeOf(() => bench.page(rangeScope(container), { mode: 'all', after: 1 }))).toBe('history-off');
      expect(await bench.items(rangeScope(container))).toHaveLength(1);
    },
  },
  {
    title: '[B2] history that is switched on begins there, and ends where it is switched off',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(5)) await container.upsert({ id: '1', pk: 'a', n });

      await bench.redefine(container, {}, hourMs);
      await container.upsert({ id: '1', pk: 'a', n: 5 });

      expect(container.ranges[0]?.floorLsn).toBe(5);
      expect(await codeOf(() => bench.page(rangeScope(container), { mode: 'all', after: 4 }))).toBe('retention-passed');
      const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all', after: 5 });
      expect(versions.map(shape)).toEqual([[6, 'replace']]);
      await bench.redefine(container, {}, 0);
      expect(await codeOf(() => bench.page(rangeScope(container), { mode: 'all', after: 6 }))).toBe('history-off');
    },
  },
  {
    title: '[B2] [wire 17.8] what is older than the retention is trimmed: the floor rises, older positions are refused',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      const { number } = container.info;
      for (const n of numbers(3)) await container.upsert({ id: '1', pk: 'a', n });
      bench.clock.jump(hourMs / 2);
      for (const n of numbers(3, 3)) await container.upsert({ id: '1', pk: 'a', n });
      await bench.engine.trim(number);
      expect(container.ranges[0]?.floorLsn).toBe(0);

      bench.clock.jump(hourMs / 2 + 1_000);
      await bench.settle();
      await bench.engine.trim(number);

      expect(container.ranges[0]?.floorLsn).toBe(3);
      await expect(bench.page(rangeScope(container), { mode: 'all', after: 2 })).rejects.toMatchObject({
        code: 'retention-passed',
        message: expect.stringContaining('You must read the change feed from within the retention period.'),
        detail: { floor: 3 },
      });
      const { page } = await bench.page<VersionItem>(rangeScope(container), { mode: 'all', after: 3 });
      expect(page).toMatchObject({ count: 3, floor: 3, last: 6 });
      expect(await bench.items(rangeScope(container))).toMatchObject([{ id: '1', n: 5 }]);
    },
  },
  {
    title: '[B2] the latest versions stay readable from the beginning, however far history was trimmed',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      for (const n of numbers(20)) await container.upsert({ id: `${n % 10}`, pk: 'a', n });
      bench.clock.jump(1_000 * hourMs);
      await bench.settle();
      await bench.engine.trim(container.info.number);
      await bench.runJobs();

      expect((await bench.items(rangeScope(container))).map(({ n }) => n)).toEqual(numbers(10, 10));
      expect((await bench.page(rangeScope(container), { mode: 'all', after: 20 })).page).toMatchObject({
        count: 0,
        isDrained: true,
      });
    },
  },
  {
    title: '[B2] [B8] every version is shown once after a split and a merge, with its previous image',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      const keys = numbers(6).map((n) => `p${n}`);
      const write = async (n: number) => {
        for (const pk of keys) await container.upsert({ id: '1', pk, n });
      };
      await write(0);
      await container.split('0');
      await write(1);
      await container.merge('1', '2');
      await write(2);
      for (const pk of keys) await container.delete('1', pk);

      const versions = await bench.items<VersionItem>(rangeScope(container, '3'), {
        mode: 'all',
        previousImages: true,
      });

      for (const pk of keys) {
        const own = versions.filter(({ current, previous }) => (current.pk ?? previous?.pk) === pk);
        expect(own.map(({ metadata }) => metadata.operationType)).toEqual(['create', 'replace', 'replace', 'delete']);
        expect(own.map(({ previous }) => previous?.n)).toEqual([undefined, 0, 1, 2]);
      }
      expect(versions).toHaveLength(24);
    },
  },
  {
    title: '[B2] [B8] a reader that is up to date stays so through a merge with a range whose history was trimmed',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2, historyMs: hourMs });
      const busy = bench.keyIn(container, '0');
      const quiet = bench.keyIn(container, '1');
      for (const n of numbers(50)) await container.upsert({ id: '1', pk: busy, n });
      bench.clock.jump(2 * hourMs);
      await container.create({ id: '1', pk: quiet, n: 0 });
      await bench.settle();
      await bench.engine.trim(container.info.number);
      expect(container.ranges[0]?.floorLsn).toBe(50);
      const keys = { min: container.ranges[1]?.min as string, max: 'FF' };

      await container.merge('0', '1');
      await container.upsert({ id: '1', pk: quiet, n: 1 });

      const scope = { ...rangeScope(container, '2'), keys };
      const versions = await bench.items<VersionItem>(scope, { mode: 'all', after: 1 });
      expect(versions.map(({ current }) => current.n)).toEqual([1]);
      expect(await codeOf(() => bench.page(rangeScope(container, '2'), { mode: 'all', after: 1 }))).toBe(
        'retention-passed',
      );
    },
  },
  {
    title: '[B2] history survives a reopen, floor included',
    needs: ['reopen'],
    async run(bench) {
      const before = await bench.container({ historyMs: hourMs });
      for (const n of numbers(3)) await before.upsert({ id: '1', pk: 'a', n });
      bench.clock.jump(hourMs + 1_000);
      for (const n of numbers(3, 3)) await before.upsert({ id: '1', pk: 'a', n });
      await before.delete('1', 'a');
      await bench.settle();
      await bench.engine.trim(before.info.number);
      const expected = await bench.items<VersionItem>(rangeScope(before), { mode: 'all', after: 3 });

      await bench.reopen();

      const container = bench.open();
      expect(container.ranges[0]?.floorLsn).toBe(3);
      expect(await bench.items(rangeScope(container), { mode: 'all', after: 3 })).toEqual(expected);
      expect(expected.map(shape)).toEqual([
        [4, 'replace'],
        [5, 'replace'],
        [6, 'replace'],
        [7, 'delete'],
      ]);
    },
  },
];
