import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultFiles } from '@tidemark/testing';
import { afterEach, expect, test } from 'vitest';
import { backUp, restore } from '../src/backup.ts';
import type { Container } from '../src/container.ts';
import { isBackupFolder, openDatabase, restoreDatabase } from '../src/database.ts';
import { memoryFiles } from '../src/internal.ts';
import { restoredTailGap } from '../src/limits.ts';
import { aContainer, aDocument, aFolder, feedOf, keptIndex, openOn, parsed, refusal } from './harness.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function tempFolder(): string {
  const folder = aFolder();
  folders.push(folder);
  return folder;
}

const historyMs = 3_600_000;

test('[engine 9] a backup of a database under load has every write that was acknowledged before it began', async () => {
  const [folder, backup, target] = [tempFolder(), tempFolder(), tempFolder()];
  const database = await openDatabase({ folder });
  const container = await aContainer(database, { ranges: 3 });
  const load = writeUntilStopped(container);
  await load.atLeast(300);

  const before = new Map(load.acknowledged);
  const { bytes } = await database.backup(backup);
  await load.atLeast(before.size + 100);
  await load.stop();
  await database.close();
  await restoreDatabase({ backup, folder: target });
  const restored = await openDatabase({ folder: target });
  const found = await feedOf(restored.container('d', 'c'));
  const report = await restored.check();
  await restored.close();

  expect(bytes).toBeGreaterThan(0);
  expect(readdirSync(backup)).not.toContain('index');
  for (const [id, n] of before) expect(found.get(id)?.['n'], id).toBeGreaterThanOrEqual(n);
  // Nothing that was never written, and nothing newer than what was acknowledged in the end.
  for (const [id, value] of found) expect(value['n']).toBeLessThanOrEqual(load.begun.get(id) ?? -1);
  expect(report.problems).toEqual([]);
});

test('[engine 9] a backup has all of a segment that ended with a change of the catalog before the database was opened', async () => {
  const [files, backup, target] = [memoryFiles(), memoryFiles(), memoryFiles()];
  const index = keptIndex();
  const database = await openOn(files, { index, indexGatherMs: 60_000 });
  const container = await aContainer(database);
  await container.upsert(aDocument(1));
  await database.engine.settle();
  // The index takes both of these together: the end of one segment, and what follows in the next.
  await database.createDatabase('last-of-its-segment');
  for (let n = 2; database.figures.segments < 2; n += 1)
    await container.upsert(aDocument(n, { text: 'x'.repeat(14_000) }));
  await database.close();

  const again = await openOn(files, { index });
  await backUp(again.engine, files, backup);
  await again.close();
  await restore(backup, target);
  await using restored = await openOn(target, { isRestored: true });

  expect(restored.databases().map(({ id }) => id)).toContain('last-of-its-segment');
  expect((await restored.check()).problems).toEqual([]);
});

test('[engine 9] a restored database begins a new history: other etags, and tails raised far beyond the old ones', async () => {
  const [folder, backup, target] = [tempFolder(), tempFolder(), tempFolder()];
  const database = await openDatabase({ folder });
  const container = await aContainer(database, { ranges: 2 });
  for (let n = 0; n < 40; n += 1) await container.upsert(aDocument(n));
  const tails = new Map(container.ranges.map((range) => [range.id, range.tailLsn]));
  await database.backup(backup);

  const after = await container.upsert(aDocument(1, { after: true }));
  await database.close();
  await restoreDatabase({ backup, folder: target });
  const restored = await openDatabase({ folder: target });
  const again = restored.container('d', 'c');
  const raised = again.ranges.map((range) => range.tailLsn - (tails.get(range.id) as number));
  const unchanged = await again.read('d2', 'p2');
  const written = await again.upsert(aDocument(1, { after: true }));
  const replaced = await again.replace(aDocument(2, { n: 2 }), { ifMatch: unchanged?.etag as string });
  await restored.close();

  for (const gap of raised) expect(gap).toBeGreaterThanOrEqual(restoredTailGap);
  expect(written.document.lsn).toBeGreaterThan(restoredTailGap);
  expect(written.document.etag).not.toBe(after.document.etag);
  expect(unchanged?.value._etag).toBe(`"${unchanged?.etag}"`);
  expect(replaced.isCreated).toBe(false);
});

