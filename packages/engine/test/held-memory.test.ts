// What is kept when nobody uses it any more: the collector tells.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, openOn } from './harness.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collected, at the latest after some turns of the event loop: those who have just been answered are on the stack until then. */
async function isCollected(held: WeakRef<object>): Promise<boolean> {
  for (let turn = 0; turn < 20 && held.deref() !== undefined; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return held.deref() === undefined;
}

test('[B11] a database that has been closed is not held by what was written last', async () => {
  const writeAndClose = async (): Promise<WeakRef<object>> => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    await container.upsert({ id: '1', pk: 'a' });
    await container.upsert({ id: '1', pk: 'a' });
    await database.close();
    return new WeakRef(database.engine);
  };

  const engine = await writeAndClose();

  expect(await isCollected(engine)).toBe(true);
});

test('[engine 6] the bytes of a document are not held when its write was answered and is in the index', async () => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database);
  const write = async (): Promise<WeakRef<object>> => {
    const bytes = Buffer.from(JSON.stringify({ id: '1', pk: 'a', text: 'x'.repeat(100_000) }));
    await container.batch('a', [{ upsert: bytes }]);
    await database.engine.settle();
    return new WeakRef(bytes);
  };

  const bytes = await write();

  expect(await isCollected(bytes)).toBe(true);
});
