// Databases, containers and their ranges as they are created, replaced and deleted.

import { keyRangesTile } from '@tidemark/model';
import { expect } from 'vitest';
import type { ContractCase } from './bench.ts';
import { codeOf, databaseId, idsOf, numbers, rangeScope } from './bench.ts';

const kinds = {
  'version 1': { paths: ['/pk'], kind: 'Hash', version: 1 },
  'version 2': { paths: ['/pk'], kind: 'Hash', version: 2 },
  hierarchical: { paths: ['/tenant', '/user', '/session'], kind: 'MultiHash', version: 2 },
} as const;

export const containerCases: readonly ContractCase[] = [
  {
    title: '[M1] lists the databases and containers that were created, each with a rid and an etag of its own',
    async run({ engine }) {
      const one = await engine.createDatabase('one');
      await engine.createDatabase('two');

      expect(idsOf(engine.databases())).toEqual(['one', 'two']);
      expect(engine.containers('two')).toEqual([]);
      expect(new Set(engine.databases().map(({ rid }) => rid)).size).toBe(2);
      expect(one.etag).not.toBe('');
    },
  },
  {
    title: '[M1] refuses a second database or container of the same name, and names nobody knows',
    async run(bench) {
      const { engine } = bench;
      const container = await bench.container();
      const { definition } = container.info;

      expect(await codeOf(() => engine.createDatabase(databaseId))).toBe('conflict');
      expect(await codeOf(() => bench.container())).toBe('conflict');
      const options = { ranges: 1, historyMs: 0 };
      expect(await codeOf(() => engine.createContainer('nowhere', definition, options))).toBe('database-not-found');
      expect(await codeOf(() => engine.containers('nowhere'))).toBe('database-not-found');
      expect(await codeOf(() => engine.findContainer('nowhere', 'things'))).toBe('database-not-found');
      expect(engine.findContainer(databaseId, 'nothing')).toBeUndefined();
      expect(engine.findContainer(databaseId, 'things')).toEqual(engine.container(container.info.number));
      expect(await codeOf(() => engine.container(999_999))).toBe('container-not-found');
      expect(await codeOf(() => engine.deleteDatabase('nowhere'))).toBe('database-not-found');
      expect(await codeOf(() => engine.ranges(999_999))).toBe('container-not-found');
      expect(await codeOf(() => engine.deleteContainer(999_999))).toBe('container-not-found');
      expect(await codeOf(() => engine.createDatabase('a/b'))).toBe('invalid-id');
    },
  },
  ...Object.entries(kinds).map(
    ([kind, partitionKey]): ContractCase => ({
      title: `[wire 10] gives a container of a ${kind} key 1 to N ranges that tile the key space`,
      async run(bench) {
        for (const ranges of [1, 2, 7]) {
          const container = await bench.container({ id: `c${ranges}`, partitionKey, ranges });

          expect(bench.rangeIds(container)).toEqual(numbers(ranges).map(String));
          expect(keyRangesTile(container.ranges)).toBe(true);
          expect(container.ranges.map(({ tailLsn, parents }) => ({ tailLsn, parents }))).toEqual(
            numbers(ranges).map(() => ({ tailLsn: 0, parents: [] })),
          );
        }
      },
    }),
  ),
  {
    title: '[M1] stores under every kind of partition key value, and no two of them are the same key',
    async run(bench) {
      for (const version of [1, 2] as const) {
        const partitionKey = { paths: ['/pk'], kind: 'Hash', version };
        const container = await bench.container({ id: `v${version}`, partitionKey, ranges: 3 });
        const values = ['', 'a', 'A', 'é', '1', 1, -1, 0.5, true, false, null, undefined];

        for (const [n, pk] of values.entries()) await container.create({ id: 'same', pk, n });

        for (const [n, pk] of values.entries()) {
          expect((await container.read('same', pk as string))?.value).toMatchObject({ id: 'same', n });
        }
      }
    },
  },
  {
    title: '[M1] takes hierarchical keys level by level, an absent level included',
    async run(bench) {
      const container = await bench.container({ partitionKey: kinds.hierarchical, ranges: 3 });
      await container.create({ id: '1', tenant: 't', user: 'u', session: 's' });
      await container.create({ id: '1', tenant: 't', user: 'u' });
      await container.create({ id: '1', tenant: 't' });

      expect((await container.read('1', ['t', 'u', 's']))?.value).toMatchObject({ session: 's' });
      expect((await container.read('1', ['t', 'u', undefined]))?.value).not.toHaveProperty('session');
      expect((await container.read('1', ['t', undefined, undefined]))?.value).not.toHaveProperty('user');
      expect(await container.read('1', ['t', undefined, 's'])).toBeUndefined();
      expect(await codeOf(() => container.read('1', ['t', 'u']))).toBe('invalid-partition-key');
    },
  },
  {
    title: '[wire 7] keeps the documents of a container without a partition key together',
    async run(bench) {
      const container = await bench.container({ partitionKey: null });
      await container.create({ id: '1', pk: 'a' });
      await container.create({ id: '2', pk: 'b' });

      expect((await container.read('2', undefined))?.value).toMatchObject({ pk: 'b' });
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['1', '2']);
    },
  },
  {
    title: 'refuses a container without ranges or with more than can be',
    async run(bench) {
      for (const ranges of [0, -1, 1.5, 1e9]) {
        expect(await codeOf(() => bench.container({ ranges }))).toBe('bad-request');
      }

      expect(bench.engine.containers(databaseId)).toEqual([]);
    },
  },
  {
    title: '[M1] shows a replaced definition at once and with another etag',
    async run(bench) {
      const container = await bench.container();
      const before = container.info;

      await bench.redefine(container, { defaultTtl: 60 });

      expect(container.info.definition.defaultTtl).toBe(60);
      expect(container.info.etag).not.toBe(before.etag);
      expect(container.info.rid).toBe(before.rid);
    },
  },
  {
    title: '[M1] a container that is deleted takes its documents along, and its name begins anew',
    async run(bench) {
      const { engine } = bench;
      const other = await bench.container({ id: 'other' });
      await other.create({ id: '1', pk: 'a' });
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a' });
      const { number, rid } = container.info;

      await engine.deleteContainer(number);

      const { bytes, epk } = other.partitionKey('a');
      const key = { id: '1', partitionKey: bytes, epk };
      expect(await codeOf(() => engine.get(number, key))).toBe('container-not-found');
      expect(await codeOf(() => bench.page({ container: number, range: '0' }))).toBe('container-not-found');
      const again = await bench.container();
      expect(again.info.rid).not.toBe(rid);
      expect(await again.read('1', 'a')).toBeUndefined();
      expect(await bench.items(rangeScope(again))).toEqual([]);
      expect(await other.read('1', 'a')).toBeDefined();
    },
  },
  {
    title: '[engine 6] a container takes no write that comes after its delete, also before that is on disk',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container();
      const gate = bench.holdFlush();
      const removal = bench.engine.deleteContainer(container.info.number);
      await gate.reached;

      const late = codeOf(() => container.create({ id: '1', pk: 'a' }));
      gate.release();
      await removal;

      expect(await late).toBe('container-not-found');
    },
  },
  {
    title: '[M1] a database that is deleted takes its containers along',
    async run(bench) {
      const container = await bench.container();
      const { number } = container.info;

      await bench.engine.deleteDatabase(databaseId);

      expect(bench.engine.databases()).toEqual([]);
      expect(await codeOf(() => bench.engine.ranges(number))).toBe('container-not-found');
    },
  },
];