test('[engine 9] a restored database that is opened again is the same history, not yet another one', async () => {
  const [folder, backup, target] = [tempFolder(), tempFolder(), tempFolder()];
  const database = await openDatabase({ folder });
  const container = await aContainer(database);
  await container.upsert(aDocument(1));
  await database.backup(backup);
  await database.close();
  await restoreDatabase({ backup, folder: target });
  const first = await openDatabase({ folder: target });
  const { etag } = (await first.container('d', 'c').upsert(aDocument(2))).document;
  const [range] = first.container('d', 'c').ranges;
  await first.close();

  const second = await openDatabase({ folder: target });
  const again = second.container('d', 'c');
  const found = await again.read('d2', 'p2');
  const tail = again.ranges[0]?.tailLsn;
  await second.close();

  expect(found?.etag).toBe(etag);
  expect(tail).toBe(range?.tailLsn);
});

test('[engine 9] continuations of the old database go on in the restored one and skip nothing', async () => {
  const [folder, backup, target] = [tempFolder(), tempFolder(), tempFolder()];
  const database = await openDatabase({ folder });
  const container = await aContainer(database, { ranges: 2, historyMs });
  for (let n = 0; n < 60; n += 1) await container.upsert(aDocument(n));
  const [left] = container.ranges;
  await container.split(left?.id as string);
  for (let n = 0; n < 20; n += 1) await container.upsert(aDocument(n, { round: 2 }));
  await container.delete('d7', 'p2');
  const early = await takePages(container.changes({ itemsMax: 7 }), 3);
  const earlyVersions = await takePages(container.versions({ itemsMax: 7 }), 3);
  const drained = await takePages(container.changes(), Number.POSITIVE_INFINITY);
  await database.backup(backup);
  for (let n = 0; n < 5; n += 1) await container.upsert(aDocument(n, { round: 'lost' }));
  const beyond = await takePages(container.changes({ from: { etag: drained.etag } }), Number.POSITIVE_INFINITY);
  const allVersions = await takePages(container.versions(), Number.POSITIVE_INFINITY);
  await database.close();

  await restoreDatabase({ backup, folder: target });
  const restored = await openDatabase({ folder: target });
  const again = restored.container('d', 'c');
  const rest = await takePages(again.changes({ from: { etag: early.etag } }), Number.POSITIVE_INFINITY);
  const restVersions = await takePages(
    again.versions({ from: { etag: earlyVersions.etag } }),
    Number.POSITIVE_INFINITY,
  );
  const restoredVersions = await takePages(again.versions(), Number.POSITIVE_INFINITY);
  for (let n = 0; n < 9; n += 1) await again.upsert(aDocument(n, { round: 3 }));
  await again.delete('d30', 'p0');
  const fromDrained = await takePages(again.changes({ from: { etag: drained.etag } }), Number.POSITIVE_INFINITY);
  const fromBeyond = await takePages(again.changes({ from: { etag: beyond.etag } }), Number.POSITIVE_INFINITY);
  await restored.close();

  const ids = new Set([...early.items, ...rest.items].map((value) => value['id']));
  expect(ids.size).toBe(59);
  expect([...earlyVersions.items, ...restVersions.items].length).toBe(81);
  expect(allVersions.items.length).toBe(86);
  expect(restoredVersions.items.map(lsnOf)).toEqual(
    allVersions.items.map(lsnOf).filter((lsn) => !lostLsns(beyond).has(lsn)),
  );
  // Also a reader that has seen changes which the restored history does not have is shown everything that is new in it.
  for (const { items } of [fromDrained, fromBeyond]) {
    expect(items.map((value) => value['id']).sort()).toEqual(['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8']);
  }
});

test('[engine 9] a restore into a folder that is not empty is refused and leaves it as it is', async () => {
  const [folder, backup, target] = [tempFolder(), tempFolder(), tempFolder()];
  const database = await openDatabase({ folder });
  await aContainer(database);
  await database.backup(backup);
  writeFileSync(join(target, 'mine.txt'), 'x');

  const refused = await refusal(restoreDatabase({ backup, folder: target }));
  const backedUp = await refusal(database.backup(target));
  const ontoItself = await refusal(database.backup(folder));
  await database.close();

  expect(refused).toMatchObject({ code: 'folder-foreign' });
  expect(refused.message).toContain('mine.txt');
  expect(backedUp.code).toBe('folder-foreign');
  expect(ontoItself.code).toBe('folder-foreign');
  expect(readdirSync(target)).toEqual(['mine.txt']);
});

test('[engine 9] a data folder is restored from when nobody has it open, and never under a writer', async () => {
  const [folder, target] = [tempFolder(), tempFolder()];
  const database = await openDatabase({ folder });
  await aContainer(database);
  const refused = await refusal(restoreDatabase({ backup: folder, folder: target }));
  expect(refused.code).toBe('folder-in-use');
  expect(readdirSync(target)).toEqual([]);
  const databases = database.databases();
  await database.close();

  await restoreDatabase({ backup: folder, folder: target });

  await using restored = await openDatabase({ folder: target });
  expect(restored.databases().map(({ id }) => id)).toEqual(databases.map(({ id }) => id));
});

