// Snapshots beside compaction, and beyond what may be kept for them.

import { expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import type { Database } from '../src/database.ts';
import { openDatabase } from '../src/database.ts';
import { memoryFiles } from '../src/files/memory-files.ts';
import { segmentFolder } from '../src/log/segment.ts';
import type { Snapshot } from '../src/range-engine.ts';
import { Snapshots } from '../src/state/snapshot.ts';
import { aContainer, aDocument, openOn, refusal } from './harness.ts';

const pad: string = 'x'.repeat(1_000);

/** The member `n` of every document, in the order of creation. */
async function scanned(container: Container, engine: Engine, snapshot: Snapshot): Promise<unknown[]> {
  const found: unknown[] = [];
  let from: number | undefined;
  do {
    const request = { from, itemsMax: 7, bytesMax: 1e6, snapshot };
    const { documents, continuation } = await engine.scan(container.info.number, '0', request);
    for (const { bytes } of documents) found.push(JSON.parse(bytes.toString('utf8')).n);
    from = continuation;
  } while (from !== undefined);
  return found;
}

type Engine = Awaited<ReturnType<typeof openDatabase>>['engine'];

test('[M20] [engine 7] what compaction has removed can be read as long as a snapshot has it, and its room comes back after', async () => {
  const files = memoryFiles();
  await using database = await openOn(files);
  const { engine } = database;
  const container = await aContainer(database);
  const before = Array.from({ length: 60 }, (_, n) => n);
  for (const n of before) await container.create(aDocument(n, { n, pad }));
  const snapshot = engine.snapshot(container.info.number);
  const names = await files.list(segmentFolder);

  // Twice, so that outputs of compaction are compacted, too.
  for (const round of [1, 2]) {
    for (const n of before) await container.upsert(aDocument(n, { n: 100 * round + n, pad }));
    await container.delete('d7', 'p2');
    await container.create(aDocument(7, { n: 700 * round, pad }));
    await engine.settle();
    while (await engine.compact());
  }

  // Only the first ones have what the snapshot shows.
  const left = await files.list(segmentFolder);
  expect(names.filter((name) => left.includes(name))).toEqual([]);
  expect(await scanned(container, engine, snapshot)).toEqual(before);
  snapshot.close();
  expect((await refusal(scanned(container, engine, snapshot))).code).toBe('bad-request');
});

test('[M20] [engine 7] a database that is closed while somebody reads a snapshot opens with every document', async () => {
  const files = memoryFiles();
  const n = Array.from({ length: 60 }, (_, at) => at);
  {
    await using database = await openOn(files);
    const container = await aContainer(database);
    for (const at of n) await container.create(aDocument(at, { n: at, pad }));
    database.engine.snapshot(container.info.number);
    for (const at of n) await container.upsert(aDocument(at, { n: at + 100, pad }));
    await database.engine.settle();
    while (await database.engine.compact());
  }
  await using database = await openOn(files);
  const container = await aContainer(database);
  expect(await scanned(container, database.engine, database.engine.snapshot(container.info.number))).toEqual(
    n.map((at) => at + 100),
  );
});

/** A database with some documents of which all are deleted while the first batch of a query is being read. */
async function deletedMeanwhile(): Promise<{ readonly database: Database; readonly container: Container }> {
  const database = await openDatabase({ memory: true, maintenance: false });
  const container = await aContainer(database);
  const { state } = database.engine;
  const { segments } = state;
  // Of this container about two hundred versions are more than may be kept.
  Object.assign(state, { snapshots: new Snapshots(segments, 100_000) });
  for (const at of [0, 1, 2, 3, 4, 5]) {
    await container.batch(
      'a',
      Array.from({ length: 100 }, (_, n) => ({ create: { id: `${100 * at + n}`, pk: 'a' } })),
    );
  }
  await database.engine.settle();
  const read = segments.read.bind(segments);
  let isDeleted = false;
  const deleteOnce = async (...place: Parameters<typeof read>): Promise<Buffer | undefined> => {
    const found = await read(...place);
    if (isDeleted) return found;
    isDeleted = true;
    await container.deletePartition('a');
    while ((await database.engine.purge()) > 0);
    return found;
  };
  Object.assign(segments, { read: deleteOnce });
  return { database, container };
}

test('[M20] a query that needs all documents ends with a sentence when more is written beside it than can be kept', async () => {
  const { database, container } = await deletedMeanwhile();
  await using _ = database;

  const { code, message } = await refusal(container.query('SELECT VALUE COUNT(1) FROM c').toArray());

  expect(code).toBe('bad-request');
  expect(message).toMatch(/^So much was written while the query ran that .* 64 MiB/);
  expect(await container.query('SELECT VALUE COUNT(1) FROM c').toArray()).toEqual([0]);
});

test('[M20] a page of a query that filters ends when more is written beside it than can be kept, and the next one goes on', async () => {
  const { database, container } = await deletedMeanwhile();
  await using _ = database;
  const pages: number[] = [];

  for await (const { items } of container.query('SELECT VALUE c.id FROM c WHERE c.pk != 0').pages())
    pages.push(items.length);

  expect(pages).toEqual([256, 0]);
});

test('[M20] a page of a query that has found nothing yet begins again when it cannot be kept', async () => {
  const { database, container } = await deletedMeanwhile();
  await using _ = database;
  await container.create({ id: 'here', pk: 'b' });

  const text = 'SELECT VALUE c.id FROM c WHERE LENGTH(c.id) > 3';

  expect(await container.query(text).toArray()).toEqual(['here']);
});

test('[M20] a sum over accounts is the same whatever is transferred while it is being made, over all ranges', async () => {
  await using database = await openDatabase({ memory: true, maintenance: false });
  const container = await aContainer(database, { ranges: 3 });
  const accounts = Array.from({ length: 900 }, (_, n) => ({ id: `${n}`, pk: `p${n % 9}`, n: 100 }));
  await Promise.all(accounts.map((account) => container.create(account)));
  await database.engine.settle();
  let transfers = 0;
  let isTransferring = false;
  const { segments } = database.engine.state;
  const read = segments.read.bind(segments);
  /** From an account that the scan has seen, it may be, to one that it has not, of the same partition key, in one unit. */
  const transferAndRead = async (...place: Parameters<typeof read>): Promise<Buffer | undefined> => {
    // A transfer reads, too.
    if (isTransferring) return read(...place);
    isTransferring = true;
    const first = (transfers * 7) % 450;
    const pk = `p${first % 9}`;
    const change = (id: number, value: number) => ({
      patch: `${id}`,
      operations: [{ op: 'incr' as const, path: '/n', value }],
    });
    transfers += 1;
    await container.batch(pk, [change(first, -10), change(first + 450, 10)]);
    isTransferring = false;
    return read(...place);
  };
  Object.assign(segments, { read: transferAndRead });

  for (let round = 0; round < 20; round += 1) {
    expect(await container.query('SELECT VALUE SUM(c.n) FROM c').toArray()).toEqual([90_000]);
  }

  expect(transfers).toBeGreaterThan(60);
});
