// Frames are written where others were before. Whatever callers and readers have of one stays as it was.

import { PoisonedFrames } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { Container } from '../src/container.ts';
import type { Database } from '../src/database.ts';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, openOn, parsed } from './harness.ts';

/** So many more groups that the memory of those before has been used again. */
async function writeOver(database: Database, container: Container): Promise<void> {
  for (let n = 0; n < 20; n += 1) {
    await container.upsert({ id: `later${n}`, pk: 'x', text: 'later '.repeat(100) });
    await database.engine.settle();
  }
}

async function opened(): Promise<{ database: Database; container: Container }> {
  const database = await openOn(memoryFiles(), { frames: new PoisonedFrames() });
  return { database, container: await aContainer(database) };
}

test('[engine 6] the answer to a write shows the document as it was written, whenever it is looked at', async () => {
  const { database, container } = await opened();
  await using _ = database;
  const made = await container.create({ id: 'a', pk: 'x', n: 1 });
  const replaced = await container.upsert({ id: 'a', pk: 'x', n: 2 });
  const patched = await container.patch('a', 'x', [{ op: 'incr', path: '/n', value: 5 }]);
  const batch = await container.batch('x', [
    { create: { id: 'b', pk: 'x', n: 3 } },
    { patch: 'b', operations: [{ op: 'incr', path: '/n', value: 1 }] },
    { read: 'b' },
    { read: 'a' },
  ]);
  const stored = await container.read('a', 'x');

  await writeOver(database, container);

  expect(made.document.value).toMatchObject({ id: 'a', n: 1, _ts: expect.any(Number) });
  expect(replaced.document.value).toMatchObject({ id: 'a', n: 2, _etag: `"${replaced.document.etag}"` });
  expect(patched.document.value).toMatchObject({ id: 'a', n: 7 });
  expect(stored?.value).toEqual(patched.document.value);
  expect(patched.document.bytes.equals((await container.read('a', 'x'))?.bytes as Buffer)).toBe(true);
  const outcomes = batch.outcomes.map((outcome) => ('document' in outcome ? outcome.document : undefined));
  expect(outcomes.map((document) => JSON.parse(String(document?.bytes)).n)).toEqual([3, 4, 4, 7]);
  for (const document of outcomes) expect(document?.bytes.length).toBe(document?.sizeBytes);
});

test('[engine 7] what a reader of the feed has stays as it was', async () => {
  const { database, container } = await opened();
  await using _ = database;
  const feed = container.changes();
  const held: Buffer[][] = [];
  const rounds = 10;
  for (let n = 0; n < rounds; n += 1) {
    await Promise.all(
      ['a', 'b'].map((id) => container.create({ id: `${n}${id}`, pk: 'x', n, text: 'held '.repeat(50) })),
    );
    const { pieces, count } = await feed.page();
    expect(count).toBe(2);
    held.push([...pieces]);
  }

  await writeOver(database, container);

  const text = 'held '.repeat(50);
  for (const [n, pieces] of held.entries())
    expect(parsed(pieces)).toMatchObject([
      { n, text },
      { n, text },
    ]);
});

test('[engine 6] a batch that reads what the group in flight has written keeps it', async () => {
  const { database, container } = await opened();
  await using _ = database;
  const text = 'held '.repeat(50);
  const held: { readonly n: number; readonly bytes: Buffer }[] = [];
  const writeAndRead = async (writer: number): Promise<void> => {
    for (let n = 0; n < 60; n += 1) {
      const id = `d${writer}`;
      const written = container.upsert({ id, pk: 'x', n, text });
      // By now the first of them is in flight.
      await Promise.resolve();
      const [read] = (await container.batch('x', [{ read: id }])).outcomes;
      if (read !== undefined && 'document' in read) held.push({ n, bytes: read.document.bytes });
      await written;
    }
  };
  await Promise.all([0, 1, 2, 3].map(writeAndRead));

  await writeOver(database, container);

  expect(held.length).toBe(240);
  for (const { n, bytes } of held) expect(JSON.parse(String(bytes))).toMatchObject({ n, text });
});

test('[engine 6] the commands of a unit share the body that they ask for', async () => {
  const { database, container } = await opened();
  await using _ = database;
  await container.create({ id: 'old', pk: 'x' });
  await database.engine.settle();
  await container.create({ id: 'big', pk: 'x', text: 'x'.repeat(100_000) });

  const { outcomes } = await container.commit(container.partitionKey('x'), [
    { kind: 'read', id: 'old' },
    ...Array.from({ length: 99 }, () => ({ kind: 'read', id: 'big' }) as const),
  ]);

  const bodies = outcomes
    .slice(1)
    .map((outcome) => ('document' in outcome ? outcome.document.bytes.buffer : undefined));
  expect(bodies[0]?.byteLength).toBeGreaterThan(100_000);
  expect(new Set(bodies).size).toBe(1);
});
