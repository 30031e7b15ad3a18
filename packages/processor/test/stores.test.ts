// Every store keeps the contract of the seam.

import { documentStoreContract } from '@tidemark/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestStore } from '../src/store/rest-store.ts';
import { AdapterBench } from './adapter-bench.ts';

let bench: AdapterBench;
beforeAll(async () => {
  bench = await AdapterBench.open();
});
afterAll(() => bench.close());

for (const path of ['/id', '/partitionKey'] as const) {
  const foreignKeys = path === '/partitionKey';
  documentStoreContract(`over HTTP, partitioned by ${path}`, async () => {
    const { container, ...rest } = await bench.store(path);
    return { store: new RestStore(bench.client, 'db', container.id), offers: { foreignKeys, watches: true }, ...rest };
  });
}

test('a container that is partitioned by anything else is refused, and the message says what to do', async () => {
  const container = await bench.container('/tenant');
  const store = new RestStore(bench.client, 'db', container.id);

  const refused = store.create({ id: 'a' });

  await expect(refused).rejects.toMatchObject({ code: 'invalid-definition' });
  await expect(refused).rejects.toThrow(/partitioned by \/tenant.*\/id/);
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
