// Durable, visible, acknowledged, in this order. The cases hold a flush and look around meanwhile.

import type { Container } from '@tidemark/engine/internal';
import { expect } from 'vitest';
import type { Bench, ContractCase } from './bench.ts';
import { codeOf, idsOf, keyScope, numbers, rangeScope, until } from './bench.ts';

const hourMs = 3_600_000;

/** A promise whose end can be looked at. */
function watched<T>(promise: Promise<T>): { readonly promise: Promise<T>; readonly isSettled: () => boolean } {
  let isSettled = false;
  const done = () => {
    isSettled = true;
  };
  promise.then(done, done);
  return { promise, isSettled: () => isSettled };
}

/** Long enough for everything that could happen without the flush to have happened. */
async function turns(): Promise<void> {
  for (const _ of numbers(50)) await new Promise((resolve) => setImmediate(resolve));
}

/** Everything that a reader can see. */
async function look(bench: Bench, container: Container): Promise<unknown> {
  const scope = rangeScope(container);
  return {
    read: (await container.read('1', 'a'))?.value,
    page: (await container.readPage('0')).documents.map(({ value }) => value),
    latest: await bench.items(scope),
    versions: await bench.items(scope, { mode: 'all' }),
    ofKey: await bench.items(keyScope(bench, container, 'a')),
    tail: container.ranges.map(({ tailLsn }) => tailLsn),
    time: bench.engine.lsnAt(container.info.number, '0', bench.clock.nowMs() + 10_000),
  };
}

