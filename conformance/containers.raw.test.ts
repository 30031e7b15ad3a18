// Databases and containers as the wire has them: definitions, defaults, refusals, quotas, and containers without a key.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

let names = 0;
const name = (): string => `containers${++names}`;
const pk = { paths: ['/pk'], kind: 'Hash', version: 2 };
const create = (body: unknown, headers: Record<string, string> = {}): Promise<RawResponse> =>
  world.fetch('POST', '/dbs/db/colls', { headers, body });

describe('definitions', () => {
  test('[wire 6] [M1] the defaults are filled in', async () => {
    const id = name();
    const { status, json } = await create({ id, partitionKey: { paths: ['/pk'] } });
    expect(status).toBe(201);
    const { _rid, _self, _etag, _ts, ...rest } = json;
    expect(rest).toEqual({
      id,
      partitionKey: { paths: ['/pk'], kind: 'Hash', version: 1 },
      indexingPolicy: {
        indexingMode: 'consistent',
        automatic: true,
        includedPaths: [{ path: '/*' }],
        excludedPaths: [{ path: '/"_etag"/?' }],
      },
      uniqueKeyPolicy: { uniqueKeys: [] },
      conflictResolutionPolicy: {
        mode: 'LastWriterWins',
        conflictResolutionPath: '/_ts',
        conflictResolutionProcedure: '',
      },
      geospatialConfig: { type: 'Geography' },
      _docs: 'docs/',
      _sprocs: 'sprocs/',
      _triggers: 'triggers/',
      _udfs: 'udfs/',
      _conflicts: 'conflicts/',
    });
    expect(_self).toMatch(new RegExp(`^dbs/[^/]+/colls/${_rid.replaceAll('+', '\\+')}/$`));
    expect(_etag).toMatch(/^"[0-9a-f-]{36}"$/);
    expect(Number.isInteger(_ts)).toBe(true);
    expect((await world.fetch('GET', `/dbs/db/colls/${id}`)).json).toEqual(json);
  });

  test('[wire 6] what is not used yet comes back as it was said, modes in one spelling', async () => {
    const extra = {
      computedProperties: [{ name: 'cp', query: 'SELECT VALUE LOWER(c.x) FROM c' }],
      vectorEmbeddingPolicy: {
        vectorEmbeddings: [{ path: '/v', dataType: 'float32', dimensions: 3, distanceFunction: 'cosine' }],
      },
      fullTextPolicy: { defaultLanguage: 'en-US', fullTextPaths: [{ path: '/t', language: 'en-US' }] },
      somethingFromTheFuture: { a: 1 },
    };
    const indexingPolicy = { indexingMode: 'Consistent', compositeIndexes: [[{ path: '/a', order: 'ascending' }]] };
    const { json } = await create({ id: name(), partitionKey: pk, ...extra, indexingPolicy });
    expect(json).toMatchObject({ ...extra, indexingPolicy: { ...indexingPolicy, indexingMode: 'consistent' } });
  });

  test.each<[string, object, string | RegExp]>([
    ['no id', { id: undefined }, /container id/],
    ['an id with a slash', { id: 'a/b' }, /characters/],
    ['an id that ends with a space', { id: 'a ' }, /ends with a space/],
    ['an id that is too long', { id: 'x'.repeat(256) }, /255/],
    ['no partition key', { partitionKey: undefined }, /partition key/],
    ['paths that are none', { partitionKey: { paths: '/pk' } }, /array/],
    [
      'a path with a blank',
      { partitionKey: { paths: ['/a b'] } },
      'Partition key paths must contain only valid characters and not contain a trailing slash or wildcard character',
    ],
    ['a path with a wildcard', { partitionKey: { paths: ['/*'] } }, /wildcard character/],
    ['too many paths', { partitionKey: { paths: ['/a', '/b'], version: 2 } }, /MultiHash/],
    ['a hierarchy of version 1', { partitionKey: { paths: ['/a', '/b'], kind: 'MultiHash' } }, /version/],
    ['a defaultTtl of 0', { defaultTtl: 0 }, /defaultTtl/],
    ['a defaultTtl of null', { defaultTtl: null }, /defaultTtl/],
    ['a defaultTtl of -10', { defaultTtl: -10 }, /defaultTtl/],
    ['a defaultTtl of 1.5', { defaultTtl: 1.5 }, /defaultTtl/],
    ['an unknown indexing mode', { indexingPolicy: { indexingMode: 'eager' } }, /indexingMode/],
    [
      'a spatial index without a box',
      {
        geospatialConfig: { type: 'Geometry' },
        indexingPolicy: { spatialIndexes: [{ path: '/g/*', types: ['Point'] }] },
      },
      /boundingBox/,
    ],
    [
      'a spatial index of an inverted box',
      {
        geospatialConfig: { type: 'Geometry' },
        indexingPolicy: {
          spatialIndexes: [{ path: '/g/*', types: ['Point'], boundingBox: { xmin: 1, ymin: 0, xmax: 0, ymax: 1 } }],
        },
      },
      /boundingBox .* xmin, ymin, xmax and ymax/,
    ],
    [
      'a vector index of a type that there is not',
      {
        vectorEmbeddingPolicy: {
          vectorEmbeddings: [{ path: '/v', dataType: 'float32', dimensions: 3, distanceFunction: 'cosine' }],
        },
        indexingPolicy: { vectorIndexes: [{ path: '/v', type: 'xx' }] },
      },
      /vectorIndexes.type must be one of: flat, quantizedFlat, diskANN/,
    ],
    ['a misspelt member', { defaultTTL: 60 }, /did you mean 'defaultTtl'/],
  ])('[wire 6] refuses %s', async (_what, change, words) => {
    const { status, json } = await create({ id: name(), partitionKey: pk, ...change });
    expect([status, json.code]).toEqual([400, 'BadRequest']);
    expect(json.message).toMatch(words);
  });

  test('[wire 6] a replace changes the rest, but neither id, partition key nor unique keys', async () => {
    const id = name();
    const path = `/dbs/db/colls/${id}`;
    const { json: before } = await create({
      id,
      partitionKey: pk,
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/a'] }] },
    });
    const put = (change: object, headers = {}) => world.fetch('PUT', path, { headers, body: { ...before, ...change } });
    const changed = await put({ defaultTtl: 77, indexingPolicy: { indexingMode: 'none' } });
    expect([changed.status, changed.json.defaultTtl, changed.json.indexingPolicy.indexingMode]).toEqual([
      200,
      77,
      'none',
    ]);
    expect(changed.json._rid).toBe(before._rid);
    for (const [change, words] of [
      [{ id: 'other' }, /id/],
      [{ partitionKey: { ...pk, paths: ['/other'] } }, /partition key cannot be changed/],
      [{ partitionKey: { ...pk, version: 1 } }, /partition key cannot be changed/],
      [{ uniqueKeyPolicy: { uniqueKeys: [] } }, /unique index cannot be modified/],
      [{ uniqueKeyPolicy: undefined }, /unique index cannot be modified/],
      [{ defaultTtl: 0 }, /defaultTtl/],
    ] as const) {
      const response = await put(change);
      expect([response.status, response.json.message]).toEqual([400, expect.stringMatching(words)]);
    }
    expect((await put({}, { 'if-match': before._etag })).status).toBe(412);
    const headers = { 'if-none-match': changed.json._etag };
    expect((await world.fetch('GET', path, { headers })).status).toBe(304);
    expect((await create({ id, partitionKey: pk })).status).toBe(409);
  });

  test('[wire 6] databases: ids, conflicts, and what is in them goes with them', async () => {
    for (const body of [{}, { id: '' }, { id: 7 }, { id: 'a#b' }, { id: 'a ' }, [], 'x']) {
      expect((await world.fetch('POST', '/dbs', { body: body as object })).status, JSON.stringify(body)).toBe(400);
    }
    const id = name();
    const { json: first } = await world.fetch('POST', '/dbs', { body: { id } });
    expect((await world.fetch('POST', '/dbs', { body: { id } })).status).toBe(409);
    await world.fetch('POST', `/dbs/${id}/colls`, { body: { id: 'c', partitionKey: pk } });
    expect((await world.fetch('DELETE', `/dbs/${id}`, { headers: { 'if-match': '"no"' } })).status).toBe(412);
    expect((await world.fetch('DELETE', `/dbs/${id}`)).status).toBe(204);
    const gone = await world.fetch('GET', `/dbs/${id}/colls/c`);
    expect([gone.status, gone.headers.get('x-ms-substatus')]).toEqual([404, '1003']);
    const { json: second } = await world.fetch('POST', '/dbs', { body: { id } });
    expect(second._rid).not.toBe(first._rid);
    expect((await world.fetch('GET', `/dbs/${id}/colls`)).json.DocumentCollections).toEqual([]);
  });
});

