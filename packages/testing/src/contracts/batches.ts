// Transactional batches: all or nothing, one LSN, and the reason of the operation that failed.

import type { BatchOperation } from '@tidemark/engine';
import { expect } from 'vitest';
import type { Bench, ContractCase, VersionItem } from './bench.ts';
import { codeOf, idsOf, numbers, rangeScope } from './bench.ts';

const dayMs = 86_400_000;

/** An operation that fails on a container that holds the document `there`, with its reason. */
const failing: readonly (readonly [string, BatchOperation])[] = [
  ['conflict', { create: { id: 'there', pk: 'a' } }],
  ['not-found', { replace: { id: 'absent', pk: 'a' } }],
  ['not-found', { delete: 'absent' }],
  ['not-found', { read: 'absent' }],
  ['not-found', { patch: 'absent', operations: [{ op: 'set', path: '/x', value: 1 }] }],
  ['precondition-failed', { replace: { id: 'there', pk: 'a' }, ifMatch: 'stale' }],
  ['precondition-failed', { delete: 'there', ifMatch: 'stale' }],
  ['invalid-patch', { patch: 'there', operations: [{ op: 'remove', path: '/absent' }] }],
  ['unique-key-violation', { upsert: { id: 'other', pk: 'a', mail: 'taken' } }],
];

async function expectUntouched(bench: Bench, id: string): Promise<void> {
  const container = bench.open();
  expect(container.ranges[0]?.tailLsn).toBe(1);
  expect(await container.read(id, 'a')).toBeUndefined();
  expect((await container.read('there', 'a'))?.value).toMatchObject({ mail: 'taken' });
  expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['there']);
}

