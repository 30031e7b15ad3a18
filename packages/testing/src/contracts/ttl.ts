// Time to live: absent everywhere at that second, before anybody has swept.

import type { Container } from '@tidemark/engine/internal';
import { expect } from 'vitest';
import type { Bench, ContractCase, VersionItem } from './bench.ts';
import { codeOf, idsOf, keyScope, numbers, rangeScope } from './bench.ts';

const dayMs = 86_400_000;

/** Where the document can still be found. */
async function whereIs(bench: Bench, container: Container, id: string, rid: string): Promise<string[]> {
  const places: string[] = [];
  if ((await container.read(id, 'a')) !== undefined) places.push('read');
  if ((await container.readMany([[id, 'a']]))[0] !== undefined) places.push('read many');
  if ((await container.readByRid(rid)) !== undefined) places.push('by rid');
  const { documents } = await container.readPage('0');
  if (documents.some(({ value }) => value.id === id)) places.push('read feed');
  if (idsOf(await bench.items(rangeScope(container))).includes(id)) places.push('feed');
  if (idsOf(await bench.items(keyScope(bench, container, 'a'))).includes(id)) places.push('feed of its key');
  return places;
}

const everywhere = ['read', 'read many', 'by rid', 'read feed', 'feed', 'feed of its key'];

function keyOfVersion({ metadata }: VersionItem): unknown {
  return (metadata.partitionKey as { pk: unknown }).pk;
}