describe('quotas', () => {
  const quota = (id: string) =>
    world.fetch('GET', `/dbs/db/colls/${id}`, { headers: { 'x-ms-documentdb-populatequotainfo': 'True' } });
  const figures = (text: string | null): Map<string, number> =>
    new Map(
      (text ?? '')
        .split(';')
        .filter((part) => part !== '')
        .map((part) => [part.split('=')[0] as string, Number(part.split('=')[1])]),
    );

  test('[wire 6] are told when asked for, and are true', async () => {
    const id = name();
    await create({ id, partitionKey: pk });
    const empty = await quota(id);
    expect(figures(empty.headers.get('x-ms-resource-quota')).get('collectionSize')).toBe(10 * 1024 * 1024);
    expect(figures(empty.headers.get('x-ms-resource-usage')).get('collectionSize')).toBe(0);
    expect(figures(empty.headers.get('x-ms-resource-usage')).get('documentsCount')).toBe(0);
    expect(empty.headers.get('x-ms-documentdb-collection-index-transformation-progress')).toBe('100');
    const container = world.database.container('db', id);
    for (let n = 0; n < 10; n += 1) await container.create({ id: String(n), pk: 'a', text: 'x'.repeat(100 * 1024) });
    const used = figures((await quota(id)).headers.get('x-ms-resource-usage')).get('collectionSize') as number;
    expect(used).toBeGreaterThan(1_000);
    expect(used).toBeLessThan(1_100);
    await container.upsert({ id: '0', pk: 'a', text: 'y' });
    await container.delete('1', 'a');
    const usage = figures((await quota(id)).headers.get('x-ms-resource-usage'));
    expect(usage.get('documentsCount')).toBe(9);
    expect(usage.get('documentsSize')).toBeLessThan(used - 100);
    await container.split('0');
    expect(figures((await quota(id)).headers.get('x-ms-resource-usage'))).toEqual(usage);
    expect(figures((await quota(id)).headers.get('x-ms-resource-quota')).get('collectionSize')).toBe(20 * 1024 * 1024);
    const plain = await world.fetch('GET', `/dbs/db/colls/${id}`);
    expect(plain.headers.get('x-ms-resource-quota')).toBeNull();
  });

  test('[wire 6] the SDK reads them, and they are right after splits, merges, a batch, a deleted key and a start', async () => {
    const container = await world.container();
    const read = async (): Promise<Map<string, number>> =>
      figures(String((await container.read({ populateQuotaInfo: true })).headers['x-ms-resource-usage']));
    const inside = () => world.database.container('db', container.id);
    for (let n = 0; n < 21; n += 1) await container.items.create({ id: String(n), pk: `k${n % 7}` });
    await inside().split('0');
    await inside().split('1');
    const operations = ['20', '21', '22'].map((id) => ({ operationType: 'Upsert', resourceBody: { id, pk: 'k6' } }));
    await container.items.batch([...operations, { operationType: 'Delete', id: '22' }] as never, 'k6');
    expect((await read()).get('documentsCount')).toBe(22);
    const [, left, right] = inside().ranges.map(({ id }) => id);
    await inside().merge(String(left), String(right));
    expect((await read()).get('documentsCount')).toBe(22);
    await inside().deletePartition('k0');
    while ((await read()).get('documentsCount') !== 19) await world.database.engine.sweep(inside().info.number);
    const before = await read();
    await world.restart();
    expect((await world.database.check()).problems).toEqual([]);
    const usage = (await quota(container.id)).headers.get('x-ms-resource-usage');
    expect(figures(usage)).toEqual(before);
  });
});

