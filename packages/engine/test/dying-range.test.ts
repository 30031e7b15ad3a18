// A range that is split while a page of it is read, and whose records compaction gives to its children before the page is done.

import { expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import type { Database } from '../src/database.ts';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, openOn } from './harness.ts';

const documents = 60;
const pad = 'x'.repeat(300);

test.each([{}, { keys: { min: '', max: 'FF' } }])('[engine 7] changes of it are not passed over: %j', async (part) => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database);
  await fill(database, container);
  let compactions = 0;
  const { state } = database.engine;
  const { takeTurns } = state;
  state.takeTurns = async () => {
    state.takeTurns = takeTurns;
    await container.split('0');
    await database.engine.settle();
    while (await database.engine.compact()) compactions += 1;
  };

  const seen = new Set<string>();
  for (const reader = container.changes({ ...part, itemsMax: 10 }); ; ) {
    const page = await reader.page();
    for (const [, id] of `${Buffer.concat([...page.pieces])}`.matchAll(/"id":"(\w+)"/g)) seen.add(id as string);
    if (page.isDrained) break;
  }

  expect(compactions).toBeGreaterThan(0);
  expect([...seen].sort()).toEqual([...Array.from({ length: documents }, (_, n) => `d${n}`), 'junk'].sort());
});

test('[engine 7] a page of the range by its id is refused, not cut off', async () => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database);
  await fill(database, container);
  const { state } = database.engine;
  const { takeTurns } = state;
  state.takeTurns = async () => {
    state.takeTurns = takeTurns;
    await container.split('0');
  };

  const scope = { container: container.info.number, range: '0' };
  const page = database.engine.feed(scope, { mode: 'latest', after: 0, itemsMax: 10, bytesMax: 10_000 });

  await expect(page).rejects.toMatchObject({ code: 'range-gone', detail: { children: ['1', '2'] } });
});

/** Enough that is superseded for compaction to have something to do. */
async function fill(database: Database, container: Container): Promise<void> {
  const replaceJunk = () => container.upsert({ id: 'junk', pk: 'p0', pad });
  for (let n = 0; n < documents; n += 1) {
    await container.upsert({ id: `d${n}`, pk: `p${n % 7}`, pad });
    for (let i = 0; i < 4; i += 1) await replaceJunk();
  }
  for (let i = 0; i < 150; i += 1) await replaceJunk();
  await database.engine.settle();
}
