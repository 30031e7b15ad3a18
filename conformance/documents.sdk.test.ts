// Databases, containers and documents through @azure/cosmos 4.9.3 with its default settings.

import { BulkOperationType } from '@azure/cosmos';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const withoutSystem = (resource: object | undefined): object =>
  Object.fromEntries(Object.entries(resource ?? {}).filter(([name]) => !name.startsWith('_')));

describe('[wire 6] databases and containers', () => {
  test('[M1] a database is created, read, listed and deleted', async () => {
    const { resource, statusCode } = await world.client.databases.create({ id: 'Bücher & mehr' });
    expect(statusCode).toBe(201);
    expect(resource).toMatchObject({ id: 'Bücher & mehr', _colls: 'colls/', _users: 'users/' });
    const database = world.client.database('Bücher & mehr');
    expect((await database.read()).resource?._rid).toBe(resource?._rid);
    expect((await world.client.databases.createIfNotExists({ id: 'Bücher & mehr' })).statusCode).toBe(200);
    await expect(world.client.databases.create({ id: 'Bücher & mehr' })).rejects.toMatchObject({ code: 409 });
    expect((await database.delete()).statusCode).toBe(204);
    await expect(database.read()).rejects.toMatchObject({ code: 404 });
  });

  test('[M1] a container is created with its defaults, read, replaced and deleted', async () => {
    const container = await world.container({
      defaultTtl: -1,
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/mail'] }] },
    });
    const { resource } = await container.read();
    expect(resource).toMatchObject({
      id: container.id,
      defaultTtl: -1,
      partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 },
      indexingPolicy: { indexingMode: 'consistent', automatic: true },
      _docs: 'docs/',
    });
    const replaced = await container.replace({ ...resource, id: container.id, defaultTtl: 60 });
    expect(replaced.resource).toMatchObject({ defaultTtl: 60, _rid: resource?._rid });
    expect(replaced.resource?._etag).not.toBe(resource?._etag);
    const other = { ...resource, id: container.id, partitionKey: { paths: ['/other'], version: 2 } };
    await expect(container.replace(other)).rejects.toMatchObject({ code: 400 });
    expect((await container.delete()).statusCode).toBe(204);
    await expect(container.read()).rejects.toMatchObject({ code: 404 });
  });

  test('[wire 17.22] throughput decides how many ranges a container begins with', async () => {
    for (const [throughput, ranges] of [
      [400, 1],
      [6_000, 1],
      [6_100, 2],
      [21_000, 4],
    ] as const) {
      const container = await world.container({ throughput });
      const { resources } = await container.readPartitionKeyRanges().fetchAll();
      expect(resources, `${throughput} RU/s`).toHaveLength(ranges);
    }
  });

  test('a container of the same name made anew has another rid', async () => {
    const first = await world.container({ id: 'again' });
    const { resource } = await first.read();
    await first.delete();
    const second = await world.container({ id: 'again' });
    expect((await second.read()).resource?._rid).not.toBe(resource?._rid);
  });
});

