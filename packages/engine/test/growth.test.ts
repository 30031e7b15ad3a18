// Ranges that come in the background, because a container is to have more of them.

import { MemoryIndexDisk } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import { growByOne } from '../src/embedded/growth.ts';
import { maintainOnce, memoryFiles } from '../src/internal.ts';
import { keptIndex, openOn } from './harness.ts';

const definition = { id: 'c', partitionKey: { paths: ['/pk'], version: 2 } };

describe('growth', () => {
  test('[engine 8] a container grows to what it wants, and every document is where it was', async () => {
    await using database = await openOn(memoryFiles());
    await database.createDatabase('db');
    const container = await database.createContainer('db', definition);
    for (let n = 0; n < 50; n += 1) await container.create({ id: String(n), pk: `key ${n}` });

    await container.grow(4);
    expect(container.info.rangesWanted).toBe(4);
    expect(container.ranges).toHaveLength(1);
    await maintainOnce(database.engine);

    expect(container.ranges).toHaveLength(4);
    expect(container.info.rangesWanted).toBeUndefined();
    for (let n = 0; n < 50; n += 1) expect(await container.read(String(n), `key ${n}`)).toBeDefined();
    // Of ranges that hold about the same, none is split a second time before the others were.
    expect(container.ranges.map((range) => range.parents.length)).toEqual([2, 2, 2, 2]);
  });

  test('[engine 8] the largest range is split first', async () => {
    await using database = await openOn(memoryFiles());
    await database.createDatabase('db');
    const container = await database.createContainer('db', definition, { ranges: 4 });
    const full = container.ranges[2]?.id as string;
    for (let n = 0; container.ranges.every((range) => range.id !== full || range.tailLsn < 20); n += 1) {
      const key = `key ${n}`;
      if (database.engine.rangeOf(container.info.number, container.partitionKey(key).epk) !== full) continue;
      await container.create({ id: String(n), pk: key });
    }

    await container.grow(6);
    await growByOne(database.engine, container.info.number);

    expect(container.ranges.map(({ id }) => id)).toEqual(['0', '1', '4', '5', '3']);
    expect(container.info.rangesWanted).toBe(6);
  });

  test('[engine 8] it goes on after a restart, with and without its index', async () => {
    for (const index of [keptIndex(), { open: async () => new MemoryIndexDisk().open(), discard: async () => {} }]) {
      const files = memoryFiles();
      const before = await openOn(files, { index });
      await before.createDatabase('db');
      const container = await before.createContainer('db', definition);
      await container.create({ id: '1', pk: 'a' });
      await container.grow(5);
      await growByOne(before.engine, container.info.number);
      await before.close();

      await using after = await openOn(files, { index });
      expect(after.container('db', 'c').info.rangesWanted).toBe(5);
      expect(after.container('db', 'c').ranges).toHaveLength(2);
      await maintainOnce(after.engine);
      expect(after.container('db', 'c').ranges).toHaveLength(5);
      expect(await after.container('db', 'c').read('1', 'a')).toBeDefined();
    }
  });

  test('[engine 8] fewer than there are changes nothing, and a merge by hand is not undone', async () => {
    await using database = await openOn(memoryFiles());
    await database.createDatabase('db');
    const container = await database.createContainer('db', definition, { ranges: 4 });
    await container.grow(4);
    await container.grow(2);
    expect(container.info.rangesWanted).toBeUndefined();
    const [left, right] = container.ranges.map(({ id }) => id) as [string, string];
    await container.merge(left, right);
    await maintainOnce(database.engine);
    expect(container.ranges).toHaveLength(3);
    await expect(container.grow(10_001)).rejects.toMatchObject({ code: 'bad-request' });
  });
});
