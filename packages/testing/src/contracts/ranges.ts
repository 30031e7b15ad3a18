// Splits and merges: LSNs and lineage go on, and nobody who reads or writes at that moment loses, repeats or reorders.

import type { Container, UnitResult } from '@tidemark/engine/internal';
import { decide } from '@tidemark/engine/internal';
import { effectiveKeyHex, isDatabaseError, keyRangesTile } from '@tidemark/model';
import { expect } from 'vitest';
import type { Bench, ContractCase, Item, VersionItem } from './bench.ts';
import { codeOf, idsOf, keyScope, numbers, rangeScope, until } from './bench.ts';

const hourMs = 3_600_000;

/** Writes ever greater `n` to its own document of a key, one after the other; resolves with how many. */
async function writeSteadily(container: Container, pk: string, id: string, isOver: () => boolean): Promise<number> {
  let n = 0;
  while (!isOver() || n === 0) {
    n += 1;
    const { document } = await container.upsert({ id, pk, n });
    expect((await container.read<{ n: number }>(id, pk))?.value.n).toBe((document.value as unknown as { n: number }).n);
  }
  return n;
}

/** Every change that a reader of the container gets until `isOver`, page by page from its own etag each time. */
async function tail(container: Container, mode: 'changes' | 'versions', isOver: () => boolean): Promise<Item[]> {
  const seen: Item[] = [];
  let etag: string | undefined;
  for (;;) {
    const wasOver = isOver();
    const options = { itemsMax: 5, ...(etag === undefined ? {} : { from: { etag } }) };
    const feed = mode === 'changes' ? container.changes(options) : container.versions(options);
    const page = await feed.page();
    etag = page.etag;
    const read = JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`) as (Item | VersionItem)[];
    seen.push(...read.map((item) => ('metadata' in item ? itemOf(item as VersionItem) : item)));
    if (wasOver && page.isDrained) return seen;
    if (page.isDrained) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A version as a document of the latest versions is: in an envelope the LSN stands beside it. */
function itemOf({ current, metadata }: VersionItem): Item {
  return { ...(current as Item), _lsn: metadata.lsn };
}

async function underLoad(bench: Bench, container: Container, change: () => Promise<void>): Promise<void> {
  let isOver = false;
  let isWritten = false;
  const keys = numbers(8).map((n) => `p${n}`);
  const writers = keys.flatMap((pk) => ['1', '2'].map((id) => writeSteadily(container, pk, id, () => isOver)));
  const latest = tail(container, 'changes', () => isWritten);
  const versions = tail(container, 'versions', () => isWritten);

  await change();
  isOver = true;
  const counts = await Promise.all(writers);
  isWritten = true;

  const [shown, everything] = await Promise.all([latest, versions]);
  for (const [index, count] of counts.entries()) {
    const pk = keys[Math.floor(index / 2)] as string;
    const id = index % 2 === 0 ? '1' : '2';
    const of = (items: readonly Item[]) => items.filter((item) => item.pk === pk && item.id === id).map(({ n }) => n);
    const inOrder = of(shown) as number[];
    expect(inOrder.at(-1), `the last of ${pk} ${id}`).toBe(count);
    expect(inOrder, `latest of ${pk} ${id}`).toEqual([...new Set(inOrder)].sort((a, b) => a - b));
    expect(of(everything), `versions of ${pk} ${id}`).toEqual(numbers(count, 1));
  }
  expectOneSequencePerRange(bench, container, everything, counts);
}

function expectOneSequencePerRange(
  bench: Bench,
  container: Container,
  everything: readonly Item[],
  counts: readonly number[],
): void {
  expect(everything).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
  for (const { id, tailLsn } of container.ranges) {
    const own = everything.filter(
      ({ pk }) => bench.engine.rangeOf(container.info.number, container.partitionKey(pk as string).epk) === id,
    );
    expect(Math.max(0, ...own.map(({ _lsn }) => _lsn))).toBeLessThanOrEqual(tailLsn);
  }
}

export const rangeCases: readonly ContractCase[] = [
  {
    title: '[B8] [wire 10] a split gives two children with fresh ids that tile the parent and name it',
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const [parent] = container.ranges;

      const children = await container.split('0');

      expect(children.map(({ id }) => id)).toEqual(['2', '3']);
      expect(bench.rangeIds(container)).toEqual(['2', '3', '1']);
      expect(keyRangesTile(container.ranges)).toBe(true);
      expect([children[0]?.min, children[1]?.max]).toEqual([parent?.min, parent?.max]);
      expect(children.map(({ parents }) => parents)).toEqual([['0'], ['0']]);
      const grandchildren = await container.split('3');
      expect(grandchildren.map(({ parents }) => parents)).toEqual([
        ['0', '3'],
        ['0', '3'],
      ]);
    },
  },
  {
    title: '[B8] a split goes where it is told to',
    async run(bench) {
      const container = await bench.container();
      const at = '1234567890ABCDEF1234567890ABCDEF';

      const [low, high] = await container.split('0', at);

      expect([low?.max, high?.min]).toEqual([at, at]);
      for (const n of numbers(30)) {
        const { epk } = container.partitionKey(`p${n}`);
        const isLow = epk.toString('hex').toUpperCase() < at;
        expect(bench.engine.rangeOf(container.info.number, epk)).toBe(isLow ? low?.id : high?.id);
      }
    },
  },
  {
    title: '[B8] [wire 17.5] the children of a split go on from the LSN of their parent, and keep every old LSN',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(20)) await container.create({ id: `${n}`, pk: `p${n}` });
      const before = await bench.items(rangeScope(container));

      await container.split('0');

      expect(container.ranges.map(({ tailLsn }) => tailLsn)).toEqual([20, 20]);
      const feeds = await Promise.all(['1', '2'].map((id) => bench.items(rangeScope(container, id))));
      expect(feeds.flat().sort((a, b) => a._lsn - b._lsn)).toEqual(before);
      const next = await container.create({ id: 'new', pk: bench.keyIn(container, '2') });
      expect(next.document.lsn).toBe(21);
      expect(container.ranges.map(({ tailLsn }) => tailLsn)).toEqual([20, 21]);
      expect(idsOf(await bench.items(rangeScope(container, '2'), { after: 20 }))).toEqual(['new']);
      expect(await bench.items(rangeScope(container, '1'), { after: 20 })).toEqual([]);
    },
  },
  {
    title: '[wire 6] the ranges of a container together tell how many documents it has, whatever becomes of them',
    async run(bench) {
      const container = await bench.container({ defaultTtl: -1 });
      const told = () => container.ranges.reduce((sum, { documents }) => sum + documents, 0);
      for (const n of numbers(21)) await container.create({ id: `${n}`, pk: `p${n % 5}` });
      await container.upsert({ id: '0', pk: 'p0', again: true });
      await expect(container.create({ id: '0', pk: 'p0' })).rejects.toThrow();
      expect(told()).toBe(21);
      await container.delete('1', 'p1');
      await container.batch('p2', [
        { create: { id: 'a', pk: 'p2' } },
        { create: { id: 'b', pk: 'p2' } },
        { delete: 'b' },
        { patch: 'a', operations: [{ op: 'set', path: '/x', value: 1 }] },
      ]);
      await container.create({ id: 'short', pk: 'p3', ttl: 1 });
      expect(told()).toBe(22);
      await container.split('0');
      expect(told()).toBe(22);
      await bench.settle();
      bench.clock.jump(5_000);
      await bench.engine.sweep(container.info.number);
      expect(told()).toBe(21);
      if (!bench.offers('merge')) return;
      await container.merge('1', '2');
      expect([told(), container.ranges.length]).toEqual([21, 1]);
      if (!bench.offers('reopen')) return;
      await bench.reopen();
      expect(bench.open().ranges.reduce((sum, { documents }) => sum + documents, 0)).toBe(21);
    },
  },
  {
    title: '[B8] only neighbours are merged, the one with lower keys first, and the order of all is told',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 3 });
      const message = expect.stringContaining('In the order of keys they are 0, 1, 2.');

      await expect(container.merge('0', '2')).rejects.toMatchObject({ code: 'bad-request', message });
      await expect(container.merge('1', '0')).rejects.toMatchObject({ code: 'bad-request', message });

      expect(bench.rangeIds(container)).toEqual(['0', '1', '2']);
    },
  },
  {
    title: '[B8] [wire 10] a merge gives one range that goes on from the greater LSN and names every ancestor',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const [left, right] = [bench.keyIn(container, '0'), bench.keyIn(container, '1')];
      for (const n of numbers(9)) await container.create({ id: `${n}`, pk: left });
      for (const n of numbers(4)) await container.create({ id: `${n}`, pk: right });

      const merged = await container.merge('0', '1');

      expect(merged).toMatchObject({ id: '2', min: '', max: 'FF', parents: ['0', '1'], tailLsn: 9 });
      const next = await container.create({ id: 'new', pk: right });
      expect(next.document.lsn).toBe(10);
      const items = await bench.items(rangeScope(container, '2'), { itemsMax: 1 });
      expect(items).toHaveLength(14);
      expect(items.map(({ _lsn }) => _lsn)).toEqual([...items.map(({ _lsn }) => _lsn)].sort((a, b) => a - b));
    },
  },
  {
    title: '[B8] [wire 11.5] after a merge a reader goes on with its old etag and its old interval',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const [left, right] = [bench.keyIn(container, '0'), bench.keyIn(container, '1')];
      for (const n of numbers(9)) await container.create({ id: `l${n}`, pk: left });
      for (const n of numbers(4)) await container.create({ id: `r${n}`, pk: right });
      const [low, high] = container.ranges.map(({ min, max }) => ({ min, max }));

      await container.merge('0', '1');
      await container.create({ id: 'new', pk: right });

      const scope = rangeScope(container, '2');
      const ofRight = await bench.items({ ...scope, keys: high as { min: string; max: string } }, { after: 2 });
      const ofLeft = await bench.items({ ...scope, keys: low as { min: string; max: string } }, { after: 7 });
      expect(idsOf(ofRight)).toEqual(['r2', 'r3', 'new']);
      expect(idsOf(ofLeft)).toEqual(['l7', 'l8']);
    },
  },
  {
    title: '[M6] after a merge a page ends after everything that shares its LSN',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const [left, right] = [bench.keyIn(container, '0'), bench.keyIn(container, '1')];
      for (const n of numbers(5)) {
        await container.batch(
          left,
          ['a', 'b'].map((id) => ({ create: { id: `${id}${n}`, pk: left } })),
        );
        await container.batch(
          right,
          ['c', 'd'].map((id) => ({ create: { id: `${id}${n}`, pk: right } })),
        );
      }
      await container.merge('0', '1');

      for (const isSettled of [false, true]) {
        if (isSettled) await bench.settle();
        const pages = await bench.pages(rangeScope(container, '2'), { itemsMax: 1 });
        const shown = pages.map(({ items }) => idsOf(items).sort()).filter((ids) => ids.length > 0);
        expect(shown).toEqual(numbers(5).map((n) => [`a${n}`, `b${n}`, `c${n}`, `d${n}`]));
      }
    },
  },
  {
    title: '[engine 7] a page whose budget runs out after a merge does not pass over what shares its last LSN',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 2 });
      const left = bench.keyIn(container, '0');
      const rights = numbers(22).map((n) => bench.keyIn(container, '1', n));
      const pad = 'x'.repeat(900_000);
      for (const [n, right] of rights.entries()) {
        await container.create({ id: `${n}`, pk: left });
        await container.create({ id: `${n}`, pk: right, pad });
      }
      await container.merge('0', '1');
      await bench.settle();

      for (const [n, right] of rights.entries()) {
        const min = effectiveKeyHex(container.partitionKey(right).epk);
        const scope = { ...rangeScope(container, '2'), keys: { min, max: `${min}FF` } };
        expect(idsOf(await bench.items(scope)), `LSN ${n + 1}`).toEqual([`${n}`]);
      }
    },
  },
  {
    title: '[engine 8] a write that names a range while it is being split is told its children and applied nowhere',
    async run(bench) {
      const { engine } = bench;
      const container = await bench.container();
      const { number } = container.info;
      const key = container.partitionKey('a');
      const document = container.readClient({ id: '1', pk: 'a' });
      const unit = { partitionKey: key, commands: [{ kind: 'create', document } as const] };
      const attempt = () =>
        engine.commit(number, '0', unit, decide).then(
          () => undefined,
          (error: unknown) => error,
        );

      const split = container.split('0');
      const answers = [attempt()];
      await Promise.resolve();
      answers.push(attempt());
      await new Promise((resolve) => setImmediate(resolve));
      answers.push(attempt());
      const children = (await split).map(({ id }) => id);

      const errors = (await Promise.all(answers)).filter((answer) => answer !== undefined);
      for (const error of errors) {
        expect(isDatabaseError(error)).toBe(true);
        if (isDatabaseError(error) && error.code === 'conflict') continue;
        expect(error).toMatchObject({ code: 'range-gone', detail: { children } });
      }
      expect(errors.length).toBeGreaterThan(0);
      expect(await codeOf(() => container.upsert({ id: '1', pk: 'a' }))).toBe('none');
    },
  },
  {
    title: '[B8] a write that names no range is applied once, wherever its key has gone while it was on its way',
    async run(bench) {
      const { engine } = bench;
      const container = await bench.container();
      const { number } = container.info;
      const key = container.partitionKey('a');
      const attempt = (id: string, range: string | undefined) => {
        const document = container.readClient({ id, pk: 'a' });
        return engine.commit(number, range, { partitionKey: key, commands: [{ kind: 'create', document }] }, decide);
      };
      const named: Promise<string>[] = [];
      const unnamed: Promise<UnitResult>[] = [];
      const attemptBoth = () => {
        const n = unnamed.length;
        named.push(codeOf(() => attempt(`named ${n}`, '0')));
        unnamed.push(attempt(`unnamed ${n}`, undefined));
      };

      const split = container.split('0');
      attemptBoth();
      await Promise.resolve();
      attemptBoth();
      await new Promise((resolve) => setImmediate(resolve));
      attemptBoth();
      await split;

      // Those with a name show that the range went while they were on their way.
      expect(await Promise.all(named)).toContain('range-gone');
      for (const { isCommitted } of await Promise.all(unnamed)) expect(isCommitted).toBe(true);
      const scope = { container: number, range: engine.rangeOf(number, key.epk), partitionKey: key };
      const ids = idsOf(await bench.items(scope)).filter((id) => String(id).startsWith('unnamed'));
      expect(ids.sort()).toEqual(['unnamed 0', 'unnamed 1', 'unnamed 2']);
    },
  },
  {
    title: '[engine 8] a patch that names a range and fetches a body first is not applied in another range',
    async run(bench) {
      const { engine } = bench;
      const operations = [{ op: 'incr', path: '/n', value: 1 } as const];
      // The range goes before the patch is there, while it fetches the body, and when it is back.
      for (let turns = 0; turns < 12; turns += 1) {
        const container = await bench.container({ id: `turns-${turns}` });
        const { number } = container.info;
        await container.create({ id: '1', pk: 'a', n: 0 });
        await bench.settle();
        const partitionKey = container.partitionKey('a');
        const unit = { partitionKey, commands: [{ kind: 'patch', id: '1', operations } as const] };

        const split = turns < 6 ? container.split('0') : undefined;
        for (let turn = 0; turn < turns % 6; turn += 1) await Promise.resolve();
        const patched = engine.commit(number, '0', unit, decide).then(
          ({ range }) => range,
          (error: unknown) => (isDatabaseError(error) ? error.code : error),
        );
        for (let turn = 0; turn < turns % 6; turn += 1) await Promise.resolve();
        await (split ?? container.split('0'));

        const answer = await patched;
        expect(['0', 'range-gone'], `${turns} turns`).toContain(answer);
        expect((await container.read('1', 'a'))?.value).toMatchObject({ n: answer === '0' ? 1 : 0 });
      }
    },
  },
  {
    title: '[B8] a write that names no range hears that its container has been deleted on its way',
    async run(bench) {
      const { engine } = bench;
      const container = await bench.container();
      const { number } = container.info;
      const document = container.readClient({ id: '1', pk: 'a' });
      const unit = { partitionKey: container.partitionKey('a'), commands: [{ kind: 'create', document } as const] };

      const deleted = engine.deleteContainer(number);
      const code = codeOf(() => engine.commit(number, undefined, unit, decide));
      await deleted;

      expect(['none', 'container-not-found']).toContain(await code);
      expect(await codeOf(() => engine.commit(number, undefined, unit, decide))).toBe('container-not-found');
    },
  },
  {
    title: '[B8] routing is announced when ranges change, and by then it is so',
    async run(bench) {
      const container = await bench.container();
      const { number } = container.info;
      const heard: string[][] = [];
      bench.engine.onRoutingChange((changed) => {
        if (changed === number) heard.push(bench.rangeIds(container));
      });

      await container.split('0');

      await until(() => heard.length > 0, 'the change of routing is announced');
      expect(heard.at(-1)).toEqual(['1', '2']);
    },
  },
  {
    title: '[B8] [M5] splits under load lose, repeat and reorder nothing, for writers and readers',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      await underLoad(bench, container, async () => {
        await container.split('0');
        await container.split('1');
        await container.split('2');
        await container.split('4');
      });
    },
  },
  {
    title: '[engine 8] [M5] a container that is to have more ranges gets them in the background, under load',
    async run(bench) {
      const container = await bench.container({ historyMs: hourMs });
      await underLoad(bench, container, async () => {
        await container.grow(5);
        expect(container.info.rangesWanted).toBe(5);
        await bench.runJobs();
        await until(() => container.ranges.length === 5, 'the container has grown');
      });
      expect(container.info.rangesWanted).toBeUndefined();
      await container.grow(3);
      await bench.runJobs();
      expect(container.ranges).toHaveLength(5);
      expect(keyRangesTile(container.ranges)).toBe(true);
    },
  },
  {
    title: '[B8] [M5] splits and merges under load lose, repeat and reorder nothing, for writers and readers',
    needs: ['merge'],
    async run(bench) {
      const container = await bench.container({ ranges: 3, historyMs: hourMs });
      await underLoad(bench, container, async () => {
        await container.merge('0', '1');
        await container.split('2');
        await container.merge('3', '4');
        await container.merge(...(bench.rangeIds(container).slice(0, 2) as [string, string]));
        await container.split(bench.rangeIds(container)[0] as string);
      });
    },
  },
  {
    title: '[B8] [engine 4] a lineage of splits and merges survives a reopen',
    needs: ['merge', 'reopen'],
    async run(bench) {
      const before = await bench.container({ historyMs: hourMs });
      const write = async (container: Container, n: number) => {
        for (const key of numbers(12)) await container.upsert({ id: '1', pk: `p${key}`, n });
      };
      await write(before, 0);
      await before.split('0');
      await write(before, 1);
      await before.merge('1', '2');
      await write(before, 2);
      await before.split('3');
      await write(before, 3);
      const ranges = before.ranges;
      const read = async (container: Container) =>
        Promise.all(container.ranges.map(({ id }) => bench.items(rangeScope(container, id), { mode: 'all' })));
      const expected = await read(before);

      await bench.reopen();

      const container = bench.open();
      expect(container.ranges.map(({ sizeBytes: _, ...range }) => range)).toEqual(
        ranges.map(({ sizeBytes: _, ...range }) => range),
      );
      expect(await read(container)).toEqual(expected);
      expect(expected.flat()).toHaveLength(48);
      for (const key of numbers(12)) {
        expect(await bench.items(keyScope(bench, container, `p${key}`))).toMatchObject([{ n: 3 }]);
      }
    },
  },
];
