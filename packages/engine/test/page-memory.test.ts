import { rmSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { BufferPool } from '../src/log/buffer-pool.ts';
import { aContainer, aDocument, aFolder } from './harness.ts';

test('a page that nobody has taken yet holds its own bytes, not the older versions that were read to find them', async () => {
  const folder = aFolder();
  const database = await openDatabase({ folder, maintenance: false });
  const container = await aContainer(database);
  const text = 'x'.repeat(600_000);
  for (let version = 0; version < 8; version += 1) await container.upsert(aDocument(1, { version, text }));
  await container.upsert(aDocument(2, { text }));
  await database.engine.settle();
  const taken = vi.spyOn(BufferPool.prototype, 'take');
  const given = vi.spyOn(BufferPool.prototype, 'give');

  const page = await container.changes({ from: 'beginning' }).page();

  const read = taken.mock.results.reduce((sum, { value }) => sum + value.length, 0);
  const back = given.mock.calls.reduce((sum, [buffer]) => sum + buffer.length, 0);
  expect(page.count).toBe(2);
  expect(read).toBeGreaterThan(6 * text.length);
  expect(read - back).toBeLessThan(4 * text.length);
  vi.restoreAllMocks();
  page.release?.();
  await database.close();
  rmSync(folder, { recursive: true });
});
