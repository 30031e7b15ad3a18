// What the store over HTTP sends, and what it makes of answers that no server of ours gives on demand.

import { RestClient } from '@tidemark/client';
import { header } from '@tidemark/model';
import type { Scripted } from '@tidemark/testing';
import { ScriptedNetwork } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { RestStore } from '../src/store/rest-store.ts';

const definition: Scripted = { status: 200, body: '{"id":"leases","partitionKey":{"paths":["/id"]}}' };
const stored = { id: 'a', key: 'a', etag: '"1"', body: { id: 'a', _etag: '"1"' } };

function rangesOf(...ids: string[]): Scripted {
  const ranges = ids.map((id) => ({ id, minInclusive: '', maxExclusive: 'FF' }));
  return { status: 200, body: JSON.stringify({ PartitionKeyRanges: ranges }) };
}

function pageOf(ids: readonly string[], headers: Record<string, string> = {}): Scripted {
  const documents = ids.map((id) => ({ id, _etag: `"${id}"` }));
  return { status: 200, headers, body: JSON.stringify({ Documents: documents }) };
}

function open(script: readonly Scripted[]): { store: RestStore; network: ScriptedNetwork } {
  const network = new ScriptedNetwork(script);
  const { environment } = network;
  const credential = { key: Buffer.alloc(64).toString('base64') };
  const client = new RestClient({ endpoint: 'https://account.example', credential, environment });
  return { store: new RestStore(client, 'db', 'leases'), network };
}

test('[wire 12] a list is one parameterised query for each range, without a plan, through all pages', async () => {
  const { store, network } = open([
    definition,
    rangesOf('1', '2'),
    pageOf(['p..1'], { [header.continuation]: 'more' }),
    pageOf(['p..2']),
    pageOf(['p..3']),
  ]);

  const found = await network.run(store.list("p'..")).then((documents) => documents.map(({ id }) => id));

  expect(found.sort()).toEqual(['p..1', 'p..2', 'p..3']);
  const queries = network.asked.slice(2);
  expect(queries.map(({ verb, url }) => [verb, url])).toEqual(
    Array.from({ length: 3 }, () => ['POST', 'https://account.example/dbs/db/colls/leases/docs']),
  );
  for (const { headers, body } of queries) {
    expect(headers.get(header.isQuery)).toBe('True');
    expect(headers.get(header.enableCrossPartition)).toBe('True');
    expect(headers.get(header.contentType)).toBe('application/query+json');
    expect(JSON.parse(body)).toEqual({
      query: 'SELECT * FROM c WHERE STARTSWITH(c.id, @prefix)',
      parameters: [{ name: '@prefix', value: "p'.." }],
    });
  }
  const scopes = queries.map(({ headers }) => [headers.get(header.rangeId), headers.get(header.continuation)]);
  expect(scopes.sort()).toEqual([
    ['1', null],
    ['1', 'more'],
    ['2', null],
  ]);
});

test('a list that is read page by page asks for the next one when it is wanted', async () => {
  const { store, network } = open([
    definition,
    rangesOf('1', '2'),
    pageOf(['p..1'], { [header.continuation]: 'more' }),
    pageOf(['p..2']),
    pageOf(['p..3']),
  ]);
  const pages = store.pages('p..');

  const first = await network.run(pages.next());
  expect(first.value?.map(({ id }) => id)).toEqual(['p..1']);
  expect(network.asked.length).toBe(3);
  const rest: string[] = [];
  for (let next = await network.run(pages.next()); next.value !== undefined; next = await network.run(pages.next()))
    rest.push(...next.value.map(({ id }) => id));

  expect(rest).toEqual(['p..2', 'p..3']);
  expect(network.asked.at(2)?.headers.get(header.itemsMax)).toBe('200');
});

test('a list begins anew with the ranges of now when one of them was split under it', async () => {
  const gone: Scripted = { status: 410, headers: { [header.substatus]: '1002' } };
  const { store, network } = open([
    definition,
    rangesOf('0'),
    gone,
    rangesOf('1', '2'),
    pageOf(['p..1']),
    pageOf(['p..2']),
  ]);

  const found = await network.run(store.list('p..'));

  expect(found.map(({ id }) => id)).toEqual(['p..1', 'p..2']);
});

