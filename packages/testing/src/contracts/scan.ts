// The scan: every document of a range in the order of its rid, page by page, whatever happens to the ranges meanwhile.

import type { Container } from '@tidemark/engine/internal';
import { expect } from 'vitest';
import type { Bench, ContractCase } from './bench.ts';
import { codeOf, numbers } from './bench.ts';

interface Listed {
  readonly ids: string[];
  readonly rids: string[];
}

async function list(container: Container, range: string, itemsMax: number, from?: number): Promise<Listed> {
  const listed: Listed = { ids: [], rids: [] };
  let continuation = from;
  do {
    const page = await container.readPage(range, {
      itemsMax,
      ...(continuation === undefined ? {} : { continuation }),
    });
    expect(page.documents.length).toBeLessThanOrEqual(itemsMax);
    for (const { value } of page.documents) {
      listed.ids.push(value.id);
      listed.rids.push(value._rid);
    }
    continuation = page.continuation;
  } while (continuation !== undefined);
  return listed;
}

async function listPartition(container: Container, partitionKey: string, itemsMax: number): Promise<unknown[]> {
  const ids: unknown[] = [];
  let continuation: number | undefined;
  do {
    const page = await container.readPage('0', { continuation, itemsMax, partitionKey });
    ids.push(...page.documents.map((document) => document.value['id']));
    continuation = page.continuation;
  } while (continuation !== undefined);
  return ids;
}

/** The documents of all ranges, each range read to its end. */
async function listAll(bench: Bench, container: Container, itemsMax: number): Promise<string[]> {
  const ids: string[] = [];
  for (const range of bench.rangeIds(container)) ids.push(...(await list(container, range, itemsMax)).ids);
  return ids;
}

