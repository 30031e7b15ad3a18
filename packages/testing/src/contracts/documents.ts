// Single documents: create, read, upsert, replace, delete, and the conditions on them.

import { expect } from 'vitest';
import type { ContractCase } from './bench.ts';
import { codeOf, numbers } from './bench.ts';

export const documentCases: readonly ContractCase[] = [
  {
    title: '[M1] [M9] a created document reads back with its system members and without `_lsn`',
    async run(bench) {
      const container = await bench.container();

      const { isCreated, document } = await container.create({ id: '1', pk: 'a', x: [1, { y: null }] });

      const read = (await container.read('1', 'a'))?.value as Record<string, unknown>;
      expect(isCreated).toBe(true);
      expect(read).toEqual(document.value);
      expect(read).toMatchObject({ id: '1', pk: 'a', x: [1, { y: null }], _ts: bench.clock.nowMs() / 1000 });
      expect(Object.keys(read)).toEqual(['id', 'pk', 'x', '_rid', '_self', '_etag', '_attachments', '_ts']);
      expect(read._etag).toBe(`"${document.etag}"`);
      expect(String(read._self)).toContain(String(read._rid));
    },
  },
  {
    title: "[engine 4] keeps the client's number literals, order of members and escapes, byte for byte",
    async run(bench) {
      const container = await bench.container();
      const text = '{"z":1.0,"id":"1","big":12345678901234567890,"e":1E+2,"pk":"a","s":"\\u00e9\\/","a":{"b":-0.0}';

      await container.create(`${text}}`);

      const read = (await container.read('1', 'a'))?.bytes.toString('utf8');
      expect(read?.startsWith(`${text},"_rid"`)).toBe(true);
    },
  },
  {
    title: '[wire 7] ignores system members that a client sends',
    async run(bench) {
      const container = await bench.container();

      await container.create({ id: '1', pk: 'a', _rid: 'mine', _ts: 1, _lsn: 99, _etag: 'x', _self: 'y' });

      const read = (await container.read('1', 'a'))?.value;
      expect(read?._rid).not.toBe('mine');
      expect(read?._ts).toBe(bench.clock.nowMs() / 1000);
      expect(read).not.toHaveProperty('_lsn');
    },
  },
  {
    title: '[M1] creating what is there is a conflict and changes nothing',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a', n: 1 });

      expect(await codeOf(() => container.create({ id: '1', pk: 'a', n: 2 }))).toBe('conflict');

      expect((await container.read('1', 'a'))?.value).toMatchObject({ n: 1 });
      expect(container.ranges[0]?.tailLsn).toBe(1);
    },
  },
  {
    title: '[M1] upserts: creates first, replaces then, with the same rid and another etag',
    async run(bench) {
      const container = await bench.container();

      const first = await container.upsert({ id: '1', pk: 'a', n: 1 });
      const second = await container.upsert({ id: '1', pk: 'a', n: 2 });

      expect([first.isCreated, second.isCreated]).toEqual([true, false]);
      expect(second.document.value._rid).toBe(first.document.value._rid);
      expect(second.document.etag).not.toBe(first.document.etag);
      expect((await container.read('1', 'a'))?.value).toEqual(second.document.value);
    },
  },
  {
    title: '[M1] replaces what is there and only that',
    async run(bench) {
      const container = await bench.container();
      const { document } = await container.create({ id: '1', pk: 'a', n: 1, old: true });

      const replaced = await container.replace({ id: '1', pk: 'a', n: 2 });

      expect(replaced.document.value).not.toHaveProperty('old');
      expect(replaced.document.value._rid).toBe(document.value._rid);
      expect(await codeOf(() => container.replace({ id: '2', pk: 'a' }))).toBe('not-found');
      expect(await codeOf(() => container.replace({ id: '1', pk: 'b' }))).toBe('not-found');
    },
  },
  {
    title: '[M1] deletes what is there; it is gone and can be created again with another rid',
    async run(bench) {
      const container = await bench.container();
      const { document } = await container.create({ id: '1', pk: 'a' });

      await container.delete('1', 'a');

      expect(await container.read('1', 'a')).toBeUndefined();
      expect(await codeOf(() => container.delete('1', 'a'))).toBe('not-found');
      const again = await container.create({ id: '1', pk: 'a' });
      expect(again.document.value._rid).not.toBe(document.value._rid);
    },
  },
  {
    title: '[M1] the same id under two partition keys is two documents',
    async run(bench) {
      const container = await bench.container({ ranges: 4 });
      for (const pk of ['a', 'b', 'c']) await container.create({ id: '1', pk, of: pk });

      await container.delete('1', 'b');

      const found = await container.readMany([
        ['1', 'a'],
        ['1', 'b'],
        ['1', 'c'],
      ]);
      expect(found.map((document) => document?.value['of' as never])).toEqual(['a', undefined, 'c']);
    },
  },
  {
    title: '[M1] reads many in the order asked for, absent ones as undefined, repeated ones repeatedly',
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      for (const n of numbers(20)) await container.create({ id: `${n}`, pk: `p${n}` });

      const wanted = [7, 3, 99, 7, 19];
      const found = await container.readMany(wanted.map((n) => [`${n}`, `p${n}`] as const));

      expect(found.map((document) => document?.value.id)).toEqual(['7', '3', undefined, '7', '19']);
      expect(await container.readMany([])).toEqual([]);
    },
  },
  {
    title: '[M1] [wire 17.21] finds a document by its rid as long as that document lives',
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      const first = await container.create({ id: '1', pk: 'a', n: 1 });
      const rid = first.document.value._rid;
      await container.create({ id: '2', pk: 'b' });

      await container.upsert({ id: '1', pk: 'a', n: 2 });

      expect((await container.readByRid(rid))?.value).toMatchObject({ id: '1', n: 2 });
      await bench.settle();
      expect((await container.readByRid(rid))?.value).toMatchObject({ id: '1', n: 2 });
      await container.delete('1', 'a');
      expect(await container.readByRid(rid)).toBeUndefined();
    },
  },
  {
    title: '[M1] a rid never finds the document that took the place of its own',
    async run(bench) {
      const container = await bench.container();
      const first = await container.create({ id: '1', pk: 'a' });
      await bench.settle();

      const [, again] = await Promise.all([container.delete('1', 'a'), container.create({ id: '1', pk: 'a' })]);

      expect(await container.readByRid(first.document.value._rid)).toBeUndefined();
      expect((await container.readByRid(again.document.value._rid))?.value.id).toBe('1');
      await bench.settle();
      expect(await container.readByRid(first.document.value._rid)).toBeUndefined();
    },
  },
  {
    title: '[wire 7] If-Match lets a write pass only on the version it names',
    async run(bench) {
      const container = await bench.container();
      const first = await container.create({ id: '1', pk: 'a', n: 1 });
      const second = await container.replace({ id: '1', pk: 'a', n: 2 });
      const [stale, current] = [first.document.etag, second.document.etag];
      const set = [{ op: 'set', path: '/n', value: 9 }] as const;

      const refused = [
        await codeOf(() => container.replace({ id: '1', pk: 'a' }, { ifMatch: stale })),
        await codeOf(() => container.upsert({ id: '1', pk: 'a' }, { ifMatch: stale })),
        await codeOf(() => container.patch('1', 'a', set, { ifMatch: stale })),
        await codeOf(() => container.delete('1', 'a', { ifMatch: stale })),
      ];

      expect(refused).toEqual(numbers(4).map(() => 'precondition-failed'));
      expect((await container.read('1', 'a'))?.value).toEqual(second.document.value);
      const third = await container.replace({ id: '1', pk: 'a', n: 3 }, { ifMatch: current });
      const fourth = await container.patch('1', 'a', set, { ifMatch: `"${third.document.etag}"` });
      await container.replace({ id: '1', pk: 'a', n: 5 }, { ifMatch: '*' });
      expect(fourth.document.value).toMatchObject({ n: 9 });
      await container.delete('1', 'a', { ifMatch: (await container.read('1', 'a'))?.etag as string });
      expect(await codeOf(() => container.delete('1', 'a', { ifMatch: '*' }))).toBe('not-found');
    },
  },
  {
    title: '[wire 7] If-None-Match on an upsert: only if there is none, or only if it has changed',
    async run(bench) {
      const container = await bench.container();
      const first = await container.upsert({ id: '1', pk: 'a', n: 1 }, { ifNoneMatch: '*' });

      expect(await codeOf(() => container.upsert({ id: '1', pk: 'a', n: 2 }, { ifNoneMatch: '*' }))).toBe(
        'precondition-failed',
      );
      expect(
        await codeOf(() => container.upsert({ id: '1', pk: 'a', n: 2 }, { ifNoneMatch: first.document.etag })),
      ).toBe('precondition-failed');

      await container.upsert({ id: '1', pk: 'a', n: 3 });
      const passed = await container.upsert({ id: '1', pk: 'a', n: 4 }, { ifNoneMatch: first.document.etag });
      expect(passed.document.value).toMatchObject({ n: 4 });
    },
  },
  {
    title: '[engine 6] of many who create the same id at once exactly one succeeds',
    async run(bench) {
      const container = await bench.container();

      const codes = await Promise.all(numbers(20).map((n) => codeOf(() => container.create({ id: '1', pk: 'a', n }))));

      expect(codes.filter((code) => code === 'none')).toHaveLength(1);
      expect(codes.filter((code) => code === 'conflict')).toHaveLength(19);
      expect(container.ranges[0]?.tailLsn).toBe(1);
    },
  },
  {
    title: '[engine 6] of many who replace the same version at once exactly one succeeds',
    async run(bench) {
      const container = await bench.container();
      let { document } = await container.create({ id: '1', pk: 'a', n: 0 });

      for (const round of numbers(10)) {
        const ifMatch = document.etag;
        const attempts = numbers(8).map((n) => codeOf(() => container.replace({ id: '1', pk: 'a', n }, { ifMatch })));
        const codes = await Promise.all(attempts);
        expect(
          codes.filter((code) => code === 'none'),
          `round ${round}`,
        ).toHaveLength(1);
        document = (await container.read('1', 'a')) as typeof document;
      }

      expect(container.ranges[0]?.tailLsn).toBe(11);
    },
  },
  {
    title: '[engine 6] increments that come all at once are all counted',
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a', n: 0 });
      await bench.settle();

      const incr = [{ op: 'incr', path: '/n', value: 1 }] as const;
      await Promise.all(numbers(50).map(() => container.patch('1', 'a', incr)));

      expect((await container.read('1', 'a'))?.value).toMatchObject({ n: 50 });
    },
  },
  {
    title: '[M5] a write is visible to every kind of read the moment it is acknowledged',
    async run(bench) {
      const container = await bench.container();

      for (const n of numbers(30)) {
        const { document } = await container.upsert({ id: '1', pk: 'a', n });

        expect((await container.read('1', 'a'))?.etag).toBe(document.etag);
        expect((await container.readByRid(document.value._rid))?.etag).toBe(document.etag);
        const { items } = await bench.page({ container: container.info.number, range: '0' }, { after: n });
        expect(items).toMatchObject([{ n, _lsn: n + 1 }]);
        const { documents } = await container.readPage('0');
        expect(documents.map(({ etag }) => etag)).toEqual([document.etag]);
      }
    },
  },
];
