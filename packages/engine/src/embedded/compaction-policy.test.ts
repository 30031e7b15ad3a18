import { expect, test, vi } from 'vitest';
import type { Database } from '../database.ts';
import { openDatabase } from '../database.ts';
import { chooseInputs } from './compaction-policy.ts';

test('[engine 11] what history needs of a segment is counted once for each trim, not in every round', async () => {
  await using database = await openDatabase({ memory: true, maintenance: false });
  await database.createDatabase('d');
  const definition = { id: 'c', partitionKey: { paths: ['/pk'] } };
  const container = await database.createContainer('d', definition, { historyMs: 86_400_000 });
  const { engine } = database;
  const text = 'x'.repeat(100_000);
  for (let n = 0; n < 40; n += 1) await container.upsert({ id: `${n % 20}`, pk: 'a', n, text });
  await engine.settle();
  const looks = vi.spyOn(engine.state.usage, 'supersededSecond');
  const choose = (): number => {
    looks.mockClear();
    chooseInputs(engine.state, engine.writer.checkpoint.sequence, 64 * 1024 * 1024);
    return looks.mock.calls.length;
  };

  expect(choose()).toBeGreaterThan(0);
  expect(choose()).toBe(0);
  await container.upsert({ id: '19', pk: 'a', n: -1 });
  await container.upsert({ id: '0', pk: 'a', n: -1 });
  await engine.settle();
  expect(choose()).toBe(0);
  await engine.trim(container.info.number);
  expect(choose()).toBeGreaterThan(0);
  expect(choose()).toBe(0);
});

test.each([
  // Of every five documents so many are replaced, which leaves as much of the oldest segments and makes the log so large.
  { replaced: 2, worthIt: false, due: false }, // 60 %, 1.4
  { replaced: 3, worthIt: true, due: false }, // 40 %, 1.6
  { replaced: 4, worthIt: true, due: true }, // 20 %, 1.8
  { replaced: 5, worthIt: true, due: true }, // nothing, 2.0
])('[engine 9] with $replaced of 5 documents replaced a compaction is worth it: $worthIt, due: $due', async (of) => {
  await using database = await filled();
  const container = database.container('d', 'c');
  for (let n = 0; n < documents; n += 1) if (n % 5 < of.replaced) await container.upsert(documentOf(n, 1));
  await database.engine.settle();

  expect(isChosen(database, false)).toBe(of.worthIt);
  expect(isChosen(database, true)).toBe(of.due);
});

test('[engine 9] segments of no use go at once, however small their share of the log is', async () => {
  await using database = await filled();
  const container = database.container('d', 'c');
  // The first segment has 1 MiB.
  for (let n = 0; n < 60; n += 1) await container.upsert(documentOf(n, 1));
  await database.engine.settle();

  expect(isChosen(database, true)).toBe(true);
});

const documents = 600;

/** In 15 MB, which are four segments and a part of the fifth. */
async function filled(): Promise<Database> {
  const database = await openDatabase({ memory: true, maintenance: false });
  await database.createDatabase('d');
  const container = await database.createContainer('d', { id: 'c', partitionKey: { paths: ['/pk'] } });
  for (let n = 0; n < documents; n += 1) await container.upsert(documentOf(n, 0));
  return database;
}

function documentOf(n: number, version: number): object {
  return { id: `${n}`, pk: 'a', version, text: 'x'.repeat(25_000) };
}

function isChosen({ engine }: Database, isLazy: boolean): boolean {
  const choice = chooseInputs(engine.state, engine.writer.checkpoint.sequence, 64 * 1024 * 1024, isLazy);
  return choice !== undefined;
}
