// Bad input: every limit with its code, and nothing changed by it.

import { decide } from '@tidemark/engine/internal';
import { documentBytesMax, documentDepthMax, documentIdBytesMax } from '@tidemark/model';
import { expect } from 'vitest';
import type { ContractCase } from './bench.ts';
import { codeOf, idsOf, numbers, rangeScope } from './bench.ts';

function nested(levels: number): object {
  let value: unknown = 1;
  for (let level = 1; level < levels; level += 1) value = [value];
  return { id: '1', pk: 'a', deep: value };
}

/** JSON text of exactly this many bytes. */
function textOf(bytes: number): string {
  const head = '{"id":"1","pk":"a","x":"';
  return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
}

export const limitCases: readonly ContractCase[] = [
  {
    title: '[wire 7] takes a document of the full size and refuses one byte more',
    async run(bench) {
      const container = await bench.container();

      expect(await codeOf(() => container.create(textOf(documentBytesMax + 1)))).toBe('document-too-large');
      expect(container.ranges[0]?.tailLsn).toBe(0);

      const { document } = await container.create(textOf(documentBytesMax));
      const again = await container.replace(document.bytes);
      expect(again.document.lsn).toBe(2);
      const [item] = await bench.items(rangeScope(container));
      expect(String(item?.x).length).toBeGreaterThan(documentBytesMax - 100);
    },
  },
  {
    title: '[wire 7] takes a document of the full depth and refuses one level more',
    async run(bench) {
      const container = await bench.container();

      expect(await codeOf(() => container.create(nested(documentDepthMax + 1)))).toBe('document-too-deep');

      await container.create(nested(documentDepthMax));
      expect((await container.read('1', 'a'))?.value).toMatchObject({ id: '1' });
    },
  },
  {
    title: '[wire 7] takes ids of 1,023 bytes, however much they have in common, and refuses longer ones',
    async run(bench) {
      const container = await bench.container();
      const stem = 'é'.repeat((documentIdBytesMax - 1) / 2);

      for (const end of ['a', 'b', '']) await container.create({ id: `${stem}${end}`, pk: 'a', end });

      for (const end of ['a', 'b', '']) {
        expect((await container.read(`${stem}${end}`, 'a'))?.value).toMatchObject({ end });
      }
      await bench.settle();
      await container.delete(`${stem}a`, 'a');
      expect((await container.read(`${stem}b`, 'a'))?.value).toMatchObject({ end: 'b' });
      expect(await codeOf(() => container.create({ id: `${stem}ab`, pk: 'a' }))).toBe('invalid-id');
    },
  },
  {
    title: '[wire 7] refuses ids that cannot stand in a path, and documents without one',
    async run(bench) {
      const container = await bench.container();

      for (const id of ['', 'a/b', 'a\\b', 'a#b', 1, null, undefined, ['a']]) {
        expect(await codeOf(() => container.create({ id, pk: 'a' })), JSON.stringify(id)).toBe('invalid-id');
      }
      expect(container.ranges[0]?.tailLsn).toBe(0);
      await container.create({ id: 'a?b', pk: 'a' });
    },
  },
  {
    title: '[wire 7] refuses what is not a JSON object, not UTF-8, or not a number a client could read',
    async run(bench) {
      const container = await bench.container();
      const inputs = [
        '',
        '[]',
        '"text"',
        '{"id":"1"',
        '{"id":"1","pk":"a","n":1e999}',
        Buffer.from([0x7b, 0xff, 0x7d]),
      ];

      for (const input of inputs) expect(await codeOf(() => container.create(input))).toBe('invalid-document');

      expect(container.ranges[0]?.tailLsn).toBe(0);
    },
  },
  {
    title: '[wire 7] refuses a partition key that is not that of the document, and one that is too long',
    async run(bench) {
      const container = await bench.container();
      const old = await bench.container({ id: 'old', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 1 } });
      const long = { id: '1', pk: 'x'.repeat(2_049) };

      expect(await codeOf(() => container.create({ id: '1', pk: 'a' }, { partitionKey: 'b' }))).toBe(
        'partition-key-mismatch',
      );
      expect(await codeOf(() => container.create(long))).toBe('invalid-partition-key');
      expect(await codeOf(() => old.create(long))).toBe('invalid-partition-key');
      await old.create({ id: '1', pk: 'x'.repeat(2_048) });
      expect(await codeOf(() => container.read('1', ['a', 'b']))).toBe('invalid-partition-key');
      await container.create({ id: '1', pk: 'x'.repeat(2_048) });
      expect(await container.read('1', 'x'.repeat(2_048))).toBeDefined();
    },
  },
  {
    title: '[engine 5] partition keys that share their first thousand bytes are different keys',
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const stem = 'x'.repeat(1_000);
      for (const end of ['a', 'b']) await container.create({ id: '1', pk: stem + end, end });
      await bench.settle();

      for (const end of ['a', 'b']) {
        expect((await container.read('1', stem + end))?.value).toMatchObject({ end });
      }
    },
  },
  {
    title: '[M3] refuses a range that never was and, with its children, one that is no more',
    async run(bench) {
      const { engine } = bench;
      const container = await bench.container();
      const children = await container.split('0');
      const scope = (range: string) => rangeScope(container, range);
      const { number } = container.info;
      const key = container.partitionKey('a');
      const unit = { partitionKey: key, commands: [{ kind: 'delete', id: '1' } as const] };

      for (const range of ['3', '-1', 'x', '', '1e0', ' 1']) {
        expect(await codeOf(() => bench.page(scope(range))), range).toBe('range-unknown');
        expect(await codeOf(() => engine.commit(number, range, unit, decide)), range).toBe('range-unknown');
        expect(await codeOf(() => engine.split(number, range)), range).toBe('range-unknown');
        expect(await codeOf(() => engine.range(number, range)), range).toBe('range-unknown');
        expect(await codeOf(() => engine.lsnAt(number, range, 0)), range).toBe('range-unknown');
        expect(await codeOf(() => engine.watch(number, { range }, () => {})), range).toBe('range-unknown');
      }
      const gone = { code: 'range-gone', detail: { children: children.map(({ id }) => id) } };
      await expect(bench.page(scope('0'))).rejects.toMatchObject(gone);
      await expect(engine.commit(number, '0', unit, decide)).rejects.toMatchObject(gone);
      await expect(engine.split(number, '0')).rejects.toMatchObject(gone);
    },
  },
  {
    title: '[engine 8] refuses to split where a range cannot be split, and to merge what are no neighbours',
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      const [first, second] = container.ranges;

      for (const at of ['', 'FF', 'FFFF', second?.min as string, '0', '0G', 'zz', '0a', 'not hex']) {
        expect(await codeOf(() => container.split('0', at)), at).toBe('bad-request');
      }
      if (bench.engine.profile.merge) {
        for (const [left, right] of [
          ['1', '0'],
          ['0', '2'],
          ['0', '0'],
        ] as const) {
          expect(await codeOf(() => container.merge(left, right)), `${left} ${right}`).toBe('bad-request');
        }
        expect(await codeOf(() => container.merge('2', '3'))).toBe('range-unknown');
      }

      expect(bench.rangeIds(container)).toEqual(['0', '1', '2']);
      expect(container.ranges[0]).toEqual(first);
      const { document } = await container.create({ id: '1', pk: 'a' });
      expect(document.lsn).toBe(1);
    },
  },
  {
    title: '[wire 11.3] refuses an interval of keys that is not hex',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a' });

      for (const keys of [
        { min: '0', max: 'FF' },
        { min: '', max: '0G' },
        { min: 'aa', max: 'FF' },
      ]) {
        expect(await codeOf(() => bench.page({ ...rangeScope(container), keys })), keys.min + keys.max).toBe(
          'bad-request',
        );
      }
    },
  },
  {
    title: '[engine 2] a unit above the limit of the engine is refused and leaves no trace',
    async run(bench) {
      const { engine } = bench;
      const container = await bench.container();
      const count = Math.ceil(engine.profile.maxUnitBytes / 2_000_000) + 1;
      if (count > 100) return;
      const pad = 'x'.repeat(2_000_000);
      const operations = numbers(count).map((n) => ({ create: { id: `${n}`, pk: 'a', pad } }));

      expect(await codeOf(() => container.batch('a', operations))).toBe('batch-too-large');

      expect(container.ranges[0]?.tailLsn).toBe(0);
      await container.create({ id: 'small', pk: 'a' });
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['small']);
    },
  },
];
