// @azure/cosmos 3.17.3, the last of its line, which refuses plain HTTP.

import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:https';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, CosmosClient as Cosmos, Database } from '@azure/cosmos';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentFor, fileOf, run } from './old-client.ts';

// Its own types take those of browsers with them; for what is used here those of its successor are the same.
const sdk: typeof import('@azure/cosmos') = createRequire(import.meta.url)('azure-cosmos-3');
const { BulkOperationType, CosmosClient } = sdk;

let server: RunningServer;
let agent: Agent;
let client: Cosmos;
let database: Database;
const defects: unknown[] = [];
beforeAll(async () => {
  server = await startServer({ memory: true, onDefect: (error) => defects.push(error) });
  agent = new Agent({ ca: server.ca, keepAlive: true });
  const endpoint = `https://localhost:${server.port}`;
  const connectionPolicy = { enableBackgroundEndpointRefreshing: false };
  client = new CosmosClient({ endpoint, key: wellKnownKey, agent, connectionPolicy });
  ({ database } = await client.databases.create({ id: 'db' }));
});
afterAll(async () => {
  client.dispose();
  agent.destroy();
  await server.close();
  expect(defects).toEqual([]);
});

let containers = 0;
async function newContainer(throughput?: number): Promise<Container> {
  containers += 1;
  const definition = {
    id: `c${containers}`,
    partitionKey: { paths: ['/pk'] },
    ...(throughput === undefined ? {} : { throughput }),
  };
  const { container } = await database.containers.create(definition);
  return container;
}

const idsOf = (items: readonly { readonly id?: string }[] = []): (string | undefined)[] => items.map(({ id }) => id);

test('[M1] [wire 6] databases and containers are created, read, listed, replaced and deleted', async () => {
  const { database: other } = await client.databases.createIfNotExists({ id: 'ä b' });
  const { container } = await other.containers.createIfNotExists({ id: 'c', partitionKey: '/pk' });
  expect(idsOf((await other.containers.readAll().fetchAll()).resources)).toEqual(['c']);
  const { resource } = await container.read();
  expect((await container.replace({ ...resource, id: 'c', defaultTtl: 10 })).resource?.defaultTtl).toBe(10);
  expect(idsOf((await client.databases.readAll().fetchAll()).resources)).toContain('ä b');
  await other.delete();
  await expect(other.read()).rejects.toMatchObject({ code: 404 });
});

test('[wire 6] the offer of a container is read and changed', async () => {
  const container = await newContainer(800);
  const { resource, offer } = await container.readOffer();
  expect(resource?.content?.offerThroughput).toBe(800);
  const changed = await offer?.replace({ ...resource, content: { offerThroughput: 1_000 } } as never);
  expect(changed?.resource?.content?.offerThroughput).toBe(1_000);
  expect((await database.readOffer()).resource).toBeUndefined();
});

test('[M1] [wire 7] documents are created, read, upserted, replaced, patched and deleted', async () => {
  const container = await newContainer();
  const created = await container.items.create({ id: 'aü', pk: 'é', n: 1 });
  expect(created.statusCode).toBe(201);
  const item = container.item('aü', 'é');
  expect((await item.read()).resource).toEqual(created.resource);
  expect((await container.items.upsert({ id: 'aü', pk: 'é', n: 2 })).statusCode).toBe(200);
  await expect(container.items.create({ id: 'aü', pk: 'é' })).rejects.toMatchObject({ code: 409 });
  const stale = { accessCondition: { type: 'IfMatch', condition: created.etag } };
  await expect(item.replace({ id: 'aü', pk: 'é', n: 3 }, stale)).rejects.toMatchObject({ code: 412 });
  expect((await item.replace({ id: 'aü', pk: 'é', n: 3 })).resource).toMatchObject({ n: 3 });
  expect((await item.patch([{ op: 'incr', path: '/n', value: 4 }])).resource).toMatchObject({ n: 7 });
  expect((await item.delete()).statusCode).toBe(204);
  expect((await item.read()).statusCode).toBe(404);
});