test('[engine 9] what is not a backup, or only part of one, is not restored', async () => {
  const [folder, backup, target] = [tempFolder(), tempFolder(), tempFolder()];
  const database = await openDatabase({ folder });
  await aContainer(database);
  await database.backup(backup);
  await database.close();
  rmSync(join(backup, 'TIDEMARK'));

  const partial = await refusal(restoreDatabase({ backup, folder: target }));
  const empty = await refusal(restoreDatabase({ backup: tempFolder(), folder: target }));

  expect(partial.code).toBe('folder-foreign');
  expect(partial.message).toContain('not complete');
  expect(empty.code).toBe('folder-foreign');
  expect(existsSync(join(target, 'segments'))).toBe(false);
});

test('[engine 9] a backup that fails half way leaves the database running, and what it wrote is not taken for a backup', async () => {
  const files = new FaultFiles(memoryFiles());
  const database = await openOn(files);
  const container = await aContainer(database);
  for (let n = 0; n < 100; n += 1) await container.upsert(aDocument(n, { text: 'x'.repeat(500) }));
  const target = new FaultFiles(memoryFiles());
  target.fail('sync', { path: /00000003/ });

  const failed = await database.backup(target).then(
    () => 'done',
    () => 'failed',
  );
  await container.upsert(aDocument(1));
  while (await database.engine.compact());
  const whole = memoryFiles();
  await database.backup(whole);
  const report = await database.check();
  await database.close();
  const restored = await openOn(whole, { isRestored: true });
  const found = await feedOf(restored.container('d', 'c'));
  await restored.close();

  expect(failed).toBe('failed');
  expect(await target.list('.')).not.toContain('TIDEMARK');
  expect(found.size).toBe(100);
  expect(report.problems).toEqual([]);
});

/** Writers that count up documents until they are stopped. */
function writeUntilStopped(container: Container): {
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly begun: ReadonlyMap<string, number>;
  atLeast(writes: number): Promise<void>;
  stop(): Promise<void>;
} {
  const acknowledged = new Map<string, number>();
  const begun = new Map<string, number>();
  let writes = 0;
  let isStopped = false;
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let n = 0; !isStopped; n += 1) {
      const id = `w${writer}-${n % 40}`;
      begun.set(id, n);
      await container.upsert({ id, pk: `p${writer}`, n });
      acknowledged.set(id, n);
      writes += 1;
    }
  });
  return {
    acknowledged,
    begun,
    atLeast: async (count) => {
      while (writes < count) await new Promise((resolve) => setImmediate(resolve));
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(writers);
    },
  };
}

async function takePages(
  feed: ReturnType<Container['changes']> | ReturnType<Container['versions']>,
  pages: number,
): Promise<{ readonly items: Record<string, unknown>[]; readonly etag: string }> {
  const items: Record<string, unknown>[] = [];
  for (let taken = 0; taken < pages; taken += 1) {
    const page = await feed.page();
    if (page.isDrained) break;
    items.push(...parsed(page.pieces));
  }
  return { items, etag: feed.etag };
}

function lsnOf(change: Record<string, unknown>): string {
  const { current, metadata } = change as { current: { id?: string }; metadata: { lsn: number; id?: string } };
  return `${current.id ?? metadata.id} ${metadata.lsn}`;
}

function lostLsns(beyond: { readonly items: readonly Record<string, unknown>[] }): Set<string> {
  return new Set(beyond.items.map((value) => `${value['id']} ${value['_lsn']}`));
}

test('[engine 9] a backup is not opened, which would change it, and is restored from again and again', async () => {
  const folder = aFolder();
  const backup = `${aFolder()}/backup`;
  const database = await openDatabase({ folder });
  await (await aContainer(database)).upsert(aDocument(1));
  await database.backup(backup);
  await database.close();

  const refused = await refusal(openDatabase({ folder: backup }));
  const known = [await isBackupFolder(backup), await isBackupFolder(folder), await isBackupFolder(`${folder}/absent`)];
  for (const name of ['first', 'second']) {
    const target = `${aFolder()}/${name}`;
    await restoreDatabase({ backup, folder: target });
    await using restored = await openDatabase({ folder: target });
    expect((await feedOf(restored.container('d', 'c'))).size).toBe(1);
  }

  expect(refused.code).toBe('folder-foreign');
  expect(refused.message).toContain('is a backup');
  expect(known).toEqual([true, false, false]);
});
