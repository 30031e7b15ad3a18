// Throughput that is enforced: 429 with the time to wait, and clients that get through by waiting (M16).

import { BulkOperationType, CosmosClient } from '@azure/cosmos';
import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RawOptions, RawResponse } from './harness.ts';
import { rawFetch } from './harness.ts';
import { pk } from './raw.ts';

let database: Database;
let server: RunningServer;
let nowMs: number;
/** Since when time goes by itself. */
let goesSince: number | undefined;

beforeEach(async () => {
  nowMs = 1_000_000;
  goesSince = undefined;
  database = await openDatabase({ memory: true });
  const elapsedMs = () => (goesSince === undefined ? 0 : performance.now() - goesSince);
  server = await startServer({ database, throttle: () => nowMs + elapsedMs() });
  await fetch('POST', '/dbs', { body: { id: 'db' } });
});
afterEach(async () => {
  await server.close();
  await database.close();
});

const fetch = (verb: string, path: string, options: RawOptions = {}): Promise<RawResponse> =>
  rawFetch(server.url, verb, path, options);

async function make(id: string, throughput: number | undefined, owner: string = 'db'): Promise<string> {
  const headers = throughput === undefined ? {} : { 'x-ms-offer-throughput': String(throughput) };
  const body = { id, partitionKey: { paths: ['/pk'], version: 2 } };
  expect((await fetch('POST', `/dbs/${owner}/colls`, { headers, body })).status).toBe(201);
  return `/dbs/${owner}/colls/${id}/docs`;
}

const put = (docs: string, id: string, key: string, text: string = ''): Promise<RawResponse> =>
  fetch('POST', docs, {
    headers: { ...pk(key), 'x-ms-documentdb-is-upsert': 'true' },
    body: { id, pk: key, text },
  });
const read = (docs: string, id: string, key: string): Promise<RawResponse> =>
  fetch('GET', `${docs}/${id}`, { headers: pk(key) });
const retryAfterOf = ({ headers }: RawResponse): number => Number(headers.get('x-ms-retry-after-ms') ?? Number.NaN);

/** Uses up more than there is, and returns the first refusal. */
async function exhaust(docs: string, key: string): Promise<RawResponse> {
  for (let n = 0; n < 200; n += 1) {
    const response = await put(docs, `e${n}`, key, 'x'.repeat(500_000));
    if (response.status === 429) return response;
  }
  throw new Error('it was never used up');
}

describe('a container whose throughput is used up', () => {
  test('[M16] answers 429 with substatus 3200, and the time to wait is true to the millisecond', async () => {
    const docs = await make('c', 400);
    const refused = await exhaust(docs, 'a');
    expect([refused.headers.get('x-ms-substatus'), refused.json.code]).toEqual(['3200', '429']);
    expect(refused.json.message).toContain('Request rate is large');
    expect(refused.headers.get('x-ms-request-charge')).toBe('0');
    const waitMs = retryAfterOf(refused);
    expect(waitMs).toBeGreaterThan(0);
    nowMs += waitMs - 1;
    expect((await read(docs, 'e0', 'a')).status).toBe(429);
    nowMs += 1;
    expect((await read(docs, 'e0', 'a')).status).toBe(200);
  });

  test('[M16] gives a second of its throughput at once, and the same again each second', async () => {
    const docs = await make('c', 400);
    await put(docs, '1', 'a');
    nowMs += 10_000;
    for (let second = 0; second < 3; second += 1) {
      let reads = 0;
      while ((await read(docs, '1', 'a')).status === 200) reads += 1;
      expect(reads).toBe(400);
      nowMs += 1_000;
    }
  });

  test('[M16] lets others alone, and databases, containers and offers too', async () => {
    const docs = await make('c', 400);
    const other = await make('other', 400);
    await exhaust(docs, 'a');
    expect((await put(other, '1', 'a')).status).toBe(201);
    expect((await fetch('GET', '/dbs/db/colls/c')).status).toBe(200);
    expect((await fetch('GET', '/dbs/db/colls/c/pkranges')).status).toBe(200);
    expect((await fetch('GET', '/offers')).status).toBe(200);
    expect((await fetch('GET', docs, { headers: { 'a-im': 'Incremental Feed' } })).status).toBe(429);
    expect((await fetch('GET', docs)).status).toBe(429);
  });

  test('[M16] has used up one range only, where there are many', async () => {
    const docs = await make('c', 24_000);
    const ranges = database.container('db', 'c').ranges;
    expect(ranges).toHaveLength(4);
    await put(docs, '1', 'cold');
    const inside = database.container('db', 'c');
    const rangeOf = (key: string) => database.engine.rangeOf(inside.info.number, inside.partitionKey(key).epk);
    const hot = Array.from({ length: 100 }, (_, n) => `hot ${n}`).find((key) => rangeOf(key) !== rangeOf('cold'));
    nowMs += 10_000;
    await exhaust(docs, hot as string);
    expect((await read(docs, 'e0', hot as string)).status).toBe(429);
    expect((await read(docs, '1', 'cold')).status).toBe(200);
    const inRange = (id: string) => ({ 'x-ms-documentdb-partitionkeyrangeid': id, 'a-im': 'Incremental Feed' });
    expect((await fetch('GET', docs, { headers: inRange(rangeOf(hot as string)) })).status).toBe(429);
    expect((await fetch('GET', docs, { headers: inRange(rangeOf('cold')) })).status).toBe(200);
  });

  test('[M16] is served the sooner when its offer is raised', async () => {
    const docs = await make('c', 400);
    const waitMs = retryAfterOf(await exhaust(docs, 'a'));
    const { json } = await fetch('GET', '/offers');
    const [offer] = json.Offers;
    const sign = { link: offer.id.toLowerCase() };
    const raised = await fetch('PUT', `/offers/${offer.id}`, {
      sign,
      body: { ...offer, content: { offerThroughput: 6_000 } },
    });
    expect(raised.status).toBe(200);
    const again = await read(docs, 'e0', 'a');
    expect([again.status, retryAfterOf(again)]).toEqual([429, Math.ceil((waitMs * 400) / 6_000)]);
    nowMs += retryAfterOf(again);
    expect((await read(docs, 'e0', 'a')).status).toBe(200);
  });

  test('[M16] of a bulk refuses each operation for itself, with its own time', async () => {
    const docs = await make('c', 400);
    await exhaust(docs, 'a');
    const operation = (id: string) => ({
      operationType: 'Create',
      resourceBody: { id, pk: 'a' },
      partitionKey: '["a"]',
    });
    const bulk = () =>
      fetch('POST', docs, {
        headers: {
          'x-ms-cosmos-is-batch-request': 'true',
          'x-ms-cosmos-batch-atomic': 'false',
          'x-ms-cosmos-batch-continue-on-error': 'true',
          'x-ms-documentdb-partitionkeyrangeid': '0',
        },
        body: [operation('b1'), operation('b2')],
      });
    const refused = await bulk();
    expect(refused.status).toBe(207);
    for (const each of refused.json) {
      expect(each).toMatchObject({ statusCode: 429, subStatusCode: 3200, requestCharge: 0 });
      expect(each.retryAfterMilliseconds).toBeGreaterThan(0);
    }
    nowMs += 60_000;
    const done = await bulk();
    expect([done.status, done.json.map((each: { statusCode: number }) => each.statusCode)]).toEqual([200, [201, 201]]);
  });
});

