// What an embedder is told of a batch.

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { Document } from '../src/document.ts';
import { aContainer } from './harness.ts';

test('[B11] the documents of its outcomes are those that a read gives', async () => {
  await using database = await openDatabase({ memory: true });
  const container = await aContainer(database);
  await container.create({ id: 'there', pk: 'p', n: 1 });

  const batch = await container.batch('p', [
    { create: { id: 'new', pk: 'p', n: 2 } },
    { upsert: Buffer.from('{"id":"there","pk":"p","n":3}') },
    { read: 'there' },
    { delete: 'new' },
  ]);

  const { outcomes, isCommitted, lsn } = batch;
  const [created, replaced, read, deleted] = outcomes.map((one) => ('document' in one ? one.document : one));
  expect(isCommitted).toBe(true);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['created', 'replaced', 'read', 'deleted']);
  const there = await container.read('there', 'p');
  for (const document of [replaced, read]) {
    expect(document).toBeInstanceOf(Document);
    const { value, etag, bytes, sizeBytes } = document as Document;
    expect({ value, etag, text: `${bytes}`, sizeBytes }).toEqual({
      value: there?.value,
      etag: there?.etag,
      text: `${there?.bytes}`,
      sizeBytes: there?.bytes.length,
    });
  }
  expect((created as Document).value).toMatchObject({ id: 'new', n: 2 });
  expect(deleted).toEqual({ kind: 'deleted' });
  expect(batch.outcomes).toBe(outcomes);
  expect(JSON.parse(JSON.stringify(batch))).toMatchObject({
    isCommitted,
    lsn,
    outcomes: [{ document: { n: 2 } }, {}, {}, {}],
  });
  expect(inspect(batch, { depth: 5 })).toContain("kind: 'replaced'");
});
