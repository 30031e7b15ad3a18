// Delete by partition key: gone for everybody from the acknowledgement on, although the deletes are written bit by bit.

import type { Container } from '@tidemark/engine/internal';
import { expect } from 'vitest';
import type { Bench, ContractCase, VersionItem } from './bench.ts';
import { codeOf, idsOf, keyScope, numbers, rangeScope } from './bench.ts';

const hourMs = 3_600_000;

async function fill(bench: Bench, count: number, historyMs = 0): Promise<Container> {
  const container = await bench.container({ historyMs, uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/mail'] }] } });
  const writes = numbers(count).map((n) => container.create({ id: `${n}`, pk: 'gone', mail: n }));
  await Promise.all([...writes, container.create({ id: 'kept', pk: 'other' })]);
  return container;
}

async function expectGone(bench: Bench, container: Container, rid: string): Promise<void> {
  expect(await container.read('3', 'gone')).toBeUndefined();
  expect(await container.readMany([['4', 'gone']])).toEqual([undefined]);
  expect(await container.readByRid(rid)).toBeUndefined();
  for (const range of bench.rangeIds(container)) {
    const { documents } = await container.readPage(range, { itemsMax: 10_000 });
    expect(documents.filter(({ value }) => value.id !== 'kept')).toEqual([]);
    expect(idsOf(await bench.items(rangeScope(container, range))).filter((id) => id !== 'kept')).toEqual([]);
  }
  expect(await bench.items(keyScope(bench, container, 'gone'))).toEqual([]);
  expect(await container.read('kept', 'other')).toBeDefined();
}

export const deletePartitionCases: readonly ContractCase[] = [
  {
    title: '[wire 7] [engine 9] everything of the key is gone from every read once the delete is acknowledged',
    async run(bench) {
      for (const isSettled of [false, true]) {
        const container = await fill(bench, 300);
        const rid = (await container.read('5', 'gone'))?.value._rid as string;
        if (isSettled) await bench.settle();

        await container.deletePartition('gone');

        await expectGone(bench, container, rid);
        await bench.runJobs();
        await expectGone(bench, container, rid);
        await bench.engine.deleteContainer(container.info.number);
      }
    },
  },
  {
    title: '[engine 9] ids and unique keys of the deleted documents are free at once; what is written after stays',
    async run(bench) {
      const container = await fill(bench, 20);

      await container.deletePartition('gone');
      await container.create({ id: '3', pk: 'gone', mail: 3, isNew: true });
      await container.upsert({ id: 'x', pk: 'gone', mail: 7, isNew: true });
      expect(await codeOf(() => container.replace({ id: '4', pk: 'gone', mail: 4 }))).toBe('not-found');
      expect(await codeOf(() => container.delete('5', 'gone'))).toBe('not-found');

      for (const isRun of [false, true]) {
        if (isRun) await bench.runJobs();
        const items = await bench.items(keyScope(bench, container, 'gone'));
        expect(idsOf(items)).toEqual(['3', 'x']);
        expect((await container.read('3', 'gone'))?.value).toMatchObject({ isNew: true });
        expect(await codeOf(() => container.create({ id: 'y', pk: 'gone', mail: 3 }))).toBe('unique-key-violation');
      }
    },
  },
  {
    title: '[B2] [engine 9] all versions shows a delete for every document, each once, with what was deleted',
    async run(bench) {
      const container = await fill(bench, 250, hourMs);

      await container.deletePartition('gone');
      await bench.runJobs();
      await bench.runJobs();

      const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all' });
      const deleted = versions.filter(({ metadata }) => metadata.operationType === 'delete');
      expect(deleted).toHaveLength(250);
      expect(new Set(deleted.map(({ metadata }) => metadata.id)).size).toBe(250);
      expect(deleted.every(({ metadata, previous }) => previous?.id === metadata.id)).toBe(true);
      expect(deleted.every(({ metadata }) => metadata.timeToLiveExpired === undefined)).toBe(true);
    },
  },
  {
    title: '[engine 9] deleting a key twice, or one that has nothing, does no harm',
    async run(bench) {
      const container = await fill(bench, 10);

      await container.deletePartition('nothing here');
      await container.deletePartition('gone');
      await container.create({ id: 'between', pk: 'gone', mail: 'b' });
      await container.deletePartition('gone');
      await container.create({ id: 'after', pk: 'gone', mail: 'a' });
      await bench.runJobs();

      expect(idsOf(await bench.items(keyScope(bench, container, 'gone')))).toEqual(['after']);
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['kept', 'after']);
    },
  },
  {
    title: '[engine 9] [B8] a delete by partition key that is under way survives a split and a merge',
    needs: ['merge'],
    async run(bench) {
      const container = await fill(bench, 120, hourMs);
      const rid = (await container.read('5', 'gone'))?.value._rid as string;
      await container.deletePartition('gone');

      await container.split('0');
      await expectGone(bench, container, rid);
      await container.merge('1', '2');
      await expectGone(bench, container, rid);
      await bench.runJobs();

      await expectGone(bench, container, rid);
      const versions = await bench.items<VersionItem>(rangeScope(container, '3'), { mode: 'all' });
      expect(versions.filter(({ metadata }) => metadata.operationType === 'delete')).toHaveLength(120);
    },
  },
  {
    title: '[engine 9] a delete by partition key goes on after a reopen',
    needs: ['reopen'],
    async run(bench) {
      const before = await fill(bench, 120, hourMs);
      const rid = (await before.read('5', 'gone'))?.value._rid as string;
      await before.deletePartition('gone');

      await bench.reopen();

      const container = bench.open();
      await expectGone(bench, container, rid);
      await bench.runJobs();
      await expectGone(bench, container, rid);
      const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all' });
      expect(versions.filter(({ metadata }) => metadata.operationType === 'delete')).toHaveLength(120);
      await bench.reopen();
      await expectGone(bench, bench.open(), rid);
    },
  },
  {
    title: '[engine 9] a version written while the delete by partition key is decided is either gone or newer than it',
    async run(bench) {
      const container = await fill(bench, 30);

      const upserts = numbers(30).map((n) => container.upsert({ id: `${n}`, pk: 'gone', mail: n, isNew: true }));
      await Promise.all([...upserts.slice(0, 15), container.deletePartition('gone'), ...upserts.slice(15)]);
      const shown = await bench.items(keyScope(bench, container, 'gone'));
      await bench.runJobs();

      expect(shown.every(({ isNew }) => isNew === true)).toBe(true);
      expect(await bench.items(keyScope(bench, container, 'gone'))).toEqual(shown);
    },
  },
];
