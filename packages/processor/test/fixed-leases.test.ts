// A lease collection that is fixed: made as clients of its time made it, without a partition key.

import { CosmosClient } from '@azure/cosmos';
import { header } from '@tidemark/model';
import { wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { masterKeyAuthorization, readMasterKey } from '../../client/src/signature.ts';
import type { SourceInput, StoreInput } from '../src/connect.ts';
import { createProcessor } from '../src/create-processor.ts';
import { AdapterBench } from './adapter-bench.ts';

vi.setConfig({ testTimeout: 120_000 });

let bench: AdapterBench;

beforeAll(async () => {
  bench = await AdapterBench.open();
});
afterAll(() => bench.close());

/** A request as clients of API version 2016-07-11 send it: without a word on partition keys. */
function askAsOf2016(verb: string, resourceType: string, link: string, path: string, body?: object): Promise<Response> {
  const date = new Date().toUTCString();
  return fetch(`${bench.server.url}/${path}`, {
    method: verb,
    headers: {
      [header.version]: '2016-07-11',
      [header.date]: date,
      [header.authorization]: masterKeyAuthorization({ verb, resourceType, link, date }, readMasterKey(wellKnownKey)),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** What one host sees that runs until so many documents have come. */
async function seenBy(instance: string, source: SourceInput, leases: StoreInput, count: number): Promise<string[]> {
  const seen: string[] = [];
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const processor = createProcessor<{ readonly id: string }>({
    source,
    leases,
    name: 'fixed',
    instance,
    start: 'beginning',
    lanes: 2,
    handler: async (changes) => {
      for (const change of changes) seen.push(change.id);
      if (seen.length >= count) finish();
    },
  });
  await processor.start();
  await done;
  await processor.stop();
  return seen;
}

const makers: [string, (id: string) => Promise<void>][] = [
  [
    'clients of 2016 make',
    async (id) => {
      const { status } = await askAsOf2016('POST', 'colls', 'dbs/db', 'dbs/db/colls', { id });
      expect(status).toBe(201);
    },
  ],
  [
    'the JavaScript SDK makes',
    async (id) => {
      const client = new CosmosClient({ endpoint: bench.server.url, key: wellKnownKey });
      await client.database('db').containers.create({ id });
      client.dispose();
    },
  ],
];

test.each(makers)(
  '[M10] leases in a fixed collection as %s it: hosts over REST, the SDK and the engine follow each other',
  async (maker, make) => {
    const id = maker.replaceAll(' ', '-');
    await make(id);
    const source = await bench.container('/pk');
    const client = new CosmosClient({ endpoint: bench.server.url, key: wellKnownKey });
    const ways: [string, StoreInput][] = [
      ['rest', { endpoint: bench.server.url, key: wellKnownKey, database: 'db', container: id }],
      ['sdk', { client, database: 'db', container: id }],
      ['engine', bench.database.container('db', id)],
    ];
    for (const [way, leases] of ways) {
      await source.create({ id: `${way}-1`, pk: 'a' });
      await source.create({ id: `${way}-2`, pk: 'a' });

      expect(await seenBy(way, source, leases, 2), way).toEqual([`${way}-1`, `${way}-2`]);
    }
    client.dispose();

    const path = `dbs/db/colls/${id}/docs`;
    const answer = await askAsOf2016('GET', 'docs', `dbs/db/colls/${id}`, path);
    const { Documents: documents } = (await answer.json()) as {
      readonly Documents: readonly { readonly id: string }[];
    };
    const lease = documents.find((each) => each.id.includes('..'));
    expect(lease).toMatchObject({ Owner: null, ContinuationToken: '"6"', LeaseToken: '0' });
    expect(lease).not.toHaveProperty('partitionKey');
    expect(lease).not.toHaveProperty('_partitionKey');
  },
);

test('[M10] a fixed collection is followed as every other is, over REST, the SDK and the engine, in lanes too', async () => {
  await askAsOf2016('POST', 'colls', 'dbs/db', 'dbs/db/colls', { id: 'fixed-source' });
  const engine = bench.database.container('db', 'fixed-source');
  const client = new CosmosClient({ endpoint: bench.server.url, key: wellKnownKey });
  const named = { database: 'db', container: 'fixed-source' };
  const sources = [{ endpoint: bench.server.url, key: wellKnownKey, ...named }, { client, ...named }, engine];
  const ids = Array.from({ length: 10 }, (_, n) => `${n}`);
  for (const id of ids) await engine.create({ id });

  for (const [n, source] of sources.entries()) {
    expect(await seenBy(`host-${n}`, source, await bench.container('/id'), ids.length), `source ${n}`).toEqual(ids);
  }
  client.dispose();
});
