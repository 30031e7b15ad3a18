// Every store keeps the contract of the seam.

import { CosmosClient } from '@azure/cosmos';
import { systemEnvironment } from '@tidemark/client';
import { wellKnownKey } from '@tidemark/server';
import { documentStoreContract } from '@tidemark/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EngineStore } from '../src/store/engine-store.ts';
import { MemoryDocumentStore } from '../src/store/memory-store.ts';
import { RestStore } from '../src/store/rest-store.ts';
import { SdkStore } from '../src/store/sdk-store.ts';
import { AdapterBench, storeKinds } from './adapter-bench.ts';

let bench: AdapterBench;
beforeAll(async () => {
  bench = await AdapterBench.open();
});
afterAll(() => bench.close());

for (const path of storeKinds) {
  const foreignKeys = path === '/partitionKey';
  documentStoreContract(`over HTTP, partitioned by ${path}`, async () => {
    const { container, ...rest } = await bench.store(path);
    return { store: new RestStore(bench.client, 'db', container.id), offers: { foreignKeys, watches: true }, ...rest };
  });

  documentStoreContract(`an engine in this process, partitioned by ${path}`, async () => {
    const { container, ...rest } = await bench.store(path);
    const store = new EngineStore(container, systemEnvironment().clock);
    return { store, offers: { foreignKeys, watches: true }, ...rest };
  });

  documentStoreContract(`a CosmosClient of the user, partitioned by ${path}`, async () => {
    const { container, ...rest } = await bench.store(path);
    const client = new CosmosClient({ endpoint: bench.server.url, key: wellKnownKey });
    const store = new SdkStore(client, 'db', container.id);
    return { store, offers: { foreignKeys, watches: false }, ...rest, close: async () => client.dispose() };
  });
}

documentStoreContract('memory', async () => {
  const store = new MemoryDocumentStore({ clock: systemEnvironment().clock });
  return {
    store,
    offers: { foreignKeys: false, watches: true },
    close: async () => {},
  };
});

test('a container that is partitioned by anything else is refused, and the message says what to do', async () => {
  const container = await bench.container('/tenant');
  const store = new RestStore(bench.client, 'db', container.id);

  const refused = store.create({ id: 'a' });

  await expect(refused).rejects.toMatchObject({ code: 'invalid-definition' });
  await expect(refused).rejects.toThrow(/partitioned by \/tenant.*\/id/);
  expect(() => new EngineStore(container, systemEnvironment().clock)).toThrow(/partitioned by \/tenant/);
});

test('a list goes through every range, also when one of them is split while it is read', async () => {
  const container = await bench.container('/id');
  const store = new RestStore(bench.client, 'db', container.id);
  const ids = Array.from({ length: 40 }, (_, n) => `p..${n}`);
  await Promise.all(ids.map((id) => store.create({ id })));
  expect(await store.list('p..')).toHaveLength(40);

  await container.split('0');
  const found = await store.list('p..');

  expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

test('a list over many ranges is no leak of listeners, and when one range fails the others are given up', async () => {
  const { id } = await bench.database.createContainer(
    'db',
    { id: 'wide', partitionKey: { paths: ['/id'], version: 2 } },
    { ranges: 15 },
  );
  const store = new RestStore(bench.client, 'db', id);
  await store.create({ id: 'p..0' });
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on('warning', listen);

  const found = await store.list('p..', new AbortController().signal);
  await bench.database.deleteContainer('db', id);
  await expect(store.list('p..')).rejects.toMatchObject({ code: expect.stringMatching(/not-found/) });
  // Node tells of warnings in a turn of their own.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);

  expect(found.map((document) => document.id)).toEqual(['p..0']);
  expect(warnings).toEqual([]);
});