test('[M1] [wire 8] batches are all or nothing, bulks are one by one', async () => {
  const container = await newContainer(13_000);
  const batch = await container.items.batch(
    [
      { operationType: BulkOperationType.Create, resourceBody: { id: '1', pk: 'a' } },
      { operationType: BulkOperationType.Create, resourceBody: { id: '1', pk: 'a' } },
    ],
    'a',
  );
  expect(batch.result?.map(({ statusCode }) => statusCode)).toEqual([424, 409]);
  const keys = Array.from({ length: 30 }, (_, i) => `k${i}`);
  const created = await container.items.bulk(
    keys.map((pk) => ({ operationType: BulkOperationType.Create, resourceBody: { id: '1', pk } })),
  );
  expect(created.map(({ statusCode }) => statusCode)).toEqual(keys.map(() => 201));
  const [read, deleted] = await container.items.bulk([
    { operationType: BulkOperationType.Read, id: '1', partitionKey: 'k1' },
    { operationType: BulkOperationType.Delete, id: '1', partitionKey: 'k2' },
  ]);
  expect([read?.statusCode, deleted?.statusCode]).toEqual([200, 204]);
});

test('[M2] readAll walks all ranges', async () => {
  const container = await newContainer(13_000);
  const ids = Array.from({ length: 20 }, (_, i) => `d${i}`).sort();
  for (const id of ids) await container.items.create({ id, pk: id });

  const { resources } = await container.items.readAll({ maxItemCount: 3 }).fetchAll();

  expect(idsOf(resources).sort()).toEqual(ids);
});

describe('[M4] [wire 11] changeFeed', () => {
  test('[M7] of a partition key: from the beginning, from now, after an etag, page by page', async () => {
    const container = await newContainer();
    for (const [id, pk] of [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'a'],
      ['4', 'a'],
    ] as const) {
      await container.items.create({ id, pk });
    }
    const feed = container.items.changeFeed('a', { startFromBeginning: true, maxItemCount: 2 });
    expect(idsOf((await feed.fetchNext()).result)).toEqual(['1', '3']);
    const second = await feed.fetchNext();
    expect(idsOf(second.result)).toEqual(['4']);
    expect((await feed.fetchNext()).statusCode).toBe(304);

    const fromNow = container.items.changeFeed('a', {});
    expect((await fromNow.fetchNext()).statusCode).toBe(304);
    await container.items.upsert({ id: '1', pk: 'a', again: true });
    expect(idsOf((await fromNow.fetchNext()).result)).toEqual(['1']);
    const resumed = container.items.changeFeed('a', { continuation: second.etag });
    expect(idsOf((await resumed.fetchNext()).result)).toEqual(['1']);
  });

  test('from a time', async () => {
    const container = await newContainer();
    const { resource } = await container.items.create({ id: '1', pk: 'a' });
    const beforeIt = new Date(((resource?._ts ?? 0) - 60) * 1000);
    const afterIt = new Date(((resource?._ts ?? 0) + 60) * 1000);
    expect(idsOf((await container.items.changeFeed('a', { startTime: beforeIt }).fetchNext()).result)).toEqual(['1']);
    expect((await container.items.changeFeed('a', { startTime: afterIt }).fetchNext()).statusCode).toBe(304);
  });
});

describe('[wire 2] [wire 17.16] by HTTPS, with the authority trusted as node is told to', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-trust-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(['azure-cosmos-3', '@azure/cosmos'])('%s: create, write, read, follow', async (sdk) => {
    const only = await startServer({ memory: true, httpsOnly: true });
    const env = await environmentFor(only, folder);

    const { out, err } = await run(process.execPath, [fileOf('./clients/first-minute.mjs'), sdk], env);

    expect(err).toBe('');
    const endpoint = env['TIDEMARK_ENDPOINT'];
    expect(JSON.parse(out)).toEqual({ metres: 7.2, changes: ['1'], etag: '"1"', endpoints: [endpoint] });
    await only.close();
  });

  test('[wire 1] @azure/cosmos 4 by HTTP alone', async () => {
    const env = { ...(await environmentFor(server, folder)), TIDEMARK_ENDPOINT: `${server.url}/` };
    const { out, err } = await run(process.execPath, [fileOf('./clients/first-minute.mjs'), '@azure/cosmos'], env);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({ metres: 7.2, endpoints: [`${server.url}/`] });
  });

  test('and not without it', async () => {
    const env = { ...(await environmentFor(server, folder)), NODE_EXTRA_CA_CERTS: undefined };
    const { code, err } = await run(process.execPath, [fileOf('./clients/first-minute.mjs'), '@azure/cosmos'], env);
    expect(code).not.toBe(0);
    expect(err).toMatch(/certificate/i);
  });
});
