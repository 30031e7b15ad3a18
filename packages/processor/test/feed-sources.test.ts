// Every source of changes keeps the contract of the seam.

import { createRequire } from 'node:module';
import { CosmosClient } from '@azure/cosmos';
import { RestClient, systemEnvironment } from '@tidemark/client';
import { wellKnownKey } from '@tidemark/server';
import { feedSourceContract, ScriptedNetwork } from '@tidemark/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EngineFeedSource } from '../src/feed/engine-feed-source.ts';
import { MemoryFeedSource } from '../src/feed/memory-feed-source.ts';
import { RestFeedSource } from '../src/feed/rest-feed-source.ts';
import { SdkFeedSource } from '../src/feed/sdk-feed-source.ts';
import { AdapterBench } from './adapter-bench.ts';

const required: { readonly CosmosClient: typeof CosmosClient } = createRequire(import.meta.url)('@azure/cosmos');

let bench: AdapterBench;
beforeAll(async () => {
  bench = await AdapterBench.open();
});
afterAll(() => bench.close());

feedSourceContract('over HTTP', async () => {
  const { container, ...rest } = await bench.feed();
  const offers = { waits: true, tails: true, merges: true, allVersions: true };
  return { source: new RestFeedSource(bench.client, 'db', container.id), offers, ...rest };
});

feedSourceContract('an engine in this process', async () => {
  const { container, ...rest } = await bench.feed();
  const offers = { waits: true, tails: true, merges: true, allVersions: true };
  return { source: new EngineFeedSource(container, systemEnvironment().clock), offers, ...rest };
});

feedSourceContract('memory', async () => {
  const source = new MemoryFeedSource({ clock: systemEnvironment().clock });
  return {
    source,
    offers: { waits: true, tails: true, merges: true, allVersions: true },
    write: async (pk, ids) => source.put(...ids.map((id) => ({ id, pk }))),
    remove: async (pk, id) => source.remove(pk, id),
    split: async (id) => source.split(id),
    merge: async (left, right) => source.merge(left, right),
    close: async () => {},
  };
});

for (const [copy, Client] of [
  ['import', CosmosClient],
  ['require', required.CosmosClient],
] as const) {
  feedSourceContract(`a CosmosClient of the user, loaded with ${copy}`, async () => {
    const { container, ...rest } = await bench.feed();
    const client = new Client({ endpoint: bench.server.url, key: wellKnownKey });
    const offers = { waits: false, tails: true, merges: true, allVersions: true };
    const source = new SdkFeedSource(client, 'db', container.id);
    return { source, offers, ...rest, close: async () => client.dispose() };
  });
}

test('every way to a container gives it the same identity but for the account', async () => {
  const { container } = await bench.feed();
  const client = new CosmosClient({ endpoint: bench.server.url, key: wellKnownKey });
  const rest = await new RestFeedSource(bench.client, 'db', container.id).identity();

  expect(await new SdkFeedSource(client, 'db', container.id).identity()).toEqual(rest);
  const embedded = await new EngineFeedSource(container, systemEnvironment().clock).identity();
  expect(embedded).toEqual({ ...rest, account: 'engine', name: `engine/${container.id}` });
  client.dispose();
});

test('a container that is not there is told of by the source over HTTP', async () => {
  const source = new RestFeedSource(bench.client, 'db', 'nowhere');
  await expect(source.identity()).rejects.toMatchObject({ code: 'container-not-found' });
  await expect(source.ranges()).rejects.toMatchObject({ code: 'container-not-found' });
});

test('[S22] a container of the same name that took the place of another is not read in its stead', async () => {
  const { id } = (await bench.feed()).container;
  const source = new RestFeedSource(bench.client, 'db', id);
  const before = await source.identity();
  await bench.database.deleteContainer('db', id);
  await bench.database.createContainer('db', { id, partitionKey: { paths: ['/pk'], version: 2 } });

  await expect(source.read({ range: '0', mode: 'latest', from: 'beginning' })).rejects.toMatchObject({
    code: 'container-mismatch',
  });
  expect((await source.identity()).containerRid).not.toBe(before.containerRid);
});

const scriptedKey = Buffer.alloc(64).toString('base64');

test.each([
  ['not JSON', '{"id":"2", oops}'],
  ['not an object', '17'],
])('[S26] an item that is %s comes as its bytes, and the others as documents', async (_, bad) => {
  const body = `{"_rid":"r","Documents":[{"id":"1"},${bad},{"id":"3"}],"_count":3}`;
  const network = new ScriptedNetwork([{ status: 200, headers: { etag: '"3"' }, body }]);
  const { environment } = network;
  const client = new RestClient({ endpoint: 'https://a.example', credential: { key: scriptedKey }, environment });

  const page = await new RestFeedSource(client, 'db', 'c').read({ range: '0', mode: 'latest', from: 'beginning' });

  expect(page.items).toMatchObject([{ value: { id: '1' } }, { reason: expect.any(String) }, { value: { id: '3' } }]);
  const raw = page.items[1];
  expect(raw !== undefined && 'raw' in raw ? Buffer.from(raw.raw).toString() : undefined).toBe(bad);
});

test('an answer that was cut is no page', async () => {
  const network = new ScriptedNetwork([
    { status: 200, headers: { etag: '"3"' }, body: '{"Documents":[{"id":"1"},{"i' },
  ]);
  const { environment } = network;
  const client = new RestClient({ endpoint: 'https://a.example', credential: { key: scriptedKey }, environment });

  const cut = new RestFeedSource(client, 'db', 'c').read({ range: '0', mode: 'latest', from: 'beginning' });

  await expect(cut).rejects.toMatchObject({ code: 'unavailable' });
});

test('[S64] a key that is refused is asked for again, once per call, and the call goes on', async () => {
  const container = (await bench.feed()).container.id;
  const keys = [scriptedKey, wellKnownKey];
  const asked: string[] = [];
  const key = (): string => {
    const next = keys.shift() ?? scriptedKey;
    asked.push(next);
    return next;
  };
  const client = new RestClient({ endpoint: bench.server.url, credential: { key } });
  const source = new RestFeedSource(client, 'db', container);

  await source.ranges();
  await source.ranges();
  expect(asked).toEqual([scriptedKey, wellKnownKey]);

  const wrong = new RestClient({ endpoint: bench.server.url, credential: { key: () => scriptedKey } });
  await expect(new RestFeedSource(wrong, 'db', container).ranges()).rejects.toMatchObject({ code: 'unauthorized' });
});
