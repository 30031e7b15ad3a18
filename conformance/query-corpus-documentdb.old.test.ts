// The corpus of queries by documentdb 1.15.3: with the rows that the server puts together, and range by range by itself where it is
// told plans, which come with the refusal.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';
import { DocumentDbClient, environmentFor } from './old-client.ts';
import { byDocumentDb } from './query-clients.ts';
import { differences, LoadedCorpus, pageSizes } from './query-corpus.ts';

const mixedTypes = 'it does not sort values of several types';
const ofRange = 'it takes the undefined of a range for the least value, and false for none';

const cannot = {
  'order-mixed-types': mixedTypes,
  'order-mixed-desc': mixedTypes,
  'order-mixed-all': mixedTypes,
  'order-undefined-first': mixedTypes,
  'agg-min': ofRange,
  'agg-min-mixed': ofRange,
  'agg-min-bool': ofRange,
  'agg-avg-mixed': ofRange,
};

let world: World;
let folder: string;
let four: LoadedCorpus;
const defects: unknown[] = [];
beforeAll(async () => {
  world = await World.open();
  await world.database.createDatabase('db');
  four = await LoadedCorpus.load(world.database, 'four', 4);
  folder = await mkdtemp(join(tmpdir(), 'tidemark-documentdb-'));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
  expect(defects).toEqual([]);
});

describe.each([
  ['the server', false, {}],
  ['the client', true, cannot],
] as const)('[M20] [wire 12] [query 7] the corpus over four ranges, put together by %s', (_, planQueries, beyond) => {
  let server: RunningServer;
  let client: DocumentDbClient;
  beforeAll(async () => {
    const { database } = world;
    server = await startServer({ database, planQueries, legacyTls: true, onDefect: (error) => defects.push(error) });
    client = new DocumentDbClient(await environmentFor(server, folder));
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await server.close();
  });

  test.each(pageSizes)('in pages of %i', async (itemsMax) => {
    expect(await differences(four, byDocumentDb(client), { itemsMax, cannot: beyond })).toEqual([]);
  });
});
