import { expect, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { purgeKind } from '../state/database-state.ts';
import { maintainOnce } from './maintenance.ts';

test('[engine 9] a partition key that is deleted again and again has one job, which ends', async () => {
  await using database = await openDatabase({ memory: true, maintenance: false });
  await database.createDatabase('d');
  const container = await database.createContainer('d', { id: 'c', partitionKey: { paths: ['/pk'] } });
  const jobs = () => database.engine.state.catalog.resources(purgeKind).length;

  for (let n = 0; n < 5; n += 1) {
    await container.upsert({ id: `${n}`, pk: 'a' });
    await container.deletePartition('a');
  }
  expect(jobs()).toBe(1);
  // The job that is about to end does not take the later delete along.
  const ending = database.engine.purge();
  await container.upsert({ id: 'late', pk: 'a' });
  await container.deletePartition('a');
  await ending;
  expect(await container.read('late', 'a')).toBeUndefined();

  await maintainOnce(database.engine);
  expect(jobs()).toBe(0);
  expect(await container.read('late', 'a')).toBeUndefined();
  expect((await database.check()).documents).toBe(0);
});