describe('throughput that a database shares', () => {
  test('[M16] is used up for all its containers, but for those with their own', async () => {
    await fetch('POST', '/dbs', { body: { id: 'shared' }, headers: { 'x-ms-offer-throughput': '400' } });
    const one = await make('one', undefined, 'shared');
    const two = await make('two', undefined, 'shared');
    const own = await make('own', 400, 'shared');
    await exhaust(one, 'a');
    expect((await put(two, '1', 'a')).status).toBe(429);
    expect((await put(own, '1', 'a')).status).toBe(201);
  });
});

describe('autoscale', () => {
  test('[M16] gives its maximum', async () => {
    const body = { id: 'auto', partitionKey: { paths: ['/pk'], version: 2 } };
    const headers = { 'x-ms-cosmos-offer-autopilot-settings': '{"maxThroughput":1000}' };
    await fetch('POST', '/dbs/db/colls', { headers, body });
    const docs = '/dbs/db/colls/auto/docs';
    await put(docs, '1', 'a');
    nowMs += 10_000;
    let reads = 0;
    while ((await read(docs, '1', 'a')).status === 200) reads += 1;
    expect(reads).toBe(1_000);
  });
});

describe('the official client', () => {
  test('[M16] gets everything through by coming back when it is told', async () => {
    const connectionPolicy = { enableBackgroundEndpointRefreshing: false };
    const client = new CosmosClient({ endpoint: server.url, key: wellKnownKey, connectionPolicy });
    const { container } = await client.database('db').containers.create({
      id: 'c',
      throughput: 400,
      partitionKey: { paths: ['/pk'] },
    });
    const items = Array.from({ length: 100 }, (_, n) => ({ id: String(n), pk: `key ${n}` }));
    // As long as time stands still nothing comes into the bucket: this leaves it in debt, however slow the machine is.
    expect((await put('/dbs/db/colls/c/docs', 'large', 'a', 'x'.repeat(2_000_000))).status).toBe(201);
    goesSince = performance.now();
    const written = await Promise.all(items.map((item) => container.items.upsert(item)));
    expect(written.every(({ statusCode }) => statusCode === 201)).toBe(true);
    const retries = written.map(({ headers }) => Number(headers['x-ms-throttle-retry-count']));
    expect(Math.max(...retries)).toBeGreaterThan(0);
    expect(Math.max(...retries)).toBeLessThanOrEqual(9);
    client.dispose();
  });

  test('[M16] gets a bulk through as well, operation by operation', async () => {
    const connectionPolicy = { enableBackgroundEndpointRefreshing: false };
    const client = new CosmosClient({ endpoint: server.url, key: wellKnownKey, connectionPolicy });
    const docs = await make('c', 400);
    expect((await put(docs, 'large', 'a', 'x'.repeat(1_000_000))).status).toBe(201);
    goesSince = performance.now();
    // This client waits for each of them, one after the other.
    const operations = Array.from({ length: 5 }, (_, n) => ({
      operationType: BulkOperationType.Create,
      partitionKey: `key ${n}`,
      resourceBody: { id: String(n), pk: `key ${n}` },
    }));
    const results = await client.database('db').container('c').items.executeBulkOperations(operations);
    expect(results.map(({ response }) => response?.statusCode)).toEqual(operations.map(() => 201));
    client.dispose();
  });
});

test('[M16] without being asked for nothing is enforced, and charges are shown', async () => {
  await using free = await startServer({ database });
  await make('c', 400);
  for (let n = 0; n < 20; n += 1) {
    const response = await rawFetch(free.url, 'POST', '/dbs/db/colls/c/docs', {
      headers: pk('a'),
      body: { id: String(n), pk: 'a', text: 'x'.repeat(100_000) },
    });
    expect(response.status).toBe(201);
    expect(Number(response.headers.get('x-ms-request-charge'))).toBeGreaterThan(40);
  }
});
