// Queries of documents as programs ask them: iterators of the SDK, figures, leases, errors of the indexing policy, tokens.

import type { FeedResponse } from '@azure/cosmos';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from './harness.ts';
import { queryHeaders } from './query-clients.ts';
import { inRange, keysFrom, pk } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function orders(count = 60, throughput = 18_000) {
  const container = await world.container({ throughput });
  for (let n = 0; n < count; n += 1) await container.items.create({ id: `${n}`, pk: `p${n % 5}`, n, kind: n % 3 });
  return container;
}

test('[M20] [wire 12] fetchNext, fetchAll and the iterator of the SDK give the same rows, over a restart too', async () => {
  const made = await orders();
  const query = 'SELECT VALUE c.n FROM c WHERE c.kind = 1 ORDER BY c.n DESC';
  const expected = Array.from({ length: 20 }, (_, at) => 58 - 3 * at);
  const container = () => world.client.database('db').container(made.id);

  const { resources } = await container().items.query<number>(query).fetchAll();
  const iterated: number[] = [];
  for await (const page of container().items.query<number>(query, { maxItemCount: 3 }).getAsyncIterator()) {
    iterated.push(...page.resources);
  }
  const resumed: number[] = [];
  let continuationToken: string | undefined;
  do {
    const options = { maxItemCount: 7, ...(continuationToken === undefined ? {} : { continuationToken }) };
    const page: FeedResponse<number> = await container().items.query<number>(query, options).fetchNext();
    resumed.push(...page.resources);
    ({ continuationToken } = page);
    await world.restart();
  } while (continuationToken !== undefined);

  expect(resources).toEqual(expected);
  expect(iterated).toEqual(expected);
  expect(resumed).toEqual(expected);
});

test('[M20] [wire 12] figures are those of what was done, and more work costs more', async () => {
  const container = await orders();
  const docs = `/dbs/db/colls/${container.id}/docs`;
  const measured = async (query: string) => {
    const headers = { ...queryHeaders, 'x-ms-documentdb-populatequerymetrics': 'true' };
    const answer = await world.fetch('POST', docs, { headers, body: { query } });
    const pairs = (answer.headers.get('x-ms-documentdb-query-metrics') ?? '').split(';').map((each) => each.split('='));
    const { retrievedDocumentCount, outputDocumentCount, outputDocumentSize } = Object.fromEntries(pairs);
    return {
      looked: Number(retrievedDocumentCount),
      rows: Number(outputDocumentCount),
      bytes: Number(outputDocumentSize),
      charge: Number(answer.headers.get('x-ms-request-charge')),
      count: answer.json._count,
    };
  };

  const one = await measured("SELECT VALUE c.n FROM c WHERE c.pk = 'p1' AND c.n < 10");
  const all = await measured('SELECT VALUE COUNT(1) FROM c');

  expect(one).toMatchObject({ looked: 12, rows: 2, bytes: 2, count: 2 });
  expect(all).toMatchObject({ looked: 60, rows: 1, bytes: 2, count: 1 });
  expect(all.charge).toBeGreaterThan(one.charge);
});

test('[wire 12] the leases of a .NET and of a Java host are found as they look for them', async () => {
  const container = await world.container({ partitionKey: { paths: ['/id'], version: 2 }, throughput: 12_000 });
  for (const id of ['host..0', 'host..1', 'host..2', 'other..0']) {
    await container.items.create({
      id,
      ...(id.endsWith('2') ? { ContinuationToken: null } : { ContinuationToken: '"7"' }),
    });
  }
  const parameters = [
    { name: '@Top', value: 5 },
    { name: '@PartitionLeasePrefix', value: 'host..' },
  ];
  const idsOf = async (query: string): Promise<string[]> => {
    const { resources } = await container.items.query<{ id: string }>({ query, parameters }).fetchAll();
    return resources.map(({ id }) => id).sort();
  };

  const begun =
    'SELECT TOP @Top * FROM c WHERE STARTSWITH(c.id, @PartitionLeasePrefix) AND c.ContinuationToken <> null';
  expect(await idsOf(begun)).toEqual(['host..0', 'host..1']);
  expect(await idsOf('SELECT * FROM c WHERE STARTSWITH(c.id, @PartitionLeasePrefix)')).toHaveLength(3);
});