export const ttlCases: readonly ContractCase[] = [
  {
    title: '[M8] [engine 9] a document with a ttl of its own is absent everywhere at that second, not before',
    async run(bench) {
      for (const isSettled of [false, true]) {
        const container = await bench.container({ id: `c${isSettled}`, defaultTtl: -1 });
        const { document } = await container.create({ id: '1', pk: 'a', ttl: 5 });
        await container.create({ id: '2', pk: 'a' });
        if (isSettled) await bench.settle();
        const rid = document.value._rid;

        bench.clock.jump(4_999);
        expect(await whereIs(bench, container, '1', rid)).toEqual(everywhere);
        bench.clock.jump(1);

        expect(await whereIs(bench, container, '1', rid)).toEqual([]);
        expect(await container.read('2', 'a')).toBeDefined();
      }
    },
  },
  {
    title: '[M8] the default of the container counts for documents without a ttl, -1 keeps one for ever',
    async run(bench) {
      const container = await bench.container({ defaultTtl: 10 });
      await container.create({ id: 'default', pk: 'a' });
      await container.create({ id: 'longer', pk: 'a', ttl: 20 });
      await container.create({ id: 'ever', pk: 'a', ttl: -1 });

      bench.clock.jump(10_000);
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['longer', 'ever']);
      bench.clock.jump(1e9);

      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['ever']);
    },
  },
  {
    title: '[M8] a ttl of its own means nothing in a container without a default',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a', ttl: 1 });

      bench.clock.jump(1e9);

      expect(await container.read('1', 'a')).toBeDefined();
      await bench.redefine(container, { defaultTtl: -1 });
      expect(await container.read('1', 'a')).toBeUndefined();
    },
  },
  {
    title: '[M8] every write starts the time anew, and may change the ttl',
    async run(bench) {
      const container = await bench.container({ defaultTtl: 10 });
      await container.create({ id: '1', pk: 'a' });
      await container.create({ id: '2', pk: 'a' });
      bench.clock.jump(9_000);

      await container.patch('1', 'a', [{ op: 'set', path: '/n', value: 1 }]);
      await container.upsert({ id: '2', pk: 'a', ttl: 2 });

      bench.clock.jump(2_000);
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['1']);
      bench.clock.jump(8_000);
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual([]);
    },
  },
  {
    title: '[engine 9] the id of an expired document is free: create works, replace, patch and delete find nothing',
    async run(bench) {
      const container = await bench.container({ defaultTtl: 5 });
      await container.create({ id: '1', pk: 'a', n: 1 });
      bench.clock.jump(5_000);

      expect(await codeOf(() => container.replace({ id: '1', pk: 'a' }))).toBe('not-found');
      expect(await codeOf(() => container.patch('1', 'a', [{ op: 'set', path: '/n', value: 2 }]))).toBe('not-found');
      expect(await codeOf(() => container.delete('1', 'a'))).toBe('not-found');
      expect(container.ranges[0]?.tailLsn).toBe(1);

      const { isCreated } = await container.upsert({ id: '1', pk: 'a', n: 2 });
      expect(isCreated).toBe(true);
    },
  },
  {
    title:
      '[engine 9] [wire 11.7] a write that meets an expired document writes its TTL delete first, in the same unit',
    async run(bench) {
      const container = await bench.container({ defaultTtl: 5, historyMs: dayMs });
      await container.create({ id: '1', pk: 'a', n: 1 });
      bench.clock.jump(5_000);

      await container.create({ id: '1', pk: 'a', n: 2 });

      const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all', after: 1 });
      expect(versions).toMatchObject([
        {
          current: {},
          metadata: { lsn: 2, operationType: 'delete', timeToLiveExpired: true, id: '1', partitionKey: { pk: 'a' } },
        },
        { current: { id: '1', n: 2 }, metadata: { lsn: 2, operationType: 'create' } },
      ]);
      expect(versions[0]).not.toHaveProperty('previous');
      expect(versions[0]?.metadata.previousImageLSN).toBe(1);
      expect(versions[1]?.metadata).not.toHaveProperty('previousImageLSN');
    },
  },
  {
    title: '[M8] [engine 9] the sweep deletes what is over, once, as TTL deletes that all versions shows',
    async run(bench) {
      const container = await bench.container({ defaultTtl: 60, historyMs: dayMs });
      for (const n of numbers(5)) await container.create({ id: `own${n}`, pk: `p${n}`, ttl: 5 });
      for (const n of numbers(5)) await container.create({ id: `default${n}`, pk: `p${n}` });
      await container.create({ id: 'ever', pk: 'a', ttl: -1 });
      const { number } = container.info;
      expect(await bench.engine.sweep(number)).toBe(0);

      bench.clock.jump(5_000);
      await bench.settle();
      expect(await bench.engine.sweep(number)).toBe(5);
      await bench.settle();
      expect(await bench.engine.sweep(number)).toBe(0);
      bench.clock.jump(55_000);
      expect(await bench.engine.sweep(number)).toBe(5);
      await bench.settle();
      expect(await bench.engine.sweep(number)).toBe(0);

      const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all', after: 11 });
      expect(versions.map(({ metadata }) => [metadata.operationType, metadata.timeToLiveExpired])).toEqual(
        numbers(10).map(() => ['delete', true]),
      );
      expect(container.ranges[0]?.tailLsn).toBe(21);
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['ever']);
    },
  },
  {
    title: '[engine 9] the sweep leaves alone what was written anew meanwhile',
    async run(bench) {
      const container = await bench.container({ defaultTtl: 5 });
      for (const n of numbers(20)) await container.create({ id: `${n}`, pk: 'a' });
      bench.clock.jump(5_000);
      await bench.settle();

      const writes = numbers(10).map((n) => container.upsert({ id: `${n}`, pk: 'a', again: true }));
      await Promise.all([bench.engine.sweep(container.info.number), ...writes]);
      await bench.runJobs();

      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(expect.arrayContaining(numbers(10).map(String)));
      expect(await bench.items(rangeScope(container))).toHaveLength(10);
    },
  },
  {
    title: '[engine 9] the sweep reaches every document after a split and a merge',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ defaultTtl: 5, historyMs: dayMs });
      for (const n of numbers(30)) await container.create({ id: `${n}`, pk: `p${n}` });
      await container.split('0');
      for (const n of numbers(10, 30)) await container.create({ id: `${n}`, pk: `p${n}` });
      await container.merge('1', '2');
      for (const n of numbers(10, 40)) await container.create({ id: `${n}`, pk: `p${n}` });

      bench.clock.jump(5_000);
      await bench.settle();
      await bench.runJobs();

      const versions = await bench.items<VersionItem>(rangeScope(container, '3'), { mode: 'all' });
      const deleted = versions.filter(({ metadata }) => metadata.operationType === 'delete');
      expect(new Set(deleted.map(({ metadata }) => metadata.id)).size).toBe(50);
      expect(deleted).toHaveLength(50);
    },
  },
  {
    title: '[engine 9] [B8] what the sweep could not delete because of a split is deleted by the next one',
    async run(bench) {
      const container = await bench.container({ defaultTtl: 10, historyMs: dayMs });
      const { number } = container.info;
      const keys = numbers(20).map((n) => `k${n}`);
      for (const pk of keys) await container.create({ id: '1', pk });
      await bench.settle();
      bench.clock.jump(10_000);

      // The split is decided first, so that the sweep meets a range that takes nothing any more.
      await Promise.all([bench.engine.split(number, '0'), bench.engine.sweep(number)]);
      await bench.runJobs();

      const deleted: unknown[] = [];
      for (const { id } of container.ranges) {
        const items = await bench.items<VersionItem>(rangeScope(container, id), { mode: 'all' });
        deleted.push(...items.filter(({ metadata }) => metadata.timeToLiveExpired).map(keyOfVersion));
      }
      expect(deleted.sort()).toEqual([...keys].sort());
    },
  },
  {
    title: '[M8] refuses a ttl that is none',
    async run(bench) {
      const container = await bench.container({ defaultTtl: -1 });

      for (const ttl of [0, -2, 1.5, '5', 2_147_483_648, null]) {
        expect(await codeOf(() => container.create({ id: '1', pk: 'a', ttl })), JSON.stringify(ttl)).toBe(
          'invalid-ttl',
        );
      }
    },
  },
];
