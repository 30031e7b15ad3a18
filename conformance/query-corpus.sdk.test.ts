// The corpus of queries by @azure/cosmos: with the rows that the server puts together, and with those that the client does.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, World } from './harness.ts';
import type { AskAll } from './query-clients.ts';
import { byCosmos } from './query-clients.ts';
import { differences, LoadedCorpus, pageSizes } from './query-corpus.ts';

let world: World;
let one: LoadedCorpus;
let four: LoadedCorpus;
beforeAll(async () => {
  world = await World.open();
  await world.database.createDatabase('db');
  one = await LoadedCorpus.load(world.database, 'one', 1);
  four = await LoadedCorpus.load(world.database, 'four', 4);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const mixedTypes = 'it does not sort values of several types, as it says itself';
const falsy = 'it takes rows that are null or 0 for none where it looks for distinct ones';
const ofRange = 'it takes no notice of a range in which the aggregate is undefined';
const noPlan = 'a query in FROM that sees all documents cannot be put together by a client';

/** With one range the client has nothing to put together but distinct rows. */
const cannotWithOne = { 'distinct-types': falsy, 'distinct-top': falsy };
const cannotWithFour = {
  ...cannotWithOne,
  'order-mixed-types': mixedTypes,
  'order-mixed-desc': mixedTypes,
  'order-mixed-all': mixedTypes,
  'order-undefined-first': mixedTypes,
  'agg-avg-mixed': ofRange,
  'agg-min-array': ofRange,
  'nested-distinct-count': noPlan,
  'nested-group-then-filter': noPlan,
  'nested-order-top': noPlan,
};

test.each(pageSizes)(
  '[M20] [wire 12] [query 7] the corpus over one range and over four, in pages of %i',
  async (itemsMax) => {
    const ask = byCosmos(world.client);
    expect(await differences(one, ask, { itemsMax })).toEqual([]);
    expect(await differences(four, ask, { itemsMax })).toEqual([]);
  },
);

describe('[M20] [wire 12] [query 5.2] the corpus, put together by the client', () => {
  const byPlan = (client = world.client): AskAll => byCosmos(client, { forceQueryPlan: true });
  const byToken = (): AskAll => byCosmos(world.client, { forceQueryPlan: true, enableQueryControl: true }, true);

  test.each(pageSizes)('from one range and from four, in pages of %i', async (itemsMax) => {
    expect(await differences(one, byPlan(), { itemsMax, cannot: cannotWithOne })).toEqual([]);
    expect(await differences(four, byPlan(), { itemsMax, cannot: cannotWithFour })).toEqual([]);
  });

  test.each(pageSizes)('begun anew behind each page of %i', async (itemsMax) => {
    expect(await differences(four, byToken(), { itemsMax, cannot: cannotWithFour })).toEqual([]);
  });

  // 4.10.1 keeps the ranges of a container for all queries, and asks one that has been split again and again, without looking for its
  // children: a client that begins after the split looks for them.
  test('after a split and after a merge', async () => {
    await four.split();
    await asked();
    await four.merge();
    await asked();

    async function asked(): Promise<void> {
      const client = clientOf(world.url);
      expect(await differences(four, byPlan(client), { itemsMax: 2, cannot: cannotWithFour })).toEqual([]);
      client.dispose();
    }
  });
});
