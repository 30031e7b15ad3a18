// Queries over what is not documents, by the SDK and by plain requests: the same language over databases, containers, offers, users and
// permissions.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from './harness.ts';
import { queryHeaders } from './query-clients.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  for (const id of ['a1', 'a2', 'b1']) {
    const { database } = await world.client.databases.create({ id });
    for (const container of ['small', 'large']) {
      const throughput = container === 'large' ? 12_000 : 400;
      await database.containers.create({ id: container, partitionKey: { paths: ['/pk'], version: 2 }, throughput });
    }
  }
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function rowsOf(path: string, arrayName: string, query: string, parameters: object[] = []): Promise<unknown> {
  const { status, json } = await world.fetch('POST', path, { headers: queryHeaders, body: { query, parameters } });
  return status === 200 ? json[arrayName] : [status, json.code];
}

test('[M20] [wire 12] databases and containers by the SDK, in pages', async () => {
  const spec = {
    query: 'SELECT * FROM root r WHERE STARTSWITH(r.id, @p)',
    parameters: [{ name: '@p', value: 'a' }],
  };
  const found = world.client.databases.query(spec, { maxItemCount: 1 });
  const pages: string[][] = [];
  while (found.hasMoreResults()) {
    const { resources } = await found.fetchNext();
    if (resources !== undefined) pages.push(resources.map(({ id }: { id: string }) => id));
  }
  expect(pages.flat()).toEqual(['a1', 'a2']);

  const { containers } = world.client.database('a1');
  const large = "SELECT VALUE c.partitionKey.paths[0] FROM c WHERE c.id = 'large'";
  expect((await containers.query({ query: large }).fetchAll()).resources).toEqual(['/pk']);
});

test('[M20] [wire 12] sorted, counted, grouped and wrong queries', async () => {
  expect(await rowsOf('/dbs', 'Databases', 'SELECT VALUE d.id FROM d ORDER BY d.id DESC')).toEqual(['b1', 'a2', 'a1']);
  expect(await rowsOf('/dbs', 'Databases', 'SELECT VALUE COUNT(1) FROM d')).toEqual([3]);
  expect(await rowsOf('/dbs/a1/colls', 'DocumentCollections', 'SELECT TOP 1 VALUE c.id FROM c')).toEqual(['small']);
  const grouped = 'SELECT LEFT(d.id, 1) AS letter, COUNT(1) AS n FROM d GROUP BY LEFT(d.id, 1)';
  expect(await rowsOf('/dbs', 'Databases', grouped)).toEqual([
    { letter: 'a', n: 2 },
    { letter: 'b', n: 1 },
  ]);
  expect(await rowsOf('/dbs', 'Databases', 'SELECT FROM')).toEqual([400, 'BadRequest']);
  expect(await rowsOf('/dbs/none/colls', 'DocumentCollections', 'SELECT * FROM c')).toEqual([404, 'NotFound']);
});

test('[M20] [wire 6] the offer of a container by its rid, as Java and Go ask for it', async () => {
  const { resource } = await world.client.database('a2').container('large').read();
  const parameters = [{ name: '@rid', value: resource?._rid }];

  const byRid = 'SELECT * FROM c WHERE c.offerResourceId = @rid';
  expect(await rowsOf('/offers', 'Offers', byRid, parameters)).toMatchObject([
    { content: { offerThroughput: 12_000 } },
  ]);
  const cheap = 'SELECT VALUE COUNT(1) FROM o WHERE o.content.offerThroughput < 1000';
  expect(await rowsOf('/offers', 'Offers', cheap)).toEqual([3]);
});

test('[M20] [wire 12] users and permissions', async () => {
  const database = world.client.database('b1');
  for (const id of ['ada', 'ben']) await database.users.create({ id });
  const { user } = await database.users.upsert({ id: 'eve' });
  const resource = 'dbs/b1/colls/small';
  await user.permissions.create({ id: 'reads', permissionMode: 'Read' as never, resource });

  const { resources } = await database.users
    .query({ query: "SELECT VALUE u.id FROM u WHERE u.id != 'ben'" })
    .fetchAll();
  expect(resources).toEqual(['ada', 'eve']);
  const modes = await user.permissions.query({ query: 'SELECT p.id, p.permissionMode AS mode FROM p' }).fetchAll();
  expect(modes.resources).toEqual([{ id: 'reads', mode: 'Read' }]);
});
