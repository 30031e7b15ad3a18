// A check: at rest an entry too many is told of; beside writers, what is on its way to the disk or into the index is no damage.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { RidChanges } from '../src/index/rid-blocks.ts';
import { aContainer, aDocument } from './harness.ts';

test('[engine 12] a check tells of a rid that leads to no document', async () => {
  await using database = await openDatabase({ memory: true, maintenance: false });
  const container = await aContainer(database);
  for (let n = 0; n < 20; n += 1) await container.create(aDocument(n));
  const rids = new RidChanges();
  const key = Buffer.from('nobody');
  rids.put(container.info.number, 5_000, key, 0, key.length);
  await database.engine.writer.exclusively(async (index) => index.apply(await rids.on(index, async () => {})));

  expect((await database.check()).problems).toEqual(['Container "c" has 20 documents and 21 rids in the index.']);
});

test('[engine 12] a check does not count what is written after it has pinned the log', async () => {
  await using database = await openDatabase({ memory: true, maintenance: false });
  const container = await aContainer(database);
  await container.create(aDocument(0));
  const { engine } = database;
  const pin = engine.pin.bind(engine);
  engine.pin = async () => {
    const pinned = await pin();
    await container.create(aDocument(1));
    return pinned;
  };

  expect((await database.check()).problems).toEqual([]);
});

test('[engine 12] a check tells of ranges that count another number of documents', async () => {
  await using database = await openDatabase({ memory: true, maintenance: false });
  const container = await aContainer(database);
  for (let n = 0; n < 20; n += 1) await container.create(aDocument(n));
  for (const range of database.engine.state.container(container.info.number).ranges) range.documents += 1;

  expect((await database.check()).problems).toEqual([
    'Container "c" has 20 documents in the index, and its ranges count 21.',
  ]);
});

test('[engine 12] a check finds nothing wrong with what is written while it begins', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-check-'));
  try {
    await using database = await openDatabase({ folder, maintenance: false });
    const container = await aContainer(database);
    const remove = ({ id, pk }: { id: string; pk: string }): Promise<void> => container.delete(id, pk);
    await Promise.all(Array.from({ length: 300 }, (_, n) => container.create(aDocument(n))));
    for (let round = 0; round < 100; round += 1) {
      const early = [remove(aDocument(round)), container.create(aDocument(1_000 + round))];
      const checked = database.check();
      // One more, at another moment of it each time.
      for (let turn = 0; turn < round; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await remove(aDocument(100 + round));

      expect((await checked).problems).toEqual([]);
      await Promise.all(early);
    }
    expect((await database.check()).problems).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
