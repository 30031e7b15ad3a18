// The client against a real server over real sockets.

import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { header } from '@tidemark/model';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BulkOperation } from '../src/bulk.ts';
import { RestClient } from '../src/rest-client.ts';
import type { ChangesStart, RestContainer } from '../src/rest-container.ts';

let database: Database;
let server: RunningServer;
let client: RestClient;

beforeAll(async () => {
  database = await openDatabase({ memory: true });
  server = await startServer({ database });
  client = new RestClient({ endpoint: server.url, credential: { key: wellKnownKey } });
  await client.createDatabaseIfNotExists('db');
});
afterAll(async () => {
  await server.close();
  await database.close();
});

const keyDefinition = { partitionKey: { paths: ['/pk'], version: 2 } };
let containers = 0;

async function make(definition: object = {}, throughput?: number): Promise<RestContainer> {
  containers += 1;
  const whole: { readonly id: string } = { id: `c${containers}`, ...keyDefinition, ...definition };
  return client.createContainer('db', whole, { throughput });
}

const text = (bytes: Buffer | undefined): unknown => JSON.parse(String(bytes));

test('[M1] databases and containers are created once, listed and deleted', async () => {
  await client.createDatabaseIfNotExists('other');
  await client.createDatabaseIfNotExists('other');
  const definition = { id: 'c', partitionKey: { paths: ['/pk'], version: 2 } };
  // As README.md writes it: the members of a literal are no excess ones.
  const container = await client.createContainerIfNotExists('other', {
    id: 'c',
    partitionKey: { paths: ['/pk'], version: 2 },
  });
  await client.createContainerIfNotExists('other', definition);

  expect((await client.databases()).map(({ id }) => id)).toContain('other');
  expect((await client.containers('other')).map(({ id }) => id)).toEqual(['c']);
  expect(await container.read()).toMatchObject({ id: 'c', partitionKey: { paths: ['/pk'] } });
  expect(await client.account()).toHaveProperty('writableLocations');

  await container.delete();
  await client.deleteDatabase('other');
  await expect(client.containers('other')).rejects.toMatchObject({ status: 404 });
});

test('[M1] documents: create, upsert, replace, patch, delete, with etags', async () => {
  const container = await make();

  const created = await container.createDocument(['a'], { id: '1', pk: 'a', n: 1 });
  expect(created).toMatchObject({ isNew: true });
  await expect(container.createDocument(['a'], { id: '1', pk: 'a' })).rejects.toMatchObject({ code: 'conflict' });
  const upserted = await container.upsertDocument(['a'], Buffer.from('{"id":"1","pk":"a","n":1.50}'));
  expect(String(upserted.bytes)).toContain('"n":1.50');
  const stale = { ifMatch: created.etag };
  const lost = container.replaceDocument(['a'], '1', { id: '1', pk: 'a' }, stale);
  await expect(lost).rejects.toMatchObject({ code: 'precondition-failed', status: 412 });
  await container.replaceDocument(['a'], '1', { id: '1', pk: 'a', n: 2 }, { ifMatch: upserted.etag });
  await container.patchDocument(['a'], '1', [{ op: 'incr', path: '/n', value: 3 }]);
  expect(text((await container.readDocument(['a'], '1'))?.bytes)).toMatchObject({ n: 5 });
  await container.deleteDocument(['a'], '1');
  expect(await container.readDocument(['a'], '1')).toBeUndefined();
  const nowhere = client.container('db', 'nowhere').readDocument(['a'], '1');
  await expect(nowhere).rejects.toMatchObject({ code: 'container-not-found' });
});

test.each([['100%'], ['%41'], ['é ü'], ['a b'], ['+&=,;'], ["it's (*)!"], ['日本'], ['a:b@c']])(
  '[wire 4] the id %j and the partition key of the same text survive the path, the signature and the header',
  async (id) => {
    const container = await make();

    await container.createDocument([id], { id, pk: id });

    expect(text((await container.readDocument([id], id))?.bytes)).toMatchObject({ id, pk: id });
    await container.deleteDocument([id], id);
    expect(await container.readDocument([id], id)).toBeUndefined();
  },
);

test('[M2] pages of documents follow the continuation to the end, through every range', async () => {
  const container = await make({}, 18_000);
  for (let n = 0; n < 25; n += 1) await container.upsertDocument([`k${n}`], { id: `${n}`, pk: `k${n}` });

  const ids: string[] = [];
  let continuation: string | undefined;
  do {
    const page = await container.documents({ continuation, itemsMax: 4 });
    for (const bytes of page.itemBytes()) ids.push((text(bytes) as { id: string }).id);
    continuation = page.continuation;
  } while (continuation !== undefined);

  expect(ids.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n));
});

async function drain(
  container: RestContainer,
  from: ChangesStart,
  scope: Parameters<RestContainer['changes']>[0] = {},
): Promise<{ ids: string[]; etag: string }> {
  const ids: string[] = [];
  let start = from;
  for (;;) {
    const page = await container.changes({ ...scope, from: start, itemsMax: 3 });
    for (const item of page.items()) ids.push((item as { id: string }).id);
    start = { etag: page.etag };
    if (page.isDrained) return { ids, etag: page.etag };
  }
}

