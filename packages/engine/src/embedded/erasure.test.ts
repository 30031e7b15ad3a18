import { expect, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { treeBounds } from '../index/keys.ts';
import { ridsOfBlock } from '../index/rid-blocks.ts';
import { maintainOnce } from './maintenance.ts';

test('[engine 5] nothing of a deleted container stays in the index, and its neighbour keeps everything', async () => {
  await using database = await openDatabase({ memory: true, maintenance: false });
  await database.createDatabase('d');
  const definition = {
    partitionKey: { paths: ['/pk'] },
    defaultTtl: -1,
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/n'] }] },
  };
  const gone = await database.createContainer('d', { id: 'gone', ...definition });
  const kept = await database.createContainer('d', { id: 'kept', ...definition });
  for (let n = 0; n < 50; n += 1) {
    for (const container of [gone, kept]) await container.create({ id: `${n}`, pk: 'a', n, ttl: 1_000 });
  }
  await gone.split('0');
  await gone.create({ id: 'after the split', pk: 'b', n: 0 });
  const { number } = gone.info;
  const { index } = database.engine.state;
  const countOf = (name: 'doc' | 'rid' | 'ttl' | 'unique', container: number) => {
    const entries = index.range({ ...treeBounds(name, container), limit: 1_000 });
    return name === 'rid' ? entries.flatMap(({ key, value }) => ridsOfBlock(key, value)).length : entries.length;
  };
  await database.engine.settle();
  expect(countOf('doc', number)).toBe(51);

  await database.deleteContainer('d', 'gone');
  await maintainOnce(database.engine);

  for (const name of ['doc', 'rid', 'ttl', 'unique'] as const) {
    expect(countOf(name, number)).toBe(0);
    expect(countOf(name, kept.info.number)).toBe(50);
  }
  expect(database.engine.state.catalog.resources('erasure')).toEqual([]);
  expect((await database.check()).problems).toEqual([]);
});