test('[query 4] [query 6] an order that the indexing policy excludes, or has no composite index for, is refused', async () => {
  const container = await world.container({
    indexingPolicy: {
      includedPaths: [{ path: '/*' }],
      excludedPaths: [{ path: '/secret/*' }],
      compositeIndexes: [
        [
          { path: '/a', order: 'ascending' },
          { path: '/b', order: 'descending' },
        ],
      ],
    },
  });
  await container.items.create({ id: '1', pk: 'x', a: 1, b: 1, secret: 1 });
  const said = async (order: string): Promise<unknown> => {
    try {
      return (await container.items.query(`SELECT VALUE c.id FROM c ORDER BY ${order}`).fetchAll()).resources;
    } catch (error) {
      const { code, message } = error as { code: number; message: string };
      return [code, /"Errors":\["([^"]*)"/.exec(message.replaceAll('\\"', '"'))?.[1]];
    }
  };

  expect(await said('c.a, c.b DESC')).toEqual(['1']);
  expect(await said('c.a DESC, c.b')).toEqual(['1']);
  const noIndex = 'The order by query does not have a corresponding composite index that it can be served from.';
  expect(await said('c.a, c.b')).toEqual([400, noIndex]);
  const excluded = 'The index path corresponding to the specified order-by item is excluded.';
  expect(await said('c.secret')).toEqual([400, excluded]);
});

test('[M18] [wire 3] the token of a partition key sees the documents of that key, whatever the query says', async () => {
  const container = await orders();
  const { user } = await world.client.database('db').users.upsert({ id: 'reader' });
  const { resource } = await user.permissions.create({
    id: container.id,
    permissionMode: 'Read' as never,
    resource: `dbs/db/colls/${container.id}`,
    resourcePartitionKey: ['p2'],
  } as never);
  const token = (resource as unknown as { _token: string })._token;
  const docs = `/dbs/db/colls/${container.id}/docs`;
  const ask = async (query: string, headers: Record<string, string>): Promise<unknown> => {
    const authorization = encodeURIComponent(token);
    const all = { ...queryHeaders, authorization, ...headers };
    const { status, json } = await world.fetch('POST', docs, { headers: all, body: { query } });
    return status === 200 ? json.Documents : status;
  };

  expect(await ask('SELECT VALUE COUNT(1) FROM c', pk('p2'))).toEqual([12]);
  expect(await ask('SELECT VALUE COUNT(1) FROM c WHERE c.pk = "p1" OR true', pk('p2'))).toEqual([12]);
  expect(await ask('SELECT VALUE COUNT(1) FROM c', pk('p1'))).toBe(403);
  expect(await ask('SELECT VALUE COUNT(1) FROM c', {})).toBe(403);
  expect(await ask("SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'p2'", {})).toBe(403);
  expect(await ask('SELECT VALUE COUNT(1) FROM c', inRange('0'))).toBe(403);
  expect(await ask('SELECT VALUE COUNT(1) FROM c', keysFrom('', 'FF'))).toBe(403);
  // A page of another key is no place to go on from.
  const foreign = await world.fetch('POST', docs, {
    headers: { ...queryHeaders, ...pk('p1'), 'x-ms-max-item-count': '2' },
    body: { query: 'SELECT VALUE c.pk FROM c' },
  });
  const continuation = foreign.headers.get('x-ms-continuation') ?? '';
  const rows = await ask('SELECT VALUE c.pk FROM c', { ...pk('p2'), 'x-ms-continuation': continuation });
  expect(rows === 400 || (rows as unknown[]).every((key) => key === 'p2')).toBe(true);
});

test('[wire 12] without a number of items, what sees all documents for each page has all it can on one', async () => {
  const container = await orders(150, 400);
  const docs = `/dbs/db/colls/${container.id}/docs`;
  const countOf = async (query: string): Promise<number> => {
    const { json } = await world.fetch('POST', docs, { headers: queryHeaders, body: { query } });
    return json._count;
  };

  expect(await countOf('SELECT VALUE c.n FROM c')).toBe(100);
  for (const query of ['SELECT VALUE c.n FROM c ORDER BY c.n', 'SELECT DISTINCT VALUE c.n FROM c']) {
    expect(await countOf(query)).toBe(150);
  }
});