export const batchCases: readonly ContractCase[] = [
  {
    title: '[M6] [M9] [wire 8] a batch of 100 operations commits under one LSN, with an outcome for each in order',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: 'old', pk: 'a' });

      const creates = numbers(97).map((n): BatchOperation => ({ create: { id: `${n}`, pk: 'a', n } }));
      const operations = [...creates, { read: '5' }, { delete: 'old' }, { upsert: { id: '0', pk: 'a', n: 'new' } }];
      const result = await container.batch('a', operations);

      expect(result).toMatchObject({ isCommitted: true, lsn: 2 });
      expect(result.outcomes.map(({ kind }) => kind)).toEqual([
        ...numbers(97).map(() => 'created'),
        'read',
        'deleted',
        'replaced',
      ]);
      expect(container.ranges[0]?.tailLsn).toBe(2);
      const items = await bench.items(rangeScope(container));
      expect(new Set(items.map(({ _lsn }) => _lsn))).toEqual(new Set([2]));
      expect(idsOf(items)).toEqual([...numbers(96, 1).map(String), '0']);
    },
  },
  {
    title: '[wire 8] refuses a batch of more than 100 operations as a whole',
    async run(bench) {
      const container = await bench.container();

      const { isCommitted, outcomes } = await container.commit(
        container.partitionKey('a'),
        numbers(101).map((n) => ({ kind: 'create', document: container.readClient({ id: `${n}`, pk: 'a' }) })),
      );

      expect(isCommitted).toBe(false);
      expect(new Set(outcomes.map((outcome) => outcome.kind === 'rejected' && outcome.code))).toEqual(
        new Set(['batch-too-large']),
      );
      expect(await bench.items(rangeScope(container))).toEqual([]);
    },
  },
  ...failing.map(
    ([code, operation], n): ContractCase => ({
      title: `[wire 8] a batch fails as a whole when one operation does: ${code}, ${Object.keys(operation)[0]} ${n}`,
      async run(bench) {
        const container = await bench.container({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/mail'] }] } });
        await container.create({ id: 'there', pk: 'a', mail: 'taken' });

        const operations = [{ create: { id: 'new', pk: 'a', mail: 1 } }, operation, { upsert: { id: 'x', pk: 'a' } }];
        const { isCommitted, outcomes } = await container.batch('a', operations);

        expect(isCommitted).toBe(false);
        expect(outcomes.map((outcome) => outcome.kind === 'rejected' && outcome.code)).toEqual([
          'failed-dependency',
          code,
          'failed-dependency',
        ]);
        await expectUntouched(bench, 'new');
      },
    }),
  ),
  {
    title: '[wire 8] the operations of a batch see what those before them did',
    async run(bench) {
      const container = await bench.container();

      const { isCommitted, outcomes } = await container.batch('a', [
        { create: { id: '1', pk: 'a', n: 1 } },
        { patch: '1', operations: [{ op: 'incr', path: '/n', value: 1 }] },
        { read: '1' },
        { delete: '1' },
        { create: { id: '1', pk: 'a', n: 10 } },
        { create: { id: '2', pk: 'a' } },
        { delete: '2' },
      ]);

      expect(isCommitted).toBe(true);
      const read = outcomes[2];
      expect(read?.kind === 'read' && JSON.parse(read.document.bytes.toString())).toMatchObject({ n: 2 });
      expect((await container.read('1', 'a'))?.value).toMatchObject({ n: 10 });
      expect(await container.read('2', 'a')).toBeUndefined();
      expect(await bench.items(rangeScope(container))).toMatchObject([{ id: '1', n: 10, _lsn: 1 }]);
    },
  },
  {
    title: '[wire 8] a batch that reads documents written long ago gets their bytes',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(10)) await container.create({ id: `${n}`, pk: 'a', n });
      await bench.settle();

      const { outcomes, lsn } = await container.batch('a', [
        { read: '3' },
        { upsert: { id: 'x', pk: 'a' } },
        { read: '7' },
      ]);

      const read = outcomes.map((outcome) =>
        outcome.kind === 'read' ? (JSON.parse(outcome.document.bytes.toString()) as { n: number }).n : undefined,
      );
      expect(read).toEqual([3, undefined, 7]);
      expect(lsn).toBe(11);
    },
  },
  {
    title: '[wire 17.12a] a batch of reads moves nothing',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a' });

      const { outcomes, lsn } = await container.batch('a', [{ read: '1' }, { read: '1' }]);

      expect(outcomes.map(({ kind }) => kind)).toEqual(['read', 'read']);
      expect(lsn).toBe(1);
      expect(container.ranges[0]?.tailLsn).toBe(1);
    },
  },
  {
    title: '[wire 8] every document of a batch has an etag of its own, good for If-Match',
    async run(bench) {
      const container = await bench.container();
      const ids = numbers(5).map(String);
      await container.batch(
        'a',
        ids.map((id) => ({ create: { id, pk: 'a' } })),
      );

      const found = await container.readMany(ids.map((id) => [id, 'a'] as const));

      const etags = found.map((document) => document?.etag as string);
      expect(new Set(etags).size).toBe(5);
      expect(await codeOf(() => container.delete('2', 'a', { ifMatch: etags[3] as string }))).toBe(
        'precondition-failed',
      );
      expect(await codeOf(() => container.delete('2', 'a', { ifMatch: etags[2] as string }))).toBe('none');
    },
  },
  {
    title: '[wire 8] a batch belongs to one partition key',
    async run(bench) {
      const container = await bench.container();

      expect(await codeOf(() => container.batch('a', [{ create: { id: '1', pk: 'b' } }]))).toBe(
        'partition-key-mismatch',
      );
      expect(await bench.items(rangeScope(container))).toEqual([]);
    },
  },
  {
    title: '[B2] [wire 11.7] all versions shows the members of a batch one by one, in order, under its LSN',
    async run(bench) {
      const container = await bench.container({ historyMs: dayMs });
      await container.batch('a', [
        { create: { id: '1', pk: 'a', n: 1 } },
        { upsert: { id: '1', pk: 'a', n: 2 } },
        { create: { id: '2', pk: 'a' } },
        { delete: '1' },
      ]);

      const versions = await bench.items<VersionItem>(rangeScope(container), { mode: 'all', itemsMax: 1 });

      expect(versions.map(({ metadata }) => [metadata.lsn, metadata.operationType])).toEqual([
        [1, 'create'],
        [1, 'replace'],
        [1, 'create'],
        [1, 'delete'],
      ]);
      expect(versions[1]?.metadata.previousImageLSN).toBe(1);
      expect(versions[3]).toMatchObject({
        previous: { id: '1', n: 2 },
        metadata: { id: '1', partitionKey: { pk: 'a' } },
      });
    },
  },
];
