import { expect, test } from 'vitest';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, openOn, refusal } from './harness.ts';

test('[B1] whoever waits for changes is told when the database is closed', async () => {
  const database = await openOn(memoryFiles());
  const container = await aContainer(database);
  await container.create({ id: '1', pk: 'a' });
  const feed = container.changes();
  const seen: string[] = [];
  const tail = (async () => {
    for await (const { id } of feed) {
      seen.push(id);
      await container.create({ id: '2', pk: 'a' }).catch(() => {}); // The second time it is there already.
    }
  })();
  while (seen.length < 2 || database.figures.waiters === 0) await new Promise((resolve) => setImmediate(resolve));

  await database.close();

  expect((await refusal(tail)).code).toBe('closed');
  expect(seen).toEqual(['1', '2']);
  expect((await refusal(feed.page())).code).toBe('closed');
});
