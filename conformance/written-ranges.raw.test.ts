// Which range an answer to a write names, whatever became of the write: clients look for it, and take the session token beside it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RawOptions, RawResponse } from './harness.ts';
import { World } from './harness.ts';
import type { Headers, Made } from './raw.ts';
import { inRange, makeIn, pk, putIn } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const isBatch = { 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true' };
const isBulk = { 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'false' };
const operations = [{ op: 'set', path: '/n', value: 1 }];
const read = { operationType: 'Read', id: '1' };

interface Refused {
  readonly status: number;
  readonly verb: string;
  readonly path?: string;
  readonly headers?: Headers;
  readonly body?: unknown;
  readonly sign?: NonNullable<RawOptions['sign']>;
}

/** What is refused before anybody asks the range. */
const refusals = (key: string): Readonly<Record<string, Refused>> => ({
  'a create of another key': { status: 400, verb: 'POST', body: { id: '2', pk: 'other' } },
  'a replace by another key': { status: 400, verb: 'PUT', path: '/1', body: { id: '1', pk: 'other' } },
  'no JSON': { status: 400, verb: 'POST', body: '{"id":' },
  'binary JSON': { status: 400, verb: 'PUT', path: '/1', body: '\u0080' },
  'no id': { status: 400, verb: 'POST', body: { pk: key } },
  'an id with a slash': { status: 400, verb: 'POST', body: { id: 'a/b', pk: key } },
  'a bad ttl': { status: 400, verb: 'POST', body: { id: '2', pk: key, ttl: 0 } },
  'a document that is too large': {
    status: 413,
    verb: 'POST',
    body: { id: '2', pk: key, pad: 'x'.repeat(2 * 1024 * 1024) },
  },
  'a body that is too large': { status: 413, verb: 'PUT', path: '/1', body: 'x'.repeat(4 * 1024 * 1024) },
  'a patch of nothing': { status: 400, verb: 'PATCH', path: '/1', body: { operations: [] } },
  'a patch of the key': { status: 400, verb: 'PATCH', path: '/1', body: [{ op: 'set', path: '/pk', value: 'b' }] },
  'a condition': { status: 400, verb: 'PATCH', path: '/1', body: { condition: 'from', operations } },
  'a trigger': { status: 501, verb: 'DELETE', path: '/1', headers: { 'x-ms-documentdb-pre-trigger-include': 't' } },
  'a hint that there is not': {
    status: 400,
    verb: 'DELETE',
    path: '/1',
    headers: { 'x-ms-cosmos-priority-level': '?' },
  },
  'a level that there is not': { status: 400, verb: 'DELETE', path: '/1', headers: { 'x-ms-consistency-level': '?' } },
  'another container': {
    status: 400,
    verb: 'POST',
    headers: { 'x-ms-cosmos-intended-collection-rid': 'x' },
    body: { id: '2', pk: key },
  },
  'a coding': { status: 415, verb: 'POST', headers: { 'content-encoding': 'gzip' }, body: { id: '2', pk: key } },
  'a batch of nothing': { status: 400, verb: 'POST', headers: isBatch, body: [] },
  'a batch of too many': { status: 400, verb: 'POST', headers: isBatch, body: new Array(101).fill(read) },
  'a batch of no JSON': { status: 400, verb: 'POST', headers: isBatch, body: '[' },
  'a batch in binary': { status: 501, verb: 'POST', headers: isBatch, body: '\u00ff' },
  'a batch that is too large': { status: 413, verb: 'POST', headers: isBatch, body: 'x'.repeat(2 * 1024 * 1024 + 1) },
  'a batch with another key': {
    status: 207,
    verb: 'POST',
    headers: isBatch,
    body: [{ operationType: 'Upsert', resourceBody: { id: '7', pk: 'other' } }],
  },
});

function ask(made: Made, { verb, path = '', headers, body, sign }: Refused, more: Headers): Promise<RawResponse> {
  const options = { headers: { ...headers, ...more }, ...(sign === undefined ? {} : { sign }) };
  return world.fetch(verb, `${made.docs}${path}`, body === undefined ? options : { ...options, body });
}

const said = ({ headers }: RawResponse): (string | null)[] =>
  ['x-ms-documentdb-partitionkeyrangeid', 'x-ms-session-token', 'lsn', 'x-ms-content-path'].map((name) =>
    headers.get(name),
  );
const nothing = [null, null, null];

test('[wire 13] a write that is refused before its range is asked names the range of its partition key all the same', async () => {
  const made = await makeIn(world, { throughput: 18_000 });
  const container = world.database.container('db', made.id);
  const { info, ranges } = container;
  const served = new Set<string>();
  for (const key of ['a', 'b', 'é', 'd']) {
    await putIn(world, made, { id: '1', pk: key });
    const range = world.database.engine.rangeOf(info.number, container.partitionKey(key).epk);
    const tail = container.ranges.find(({ id }) => id === range)?.tailLsn;
    served.add(range);
    for (const [what, refused] of Object.entries(refusals(key))) {
      const answer = await ask(made, refused, {
        'x-ms-documentdb-partitionkey': `["${key === 'é' ? '\\u00e9' : key}"]`,
      });

      expect([answer.status, ...said(answer)], `${what}, ${key}`).toEqual([
        refused.status,
        range,
        `${range}:-1#${tail}`,
        String(tail),
        info.rid,
      ]);
    }
  }
  expect(served.size).toBe(ranges.length);
});

test('[wire 13] what only names a range is answered with that range while it lives', async () => {
  const made = await makeIn(world, { throughput: 12_000 });
  const container = world.database.container('db', made.id);
  const noJson = { status: 400, verb: 'POST', headers: isBulk, body: '[' };
  const noKey = { status: 400, verb: 'POST', body: { id: '1', pk: 'a' } };
  for (const refused of [noJson, noKey]) {
    const live = await ask(made, refused, inRange('1'));
    expect([live.status, ...said(live)]).toEqual([400, '1', '1:-1#0', '0', container.info.rid]);
    const dotnet = await ask(made, refused, inRange(`${container.info.rid},1`));
    expect([dotnet.status, said(dotnet)[0]]).toEqual([400, '1']);
  }

  await container.split('1');

  expect(said(await ask(made, noKey, inRange('1'))).slice(0, 3)).toEqual(nothing);
});

test('[wire 13] where nothing names a range, none is named', async () => {
  const made = await makeIn(world, { throughput: 12_000 });
  const body = { id: '1', pk: 'a' };
  const a = pk('a');
  const fetchAt = (path: string, options: RawOptions) => world.fetch('POST', path, options);
  for (const [status, answer] of [
    [400, await fetchAt(made.docs, { body })],
    [400, await fetchAt(made.docs, { headers: { 'x-ms-documentdb-partitionkey': 'a' }, body })],
    [400, await fetchAt(made.docs, { headers: { 'x-ms-documentdb-partitionkey': '["a","b"]' }, body })],
    [400, await fetchAt(made.docs, { headers: isBulk, body: [] })],
    [410, await fetchAt(made.docs, { headers: { ...isBulk, ...inRange('AAAAAAAAAAA=,0') }, body: [read] })],
    [404, await fetchAt('/dbs/db/colls/nowhere/docs', { headers: a, body })],
    [401, await fetchAt(made.docs, { headers: a, body, sign: { link: 'dbs/db' } })],
    [501, await fetchAt(made.docs.replace('/docs', '/sprocs'), { headers: a, body })],
  ] as const) {
    expect([answer.status, ...said(answer).slice(0, 3)]).toEqual([status, ...nothing]);
  }
});

test('[wire 13] [wire 17.13] the token of a refusal has the form of its client, and a container without a key has one range', async () => {
  const made = await makeIn(world);
  await putIn(world, made, { id: '1', pk: 'a' });
  const old = await world.fetch('POST', made.docs, {
    headers: { ...pk('a'), 'x-ms-version': '2017-11-15' },
    body: '{',
  });
  expect(said(old).slice(0, 2)).toEqual(['0', '0:1']);

  const before = { 'x-ms-version': '2017-11-15' };
  await world.fetch('POST', '/dbs/db/colls', { headers: before, body: { id: 'keyless' } });
  const keyless = await world.fetch('POST', '/dbs/db/colls/keyless/docs', { headers: before, body: '{' });
  expect([keyless.status, ...said(keyless).slice(0, 2)]).toEqual([400, '0', '0:0']);
});

test('[wire 13] [SEC17] a token for one partition key does not learn how far other ranges are', async () => {
  const made = await makeIn(world, { throughput: 12_000 });
  const collection = made.docs.slice(1, -'/docs'.length);
  await world.fetch('POST', '/dbs/db/users', { body: { id: 'u' } });
  const permission = { id: 'p', permissionMode: 'All', resource: collection, resourcePartitionKey: ['a'] };
  const { json } = await world.fetch('POST', '/dbs/db/users/u/permissions', { body: permission });
  const authorization = encodeURIComponent(json._token);
  const noJson = { status: 400, verb: 'POST', body: '[' };

  const own = await ask(made, noJson, { ...pk('a'), authorization });
  const other = await ask(made, { ...noJson, headers: isBulk }, { ...inRange('1'), authorization });
  const foreign = await ask(made, noJson, { ...pk('b'), authorization });

  expect([own.status, said(own)[0]]).toEqual([400, expect.stringMatching(/^\d$/)]);
  expect([other.status, ...said(other).slice(0, 3)]).toEqual([400, ...nothing]);
  expect([foreign.status, ...said(foreign).slice(0, 3)]).toEqual([403, ...nothing]);
});