test.each<[string, Scripted, string]>([
  ['503, since nobody knows', { status: 503 }, 'outcome-unknown'],
  ['500', { status: 500 }, 'outcome-unknown'],
  ['408', { status: 408 }, 'outcome-unknown'],
  ['a connection that breaks', { broken: 'ECONNRESET' }, 'outcome-unknown'],
  ['no answer', 'never', 'outcome-unknown'],
  ['a connection that was refused', { broken: 'ECONNREFUSED' }, 'unavailable'],
  ['449', { status: 449 }, 'unavailable'],
  ['429', { status: 429, headers: { [header.retryAfterMs]: '7' } }, 'too-many-requests'],
  ['507', { status: 507 }, 'disk-full'],
  ['413', { status: 413 }, 'document-too-large'],
  ['412', { status: 412 }, 'precondition-failed'],
  ['404', { status: 404 }, 'not-found'],
  ['403', { status: 403 }, 'forbidden'],
])('[S14] a swap that is answered with %s is not repeated and says what is known', async (_, answer, code) => {
  const { store, network } = open([definition, answer]);

  const swap = network.run(store.replace(stored, { id: 'a', n: 1 }));

  await expect(swap).rejects.toMatchObject({ code });
  expect(network.asked).toHaveLength(2);
  expect(network.asked[1]?.headers.get(header.ifMatch)).toBe('"1"');
});

test.each([
  ['the service', { paths: ['/_partitionKey'], kind: 'Hash', systemKey: true }, '[]'],
  ['the JavaScript SDK', { paths: ['/_partitionKey'] }, '[{}]'],
])(
  '[wire 7] the partition of a fixed container, whose key %s made up, is named without a value',
  async (_, partitionKey, named) => {
    const container: Scripted = { status: 200, body: JSON.stringify({ id: 'leases', partitionKey }) };
    const document: Scripted = { status: 200, body: '{"id":"a","_etag":"1"}' };
    const { store, network } = open([container, document, document, document, { status: 204 }]);
    const long = { id: 'a'.repeat(300) };

    await network.run(store.create(long));
    await network.run(store.read('a'));
    await network.run(store.replace(stored, { id: 'a', n: 1 }));
    await network.run(store.remove(stored));

    const [, create, ...others] = network.asked;
    expect([create, ...others].map((asked) => asked?.headers.get(header.partitionKey))).toEqual(Array(4).fill(named));
    expect(JSON.parse(create?.body ?? '')).toEqual(long);
  },
);

test('a throttled write tells for how long', async () => {
  const { store, network } = open([definition, { status: 429, headers: { [header.retryAfterMs]: '700' } }]);

  await expect(network.run(store.create({ id: 'a' }))).rejects.toMatchObject({ retryAfterMs: 700 });
});

test('what was written is asked for in the session of the write, until the server does not know it', async () => {
  const token = { [header.sessionToken]: '0:-1#7' };
  const behind: Scripted = { status: 404, headers: { [header.substatus]: '1002' } };
  const document: Scripted = { status: 200, body: '{"id":"a","_etag":"1"}' };
  const { store, network } = open([
    definition,
    { status: 201, headers: token, body: '{"id":"a","_etag":"1"}' },
    document,
    behind,
    document,
  ]);

  await network.run(store.create({ id: 'a' }));
  await network.run(store.read('a'));
  await expect(network.run(store.read('a'))).rejects.toMatchObject({ code: 'unavailable' });
  await network.run(store.read('a'));

  expect(network.asked.slice(2).map(({ headers }) => headers.get(header.sessionToken))).toEqual([
    '0:-1#7',
    '0:-1#7',
    null,
  ]);
});

test('a watch of a container that Azure cannot watch as a whole says that watching is not worth it', async () => {
  const { store, network } = open([{ status: 400 }]);

  expect(await network.run(store.watch(undefined, 5_000))).toEqual({
    position: '',
    hasChanged: false,
    isWaitApplied: false,
  });
});