export const flushCases: readonly ContractCase[] = [
  {
    title: '[engine 6] nothing is acknowledged and nothing is visible before its flush; then both',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      await container.create({ id: '0', pk: 'a' });
      const before = await look(bench, container);
      const gate = bench.holdFlush();

      const write = watched(container.create({ id: '1', pk: 'a' }));
      await gate.reached;
      await turns();

      expect(write.isSettled()).toBe(false);
      expect(await look(bench, container)).toEqual(before);
      gate.release();
      const { document } = await write.promise;
      expect((await container.read('1', 'a'))?.value).toEqual(document.value);
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['0', '1']);
    },
  },
  {
    title: '[engine 6] an update in flight leaves the version before it visible, a delete the document',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      await container.create({ id: '1', pk: 'a', n: 1 });
      await container.create({ id: '2', pk: 'a' });
      const before = await look(bench, container);
      const gate = bench.holdFlush();

      const update = watched(container.upsert({ id: '1', pk: 'a', n: 2 }));
      const removal = watched(container.delete('2', 'a'));
      await gate.reached;
      await turns();

      expect([update.isSettled(), removal.isSettled()]).toEqual([false, false]);
      expect(await look(bench, container)).toEqual(before);
      gate.release();
      await Promise.all([update.promise, removal.promise]);
      expect(await bench.items(rangeScope(container))).toMatchObject([{ id: '1', n: 2 }]);
    },
  },
  {
    title: '[engine 6] a rejection is answered only when what it saw is durable',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container();
      const gate = bench.holdFlush();
      const first = watched(container.create({ id: '1', pk: 'a' }));
      await gate.reached;

      const second = watched(codeOf(() => container.create({ id: '1', pk: 'a' })));
      const third = watched(codeOf(() => container.replace({ id: 'absent', pk: 'a' })));
      await turns();

      expect([first.isSettled(), second.isSettled(), third.isSettled()]).toEqual([false, false, false]);
      gate.release();
      expect(await second.promise).toBe('conflict');
      expect(await third.promise).toBe('not-found');
      expect(first.isSettled()).toBe(true);
    },
  },
  {
    title: '[engine 6] a read inside a batch is answered only when what it saw is durable',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container();
      const gate = bench.holdFlush();
      const write = watched(container.create({ id: '1', pk: 'a', n: 7 }));
      await gate.reached;

      const batch = watched(container.batch('a', [{ read: '1' }]));
      await turns();

      expect(batch.isSettled()).toBe(false);
      gate.release();
      const { outcomes } = await batch.promise;
      expect(outcomes).toMatchObject([{ kind: 'read', document: { lsn: 1 } }]);
      expect(write.isSettled()).toBe(true);
    },
  },
  {
    title: '[engine 6] writes that come during a flush share the next one',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container();
      const gate = bench.holdFlush();
      const first = watched(container.create({ id: 'first', pk: 'a' }));
      await gate.reached;

      const next = bench.holdFlush();
      const others = numbers(50).map((n) => watched(container.create({ id: `${n}`, pk: 'a' })));
      gate.release();
      await first.promise;
      await next.reached;
      await turns();

      expect(others.some((other) => other.isSettled())).toBe(false);
      expect(idsOf(await bench.items(rangeScope(container)))).toEqual(['first']);
      next.release();
      await Promise.all(others.map((other) => other.promise));
      expect(await bench.items(rangeScope(container))).toHaveLength(51);
    },
  },
  {
    title: '[engine 6] [B1] waiters are not woken before the flush',
    needs: ['flush', 'push'],
    async run(bench) {
      const container = await bench.container();
      let woken = 0;
      const stop = bench.engine.watch(container.info.number, { range: '0' }, () => {
        woken += 1;
      });
      const gate = bench.holdFlush();

      const write = watched(container.create({ id: '1', pk: 'a' }));
      await gate.reached;
      await turns();

      expect(woken).toBe(0);
      gate.release();
      await write.promise;
      await until(() => woken === 1, 'the waiter is woken');
      stop();
    },
  },
  {
    title: '[engine 8] a split is not visible before its flush, and what came behind it finds the children',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '0', pk: 'a' });
      const gate = bench.holdFlush();

      const split = watched(container.split('0'));
      await gate.reached;
      const write = watched(container.create({ id: '1', pk: 'a' }));
      await turns();

      expect([split.isSettled(), write.isSettled()]).toEqual([false, false]);
      expect(bench.rangeIds(container)).toEqual(['0']);
      gate.release();
      await Promise.all([split.promise, write.promise]);
      expect(bench.rangeIds(container)).toEqual(['1', '2']);
      expect(idsOf(await bench.items(keyScope(bench, container, 'a')))).toEqual(['0', '1']);
    },
  },
  {
    title: '[engine 9] a delete by partition key is not visible before its flush',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a' });
      const gate = bench.holdFlush();

      const removal = watched(container.deletePartition('a'));
      await gate.reached;
      await turns();

      expect(removal.isSettled()).toBe(false);
      expect(await container.read('1', 'a')).toBeDefined();
      gate.release();
      await removal.promise;
      expect(await container.read('1', 'a')).toBeUndefined();
    },
  },
  {
    title: '[engine 9] what is decided behind a delete by partition key finds nothing of the key, flushed or not',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/mail'] }] } });
      for (const n of numbers(5)) await container.create({ id: `${n}`, pk: 'a', mail: n });
      const gate = bench.holdFlush();
      const removal = watched(container.deletePartition('a'));
      await gate.reached;

      const codes = [
        codeOf(() => container.create({ id: '0', pk: 'a', mail: 1, isNew: true })),
        codeOf(() => container.replace({ id: '1', pk: 'a', mail: 'x' })),
        codeOf(() => container.patch('2', 'a', [{ op: 'set', path: '/x', value: 1 }])),
        codeOf(() => container.delete('3', 'a')),
      ];
      await turns();
      gate.release();
      await removal.promise;

      expect(await Promise.all(codes)).toEqual(['none', 'not-found', 'not-found', 'not-found']);
      expect(idsOf(await bench.items(keyScope(bench, container, 'a')))).toEqual(['0']);
      await bench.runJobs();
      expect(await bench.items(keyScope(bench, container, 'a'))).toMatchObject([{ id: '0', isNew: true }]);
    },
  },
];
