// The `documentdb` module 1.15.3, which the sample of the service's documentation uses: API version 2017-11-15, TLS 1.0 only.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DocumentDbClient, environmentFor, fileOf, runWithTls10 } from './old-client.ts';

let server: RunningServer;
let folder: string;
let env: NodeJS.ProcessEnv;
let client: DocumentDbClient;
const defects: unknown[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-documentdb-'));
  server = await startServer({ memory: true, legacyTls: true, onDefect: (error) => defects.push(error) });
  env = await environmentFor(server, folder);
  client = new DocumentDbClient(env);
  await client.call('createDatabase', { id: 'db' });
});
afterAll(async () => {
  client[Symbol.dispose]();
  await server.close();
  await rm(folder, { recursive: true, force: true });
  expect(defects).toEqual([]);
});

let collections = 0;
async function newCollection(definition: object = {}, options: object = {}): Promise<string> {
  collections += 1;
  const { error, result } = await client.call(
    'createCollection',
    'dbs/db',
    { id: `c${collections + 1}`, ...definition },
    options,
  );
  expect(error).toBeUndefined();
  return `dbs/db/colls/${result.id}`;
}

const byKey = { partitionKey: { paths: ['/pk'], kind: 'Hash' } };

describe('[M14] the sample of the documentation', () => {
  test('runs as it is printed', async () => {
    // As printed, but for the host and the key.
    const printed = await readFile(fileOf('./documented/change-feed-sample.cjs'), 'utf8');
    const endpoint = env['TIDEMARK_ENDPOINT'] ?? '';
    const script = join(folder, 'sample.cjs');
    const named = printed.replace('https://your_host:443/', endpoint).replace('your_master_key==', wellKnownKey);
    // The copy stands elsewhere, and has to find the module from here.
    await writeFile(script, named.replace("'documentdb'", JSON.stringify(fileOf('../node_modules/documentdb'))));
    expect((await client.call('createCollection', 'dbs/db', { id: 'c1' })).error).toBeUndefined();
    // One more than a page holds when nobody says how much.
    for (let i = 0; i <= 100; i += 1) {
      expect((await client.call('createDocument', 'dbs/db/colls/c1', { id: `d${i}` })).error).toBeUndefined();
    }

    const { code, out, err } = await runWithTls10(script, env);

    expect([code, err.replaceAll(/^\(.*\n/gm, '')]).toEqual([0, '']);
    expect(out).toContain("id: 'd0'");
    expect(out).toMatch(/\n"100"\n100\nnext one: \{\n {2}id: 'd100'/);
  });

  test('and once more from where it was, when there is nothing new', async () => {
    const collection = await newCollection();
    await client.call('createDocument', collection, { id: '1' });
    const options = { a_im: 'Incremental feed', accessCondition: { type: 'IfNoneMatch', condition: '' } };
    const first = await client.pages('readDocuments', collection, options)();
    expect([first.result.length, first.headers['etag']]).toEqual([1, '"1"']);
    const later = { ...options, accessCondition: { type: 'IfNoneMatch', condition: first.headers['etag'] } };

    const second = await client.pages('readDocuments', collection, later)();

    expect([second.error, second.result?.length ?? 0]).toEqual([undefined, 0]);
  });
});

describe('[M1] [wire 7] documents', () => {
  test('[wire 1] in a collection without a partition key: create, read, upsert, replace, list, delete', async () => {
    const collection = await newCollection();
    const created = await client.call('createDocument', collection, { id: 'é 1', n: 1 });
    expect(created.result).toMatchObject({ id: 'é 1', n: 1, _attachments: 'attachments/' });
    const link = `${collection}/docs/é 1`;
    expect((await client.call('readDocument', link)).result).toEqual(created.result);
    expect((await client.call('createDocument', collection, { id: 'é 1' })).error).toMatchObject({ code: 409 });
    const upserted = await client.call('upsertDocument', collection, { id: 'é 1', n: 2 });
    expect(upserted.result.n).toBe(2);
    const stale = { accessCondition: { type: 'IfMatch', condition: created.result._etag } };
    expect((await client.call('replaceDocument', link, { id: 'é 1', n: 3 }, stale)).error).toMatchObject({ code: 412 });
    const replaced = await client.call('replaceDocument', link, { id: 'é 1', n: 3 });
    expect(replaced.result.n).toBe(3);
    expect((await client.all('readDocuments', collection)).result).toEqual([replaced.result]);
    expect((await client.call('deleteDocument', link)).error).toBeUndefined();
    const missing = await client.call('readDocument', link);
    expect([missing.error?.code, missing.error?.substatus]).toEqual([404, undefined]);
  });

  test('[wire 17.21] by their own links', async () => {
    const { result: database } = await client.call('readDatabase', 'dbs/db');
    const collection = await newCollection(byKey);
    const { result: read } = await client.call('readCollection', collection);
    expect(read._self).toBe(`dbs/${database._rid}/colls/${read._rid}/`);
    const { result: document } = await client.call('createDocument', read._self, { id: '1', pk: 'a' });
    const options = { partitionKey: 'a' };
    expect((await client.call('readDocument', document._self, options)).result).toEqual(document);
    const replaced = await client.call('replaceDocument', document._self, { ...document, n: 1 }, options);
    expect(replaced.result.n).toBe(1);
    expect((await client.call('deleteDocument', document._self, options)).error).toBeUndefined();
    expect((await client.call('deleteCollection', read._self)).error).toBeUndefined();
    expect((await client.call('readCollection', collection)).error).toMatchObject({ code: 404 });
  });

  test('[M2] pages of the read feed, over several ranges', async () => {
    const collection = await newCollection(byKey, { offerThroughput: 20_000 });
    const ids = Array.from({ length: 25 }, (_, i) => `d${i}`);
    for (const id of ids) await client.call('createDocument', collection, { id, pk: `é${id}` });
    const next = client.pages('readDocuments', collection, { maxItemCount: 4 });
    const found: string[] = [];
    for (;;) {
      const { error, result, headers } = await next();
      expect(error).toBeUndefined();
      if (result === undefined) break;
      found.push(...result.map(({ id }: { id: string }) => id));
      if (headers['x-ms-continuation'] === undefined) break;
    }
    expect(found.sort()).toEqual(ids.sort());
  });
});

describe('[M4] [wire 11] the change feed', () => {
  test('[M7] of a partition key: from the beginning, after an etag, from now', async () => {
    const collection = await newCollection(byKey);
    for (const [id, pk] of [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'a'],
    ]) {
      await client.call('createDocument', collection, { id, pk });
    }
    const options = { a_im: 'Incremental feed', partitionKey: 'a' };
    const startingAt = (condition: string | undefined): object => ({
      ...options,
      accessCondition: { type: 'IfNoneMatch', condition },
    });
    const first = await client.pages('readDocuments', collection, { ...options, maxItemCount: 1 })();
    expect(first.result.map(({ id }: { id: string }) => id)).toEqual(['1']);
    const rest = await client.pages('readDocuments', collection, startingAt(first.headers['etag']))();
    expect(rest.result.map(({ id }: { id: string }) => id)).toEqual(['3']);
    const now = await client.pages('readDocuments', collection, startingAt('*'))();
    expect([now.error, now.result?.length ?? 0]).toEqual([undefined, 0]);
    await client.call('createDocument', collection, { id: '4', pk: 'a' });
    const next = await client.pages('readDocuments', collection, startingAt(now.headers['etag']))();
    expect(next.result.map(({ id }: { id: string }) => id)).toEqual(['4']);
  });

  test('[M3] [wire 10] the ranges are listed', async () => {
    const collection = await newCollection(byKey, { offerThroughput: 13_000 });
    const { result: ranges } = await client.all('readPartitionKeyRanges', collection);
    expect(ranges.map(({ id }: { id: string }) => id)).toEqual(['0', '1', '2']);
    const edges = ranges.map(({ maxExclusive }: { maxExclusive: string }) => maxExclusive);
    expect(ranges.map(({ minInclusive }: { minInclusive: string }) => minInclusive)).toEqual(['', edges[0], edges[1]]);
    expect(edges[2]).toBe('FF');
  });
});

test('[wire 17.13] [wire 13] session tokens are of the simple form, which this client needs to go on living', async () => {
  const collection = await newCollection(byKey);
  const { headers } = await client.call('createDocument', collection, { id: '1', pk: 'a' });
  expect(headers['x-ms-session-token']).toMatch(/^0:\d+$/);
  const read = await client.call('readDocument', `${collection}/docs/1`, {
    partitionKey: 'a',
    consistencyLevel: 'Session',
  });
  expect(read.headers['x-ms-session-token']).toBe(headers['x-ms-session-token']);
});

test('[wire 6] offers are listed, queried, read and changed', async () => {
  const collection = await newCollection(byKey, { offerThroughput: 700 });
  const { result: container } = await client.call('readCollection', collection);
  const { result: offers } = await client.all('readOffers');
  const offer = offers.find(({ resource }: { resource: string }) => resource === container._self);
  expect(offer).toMatchObject({ content: { offerThroughput: 700 }, offerResourceId: container._rid });
  const query = `SELECT * FROM root WHERE root.resource = '${container._self}'`;
  expect((await client.all('queryOffers', query)).result).toEqual([offer]);
  expect((await client.call('readOffer', offer._self)).result).toEqual(offer);
  const wanted = { ...offer, content: { ...offer.content, offerThroughput: 900 } };
  const { error, result } = await client.call('replaceOffer', offer._self, wanted);
  expect([error, result.content.offerThroughput]).toEqual([undefined, 900]);
  const bad = await client.call('replaceOffer', offer._self, { ...wanted, _rid: 'NotAllowed' });
  expect(bad.error).toMatchObject({ code: 400 });
  await client.call('deleteCollection', collection);
  expect((await client.call('readOffer', offer._self)).error).toMatchObject({ code: 404 });
});

test('[wire 2] the account has what this client asks of it', async () => {
  const { error, result } = await client.call('getDatabaseAccount');
  expect(error).toBeUndefined();
  expect(result).toMatchObject({
    MaxMediaStorageUsageInMB: '2048',
    ConsistencyPolicy: { defaultConsistencyLevel: 'Session' },
  });
});