describe('[wire 7] documents', () => {
  test('[M1] a document is created, read, upserted, replaced, patched and deleted', async () => {
    const container = await world.container();
    const created = await container.items.create({ id: 'ü 1', pk: 'é', n: 1 });
    expect(created.statusCode).toBe(201);
    expect(created.resource).toMatchObject({ id: 'ü 1', pk: 'é', n: 1, _attachments: 'attachments/' });
    expect(created.etag).toBe(created.resource?._etag);
    expect(Number(created.requestCharge)).toBeGreaterThan(0);

    const item = container.item('ü 1', 'é');
    expect((await item.read()).resource).toEqual(created.resource);
    const upserted = await container.items.upsert({ id: 'ü 1', pk: 'é', n: 2 });
    expect(upserted.statusCode).toBe(200);
    expect((await container.items.upsert({ id: '2', pk: 'é' })).statusCode).toBe(201);
    expect((await item.replace({ id: 'ü 1', pk: 'é', n: 3 })).resource).toMatchObject({ n: 3 });
    const patched = await item.patch([
      { op: 'incr', path: '/n', value: 2 },
      { op: 'add', path: '/tags', value: ['x'] },
      { op: 'set', path: '/tags/0', value: 'y' },
    ]);
    expect(withoutSystem(patched.resource)).toEqual({ id: 'ü 1', pk: 'é', n: 5, tags: ['y'] });
    expect((await item.delete()).statusCode).toBe(204);
    const gone = await item.read();
    expect([gone.statusCode, gone.resource]).toEqual([404, undefined]);
  });

  test('[M1] [wire 9] every kind of partition key value finds its document again', async () => {
    const container = await world.container({ throughput: 24_000 });
    const values = ['', 'a', 'é😀', 0, -1.5, 1e300, true, false, null, undefined];
    for (const [index, pk] of values.entries()) await container.items.create({ id: `${index}`, pk });
    for (const [index, pk] of values.entries()) {
      const { resource } = await container.item(`${index}`, pk as string).read();
      expect(resource?.pk, String(pk)).toBe(pk);
    }
  });

  test('[M1] [wire 9] hierarchical partition keys', async () => {
    const partitionKey = { paths: ['/tenant', '/user'], kind: 'MultiHash', version: 2 } as never;
    const container = await world.container({ partitionKey, throughput: 24_000 });
    await container.items.create({ id: '1', tenant: 'a', user: 7 });
    await container.items.create({ id: '1', tenant: 'a', user: 8 });
    expect((await container.item('1', ['a', 8]).read()).resource).toMatchObject({ user: 8 });
    expect((await container.item('1', ['a', 9]).read()).statusCode).toBe(404);
  });

  test('conditions by etag: 412 on a stale one, 304 on an unchanged document', async () => {
    const container = await world.container();
    const { item, etag } = await container.items.create({ id: '1', pk: 'a' });
    const ifMatch = { accessCondition: { type: 'IfMatch', condition: etag } };
    const second = await item.replace({ id: '1', pk: 'a', n: 2 }, ifMatch);
    await expect(item.replace({ id: '1', pk: 'a', n: 3 }, ifMatch)).rejects.toMatchObject({ code: 412 });
    await expect(item.patch([{ op: 'set', path: '/n', value: 4 }], ifMatch)).rejects.toMatchObject({ code: 412 });
    await expect(container.items.upsert({ id: '1', pk: 'a', n: 5 }, ifMatch)).rejects.toMatchObject({ code: 412 });
    await expect(item.delete(ifMatch)).rejects.toMatchObject({ code: 412 });
    const unchanged = await item.read({ accessCondition: { type: 'IfNoneMatch', condition: second.etag } });
    expect(unchanged.statusCode).toBe(304);
    expect((await item.delete({ accessCondition: { type: 'IfMatch', condition: second.etag } })).statusCode).toBe(204);
  });

  test('[wire 5] what is wrong is said with its code: 400, 401, 404, 409, 413', async () => {
    const container = await world.container({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/mail'] }] } });
    await container.items.create({ id: '1', pk: 'a', mail: 'x' });
    await expect(container.items.create({ id: '1', pk: 'a' })).rejects.toMatchObject({ code: 409 });
    await expect(container.items.create({ id: '2', pk: 'a', mail: 'x' })).rejects.toMatchObject({ code: 409 });
    await expect(container.item('no', 'a').replace({ id: 'no', pk: 'a' })).rejects.toMatchObject({ code: 404 });
    await expect(container.item('no', 'a').delete()).rejects.toMatchObject({ code: 404 });
    await expect(container.item('1', 'a').replace({ id: '1', pk: 'b' })).rejects.toMatchObject({
      code: 400,
      substatus: 1001,
    });
    await expect(container.item('1', 'a').replace({ id: 'other', pk: 'a' })).rejects.toMatchObject({ code: 400 });
    await expect(container.items.create({ id: '3', pk: 'a', ttl: 0 } as never)).rejects.toMatchObject({ code: 400 });
    const large = { id: '4', pk: 'a', text: 'x'.repeat(2 * 1024 * 1024) };
    await expect(container.items.create(large)).rejects.toMatchObject({ code: 413 });
    const other = clientOf(world.url, Buffer.alloc(64, 7).toString('base64'));
    await expect(other.database('db').read()).rejects.toMatchObject({ code: 401 });
    other.dispose();
  });

  test('databases and containers are listed without a query', async () => {
    const container = await world.container();

    const databases = await world.client.databases.readAll().fetchAll();
    const containers = await container.database.containers.readAll().fetchAll();

    expect(databases.resources.map(({ id }) => id)).toContain(container.database.id);
    expect(containers.resources.map(({ id }) => id)).toContain(container.id);
  });

  test('what is not built yet is named in a 501', async () => {
    const container = await world.container();
    const query = container.items.query('SELECT VALUE udf.f(c.n) FROM c').fetchAll();
    await expect(query).rejects.toMatchObject({ code: 501, message: expect.stringContaining('udf.f') });
    const sproc = container.scripts.storedProcedures.create({ id: 's', body: 'function () {}' });
    await expect(sproc).rejects.toMatchObject({ code: 501, message: expect.stringContaining('Stored procedures') });
    const triggered = container.items.create({ id: '1', pk: 'a' }, { preTriggerInclude: 't' });
    await expect(triggered).rejects.toMatchObject({ code: 501, message: expect.stringContaining('Triggers') });
  });
});

test('[wire 17.14] a client with session consistency keeps its tokens over several ranges and a split', async () => {
  const { id } = await world.container({ throughput: 12_000 });
  const client = clientOf(world.url, undefined, { consistencyLevel: 'Session' });
  const container = client.database('db').container(id);
  for (let i = 0; i < 10; i += 1) await container.items.create({ id: `${i}`, pk: `k${i}` });
  await world.inside(container).split('0');
  for (let i = 0; i < 10; i += 1) {
    await container.items.upsert({ id: `${i}`, pk: `k${i}`, n: i });
    expect((await container.item(`${i}`, `k${i}`).read()).resource).toMatchObject({ n: i });
  }
  client.dispose();
});

describe('many at once', () => {
  test('[M6] [wire 8] a batch is all or nothing', async () => {
    const container = await world.container();
    const good = await container.items.batch(
      [
        { operationType: 'Create', resourceBody: { id: '1', pk: 'a', n: 1 } },
        { operationType: 'Upsert', resourceBody: { id: '2', pk: 'a', n: 1 } },
        { operationType: 'Patch', id: '1', resourceBody: { operations: [{ op: 'incr', path: '/n', value: 1 }] } },
        { operationType: 'Read', id: '1' },
        { operationType: 'Replace', id: '2', resourceBody: { id: '2', pk: 'a', n: 9 } },
      ],
      'a',
    );
    expect(good.code).toBe(200);
    expect(good.result?.map((each) => each.statusCode)).toEqual([201, 201, 200, 200, 200]);
    expect(good.result?.[3]?.resourceBody).toMatchObject({ id: '1', n: 2 });

    const bad = await container.items.batch(
      [
        { operationType: 'Delete', id: '1' },
        { operationType: 'Delete', id: 'no' },
        { operationType: 'Create', resourceBody: { id: '3', pk: 'a' } },
      ],
      'a',
    );
    expect(bad.code).toBe(207);
    expect(bad.result?.map((each) => each.statusCode)).toEqual([424, 404, 424]);
    expect((await container.item('1', 'a').read()).statusCode).toBe(200);
    expect((await container.item('3', 'a').read()).statusCode).toBe(404);

    const malformed = await container.items.batch(
      [
        { operationType: 'Delete', id: '1' },
        { operationType: 'Create', resourceBody: { id: 'x/y', pk: 'a' } },
      ],
      'a',
    );
    expect(malformed.result?.map((each) => each.statusCode)).toEqual([424, 400]);
  });

  test('[wire 8] [wire 17.19] [wire 17.20] bulk goes to every range, each operation for itself', async () => {
    const container = await world.container({ throughput: 24_000 });
    await container.items.create({ id: '0', pk: 'k0' });
    const operations = Array.from({ length: 60 }, (_, i) => ({
      operationType: BulkOperationType.Create,
      resourceBody: { id: `${i}`, pk: `k${i}`, n: i },
    }));
    const results = await container.items.executeBulkOperations(
      operations.map((each) => ({ ...each, partitionKey: each.resourceBody.pk })) as never,
    );
    const codes = results.map((each) => each.response?.statusCode ?? each.error?.code);
    expect(codes[0]).toBe(409);
    expect(codes.slice(1)).toEqual(new Array(59).fill(201));

    const legacy = await container.items.bulk(
      [
        { operationType: 'Replace', id: '1', partitionKey: 'k1', resourceBody: { id: '1', pk: 'k1', n: -1 } },
        {
          operationType: 'Patch',
          id: '1',
          partitionKey: 'k1',
          resourceBody: { operations: [{ op: 'incr', path: '/n', value: -1 }] },
        },
        { operationType: 'Read', id: '1', partitionKey: 'k1' },
        { operationType: 'Delete', id: '2', partitionKey: 'k2' },
        { operationType: 'Delete', id: 'no', partitionKey: 'k2' },
      ] as never,
      { continueOnError: true },
    );
    expect(legacy.map((each) => each.statusCode)).toEqual([200, 200, 200, 204, 404]);
    expect(legacy[2]?.resourceBody).toMatchObject({ n: -2 });
  });

  test('[M1] all documents of a partition key go at once', async () => {
    const container = await world.container();
    for (const [id, pk] of [
      ['1', 'a'],
      ['2', 'a'],
      ['1', 'b'],
    ] as const)
      await container.items.create({ id, pk });
    expect((await container.deleteAllItemsForPartitionKey('a')).statusCode).toBe(200);
    expect((await container.item('1', 'a').read()).statusCode).toBe(404);
    expect((await container.item('2', 'a').read()).statusCode).toBe(404);
    expect((await container.item('1', 'b').read()).statusCode).toBe(200);
    expect((await container.items.create({ id: '1', pk: 'a' })).statusCode).toBe(201);
  });
});

describe('time to live', () => {
  test('[M8] documents go away by themselves: the default, their own, never', async () => {
    const container = await world.container({ defaultTtl: 10 });
    await container.items.create({ id: 'default', pk: 'a' });
    await container.items.create({ id: 'longer', pk: 'a', ttl: 100 } as never);
    await container.items.create({ id: 'never', pk: 'a', ttl: -1 } as never);
    const alive = async (): Promise<string[]> => {
      const ids = ['default', 'longer', 'never'];
      const reads = await Promise.all(ids.map((id) => container.item(id, 'a').read()));
      return ids.filter((_, i) => reads[i]?.statusCode === 200);
    };
    expect(await alive()).toEqual(['default', 'longer', 'never']);
    world.shiftMs += 12_000;
    expect(await alive()).toEqual(['longer', 'never']);
    expect((await container.items.create({ id: 'default', pk: 'a', ttl: -1 } as never)).statusCode).toBe(201);
    world.shiftMs += 100_000;
    expect(await alive()).toEqual(['default', 'never']);
  });

  test('[M8] a document marked as deleted shows in the feed and then goes away', async () => {
    const container = await world.container({ defaultTtl: -1 });
    await container.items.create({ id: '1', pk: 'a' });
    await container.items.upsert({ id: '1', pk: 'a', isDeleted: true, ttl: 5 } as never);
    const path = `/dbs/db/colls/${container.id}/docs`;
    const headers = { 'a-im': 'Incremental feed' };
    const { json } = await world.fetch('GET', path, { headers });
    expect(json.Documents).toMatchObject([{ id: '1', isDeleted: true }]);
    world.shiftMs += 7_000;
    expect((await container.item('1', 'a').read()).statusCode).toBe(404);
    expect((await world.fetch('GET', path, { headers })).status).toBe(304);
  });
});