describe('containers without a partition key', () => {
  const none = { 'x-ms-documentdb-partitionkey': '[]' };
  const undefinedKey = { 'x-ms-documentdb-partitionkey': '[{}]' };

  test.each(['2017-11-15', '2018-06-18'])('[wire 6] as a client of %s makes them', async (version) => {
    const old = { 'x-ms-version': version };
    const id = name();
    const path = `/dbs/db/colls/${id}`;
    const made = await create({ id }, old);
    expect(made.status).toBe(201);
    expect(made.json).not.toHaveProperty('partitionKey');
    expect((await world.fetch('GET', path, { headers: old })).json).not.toHaveProperty('partitionKey');
    const newer = await world.fetch('GET', path);
    expect(newer.json.partitionKey).toEqual({ paths: ['/_partitionKey'], kind: 'Hash', systemKey: true });

    const docs = `${path}/docs`;
    expect((await world.fetch('POST', docs, { headers: old, body: { id: '1' } })).status).toBe(201);
    for (const headers of [old, none, undefinedKey]) {
      expect((await world.fetch('GET', `${docs}/1`, { headers })).status).toBe(200);
    }
    expect((await world.fetch('POST', docs, { headers: none, body: { id: '2' } })).status).toBe(201);
    expect((await world.fetch('POST', docs, { headers: undefinedKey, body: { id: '2' } })).status).toBe(409);
    expect((await world.fetch('GET', `${docs}/2`, { headers: old })).status).toBe(200);
    expect((await world.fetch('DELETE', `${docs}/2`, { headers: old })).status).toBe(204);
    for (const [headers, definition] of [
      [old, { id, defaultTtl: 5 }],
      [{}, { ...newer.json, defaultTtl: 6 }],
    ] as const) {
      const replaced = await world.fetch('PUT', path, { headers, body: definition });
      expect([replaced.status, replaced.json.defaultTtl]).toEqual([200, definition.defaultTtl]);
    }
    expect((await world.fetch('GET', path)).json.partitionKey.systemKey).toBe(true);
  });

  test('[wire 6] a newer client that names none is told so', async () => {
    const { status, json } = await create({ id: name() }, { 'x-ms-version': '2018-12-31' });
    expect([status, json.message]).toEqual([400, expect.stringContaining('partition key')]);
  });

  test('[wire 6] through the SDK, which reads the definition of such a container', async () => {
    const id = name();
    await create({ id }, { 'x-ms-version': '2018-06-18' });
    const container = world.client.database('db').container(id);
    await container.items.create({ id: '1', n: 1 });
    await container.items.upsert({ id: '1', n: 2 });
    expect((await container.item('1').read()).resource).toMatchObject({ id: '1', n: 2 });
    expect((await container.items.readAll().fetchAll()).resources).toHaveLength(1);
    expect((await container.item('1').delete()).statusCode).toBe(204);
  });
});
