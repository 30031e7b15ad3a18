// The corpus of queries by @azure/cosmos 3.17.3: with the rows that the server puts together, and range by range by itself where it is
// told plans.

import { Agent } from 'node:https';
import { createRequire } from 'node:module';
import type { CosmosClient as Cosmos } from '@azure/cosmos';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';
import { byCosmos } from './query-clients.ts';
import { differences, LoadedCorpus, pageSizes } from './query-corpus.ts';

// Its own types take those of browsers with them; for what is used here those of its successor are the same.
const sdk: typeof import('@azure/cosmos') = createRequire(import.meta.url)('azure-cosmos-3');

const mixedTypes = 'it does not sort values of several types, as it says itself';
const falsy = 'it takes rows that are null or 0 for none where it looks for distinct ones';
const ofRange = 'it takes no notice of a range in which the aggregate is undefined';
const unknown = 'it does not list the feature';
const cutEarly = 'it cuts off what TOP leaves out before it looks for distinct rows';
const lastGroup = 'it gives groups in an order of its own, so that TOP is another one';

const cannot = {
  'order-mixed-types': mixedTypes,
  'order-mixed-desc': mixedTypes,
  'order-mixed-all': mixedTypes,
  'order-undefined-first': mixedTypes,
  'order-vector': unknown,
  'agg-countif': unknown,
  'agg-makeset': unknown,
  'agg-avg-mixed': ofRange,
  'distinct-types': falsy,
  'distinct-top': falsy,
  'order-distinct-object-top': cutEarly,
  'top-group-without-row': lastGroup,
};

/** It compares the undefined of a range with the least or largest value so far, where that range is not the first to answer. */
const varying = [
  'agg-min',
  'agg-min-mixed',
  'agg-min-array',
  'agg-min-bool',
  'agg-max',
  'agg-max-mixed',
  'agg-max-string',
];

let world: World;
let four: LoadedCorpus;
const defects: unknown[] = [];
beforeAll(async () => {
  world = await World.open();
  await world.database.createDatabase('db');
  four = await LoadedCorpus.load(world.database, 'four', 4);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  expect(defects).toEqual([]);
});

describe.each([
  ['the server', { planQueries: false, beyond: {} }],
  ['the client', { planQueries: true, beyond: { cannot, varying } }],
])('[M20] [wire 12] [query 7] the corpus over four ranges, put together by %s', (_, { planQueries, beyond }) => {
  let server: RunningServer;
  let agent: Agent;
  let client: Cosmos;
  beforeAll(async () => {
    const { database } = world;
    server = await startServer({ database, planQueries, onDefect: (error) => defects.push(error) });
    agent = new Agent({ ca: server.ca, keepAlive: true });
    client = new sdk.CosmosClient({ endpoint: `https://localhost:${server.port}`, key: wellKnownKey, agent });
  });
  afterAll(async () => {
    client.dispose();
    agent.destroy();
    await server.close();
  });

  test.each(pageSizes)('in pages of %i', async (itemsMax) => {
    expect(await differences(four, byCosmos(client), { itemsMax, ...beyond })).toEqual([]);
  });
});
