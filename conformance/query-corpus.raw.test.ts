// The corpus of queries, put together by the server from however many ranges there are.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../packages/testing/src/sizes.ts';
import { World } from './harness.ts';
import type { AskAll } from './query-clients.ts';
import { byRequests } from './query-clients.ts';
import { differences, LoadedCorpus, pageSizes } from './query-corpus.ts';

const everyPageSize = [1, 2, 1000];

describe.each([1, 4])('[M20] [wire 12] [query 7] the corpus over %i ranges, by plain requests', (rangeCount) => {
  let world: World;
  let corpus: LoadedCorpus;
  let ask: AskAll;
  beforeAll(async () => {
    world = await World.open();
    await world.database.createDatabase('db');
    corpus = await LoadedCorpus.load(world.database, 'corpus', rangeCount);
    ask = byRequests(world);
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  test.each(everyPageSize)('in pages of %i rows', async (itemsMax) => {
    expect(await differences(corpus, ask, { itemsMax, isWhole: isLong || itemsMax === 2 })).toEqual([]);
  });

  test('after a split', async () => {
    await corpus.split();

    expect(corpus.rangeCount).toBe(rangeCount + 1);
    for (const itemsMax of pageSizes) expect(await differences(corpus, ask, { itemsMax })).toEqual([]);
  });

  test('after a merge', async () => {
    await corpus.merge();

    expect(corpus.rangeCount).toBe(rangeCount);
    for (const itemsMax of pageSizes) expect(await differences(corpus, ask, { itemsMax })).toEqual([]);
  });
});
