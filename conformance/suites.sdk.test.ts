// What the suites of the official JavaScript clients ask of a service beside documents and the feed: keys, ids, definitions,
// offers, and the words of refusals.

import type { ContainerRequest, PartitionKey } from '@azure/cosmos';
import { PartitionKeyKind } from '@azure/cosmos';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const refused = (words: string) => expect.objectContaining({ code: 400, message: expect.stringContaining(words) });

async function define(definition: Partial<ContainerRequest>): Promise<unknown> {
  return (await world.container({ partitionKey: { paths: ['/id'] }, ...definition })).read();
}

describe('a partition key', () => {
  test.each([
    ['102 characters', 'x'.repeat(102)],
    ['100 characters of three bytes, whose effective key is longer than 255 bytes', '鱀'.repeat(100)],
    ['2,048 bytes', 'é'.repeat(1024)],
  ])(
    '[wire 7] [wire 9] of %s is one in a container of version 1, also for bulk and after a restart',
    async (_what, key) => {
      const container = await world.container({ partitionKey: { paths: ['/pk'] }, throughput: 18_000 });
      const other = `${key.slice(0, -1)}y`;
      await container.items.create({ id: '1', pk: key, n: 1 });
      await container.items.create({ id: '1', pk: other, n: 2 });

      const [made] = await container.items.executeBulkOperations([
        { operationType: 'Create', partitionKey: key, resourceBody: { id: '2', pk: key } },
      ]);
      await container.item('1', key).replace({ id: '1', pk: key, n: 3 });
      await world.restart();
      const again = world.client.database('db').container(container.id);

      expect(made?.response?.statusCode).toBe(201);
      expect((await again.item('1', key).read()).resource).toMatchObject({ pk: key, n: 3 });
      expect((await again.item('1', other).read()).resource).toMatchObject({ pk: other, n: 2 });
      expect((await again.items.readChangeFeed(key, { startFromBeginning: true }).fetchNext()).result).toHaveLength(2);
      expect((await again.item('2', key).delete()).statusCode).toBe(204);
    },
  );

  test('[wire 7] of more than 2,048 bytes is refused in every version', async () => {
    for (const version of [1, 2]) {
      const container = await world.container({ partitionKey: { paths: ['/pk'], version } });
      await expect(container.items.create({ id: '1', pk: 'x'.repeat(2049) })).rejects.toEqual(refused('2049 bytes'));
    }
  });

  test('[wire 7] may have {} for a level, in the document and in the request, and that is no value', async () => {
    const paths = ['/key', '/key2', '/key3'];
    const container = await world.container({ partitionKey: { paths, version: 2, kind: PartitionKeyKind.MultiHash } });
    const asIs: PartitionKey = [5, {}, 'adsf'];
    await container.items.create({ id: '1', key: 5, key2: {}, key3: 'adsf' });
    await container.items.create({ id: '2', key: {}, key2: {}, key3: {} });
    await container.items.create({ id: '3', key3: 'only' });

    expect((await container.item('1', asIs).read()).resource).toMatchObject({ key: 5, key2: {} });
    expect((await container.item('1', [5, undefined, 'adsf'] as PartitionKey).read()).statusCode).toBe(200);
    expect((await container.item('3', [{}, {}, 'only']).read()).statusCode).toBe(200);
    const [gone] = await container.items.executeBulkOperations([
      { operationType: 'Delete', id: '2', partitionKey: [{}, {}, {}] },
    ]);
    expect(gone?.response?.statusCode).toBe(204);
  });

  test('[wire 6] [wire 7] may be {} where it has one level, too', async () => {
    const container = await world.container();
    await container.items.create({ id: '1', pk: {} });
    expect((await container.item('1', {}).read()).resource).toMatchObject({ id: '1', pk: {} });
    await expect(
      world.fetch('POST', `/dbs/db/colls/${container.id}/docs`, {
        headers: { 'x-ms-documentdb-partitionkey': '[{}]' },
        body: { id: '2', pk: { a: 1 } },
      }),
    ).resolves.toMatchObject({ status: 400 });
  });
});

