// Unique keys: per logical partition, over several paths, and free again as soon as their holder is gone.

import { expect } from 'vitest';
import type { ContractCase } from './bench.ts';
import { codeOf, numbers } from './bench.ts';

const onePath = { uniqueKeys: [{ paths: ['/mail'] }] };
const composite = { uniqueKeys: [{ paths: ['/first', '/name/last'] }, { paths: ['/mail'] }] };

export const uniqueKeyCases: readonly ContractCase[] = [
  {
    title: '[wire 7] refuses a second document with the same value, also by upsert, replace and patch',
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: onePath });
      await container.create({ id: '1', pk: 'a', mail: 'x' });
      await container.create({ id: '2', pk: 'a', mail: 'y' });

      const codes = [
        await codeOf(() => container.create({ id: '3', pk: 'a', mail: 'x' })),
        await codeOf(() => container.upsert({ id: '3', pk: 'a', mail: 'x' })),
        await codeOf(() => container.replace({ id: '2', pk: 'a', mail: 'x' })),
        await codeOf(() => container.patch('2', 'a', [{ op: 'set', path: '/mail', value: 'x' }])),
      ];

      expect(codes).toEqual(numbers(4).map(() => 'unique-key-violation'));
      expect((await container.read('2', 'a'))?.value).toMatchObject({ mail: 'y' });
      expect(container.ranges[0]?.tailLsn).toBe(2);
    },
  },
  {
    title: '[wire 7] a unique key holds within one logical partition only',
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: onePath, ranges: 3 });

      for (const pk of ['a', 'b', 'c', 'd']) await container.create({ id: '1', pk, mail: 'x' });

      expect(await codeOf(() => container.create({ id: '2', pk: 'c', mail: 'x' }))).toBe('unique-key-violation');
    },
  },
  {
    title: '[wire 7] a composite key compares all of its paths, each key for itself',
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: composite });
      await container.create({ id: '1', pk: 'a', first: 'x', name: { last: 'y' }, mail: 1 });

      expect(await codeOf(() => container.create({ id: '2', pk: 'a', first: 'x', name: { last: 'z' }, mail: 2 }))).toBe(
        'none',
      );
      expect(await codeOf(() => container.create({ id: '3', pk: 'a', first: 'x', name: { last: 'y' }, mail: 3 }))).toBe(
        'unique-key-violation',
      );
      expect(await codeOf(() => container.create({ id: '4', pk: 'a', first: 'w', name: { last: 'w' }, mail: 1 }))).toBe(
        'unique-key-violation',
      );
      expect(
        await codeOf(() => container.create({ id: '5', pk: 'a', first: 'w', name: { last: 'w' }, mail: '1' })),
      ).toBe('none');
    },
  },
  {
    title: '[wire 7] a missing value counts as null, and null takes part',
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: onePath });
      await container.create({ id: '1', pk: 'a' });

      expect(await codeOf(() => container.create({ id: '2', pk: 'a', mail: null }))).toBe('unique-key-violation');
      expect(await codeOf(() => container.create({ id: '3', pk: 'a', mail: '' }))).toBe('none');
    },
  },
  {
    title: '[wire 7] a value is free again after its holder was deleted, or replaced by one without it',
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: onePath });
      for (const isSettled of [false, true]) {
        await container.upsert({ id: '1', pk: 'a', mail: 'x' });
        await container.upsert({ id: '2', pk: 'a', mail: 'y' });
        if (isSettled) await bench.settle();

        await container.replace({ id: '1', pk: 'a', mail: 'z' });
        await container.delete('2', 'a');

        await container.create({ id: '3', pk: 'a', mail: 'x' });
        await container.create({ id: '4', pk: 'a', mail: 'y' });
        await container.delete('3', 'a');
        await container.delete('4', 'a');
      }
    },
  },
  {
    title: '[M8] [engine 9] a value is free again at the second in which its holder expires',
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: onePath, defaultTtl: -1 });
      await container.create({ id: '1', pk: 'a', mail: 'x', ttl: 10 });

      bench.clock.jump(9_999);
      expect(await codeOf(() => container.create({ id: '2', pk: 'a', mail: 'x' }))).toBe('unique-key-violation');
      bench.clock.jump(1);

      expect(await codeOf(() => container.create({ id: '2', pk: 'a', mail: 'x' }))).toBe('none');
      expect(await container.read('1', 'a')).toBeUndefined();
    },
  },
  {
    title: '[wire 7] a batch may swap values, as long as it never holds one twice',
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: onePath });
      await container.create({ id: '1', pk: 'a', mail: 'x' });
      await container.create({ id: '2', pk: 'a', mail: 'y' });

      const swapped = await container.batch('a', [
        { replace: { id: '1', pk: 'a', mail: 'between' } },
        { replace: { id: '2', pk: 'a', mail: 'x' } },
        { replace: { id: '1', pk: 'a', mail: 'y' } },
      ]);
      const doubled = await container.batch('a', [
        { create: { id: '3', pk: 'a', mail: 'new' } },
        { create: { id: '4', pk: 'a', mail: 'new' } },
      ]);

      expect([swapped.isCommitted, doubled.isCommitted]).toEqual([true, false]);
      expect(await codeOf(() => container.create({ id: '5', pk: 'a', mail: 'between' }))).toBe('none');
      expect(await codeOf(() => container.create({ id: '6', pk: 'a', mail: 'new' }))).toBe('none');
    },
  },
  {
    title: '[engine 6] of many who claim one value at once exactly one gets it',
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: onePath });

      const codes = await Promise.all(
        numbers(12).map((n) => codeOf(() => container.create({ id: `${n}`, pk: 'a', mail: 'x' }))),
      );

      expect(codes.filter((code) => code === 'none')).toHaveLength(1);
    },
  },
  {
    title: '[engine 4] [engine 8] unique keys still hold after a reopen and a split',
    needs: ['reopen'],
    async run(bench) {
      const before = await bench.container({ uniqueKeyPolicy: onePath });
      await before.create({ id: '1', pk: 'a', mail: 'x' });
      await before.create({ id: '2', pk: 'a', mail: 'y' });
      await before.delete('2', 'a');

      await before.split('0');
      await bench.reopen();

      const container = bench.open();
      expect(await codeOf(() => container.create({ id: '3', pk: 'a', mail: 'x' }))).toBe('unique-key-violation');
      expect(await codeOf(() => container.create({ id: '3', pk: 'a', mail: 'y' }))).toBe('none');
    },
  },
];
