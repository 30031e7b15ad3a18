// Feeds of ranges with a long past: split and merged again and again.

import { expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import { openDatabase } from '../src/database.ts';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, openOn } from './harness.ts';

const rounds = 40;
const writesPerRound = 30;
const ancestors: number = 3 * rounds;

test.each(['versions', 'changes'] as const)(
  '[engine 7] what a page of %s costs does not grow with what its range descends from',
  async (feed) => {
    await using database = await openDatabase({ memory: true, maintenance: false });
    const container = await aContainer(database, { historyMs: 3_600_000 });
    const written = await writeAndRegroup(container);
    await database.engine.settle();
    const { index } = database.engine.state;
    let looks = 0;
    const { range } = index;
    index.range = (options) => {
      looks += 1;
      return range.call(index, options);
    };

    const read: string[] = [];
    let pages = 0;
    for (const reader = container[feed]({ itemsMax: 10 }); ; ) {
      const page = await reader.page();
      pages += 1;
      for (const piece of page.pieces)
        for (const [, id] of `${piece}`.matchAll(/"id":"(\w+)"/g)) read.push(id as string);
      if (page.isDrained) break;
    }

    expect(container.ranges[0]).toMatchObject({ parents: { length: ancestors } });
    expect(read.sort()).toEqual(written.sort());
    expect(pages).toBeGreaterThan((rounds * writesPerRound) / 10);
    // Each ancestor is looked for three times, of two looks: for where it begins, when its turn has come, and at its end.
    expect(looks).toBeLessThan(6 * ancestors + 2 * pages);
  },
);

/** Each round has two ranges and then one. Gives the ids of the documents, of which none is written twice. */
async function writeAndRegroup(container: Container): Promise<string[]> {
  const written: string[] = [];
  const write = async (): Promise<void> => {
    for (let i = 0; i < writesPerRound / 2; i += 1) {
      const id = `d${written.length}`;
      await container.create({ id, pk: `p${written.length % 7}` });
      written.push(id);
    }
  };
  for (let round = 0; round < rounds; round += 1) {
    await container.split((container.ranges[0] as { id: string }).id);
    await write();
    const [left, right] = container.ranges.map(({ id }) => id);
    await container.merge(left as string, right as string);
    await write();
  }
  return written;
}

test('[engine 7] what is written, indexed and compacted between two pages is read', async () => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database, { historyMs: 3_600_000 });
  const written = await writeAndRegroup(container);
  const read = new Map<'versions' | 'changes', Set<string>>();
  const readers = (['versions', 'changes'] as const).map((feed) => ({
    feed,
    reader: container[feed]({ itemsMax: 20 }),
  }));
  for (let isOver = false; !isOver; ) {
    isOver = true;
    for (const { feed, reader } of readers) {
      const page = await reader.page();
      const ids = read.get(feed) ?? new Set();
      read.set(feed, ids);
      for (const piece of page.pieces) for (const [, id] of `${piece}`.matchAll(/"id":"(\w+)"/g)) ids.add(id as string);
      isOver &&= page.isDrained;
    }
    if (written.length > 2 * rounds * writesPerRound) continue;
    for (let i = 0; i < 10; i += 1) {
      const id = `d${written.length}`;
      await container.create({ id, pk: `p${written.length % 7}` });
      written.push(id);
    }
    isOver = false;
    await database.engine.settle();
    await database.engine.compact();
  }

  expect([...(read.get('versions') ?? [])].sort()).toEqual(written.sort());
  expect([...(read.get('changes') ?? [])].sort()).toEqual(written);
});