test('[M4] the feed from the beginning, from now, after an etag and from a time', async () => {
  const container = await make();
  const now = await drain(container, 'now');
  for (const id of ['1', '2', '3', '4']) await container.upsertDocument(['a'], { id, pk: 'a' });

  expect((await drain(container, 'beginning')).ids).toEqual(['1', '2', '3', '4']);
  expect((await drain(container, { etag: now.etag })).ids).toEqual(['1', '2', '3', '4']);
  expect((await drain(container, { timeMs: Date.now() - 60_000 })).ids).toEqual(['1', '2', '3', '4']);
  const end = await drain(container, 'now');
  await container.upsertDocument(['a'], { id: '5', pk: 'a' });
  expect((await drain(container, { etag: end.etag })).ids).toEqual(['5']);
});

test('[M3] [M7] the feed of a range, of a part of the keys and of a partition key', async () => {
  const container = await make({}, 12_000);
  for (let n = 0; n < 12; n += 1) await container.upsertDocument([`k${n}`], { id: `${n}`, pk: `k${n}` });
  const ranges = await container.ranges();
  expect(ranges.map(({ min, max }) => [min, max])).toMatchObject([
    ['', expect.any(String)],
    [expect.any(String), 'FF'],
  ]);

  const halves = await Promise.all(ranges.map(({ id }) => drain(container, 'beginning', { range: id })));
  expect(halves.flatMap(({ ids }) => ids).sort()).toEqual(Array.from({ length: 12 }, (_, n) => `${n}`).sort());
  const keys = { min: ranges[0]?.min ?? '', max: ranges[0]?.max ?? '' };
  expect((await drain(container, 'beginning', { range: ranges[0]?.id, keys })).ids).toEqual(halves[0]?.ids);
  expect((await drain(container, 'beginning', { partitionKey: ['k3'] })).ids).toEqual(['3']);

  await database.container('db', container.id).split(ranges[0]?.id ?? '');
  const gone = container.changes({ range: ranges[0]?.id });
  await expect(gone).rejects.toMatchObject({ code: 'range-gone', status: 410, substatus: 1002 });
  expect(await container.ranges()).toHaveLength(3);
});

test('[B1] a feed request that waits is answered by the change, and one that nothing comes to by the end of its time', async () => {
  const container = await make();
  const { etag } = await container.changes({ from: 'now' });

  const waiting = container.changes({ from: { etag }, waitSeconds: 30 });
  await container.upsertDocument(['a'], { id: '1', pk: 'a' });
  const page = await waiting;
  const nothing = await container.changes({ from: { etag: page.etag }, waitSeconds: 1 });

  expect(page.items()).toMatchObject([{ id: '1' }]);
  expect(nothing).toMatchObject({ isDrained: true, isWaitApplied: true, etag: page.etag });
  const stop = new AbortController();
  const given = container.changes({ from: { etag: page.etag }, waitSeconds: 30, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
});

test('[B2] all versions come with their deletes', async () => {
  const container = await make({ changeFeedPolicy: { retentionDuration: 10 } });
  const { etag } = await container.changes({ mode: 'all-versions', from: 'now' });
  await container.createDocument(['a'], { id: '1', pk: 'a' });
  await container.deleteDocument(['a'], '1');

  const page = await container.changes({ mode: 'all-versions', from: { etag } });

  expect(page.items()).toMatchObject([
    { metadata: { operationType: 'create' } },
    { metadata: { operationType: 'delete', id: '1' } },
  ]);
  const all = await container.changes({ mode: 'all-versions', from: 'beginning' });
  expect(all.items()).toEqual(page.items());
  const none = await make();
  await expect(none.changes({ mode: 'all-versions', from: 'beginning' })).rejects.toMatchObject({ status: 400 });
});

test('[wire 8] a bulk has one outcome for each operation, and a range that is gone is an error', async () => {
  const container = await make();
  const [range] = await container.ranges();
  const document = (id: string): Buffer => Buffer.from(JSON.stringify({ id, pk: 'é' }));
  const upsert = (id: string): BulkOperation => ({ type: 'Upsert', partitionKey: ['é'], document: document(id) });

  const outcomes = await container.bulk(range?.id ?? '', [
    upsert('1'),
    { type: 'Create', partitionKey: ['é'], document: document('1') },
    { type: 'Delete', partitionKey: ['é'], id: '1' },
    upsert('2'),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual([201, 409, 204, 201]);
  await expect(container.bulk('77', [upsert('3')])).rejects.toMatchObject({ code: 'range-gone' });
});

test('a wrong key is unauthorized, and the request may name any header', async () => {
  const wrong = new RestClient({ endpoint: server.url, credential: { key: Buffer.alloc(64).toString('base64') } });
  await expect(wrong.account()).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
  const response = await client.send({ verb: 'GET', path: '/dbs', headers: { [header.itemsMax]: '1' } });
  expect(response.status).toBe(200);
  expect(response.charge).toBeGreaterThan(0);
});
