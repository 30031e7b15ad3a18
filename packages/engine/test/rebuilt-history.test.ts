// What a rebuild of the index makes of history: it does not know any more when a version was superseded.

import { SeededRandom, VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { Environment } from '../src/internal.ts';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, lostIndex, openOn } from './harness.ts';

const historyMs = 60_000;

test('[engine 8] [engine 9] a document that was deleted long ago stays so, rebuilt, compacted and rebuilt again', async () => {
  const files = memoryFiles();
  const clock = new VirtualClock();
  const random = new SeededRandom('rebuilt history');
  const environment: Environment = { clock, random: (target) => random.bytes(target) };
  const open = () => openOn(files, { index: lostIndex(), environment });
  const first = await open();
  const container = await aContainer(first, { historyMs });
  await container.create({ id: 'gone', pk: 'p' });
  await container.delete('gone', 'p');
  // Without history: nearly all of it is of no use at once, and so is what segments have.
  const beside = await first.createContainerIfNotExists('d', { id: 'beside', partitionKey: { paths: ['/pk'] } });
  const fill = async (): Promise<void> => {
    for (let n = 0; n < 40; n += 1) await beside.upsert({ id: 'filler', pk: 'p', n, text: 'x'.repeat(1_000) });
  };
  await fill();
  clock.jump(historyMs * 10);
  await first.engine.trim(container.info.number);
  // The next segments begin with the floor that is in force now.
  await fill();
  await first.close();
  const second = await open();
  let compactions = 0;
  while (await second.engine.compact()) compactions += 1;
  await second.close();
  expect(compactions).toBeGreaterThan(0);

  const third = await open();
  expect(await third.container('d', 'c').read('gone', 'p')).toBeUndefined();
  expect((await third.check()).problems).toEqual([]);
  await third.close();
});

test('[engine 8] bytes and documents of a container are the same after a rebuild, also those of ranges that are no more', async () => {
  const files = memoryFiles();
  const random = new SeededRandom('rebuilt figures');
  const environment: Environment = { clock: new VirtualClock(), random: (target) => random.bytes(target) };
  const open = () => openOn(files, { index: lostIndex(), environment });
  const database = await open();
  const container = await aContainer(database);
  for (let n = 0; n < 60; n += 1) await container.upsert({ id: String(n % 40), pk: `k${n % 9}`, n });
  await container.split('0');
  for (let n = 0; n < 30; n += 1) await container.upsert({ id: String(n), pk: `k${n % 9}`, n });
  await container.split('2');
  for (let n = 0; n < 5; n += 1) await container.delete(String(n), `k${n % 9}`);
  const figures = ({ ranges }: typeof container): number[] => [
    ranges.reduce((sum, { documents }) => sum + documents, 0),
    ranges.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  ];
  const before = figures(container);
  const found = (await database.check()).documents;
  await database.close();

  const rebuilt = await open();

  expect(before[0]).toBe(found);
  expect(figures(rebuilt.container('d', 'c'))).toEqual(before);
  expect((await rebuilt.check()).problems).toEqual([]);
  await rebuilt.close();
});
