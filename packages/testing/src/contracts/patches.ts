// Patch: every operation of the wire, and what makes one fail.

import type { PatchOperation } from '@tidemark/engine/internal';
import { expect } from 'vitest';
import type { ContractCase } from './bench.ts';
import { codeOf, numbers } from './bench.ts';

const start = { n: 1, text: 'x', list: [1, 2, 3], deep: { a: 1 }, 'a/b': 1 };

/** Operation by operation: what becomes of `start`, the untouched members left out. */
const effects: readonly (readonly [PatchOperation, object])[] = [
  [{ op: 'add', path: '/fresh', value: { x: 1 } }, { fresh: { x: 1 } }],
  [{ op: 'add', path: '/n', value: 2 }, { n: 2 }],
  [{ op: 'add', path: '/list/1', value: 9 }, { list: [1, 9, 2, 3] }],
  [{ op: 'add', path: '/list/-', value: 9 }, { list: [1, 2, 3, 9] }],
  [{ op: 'set', path: '/deep/b', value: null }, { deep: { a: 1, b: null } }],
  [{ op: 'set', path: '/list/1', value: 9 }, { list: [1, 9, 3] }],
  [{ op: 'replace', path: '/deep/a', value: 'new' }, { deep: { a: 'new' } }],
  [{ op: 'replace', path: '/a~1b', value: 2 }, { 'a/b': 2 }],
  [{ op: 'remove', path: '/list/0' }, { list: [2, 3] }],
  [{ op: 'remove', path: '/deep' }, { deep: undefined }],
  [{ op: 'incr', path: '/n', value: 2.5 }, { n: 3.5 }],
  [{ op: 'incr', path: '/count', value: -4 }, { count: -4 }],
  [
    { op: 'move', from: '/text', path: '/deep/moved' },
    { text: undefined, deep: { a: 1, moved: 'x' } },
  ],
];

const failures: readonly PatchOperation[] = [
  { op: 'replace', path: '/absent', value: 1 },
  { op: 'remove', path: '/absent' },
  { op: 'remove', path: '/list/3' },
  { op: 'incr', path: '/text', value: 1 },
  { op: 'add', path: '/absent/child', value: 1 },
  { op: 'add', path: '/list/5', value: 1 },
  { op: 'move', from: '/absent', path: '/x' },
  { op: 'move', from: '/deep', path: '/deep/inside' },
  { op: 'set', path: '/id', value: 'other' },
  { op: 'set', path: '/pk', value: 'other' },
  { op: 'set', path: '/_ts', value: 1 },
];

export const patchCases: readonly ContractCase[] = [
  {
    title: '[wire 7] applies every patch operation, to documents written just now and long ago',
    async run(bench) {
      const container = await bench.container();
      for (const isOld of [false, true]) {
        for (const [n, [operation, effect]] of effects.entries()) {
          const id = `${isOld}${n}`;
          await container.create({ id, pk: 'a', ...start });
          if (isOld) await bench.settle();

          const { document } = await container.patch(id, 'a', [operation]);

          const expected = JSON.parse(JSON.stringify({ id, pk: 'a', ...start, ...effect })) as object;
          const { _rid, _self, _etag, _attachments, _ts, ...own } = document.value;
          expect(own, JSON.stringify(operation)).toEqual(expected);
          expect((await container.read(id, 'a'))?.value).toEqual(document.value);
        }
      }
    },
  },
  {
    title: '[wire 7] refuses a patch that cannot be applied, and applies nothing of it',
    async run(bench) {
      const container = await bench.container();
      const { document } = await container.create({ id: '1', pk: 'a', ...start });
      await bench.settle();

      for (const operation of failures) {
        const operations = [{ op: 'incr', path: '/n', value: 1 } as const, operation];
        expect(await codeOf(() => container.patch('1', 'a', operations)), JSON.stringify(operation)).toBe(
          'invalid-patch',
        );
      }

      expect((await container.read('1', 'a'))?.value).toEqual(document.value);
      expect(container.ranges[0]?.tailLsn).toBe(1);
    },
  },
  {
    title: '[wire 7] takes one to ten operations, as one change under one LSN',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a', n: 0 });
      const incr = { op: 'incr', path: '/n', value: 1 } as const;

      const { document } = await container.patch(
        '1',
        'a',
        numbers(10).map(() => incr),
      );

      expect(document.value).toMatchObject({ n: 10 });
      expect(document.lsn).toBe(2);
      expect(
        await codeOf(() =>
          container.patch(
            '1',
            'a',
            numbers(11).map(() => incr),
          ),
        ),
      ).toBe('invalid-patch');
      expect(await codeOf(() => container.patch('1', 'a', []))).toBe('invalid-patch');
      expect(await codeOf(() => container.patch('2', 'a', [incr]))).toBe('not-found');
    },
  },
  {
    title: '[wire 7] patches while the condition holds, on disk or in memory, and else the precondition fails',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a', n: 0 });
      const incr = [{ op: 'incr', path: '/n', value: 1 }] as const;
      const patch = (condition: string): Promise<string> =>
        codeOf(() => container.patch('1', 'a', incr, { condition }));

      expect(await patch('from c where c.n = 0')).toBe('none');
      await bench.settle();
      expect(await patch('from c where c.n = 0')).toBe('precondition-failed');
      expect(await patch('from c where not is_defined(c._lsn) and c.n = 1')).toBe('none');
      expect(await patch('from c where c.')).toBe('invalid-query');
      expect((await container.read('1', 'a'))?.value).toMatchObject({ n: 2 });
    },
  },
  {
    title: '[engine 6] a unit that has to fetch a body first keeps nobody from writing, however large it is',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: 'old', pk: 'a', n: 1 });
      await bench.settle();

      const large = { id: 'large', pk: 'a', text: 'x'.repeat(1_200_000) };
      const operations = [{ op: 'incr', path: '/n', value: 1 }] as const;
      const result = await container.batch('a', [{ patch: 'old', operations }, { upsert: large }]);

      expect(result.isCommitted).toBe(true);
      expect((await container.read('old', 'a'))?.value).toMatchObject({ n: 2 });
    },
  },
  {
    title: '[engine 6] more patches of old documents at once than one flush takes are all applied',
    async run(bench) {
      const container = await bench.container();
      const count = 2_500;
      const ids = numbers(count).map(String);
      await Promise.all(ids.map((id) => container.create({ id, pk: 'a', n: 1 })));
      await bench.settle();

      await Promise.all(ids.map((id) => container.patch(id, 'a', [{ op: 'incr', path: '/n', value: 1 }])));

      expect(container.ranges[0]?.tailLsn).toBe(2 * count);
    },
  },
];
