import { expect, test, vi } from 'vitest';
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
