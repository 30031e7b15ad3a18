// What is not there: each is refused in words that name it. The list of docs/compatibility.md is made of these titles.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawOptions } from './harness.ts';
import { signedHeaders, World } from './harness.ts';
import { makeIn, pk, putIn } from './raw.ts';

let world: World;
let docs: string;
beforeAll(async () => {
  world = await World.open();
  const made = await makeIn(world);
  docs = made.docs;
  await putIn(world, made, { id: '1', pk: 'a', n: 1 });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const isQuery = {
  'content-type': 'application/query+json',
  'x-ms-documentdb-isquery': 'true',
  'x-ms-documentdb-query-enablecrosspartition': 'true',
};
const asBatch = { ...pk('a'), 'x-ms-cosmos-is-batch-request': 'True', 'x-ms-cosmos-batch-atomic': 'True' };
const query = (text: string, headers = {}): RawOptions => ({
  headers: { ...isQuery, ...headers },
  body: { query: text },
});

interface Absent {
  readonly what: string;
  readonly status: number;
  /** A word of the message that names it. */
  readonly names: string;
  readonly verb: string;
  readonly path: () => string;
  readonly options?: RawOptions;
}

const container = (): string => docs.slice(0, -'/docs'.length);

const absent: readonly Absent[] = [
  {
    what: 'scores of full text in queries (`ORDER BY RANK`, `FullTextScore`, `RRF`)',
    status: 501,
    names: 'RANK',
    verb: 'POST',
    path: () => docs,
    options: query("SELECT TOP 3 * FROM c ORDER BY RANK FullTextScore(c.text, 'sea')"),
  },
  {
    what: '`RegexExtract` and `RegexExtractAll` in queries',
    status: 501,
    names: 'RegexExtract',
    verb: 'POST',
    path: () => docs,
    options: query("SELECT VALUE RegexExtract(c.text, 's.a') FROM c"),
  },
  {
    what: '`HASH` in queries',
    status: 501,
    names: 'HASH',
    verb: 'POST',
    path: () => docs,
    options: query('SELECT VALUE HASH(c.text) FROM c'),
  },
  {
    what: 'look-around and back references in `RegexMatch`',
    status: 501,
    names: 'look-around',
    verb: 'POST',
    path: () => docs,
    options: query("SELECT * FROM c WHERE RegexMatch(c.id, '(?=1)')"),
  },
  {
    what: 'user-defined functions in queries',
    status: 501,
    names: 'udf.tax',
    verb: 'POST',
    path: () => docs,
    options: query('SELECT VALUE udf.tax(c.n) FROM c'),
  },
  {
    what: 'creating stored procedures',
    status: 501,
    names: 'Stored procedures',
    verb: 'POST',
    path: () => `${container()}/sprocs`,
    options: { body: { id: 's', body: 'function () {}' } },
  },
  {
    what: 'executing stored procedures',
    status: 501,
    names: 'Stored procedures',
    verb: 'POST',
    path: () => `${container()}/sprocs/s`,
    options: { headers: pk('a'), body: [] },
  },
  {
    what: 'creating triggers',
    status: 501,
    names: 'Triggers',
    verb: 'POST',
    path: () => `${container()}/triggers`,
    options: { body: { id: 't', body: 'function () {}', triggerType: 'Pre', triggerOperation: 'All' } },
  },
  {
    what: 'writes that name a trigger',
    status: 501,
    names: 'Triggers',
    verb: 'POST',
    path: () => docs,
    options: { headers: { ...pk('a'), 'x-ms-documentdb-pre-trigger-include': 't' }, body: { id: '2', pk: 'a' } },
  },
  {
    what: 'creating user-defined functions',
    status: 501,
    names: 'User defined functions',
    verb: 'POST',
    path: () => `${container()}/udfs`,
    options: { body: { id: 'u', body: 'function () {}' } },
  },
  {
    what: 'attachments',
    status: 501,
    names: 'attachment',
    verb: 'GET',
    path: () => `${docs}/1/attachments`,
    options: { headers: pk('a') },
  },
  { what: 'media', status: 501, names: 'media', verb: 'GET', path: () => '/media/m' },
  {
    what: 'direct mode of .NET and Java (`/addresses`): use gateway mode',
    status: 501,
    names: 'address',
    verb: 'GET',
    path: () => '/addresses',
  },
  {
    what: 'performance levels (`x-ms-offer-type: S1`)',
    status: 501,
    names: 'S1',
    verb: 'POST',
    path: () => '/dbs/db/colls',
    options: {
      headers: { 'x-ms-offer-type': 'S1' },
      body: { id: 'leveled', partitionKey: { paths: ['/pk'] } },
    },
  },
  {
    what: 'Entra ID tokens (`type=aad`)',
    status: 401,
    names: 'aad',
    verb: 'GET',
    path: () => docs,
    options: { headers: { authorization: 'type=aad&ver=1.0&sig=token' } },
  },
  {
    what: 'shared access signatures (`type=sas`)',
    status: 401,
    names: 'sas',
    verb: 'GET',
    path: () => docs,
    options: { headers: { authorization: 'type=sas&ver=1.0&sig=token' } },
  },
  {
    what: 'consistency stronger than the account’s (`--consistency`, `Session` by default), for clients of today',
    status: 400,
    names: 'Strong',
    verb: 'GET',
    path: () => `${docs}/1`,
    options: { headers: { ...pk('a'), 'x-ms-consistency-level': 'Strong' } },
  },
  {
    what: 'global secondary indexes, also called materialized views',
    status: 400,
    names: 'Global secondary indexes',
    verb: 'POST',
    path: () => '/dbs/db/colls',
    options: {
      body: {
        id: 'leveled',
        partitionKey: { paths: ['/pk'] },
        globalSecondaryIndexDefinition: { sourceCollectionId: 'c1', definition: 'SELECT c.id FROM c' },
      },
    },
  },
  {
    what: 'distributed transactions (`/operations/dtc`)',
    status: 501,
    names: 'Distributed transactions',
    verb: 'POST',
    path: () => '/operations/dtc',
    options: { body: { operations: [] } },
  },
  {
    what: 'semantic reranking',
    status: 501,
    names: 'Semantic reranking',
    verb: 'POST',
    path: () => '/inference/semanticReranking',
    options: { body: { query: 'q', documents: [] } },
  },
  {
    what: 'bodies with a `Content-Encoding`',
    status: 415,
    names: 'gzip',
    verb: 'POST',
    path: () => docs,
    options: { headers: { ...pk('a'), 'content-encoding': 'gzip' }, body: '{}' },
  },
];

describe('[absent]', () => {
  test.each(absent.map((each) => [each.what, each.status, each] as const))(
    '%s: %i',
    async (_, status, { names, verb, path, options }) => {
      const refused = await world.fetch(verb, path(), options);

      expect(refused.status, refused.text).toBe(status);
      expect(refused.json.message).toContain(names);
      expect(Object.keys(refused.json)).toEqual(['code', 'message']);
    },
  );

  test('batches in the binary form of the .NET client: 501', async () => {
    const headers = { ...signedHeaders('POST', docs), ...asBatch };
    const body = Buffer.from([0x81, 0xff, 0xff, 0xff, 0x7f]);

    const refused = await fetch(new URL(docs, world.url), { method: 'POST', headers, body });

    expect(refused.status).toBe(501);
    expect(((await refused.json()) as { message: string }).message).toContain('HybridRow');
  });

  test('bodies of binary JSON (`AZURE_COSMOS_BINARY_ENCODING_ENABLED` of .NET): 400', async () => {
    const headers = { ...signedHeaders('POST', docs), ...pk('a') };
    const body = Buffer.from([0x80, 0xea, 0x01, 0x02]);

    const refused = await fetch(new URL(docs, world.url), { method: 'POST', headers, body });

    expect(refused.status).toBe(400);
    expect(((await refused.json()) as { message: string }).message).toContain('AZURE_COSMOS_BINARY_ENCODING_ENABLED');
  });

  test('none of it has changed anything', async () => {
    const { json } = await world.fetch('GET', docs);
    expect(json.Documents).toMatchObject([{ id: '1', n: 1 }]);
    expect((await world.fetch('GET', '/dbs/db/colls/leveled')).status).toBe(404);
  });
});
