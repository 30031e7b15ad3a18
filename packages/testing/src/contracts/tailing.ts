// Readers that follow: the order in which LSNs are given is the order in which they are seen, and waiters are woken.

import type { Container } from '@tidemark/engine/internal';
import { expect } from 'vitest';
import type { Bench, ContractCase, Item } from './bench.ts';
import { idsOf, numbers, rangeScope, until } from './bench.ts';

const hourMs = 3_600_000;

/** Reads on from where it is, turn after turn, until everything has been written. */
async function follow(bench: Bench, container: Container, isOver: () => boolean): Promise<number[]> {
  const lsns: number[] = [];
  let after = 0;
  for (;;) {
    const wasOver = isOver();
    const { items, page } = await bench.page(rangeScope(container), { after, itemsMax: 7 });
    lsns.push(...items.map(({ _lsn }) => _lsn));
    after = page.last;
    if (wasOver && page.isDrained) return lsns;
    if (page.isDrained) await new Promise((resolve) => setImmediate(resolve));
  }
}

export const tailingCases: readonly ContractCase[] = [
  {
    title: '[M5] a reader that follows many writers misses no LSN: they are seen in the order in which they are given',
    async run(bench) {
      const container = await bench.container();
      let isOver = false;
      const readers = numbers(3).map(() => follow(bench, container, () => isOver));

      const writer = async (w: number) => {
        for (const n of numbers(15)) await container.create({ id: `${w}-${n}`, pk: `p${w}`, pad: 'x'.repeat(w * 300) });
      };
      await Promise.all(numbers(12).map(writer));
      isOver = true;

      for (const lsns of await Promise.all(readers)) expect(lsns).toEqual(numbers(180, 1));
    },
  },
  {
    title: '[M5] what a page has shown is never withdrawn, and no LSN below its position appears later',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      const writes = numbers(100).map((n) => container.create({ id: `${n}`, pk: 'a', pad: 'x'.repeat((n % 5) * 400) }));
      let isOver = false;
      const all = Promise.all(writes).then(() => {
        isOver = true;
      });

      try {
        let before: Item[] = [];
        while (!isOver) {
          const now = await bench.items(rangeScope(container));
          expect(now.slice(0, before.length)).toEqual(before);
          before = now;
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        await all;
      }

      expect(await bench.items(rangeScope(container))).toHaveLength(100);
    },
  },
  {
    title: '[M5] whoever is told the LSN of a write finds everything up to it in the feed',
    async run(bench) {
      const container = await bench.container();

      const check = async (n: number) => {
        const { document } = await container.create({ id: `${n}`, pk: `p${n % 3}`, pad: 'x'.repeat((n % 4) * 900) });
        const items = await bench.items(rangeScope(container));
        expect(items.slice(0, document.lsn).map(({ _lsn }) => _lsn)).toEqual(numbers(document.lsn, 1));
      };

      await Promise.all(numbers(60).map(check));
    },
  },
  {
    title: '[B1] a commit wakes those who watch its range, and by then the change is there',
    needs: ['push'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const { number } = container.info;
      const woken: unknown[] = [];
      const stop = bench.engine.watch(number, { range: '0' }, () => woken.push(container.ranges[0]?.tailLsn));

      await container.create({ id: '1', pk: bench.keyIn(container, '1') });
      expect(woken).toEqual([]);
      await container.create({ id: '1', pk: bench.keyIn(container, '0') });

      await until(() => woken.length > 0, 'the watcher is woken');
      expect(woken[0]).toBe(1);
      stop();
      stop();
      const before = woken.length;
      await container.create({ id: '2', pk: bench.keyIn(container, '0') });
      expect(woken).toHaveLength(before);
    },
  },
  {
    title: '[B1] one watch takes a whole container, and a rejected write wakes nobody',
    needs: ['push'],
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      let woken = 0;
      const stop = bench.engine.watch(container.info.number, {}, () => {
        woken += 1;
      });

      for (const range of ['0', '1', '2']) {
        const result = await container.commit(container.partitionKey(bench.keyIn(container, range)), [
          { kind: 'delete', id: 'absent' },
        ]);
        expect(result.isCommitted).toBe(false);
      }
      expect(woken).toBe(0);
      for (const range of ['0', '1', '2']) await container.create({ id: '1', pk: bench.keyIn(container, range) });

      await until(() => woken >= 3, 'every range wakes');
      expect(woken).toBe(3);
      await container.split('1');
      await container.create({ id: '2', pk: bench.keyIn(container, '3') });
      await until(() => woken >= 4, 'a child wakes as its parent did');
      stop();
    },
  },
  {
    title: '[B1] [engine 10] who waits for a key or an interval of keys hears of every commit to it',
    needs: ['push'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const { number } = container.info;
      const [here, there] = [bench.keyIn(container, '0'), bench.keyIn(container, '1')];
      const half = container.ranges[1]?.min ?? '';
      const heard: string[] = [];
      const hear = (what: string) => () => {
        if (!heard.includes(what)) heard.push(what);
      };
      const stops = [
        bench.engine.watch(number, { epk: container.partitionKey(here).epk }, hear('key')),
        bench.engine.watch(number, { keys: { min: '', max: half } }, hear('interval')),
        bench.engine.watch(number, { range: '0', keys: { min: '', max: half } }, hear('interval of the range')),
      ];

      await container.create({ id: '1', pk: there });
      await container.batch(here, [{ create: { id: '1', pk: here } }, { create: { id: '2', pk: here } }]);

      await until(() => heard.length === 3, 'all three are woken');
      for (const stop of stops) stop();
    },
  },
  {
    title: '[B1] [B8] a split wakes those who wait for its parent, so that they can wait for its children',
    needs: ['push'],
    async run(bench) {
      const container = await bench.container();
      let woken = 0;
      const stop = bench.engine.watch(container.info.number, { range: '0' }, () => {
        woken += 1;
      });

      await container.split('0');

      await until(() => woken > 0, 'the watcher of the parent is woken');
      stop();
    },
  },
  {
    title: '[B1] [B8] a tail that waits is woken through a split and a merge',
    needs: ['push', 'merge'],
    async run(bench) {
      const container = await bench.container();
      const stop = new AbortController();
      const seen: unknown[] = [];
      const reader = (async () => {
        for await (const change of container.changes({ signal: stop.signal })) seen.push(change.id);
      })();
      const write = async (id: string) => {
        await container.create({ id, pk: id });
        await until(() => seen.includes(id), `the tail sees ${id}`);
      };

      await write('1');
      await container.split('0');
      await write('2');
      await write('3');
      await container.merge('1', '2');
      await write('4');

      stop.abort();
      await reader;
      expect(seen).toEqual(['1', '2', '3', '4']);
    },
  },
  {
    title: '[B1] [B11] a tail of the whole container sees every write of every range, in order per key',
    needs: ['push'],
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      const stop = new AbortController();
      const seen: Item[] = [];
      const reader = (async () => {
        for await (const change of container.changes({ signal: stop.signal })) seen.push(change as unknown as Item);
      })();

      const writer = async (pk: string) => {
        for (const n of numbers(20)) await container.create({ id: `${n}`, pk });
      };
      await Promise.all(numbers(6).map((n) => writer(`p${n}`)));

      await until(() => seen.length >= 120, 'the tail has seen everything');
      stop.abort();
      await reader;
      for (const n of numbers(6)) {
        expect(idsOf(seen.filter(({ pk }) => pk === `p${n}`))).toEqual(numbers(20).map(String));
      }
    },
  },
];
