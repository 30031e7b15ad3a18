// Batches of bytes are read when their turn comes, which is later than the call where many of them wait.

import { expect, test } from 'vitest';
import { memoryFiles } from '../src/internal.ts';
import type { BatchOperation } from '../src/write/batch-operation.ts';
import { aContainer, feedOf, openOn, refusal } from './harness.ts';

const documents = 100;
/** Together more than a group takes, so that most of them wait. */
const batches = 40;

function batchOf(batch: number): BatchOperation[] {
  return Array.from({ length: documents }, (_, n) => ({
    upsert: Buffer.from(JSON.stringify({ id: `${batch}-${n}`, pk: `p${batch}`, text: 'x'.repeat(1_000) })),
  }));
}

test('[engine 6] batches that wait take what they were given, whatever becomes of the list afterwards', async () => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database);

  const committed = Array.from({ length: batches }, (_, batch) => {
    const operations = batchOf(batch);
    const result = container.batch(`p${batch}`, operations);
    operations.length = 0;
    return result;
  });

  for (const { isCommitted, outcomes } of await Promise.all(committed)) {
    expect(isCommitted).toBe(true);
    expect(outcomes).toHaveLength(documents);
  }
  expect((await feedOf(container)).size).toBe(batches * documents);
});

test('[engine 6] one that cannot be read is refused when its turn comes, and nobody else', async () => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database);
  const spoiled = { 5: '{"id":', 7: '{"id":"other","pk":"elsewhere"}' } as const;
  const results = Array.from({ length: batches }, (_, batch) => {
    const operations = batchOf(batch);
    const last = spoiled[(batch % 10) as keyof typeof spoiled];
    if (last !== undefined) operations[documents - 1] = { upsert: Buffer.from(last) };
    return container.batch(`p${batch}`, operations);
  });

  const settled = await Promise.allSettled(results);

  for (const [batch, result] of settled.entries()) {
    const wanted = { 5: 'invalid-document', 7: 'partition-key-mismatch' }[batch % 10];
    if (wanted === undefined) expect(result).toMatchObject({ value: { isCommitted: true } });
    else expect(result).toMatchObject({ reason: { code: wanted } });
  }
  expect((await feedOf(container)).size).toBe((batches - 8) * documents);
});

test('[engine 8] batches that wait for a range that is split meanwhile go to its children, whole and once', async () => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database);
  const [range] = container.ranges;
  const first = Array.from({ length: batches / 2 }, (_, batch) => container.batch(`p${batch}`, batchOf(batch)));
  const split = container.split(range?.id ?? '');
  // The split waits for its turn among the batches from here on: those behind it meet a range that is sealed.
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
  const second = Array.from({ length: batches / 2 }, (_, i) => {
    const batch = i + batches / 2;
    return container.batch(`p${batch}`, batchOf(batch));
  });
  const isSplitBefore = container.ranges.length > 1;

  await split;
  const lsns = (await Promise.all([...first, ...second])).map(({ lsn }) => lsn);

  expect(isSplitBefore).toBe(false);
  expect(lsns.every((lsn) => lsn > 0)).toBe(true);
  expect(container.ranges).toHaveLength(2);
  expect((await feedOf(container)).size).toBe(batches * documents);
});

test('[engine 6] what a caller uses again is as it was at the call: operations, conditions and keys', async () => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database);
  const { document } = await container.upsert({ id: 'x', pk: 'p' });
  const busy = Array.from({ length: batches }, (_, batch) => container.batch(`p${batch}`, batchOf(batch)));
  const operation = { upsert: Buffer.from('{"id":"first","pk":"p"}') };
  const reused = [container.batch('p', [operation])];
  operation.upsert = Buffer.from('{"id":"second","pk":"p"}');
  reused.push(container.batch('p', [operation]));
  const conditional = { replace: Buffer.from('{"id":"x","pk":"p"}'), ifMatch: document.etag };
  reused.push(container.batch('p', [conditional]));
  conditional.ifMatch = '"other"';

  await Promise.all(busy);
  for (const { isCommitted } of await Promise.all(reused)) expect(isCommitted).toBe(true);
  expect(await container.read('first', 'p')).toBeDefined();
  expect(await container.read('second', 'p')).toBeDefined();
});

test('[engine 6] a hierarchical key that is used again does not move a document to another partition', async () => {
  await using database = await openOn(memoryFiles());
  await database.createDatabaseIfNotExists('d');
  const partitionKey = { paths: ['/a', '/b'], kind: 'MultiHash', version: 2 };
  const container = await database.createContainerIfNotExists('d', { id: 'h', partitionKey });
  const documentOf = (id: string, b: string): BatchOperation => ({
    upsert: Buffer.from(JSON.stringify({ id, a: 'a', b, text: 'x'.repeat(1_000) })),
  });
  const busy = Array.from({ length: batches }, (_, batch) =>
    container.batch(
      ['a', `${batch}`],
      Array.from({ length: documents }, (_, n) => documentOf(`${n}`, `${batch}`)),
    ),
  );
  const key = ['a', 'b1'];
  const right = container.batch(key, [documentOf('right', 'b1')]);
  const wrong = refusal(container.batch(key, [documentOf('wrong', 'b2')]));
  key[1] = 'b2';

  await Promise.all(busy);
  expect((await right).isCommitted).toBe(true);
  expect((await wrong).code).toBe('partition-key-mismatch');
});

test('[engine 6] one that is too large to be taken is refused for what it is, however many wait', async () => {
  await using database = await openOn(memoryFiles());
  const container = await aContainer(database);
  const busy = Array.from({ length: batches }, (_, batch) => container.batch(`p${batch}`, batchOf(batch)));
  const large = await refusal(container.batch('p', [{ upsert: Buffer.alloc(70 * 1024 * 1024, ' ') }]));

  expect(large.code).toBe('invalid-document');
  await Promise.all(busy);
});
