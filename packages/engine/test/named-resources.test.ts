import { rmSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { Database } from '../src/database.ts';
import { openDatabase, restoreDatabase } from '../src/database.ts';
import { memoryFiles } from '../src/internal.ts';
import { namedResourceBytesMax, namedResourcesBytesMax } from '../src/limits.ts';
import { aContainer, aDocument, aFolder, openOn, refusal } from './harness.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function someResources(database: Database): Promise<void> {
  const { info } = await aContainer(database);
  const user = await database.resources.create({ kind: 'user', owner: info.database, id: 'u', value: { n: 1 } });
  await database.resources.create({
    kind: 'permission',
    owner: user.number,
    id: 'p',
    value: {},
    unique: 'dbs/d/colls/c',
  });
  await database.resources.create({ kind: 'offer', owner: info.number, value: { throughput: 400 } });
  await database.resources.replace(user.number, { value: { n: 2 } });
  const gone = await database.resources.create({ kind: 'user', owner: info.database, id: 'gone', value: {} });
  await database.resources.delete(gone.number);
}

function shown(database: Database): unknown[] {
  return (['user', 'permission', 'offer'] as const).flatMap((kind) => database.resources.list(kind));
}

test('[engine 5] named resources are in the log: a lost index gives back the same ones', async () => {
  const files = memoryFiles();
  const database = await openOn(files);
  await someResources(database);
  const before = shown(database);
  await database.close();

  const replayed = await openOn(files);
  expect(shown(replayed)).toEqual(before);
  // Far enough that the segment with their changes is gone and only META frames know them.
  const container = await aContainer(replayed);
  for (let n = 0; n < 200; n += 1) await container.upsert(aDocument(n % 3, { text: 'x'.repeat(1_000) }));
  await replayed.engine.settle();
  while (await replayed.engine.compact());
  await replayed.close();

  const rebuilt = await openOn(files);
  expect(shown(rebuilt)).toEqual(before);
  expect((await rebuilt.check()).problems).toEqual([]);
  await rebuilt.close();
});

test('[engine 9] a restored backup has the named resources, with other etags', async () => {
  const [folder, backup, target] = [aFolder(), aFolder(), aFolder()];
  folders.push(folder, backup, target);
  const database = await openDatabase({ folder });
  await someResources(database);
  const before = shown(database) as { etag: string }[];
  await database.backup(backup);
  await database.close();

  await restoreDatabase({ backup, folder: target });
  const restored = await openDatabase({ folder: target });
  const after = shown(restored) as { etag: string }[];
  await restored.close();

  const withoutEtag = ({ etag: _, ...rest }: { etag: string }): object => rest;
  expect(after.map(withoutEtag)).toEqual(before.map(withoutEtag));
  for (const [index, { etag }] of after.entries()) expect(etag).not.toBe(before[index]?.etag);
});

test('one named resource, and all of them together, have a size that they may not exceed', async () => {
  const database = await openDatabase({ memory: true });
  const { number } = await database.createDatabase('d');
  const user = (id: string, bytes: number) =>
    database.resources.create({ kind: 'user', owner: number, id, value: 'x'.repeat(bytes) });

  const { code, message } = await refusal(user('large', namedResourceBytesMax));
  expect([code, message]).toEqual(['document-too-large', expect.stringContaining(String(namedResourceBytesMax))]);
  const each = namedResourceBytesMax - 1_000;
  let made = 0;
  while ((await refusal(user(`u${made}`, each))).code === 'accepted') made += 1;
  expect(made).toBe(Math.floor(namedResourcesBytesMax / (each + 160)));
  expect((await refusal(user('more', each))).message).toContain(String(namedResourcesBytesMax));
  // What one of them had is free again, for itself and for others.
  const first = database.resources.find('user', number, 'u0');
  await database.resources.replace(first?.number ?? 0, { value: 'small' });
  expect((await refusal(user('more', each))).code).toBe('accepted');
  await database.close();
});