describe('a question mark', () => {
  test.each(['Disallowed?Chars', 'a?b=c&d?', 'a??', ' ?%3F', '?a'])(
    '[wire 4] stands in the id %j of a document, which is created, read, replaced, patched and deleted',
    async (id) => {
      const container = await world.container();
      expect((await container.items.create({ id, pk: 'a' })).statusCode).toBe(201);
      expect((await container.item(id, 'a').read()).resource).toMatchObject({ id });
      expect((await container.item(id, 'a').replace({ id, pk: 'a', n: 1 })).statusCode).toBe(200);
      const patched = await container.item(id, 'a').patch([{ op: 'incr', path: '/n', value: 1 }]);
      expect(patched.resource).toMatchObject({ id, n: 2 });
      expect((await container.item(id, 'a').delete()).statusCode).toBe(204);
      expect((await container.item(id, 'a').read()).statusCode).toBe(404);
    },
  );

  test('[wire 4] stands in an id encoded as well, while / \\ and # stand in none', async () => {
    const container = await world.container();
    const docs = `/dbs/db/colls/${container.id}/docs`;
    const headers = { 'x-ms-documentdb-partitionkey': '["a"]' };
    await container.items.create({ id: 'a?b', pk: 'a' });
    expect((await world.fetch('GET', `${docs}/a%3Fb`, { headers })).json).toMatchObject({ id: 'a?b' });
    for (const character of ['/', '\\', '#']) {
      const response = await world.fetch('POST', docs, { headers, body: { id: `a${character}b`, pk: 'a' } });
      expect([response.status, response.json.message]).toEqual([400, expect.stringContaining(`'${character}'`)]);
    }
  });
});

describe('a definition', () => {
  test('[wire 6] excludes the etag from the index beside what its client excludes', async () => {
    const { resource } = (await define({
      indexingPolicy: { includedPaths: [{ path: '/*' }], excludedPaths: [{ path: '/"systemMetadata"/*' }] },
    })) as { resource: { indexingPolicy: object } };
    expect(resource.indexingPolicy).toMatchObject({
      includedPaths: [{ path: '/*' }],
      excludedPaths: [{ path: '/"systemMetadata"/*' }, { path: '/"_etag"/?' }],
    });
  });

  test('[wire 6] cannot index as a vector what its vector policy does not have', async () => {
    const indexingPolicy = { vectorIndexes: [{ path: '/vector1', type: 'flat' }] };
    const words = "Vector Indexing Policy's path::\\/vector1 not matching in Embedding's path";
    await expect(define({ indexingPolicy } as object)).rejects.toEqual(refused(words));
  });

  test('[wire 6] has a boundingBox for Geometry and none for Geography', async () => {
    const boundingBox = { xmin: -180, ymin: -90, xmax: 180, ymax: 90 };
    const spatial = (type: string, box: object) =>
      ({
        geospatialConfig: { type },
        indexingPolicy: { spatialIndexes: [{ path: '/g/?', types: ['Point'], ...box }] },
      }) as object;
    await expect(define(spatial('Geography', {}))).resolves.toMatchObject({ statusCode: 200 });
    await expect(define(spatial('Geometry', { boundingBox }))).resolves.toMatchObject({ statusCode: 200 });
    await expect(define(spatial('Geometry', {}))).rejects.toEqual(refused('boundingBox'));
    await expect(define(spatial('Geography', { boundingBox }))).rejects.toEqual(refused('boundingBox'));
  });

  test('[wire 6] whose path begins without a slash is refused in the words of the service', async () => {
    const partitionKey = { paths: ['id', '/id2'], version: 2, kind: PartitionKeyKind.MultiHash };
    await expect(define({ partitionKey })).rejects.toEqual(
      refused("The partition key component definition path 'id' could not be accepted"),
    );
  });
});

describe('an offer', () => {
  test('[wire 6] that is replaced at its link, or without saying which one it is, is a bad request', async () => {
    const container = await world.container();
    const { resource: info } = await container.read();
    const { resources } = await world.client.offers.readAll().fetchAll();
    const offer = resources.find(({ resource }) => resource === info?._self);
    const { id, _rid, ...nameless } = offer as { id: string; _rid: string };

    await expect(world.client.offer((offer as { _self: string })._self).replace(offer as never)).rejects.toEqual(
      expect.objectContaining({ code: 400 }),
    );
    const put = (body: object) => world.fetch('PUT', `/offers/${id}`, { sign: { link: id.toLowerCase() }, body });
    expect(await put(nameless)).toMatchObject({ status: 400, json: { code: 'BadRequest' } });
    expect(await put({ ...nameless, id })).toMatchObject({ status: 200 });
    expect(await put({ ...nameless, _rid })).toMatchObject({ status: 200 });
  });
});

