import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { Environment, FileSystem } from '../src/internal.ts';
import { fileError, memoryFiles, systemEnvironment } from '../src/internal.ts';
import { aContainer, aDocument, feedOf, openOn, refusal } from './harness.ts';

/** Files that can be written durably at once, and count how often they are. */
interface AtOnceFiles extends FileSystem {
  atOnce: number;
  isBroken: boolean;
}

function atOnceFiles(): AtOnceFiles {
  const inner = memoryFiles();
  const files: AtOnceFiles = {
    ...inner,
    list: (directory) => inner.list(directory),
    rename: (from, to) => inner.rename(from, to),
    remove: (path) => inner.remove(path),
    makeDirectory: (path) => inner.makeDirectory(path),
    syncDirectory: (path) => inner.syncDirectory(path),
    atOnce: 0,
    isBroken: false,
    async open(path, options) {
      const file = await inner.open(path, options);
      return Object.assign(file, {
        writeDurablySync(bytes: Uint8Array, offset: number) {
          if (files.isBroken) throw fileError('EIO', 'the disk is broken');
          files.atOnce += 1;
          // Files in memory are written before they say so.
          void file.write(bytes, offset);
        },
      });
    },
  };
  return files;
}

/** On a clock that stands still every flush is quick and the event loop has nothing else to do. */
function idleEnvironment(): Environment {
  return { ...systemEnvironment(), clock: new VirtualClock() };
}

test('[engine 6] a lone writer is flushed at once, over several segments, and everything is there after a reopen', async () => {
  const files = atOnceFiles();
  const environment = idleEnvironment();
  const database = await openOn(files, { environment });
  const container = await aContainer(database);
  for (let n = 0; n < 100; n += 1) await container.upsert(aDocument(n, { text: 'x'.repeat(500) }));
  const { atOnce } = files;
  const { segments } = database.figures;
  const report = await database.check();
  await database.close();
  const reopened = await openOn(files, { environment });
  const found = await feedOf(reopened.container('d', 'c'));
  await reopened.close();

  expect(atOnce).toBeGreaterThan(50);
  expect(segments).toBeGreaterThan(2);
  expect(report.problems).toEqual([]);
  expect(found.size).toBe(100);
});

test('[engine 6] a crowd goes together in one turn and is flushed at once, and everything is there after a reopen', async () => {
  const files = atOnceFiles();
  const environment = idleEnvironment();
  const database = await openOn(files, { environment });
  const container = await aContainer(database);
  for (let n = 0; n < 50; n += 1) await container.upsert(aDocument(n));
  const { atOnce } = files;
  const { groups } = database.figures;

  for (let round = 1; round <= 10; round += 1) {
    await Promise.all(Array.from({ length: 20 }, (_, n) => container.upsert(aDocument(n, { round }))));
  }
  expect(database.figures.groups).toBe(groups + 10);
  expect(files.atOnce).toBeGreaterThanOrEqual(atOnce + 9);
  await database.close();
  const reopened = await openOn(files, { environment });
  const found = await feedOf(reopened.container('d', 'c'));
  await reopened.close();

  expect(found.size).toBe(50);
  expect([...found.values()].filter(({ round }) => round === 10)).toHaveLength(20);
});

test('[engine 12] a flush that fails at once ends writing as any other does', async () => {
  const files = atOnceFiles();
  const database = await openOn(files, { environment: idleEnvironment() });
  const container = await aContainer(database);
  for (let n = 0; n < 50; n += 1) await container.upsert(aDocument(n));
  files.isBroken = true;

  let refused = 'accepted';
  for (let n = 50; refused === 'accepted' && n < 150; n += 1) {
    refused = (await refusal(container.upsert(aDocument(n)))).code;
  }
  const next = await refusal(container.upsert(aDocument(1)));

  expect(refused).toBe('outcome-unknown');
  expect(next.code).toBe('read-only');
  expect(database.health.status).toBe('read-only');
  expect((await feedOf(container)).size).toBeGreaterThanOrEqual(50);
  await database.close();
});