export const scanCases: readonly ContractCase[] = [
  {
    title: '[M2] pages through a range in the order of creation, each document once, replaced ones at their place',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(25)) await container.create({ id: `${n}`, pk: `p${n % 4}` });
      await container.upsert({ id: '3', pk: 'p3', again: true });
      const expected = numbers(25).map(String);

      for (const itemsMax of [1, 7, 25, 100]) expect((await list(container, '0', itemsMax)).ids).toEqual(expected);

      await bench.settle();
      for (const itemsMax of [1, 7, 25, 100]) expect((await list(container, '0', itemsMax)).ids).toEqual(expected);
    },
  },
  {
    title: '[M2] goes in the order of the rids as clients see them',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(300)) await container.create({ id: `${n}`, pk: 'a' });

      const { rids } = await list(container, '0', 100);

      const bytes = rids.map((rid) => Buffer.from(rid.replaceAll('-', '/'), 'base64').subarray(8));
      const values = bytes.map((buffer) => buffer.readBigUInt64LE());
      expect([...values].sort((a, b) => (a < b ? -1 : 1))).toEqual(values);
    },
  },
  {
    title: '[M2] [M3] shows a range its own documents and all ranges together every document once',
    async run(bench) {
      const container = await bench.container({ ranges: 4 });
      for (const n of numbers(60)) await container.create({ id: `${n}`, pk: `p${n}` });

      for (const range of bench.rangeIds(container)) {
        const { ids } = await list(container, range, 5);
        const homes = ids.map((id) =>
          bench.engine.rangeOf(container.info.number, container.partitionKey(`p${id}`).epk),
        );
        expect(new Set(homes)).toEqual(new Set([range]));
      }
      expect((await listAll(bench, container, 7)).sort()).toEqual(numbers(60).map(String).sort());
    },
  },
  {
    title: '[M2] a document that was deleted and created anew comes once, in its new place',
    async run(bench) {
      const container = await bench.container();
      for (const id of ['1', '2', '3']) await container.create({ id, pk: 'a' });
      await bench.settle();

      await Promise.all([container.delete('1', 'a'), container.create({ id: '1', pk: 'a' })]);

      expect((await list(container, '0', 10)).ids).toEqual(['2', '3', '1']);
      await bench.settle();
      expect((await list(container, '0', 10)).ids).toEqual(['2', '3', '1']);
    },
  },
  {
    title:
      '[M2] a partition key, few documents or many, is listed in the order of creation, before and after the index has it',
    async run(bench) {
      const container = await bench.container();
      const many = 5_000;
      for (let n = 0; n < many; n += 100) {
        const creates = numbers(100).map((i) => ({ create: { id: `m${n + i}`, pk: 'many' } }));
        await container.batch('many', creates);
        await container.create({ id: `f${9_999 - n}`, pk: 'few' });
      }
      await container.delete('f9999', 'few');
      const few = numbers(many / 100).map((n) => `f${9_999 - n * 100}`);

      for (const settle of [false, true]) {
        if (settle) await bench.settle();
        const inFew = await listPartition(container, 'few', 7);
        expect(inFew).toEqual(few.slice(1));
        const inMany = await listPartition(container, 'many', 1_000);
        expect(inMany).toEqual(numbers(many).map((n) => `m${n}`));
      }
    },
  },
  {
    title: '[M3] the documents of a part of the keys are listed without the others',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(40)) await container.create({ id: `${n}`, pk: `p${n}` });
      const keys = { min: '10', max: '20' };
      const wanted = numbers(40).filter((n) => {
        const epk = Buffer.from(container.partitionKey(`p${n}`).epk)
          .toString('hex')
          .toUpperCase();
        return epk >= keys.min && epk < keys.max;
      });

      const page = await container.readPage('0', { keys, itemsMax: 100 });

      expect(wanted.length).toBeGreaterThan(0);
      expect(page.documents.map((document) => document.value['id'])).toEqual(wanted.map(String));
      await expect(container.readPage('0', { keys: { min: '1', max: '20' } })).rejects.toThrow(/upper-case hex/);
    },
  },
  {
    title: '[M20] of several intervals of keys a scan gives the documents of each, in the order of creation',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(60)) await container.create({ id: `${n}`, pk: `p${n}` });
      const keys = [
        { min: '08', max: '10' },
        { min: '18', max: '20' },
        { min: '30', max: '34' },
      ];
      const epkOf = (n: number): string =>
        Buffer.from(container.partitionKey(`p${n}`).epk)
          .toString('hex')
          .toUpperCase();
      const wanted = numbers(60).filter((n) => keys.some(({ min, max }) => epkOf(n) >= min && epkOf(n) < max));

      for (const settled of [false, true]) {
        if (settled) await bench.settle();
        const request = { from: undefined, itemsMax: 100, bytesMax: 1e6, keys };
        const { documents } = await bench.engine.scan(container.info.number, '0', request);
        expect(wanted.length).toBeGreaterThan(2);
        expect(documents.map(({ bytes }) => JSON.parse(bytes.toString('utf8')).id)).toEqual(wanted.map(String));
        const rids = documents.map(({ ridNumber }) => ridNumber);
        expect(rids).toEqual([...rids].sort((a, b) => a - b));
      }
    },
  },
  {
    title:
      '[M20] of some ids a scan gives the documents with them, in the order of creation, wherever they are looked for',
    async run(bench) {
      const container = await bench.container();
      const long = 'l'.repeat(300);
      // More partition keys than are looked into one by one.
      const keys = numbers(400).map((n) => `p${n}`);
      for (const pk of keys) for (const id of ['a', 'b', `${long}${pk}`]) await container.create({ id, pk });
      const ids = ['b', 'a\u0000', `${long}p7`, `${long}p8`];
      const range = bench.rangeIds(container)[0] as string;
      const scan = async (selection: object): Promise<string[]> => {
        const found: string[] = [];
        let from: number | undefined;
        do {
          const request = { from, itemsMax: 100, bytesMax: 1e6, ids, ...selection };
          const { documents, continuation } = await bench.engine.scan(container.info.number, range, request);
          for (const { bytes } of documents) {
            const { id, pk } = JSON.parse(bytes.toString('utf8'));
            found.push(`${pk} ${id}`);
          }
          from = continuation;
        } while (from !== undefined);
        return found;
      };
      const wanted = keys.flatMap((pk) =>
        ['b', ...(pk === 'p7' || pk === 'p8' ? [`${long}${pk}`] : [])].map((id) => `${pk} ${id}`),
      );
      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        expect(await scan({})).toEqual(wanted);
        expect(await scan({ partitionKey: container.partitionKey('p7') })).toEqual(['p7 b', `p7 ${long}p7`]);
        const some = await scan({ keys: [{ min: '10', max: '14' }] });
        expect(some.length).toBeGreaterThan(5);
        expect(wanted.filter((each) => some.includes(each))).toEqual(some);
        expect(await scan({ ids: [] })).toEqual([]);
      }
    },
  },
  {
    title: '[M20] a batch of a scan is of one tail, whatever is written meanwhile',
    async run(bench) {
      const container = await bench.container();
      const written: { lsn: number; id: string; n: number | undefined }[] = [];
      const write = async (n: number): Promise<void> => {
        const id = `${n % 9}`;
        if (n % 7 === 6) {
          const { lsn } = await container.commit(container.partitionKey('a'), [{ kind: 'delete', id }]);
          written.push({ lsn, id, n: undefined });
        } else {
          const { document } = await container.upsert({ id, pk: 'a', n });
          written.push({ lsn: document.lsn, id, n });
        }
      };
      const batches: { readonly tail: number; readonly found: Record<string, number> }[] = [];
      for (const round of numbers(30)) {
        const request = { from: undefined, itemsMax: 100, bytesMax: 1e6 };
        const writing = numbers(8).map((at) => write(round * 8 + at).catch(() => {}));
        const { documents, tail } = await bench.engine.scan(container.info.number, '0', request);
        const values = documents.map(({ bytes }) => JSON.parse(bytes.toString('utf8')) as { id: string; n: number });
        batches.push({ tail, found: Object.fromEntries(values.map(({ id, n }) => [id, n])) });
        await Promise.all(writing);
        if (round % 10 === 9) await bench.settle();
      }

      written.sort((a, b) => a.lsn - b.lsn);
      for (const { tail, found } of batches) {
        const expected = new Map<string, number>();
        for (const { lsn, id, n } of written) {
          if (lsn > tail) break;
          if (n === undefined) expected.delete(id);
          else expected.set(id, n);
        }
        expect(found).toEqual(Object.fromEntries(expected));
      }
    },
  },
  {
    title: '[M2] a page ends at the bytes asked for, and the next one goes on',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(6)) await container.create({ id: `${n}`, pk: 'a', pad: 'x'.repeat(1_000) });
      const number = container.info.number;

      const first = await bench.engine.scan(number, '0', { from: undefined, itemsMax: 100, bytesMax: 2_500 });

      expect(first.documents.length).toBeGreaterThan(0);
      expect(first.documents.length).toBeLessThan(6);
      const rest = await bench.engine.scan(number, '0', { from: first.continuation, itemsMax: 100, bytesMax: 1e6 });
      expect(first.documents.length + rest.documents.length).toBe(6);
    },
  },
  {
    title: '[B8] [M2] after a split every document is in one child, in the order of its rid, old ones first',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(40)) await container.create({ id: `${n}`, pk: `p${n}` });

      await container.split('0');
      for (const n of numbers(40, 40)) await container.create({ id: `${n}`, pk: `p${n}` });

      for (const range of bench.rangeIds(container)) {
        const order = (await list(container, range, 3)).ids.map(Number);
        expect(order.length).toBeGreaterThan(0);
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
      expect((await listAll(bench, container, 9)).sort()).toEqual(numbers(80).map(String).sort());
    },
  },
  {
    title: '[B8] [M2] a continuation made before a split goes on in the children without loss or repetition',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(30)) await container.create({ id: `${n}`, pk: `p${n}` });
      const first = await container.readPage('0', { itemsMax: 12 });
      const seen = first.documents.map(({ value }) => value.id);

      await container.split('0');

      for (const range of bench.rangeIds(container)) {
        seen.push(...(await list(container, range, 4, first.continuation)).ids);
      }
      expect([...seen].sort()).toEqual(numbers(30).map(String).sort());
    },
  },
  {
    title: '[B8] [M2] after a merge the one range has every document once',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      for (const n of numbers(30)) await container.create({ id: `${n}`, pk: `p${n}` });

      await container.merge('0', '1');
      for (const n of numbers(10, 30)) await container.create({ id: `${n}`, pk: `p${n}` });

      for (const itemsMax of [3, 100]) {
        expect((await listAll(bench, container, itemsMax)).sort()).toEqual(numbers(40).map(String).sort());
      }
    },
  },
  {
    title: '[M3] refuses a range that never was, and one that is no more',
    async run(bench) {
      const container = await bench.container();
      await container.split('0');

      expect(await codeOf(() => container.readPage('7'))).toBe('range-unknown');
      expect(await codeOf(() => container.readPage('0'))).toBe('range-gone');
    },
  },
];
