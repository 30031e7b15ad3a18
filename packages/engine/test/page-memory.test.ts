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

test('a run that pages end in is read from the disk once, and what is written meanwhile counts', async () => {
  const folder = aFolder();
  const database = await openDatabase({ folder, maintenance: false });
  const container = await aContainer(database);
  const text = 'x'.repeat(1_000);
  // One group, and so one run.
  await Promise.all(Array.from({ length: 300 }, (_, n) => container.create(aDocument(n, { text }))));
  await database.engine.settle();
  const taken = vi.spyOn(BufferPool.prototype, 'take');
  const feed = container.changes({ from: 'beginning', itemsMax: 100 });

  const first = await feed.page();
  const shown = idsOf(first.pieces);
  const late = Array.from({ length: 300 }, (_, n) => n).find((n) => !shown.includes(`d${n}`)) as number;
  await container.upsert(aDocument(late, { text: 'anew' }));
  const second = await feed.page();
  shown.push(...idsOf(second.pieces));
  first.release?.();
  const third = await feed.page();
  shown.push(...idsOf(third.pieces));
  second.release?.();
  third.release?.();

  expect(taken.mock.results.filter(({ value }) => value.length > 100 * text.length)).toHaveLength(1);
  expect(shown.toSorted()).toEqual([...new Set(shown)].toSorted());
  expect(shown).toHaveLength(300);
  expect(shown.indexOf(`d${late}`)).toBe(299);
  vi.restoreAllMocks();
  await database.close();
  rmSync(folder, { recursive: true });
});

test('a buffer that two have a part of is lent again when both have given it back', () => {
  const pool = new BufferPool();
  const buffer = pool.take(100_000);
  pool.share(buffer.buffer);

  pool.give(buffer);
  expect(pool.take(100_000)).not.toBe(buffer);
  pool.give(buffer);
  expect(pool.take(100_000)).toBe(buffer);
});

function idsOf(pieces: readonly Buffer[]): string[] {
  return (JSON.parse(`[${Buffer.concat(pieces)}]`) as { id: string }[]).map(({ id }) => id);
}