test('[wire 5] [wire 7] what is too large is told in the words of the service, alone and in a batch', async () => {
  const container = await world.container();
  const large = 'x'.repeat(2 * 1024 * 1024);
  const tooLarge = expect.objectContaining({
    code: 413,
    message: expect.stringContaining('{"Errors":["Request size is too large"]}'),
  });
  await expect(container.items.create({ id: '1', pk: 'a', large })).rejects.toEqual(tooLarge);
  const operation = { operationType: 'Create', resourceBody: { id: '1', pk: 'a', large } } as const;
  await expect(container.items.batch([operation], 'a')).rejects.toThrow('{"Errors":["Request size is too large"]}');
});

describe('the members of a document', () => {
  const bare = ({ _etag, _ts, _lsn, ...rest }: Record<string, unknown>) => JSON.stringify(rest);

  test('[wire 7] come back in the order in which they were written, those of the system too', async () => {
    const container = await world.container();
    const { resource: made } = await container.items.create<Record<string, unknown>>({ id: '1', pk: 'a' });
    const { _etag, ...unmatched } = made ?? {};
    const changed = { behind: [1, {}], ...unmatched, _etag, prop: null };

    const { resource: replaced } = await container.item('1', 'a').replace<Record<string, unknown>>(changed);

    const answer = JSON.stringify(replaced);
    const item = () => world.client.database('db').container(container.id).item('1', 'a');
    expect(Object.keys(replaced ?? {})).toEqual([
      'behind',
      'id',
      'pk',
      '_rid',
      '_self',
      '_attachments',
      '_ts',
      '_etag',
      'prop',
    ]);
    expect(bare(replaced ?? {})).toBe(bare(changed));
    expect(JSON.stringify((await item().read()).resource)).toBe(answer);
    expect(JSON.stringify((await container.items.readAll().fetchAll()).resources)).toBe(`[${answer}]`);
    const { result } = await container.items.readChangeFeed('a', { startFromBeginning: true }).fetchNext();
    expect(JSON.stringify(result)).toBe(`[${answer.slice(0, -1)},"_lsn":${(result as { _lsn: number }[])[0]?._lsn}}]`);
    await world.restart();
    expect(JSON.stringify((await item().read()).resource)).toBe(answer);
    const { resource: patched } = await item().patch([{ op: 'add', path: '/new', value: 1 }]);
    expect(bare(patched ?? {})).toBe(bare({ ...changed, new: 1 }));
  });

  test('[wire 7] [wire 8] come so from a create, an upsert and a batch, with what was not written behind', async () => {
    const container = await world.container();
    const document = (id: string) => ({ _ts: 0, id, _lsn: 7, pk: 'a', _rid: 'mine', n: 1 });
    const order = ['_ts', 'id', 'pk', '_rid', 'n', '_self', '_etag', '_attachments'];
    const { resource: created } = await container.items.create(document('1'));
    const { resource: upserted } = await container.items.upsert<object>(document('2'));
    const { result = [] } = await container.items.batch(
      [
        { operationType: 'Create', resourceBody: document('3') },
        { operationType: 'Patch', id: '3', resourceBody: { operations: [{ op: 'incr', path: '/n', value: 1 }] } },
      ],
      'a',
    );

    const shown = [created, upserted, ...result.map(({ resourceBody }) => resourceBody)];
    for (const each of shown) expect(Object.keys(each ?? {})).toEqual(order);
    expect(created).toMatchObject({ _rid: expect.not.stringContaining('mine'), _ts: expect.not.closeTo(0) });
    expect((await container.item('3', 'a').read()).resource).toEqual(result[1]?.resourceBody);
  });

  test('[wire 7] stand before those of the system where the client wrote these last, and so does what a patch adds', async () => {
    const container = await world.container();
    const { resource: made } = await container.items.create<Record<string, unknown>>({ id: '1', pk: 'a' });
    const names = ['id', 'pk', '_rid', '_self', '_etag', '_attachments', '_ts'];
    const { resource: replaced } = await container.item('1', 'a').replace(made ?? {});
    const { resource: patched } = await container.item('1', 'a').patch([{ op: 'add', path: '/n', value: 1 }]);

    expect(Object.keys(replaced ?? {})).toEqual(names);
    expect(Object.keys(patched ?? {})).toEqual(['id', 'pk', 'n', ...names.slice(2)]);
  });
});
