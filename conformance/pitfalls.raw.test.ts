// Every pitfall that clients are known to fall into (wire 17), over every shape that the ranges of a container can have:
// one, many, children of a split, what a merge left.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { signedHeaders, World } from './harness.ts';
import type { Headers, Made } from './raw.ts';
import {
  allVersions,
  drainFeed,
  etagOf,
  feedOf,
  fromBeginning,
  idsOf,
  inRange,
  keysFrom,
  makeIn,
  pageOf,
  past,
  pk,
  putIn,
} from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const inside = (made: Made) => world.database.container('db', made.id);
const rangesOf = (made: Made): string[] => inside(made).ranges.map(({ id }) => id);

async function fill(made: Made, prefix = 'd'): Promise<string[]> {
  const ids = keys.map((key) => `${prefix}-${key}`);
  for (const [i, id] of ids.entries()) expect((await putIn(world, made, { id, pk: keys[i] ?? '' })).status).toBe(201);
  return ids;
}

/** The shapes, each a container that keeps history and has eight documents under eight keys. */
const shapes: Readonly<Record<string, () => Promise<Made>>> = {
  'one range': () => filled(400),
  'four ranges': () => filled(24_000),
  'the children of a split': async () => {
    const made = await filled(400);
    await inside(made).split('0');
    return made;
  },
  'what a merge left': async () => {
    const made = await filled(12_000);
    await inside(made).merge('0', '1');
    return made;
  },
};

async function filled(throughput: number): Promise<Made> {
  const made = await makeIn(world, { throughput, policy: true });
  await fill(made);
  return made;
}

const scopesOf = (made: Made): [string, Headers][] => [
  ['the container', {}],
  ...rangesOf(made).map((id): [string, Headers] => [`range ${id}`, inRange(id)]),
  ['keys', keysFrom('', 'FF')],
  ['the key "a"', pk('a')],
];

const modes: Readonly<Record<string, Headers>> = { latest: {}, 'all versions': fromBeginning };

/** Every scope in both modes. */
async function everywhere(made: Made, check: (headers: Headers, what: string) => Promise<void>): Promise<void> {
  for (const [scope, headers] of scopesOf(made)) {
    for (const [mode, asked] of Object.entries(modes)) await check({ ...headers, ...asked }, `${scope}, ${mode}`);
  }
}

const now: Headers = { 'if-none-match': '*' };
const lsnOf = (response: RawResponse): number => Number(response.headers.get('lsn'));

describe.each(Object.entries(shapes))('over %s', (_, shape) => {
  test('[wire 17.1] [wire 17.2] every 304 has its etag, every answer its count', async () => {
    const made = await shape();
    await everywhere(made, async (headers, what) => {
      const { pages, etag } = await drainFeed(world, made, headers);
      for (const page of pages) {
        const items = page.json.Documents.length;
        expect(page.headers.get('x-ms-item-count'), what).toBe(String(items));
      }
      for (const start of [past(etag), now]) {
        const still = await feedOf(world, made, { ...headers, ...start });
        expect([still.status, still.headers.get('x-ms-item-count')], what).toEqual([304, '0']);
        expect(etagOf(still), what).toMatch(/^".+"$/);
      }
    });
  });

  test('[wire 17.3] the name of a mode is compared without case', async () => {
    const made = await shape();
    const latest = await feedOf(world, made, { 'a-im': 'INCREMENTAL feed', ...pk('a') });
    expect(idsOf(latest)).toEqual(['d-a']);
    const versions = await feedOf(world, made, { ...fromBeginning, 'a-im': 'full-fidelity FEED', ...pk('a') });
    expect(versions.json.Documents[0].current.id).toBe('d-a');
    expect((await feedOf(world, made, { 'a-im': 'Decremental Feed' })).status).toBe(400);
  });

  test('[wire 17.4] a position counts more than a time', async () => {
    const made = await shape();
    const longAgo = { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:01 GMT' };
    for (const [scope, headers] of scopesOf(made)) {
      const { etag } = await drainFeed(world, made, headers);
      expect((await feedOf(world, made, { ...headers, ...longAgo })).status, scope).toBe(200);
      expect((await feedOf(world, made, { ...headers, ...longAgo, ...past(etag) })).status, scope).toBe(304);
    }
  });

  test('[wire 17.5] a range that is split goes on in its children, with the etag and beyond the LSN of the parent', async () => {
    const made = await shape();
    const tails = new Map<string, { etag: string; lsn: number }>();
    for (const id of rangesOf(made)) {
      const { etag } = await drainFeed(world, made, inRange(id));
      tails.set(id, { etag, lsn: lsnOf(await feedOf(world, made, { ...inRange(id), ...past(etag) })) });
    }
    await fill(made, 'late');
    const seen: string[] = [];
    for (const [parent, { etag, lsn }] of tails) {
      const children = await inside(made).split(parent);
      expect((await feedOf(world, made, { ...inRange(parent), ...past(etag) })).status).toBe(410);
      for (const child of children) {
        const { pages } = await drainFeed(world, made, inRange(child.id), etag);
        seen.push(...pages.flatMap(idsOf));
        for (const { _lsn } of pages.flatMap(({ json }) => json.Documents)) expect(_lsn).toBeGreaterThan(lsn);
      }
    }
    expect(seen.sort()).toEqual(keys.map((key) => `late-${key}`));
  });

  test('[wire 17.6] an item of the latest mode is the document and `_lsn`; what is read or listed has none', async () => {
    const made = await shape();
    for (const key of keys) {
      const read = await world.fetch('GET', `${made.docs}/d-${key}`, { headers: pk(key) });
      const [item] = (await feedOf(world, made, pk(key))).json.Documents;
      const { _lsn, ...document } = item;
      expect(document).toEqual(read.json);
      expect(_lsn).toBeGreaterThan(0);
    }
    expect((await world.fetch('GET', made.docs)).text).not.toContain('_lsn');
    const versions = await feedOf(world, made, { ...fromBeginning, ...pk('a') });
    expect(versions.json.Documents.map(Object.keys)).toEqual([['current', 'metadata']]);
  });

  test('[wire 17.7] a delete has an empty `current`, and its id and key in the metadata', async () => {
    const made = await shape();
    for (const key of keys) {
      expect((await world.fetch('DELETE', `${made.docs}/d-${key}`, { headers: pk(key) })).status).toBe(204);
      const { json } = await feedOf(world, made, { ...fromBeginning, ...pk(key) });
      const { current, metadata } = json.Documents.at(-1);
      expect(current).toEqual({});
      expect(metadata).toMatchObject({ operationType: 'delete', id: `d-${key}`, partitionKey: { pk: key } });
      expect(metadata.crts).toBeGreaterThan(0);
    }
  });

  test('[wire 17.8] all versions from the beginning are refused with the sentence that clients look for', async () => {
    const made = await shape();
    for (const [scope, headers] of scopesOf(made)) {
      const refused = await feedOf(world, made, { ...headers, ...allVersions });
      expect(refused.status, scope).toBe(400);
      expect(refused.json.message).toContain('You must read the change feed from within the retention period.');
    }
  });

  test('[wire 17.9] a feed never has a continuation', async () => {
    const made = await shape();
    await everywhere(made, async (headers, what) => {
      const { pages, etag } = await drainFeed(world, made, { ...headers, ...pageOf(1) });
      const last = await feedOf(world, made, { ...headers, ...past(etag) });
      for (const page of [...pages, last]) expect(page.headers.get('x-ms-continuation'), what).toBeNull();
    });
  });

  test('[wire 17.10] the range that served is named', async () => {
    const made = await shape();
    const served = (response: RawResponse): string => response.headers.get('x-ms-documentdb-partitionkeyrangeid') ?? '';
    for (const id of rangesOf(made)) {
      const { pages, etag } = await drainFeed(world, made, inRange(id));
      const last = await feedOf(world, made, { ...inRange(id), ...past(etag) });
      expect([...pages, last].map(served)).toEqual(Array(pages.length + 1).fill(id));
    }
    for (const key of keys) expect(rangesOf(made)).toContain(served(await feedOf(world, made, pk(key))));
  });

  test('[wire 17.11] [wire 17.12] the list of ranges has all leaves and nothing else, and as a feed it ends', async () => {
    const made = await shape();
    const leaves = rangesOf(made).sort();
    const listed: { id: string; minInclusive: string; maxExclusive: string }[] = [];
    let etag: string | undefined;
    for (;;) {
      const headers = { 'a-im': 'Incremental feed', ...(etag === undefined ? {} : past(etag)) };
      const page = await world.fetch('GET', made.pkranges, { headers });
      etag = etagOf(page);
      expect(etag).not.toBe('');
      if (page.status === 304) break;
      listed.push(...page.json.PartitionKeyRanges);
    }
    const { json } = await world.fetch('GET', made.pkranges);

    expect(listed.map(({ id }) => id).sort()).toEqual(leaves);
    expect(json.PartitionKeyRanges.map(({ id }: { id: string }) => id).sort()).toEqual(leaves);
    const inOrder = [...listed].sort((a, b) => (a.minInclusive < b.minInclusive ? -1 : 1));
    expect(inOrder.map(({ minInclusive }) => minInclusive)).toEqual([
      '',
      ...inOrder.slice(0, -1).map(({ maxExclusive }) => maxExclusive),
    ]);
    expect(inOrder.at(-1)?.maxExclusive).toBe('FF');
  });

  test('[wire 17.12a] a commit is one LSN of its range, and a read is none', async () => {
    const made = await shape();
    const tails = new Map(inside(made).ranges.map(({ id, tailLsn }) => [id, tailLsn]));
    for (const key of [...keys, ...keys]) {
      const written = await putIn(world, made, { id: 'more', pk: key });
      const range = /^(\w+):/.exec(written.headers.get('x-ms-session-token') ?? '')?.[1] ?? '';
      const expected = (tails.get(range) ?? 0) + 1;
      tails.set(range, expected);
      expect(lsnOf(written)).toBe(expected);
      expect(lsnOf(await world.fetch('GET', `${made.docs}/more`, { headers: pk(key) }))).toBe(expected);
      expect(lsnOf(await feedOf(world, made, { ...inRange(range), ...now }))).toBe(expected);
    }
    expect(Object.fromEntries(inside(made).ranges.map(({ id, tailLsn }) => [id, tailLsn]))).toEqual(
      Object.fromEntries(tails),
    );
  });

  test('[wire 17.13] [wire 17.14] tokens are simple for old clients, and the owner is the container', async () => {
    const made = await shape();
    const { json: container } = await world.fetch('GET', made.docs.slice(0, -5));
    for (const key of keys) {
      const read = (version: string) =>
        world.fetch('GET', `${made.docs}/d-${key}`, { headers: { ...pk(key), 'x-ms-version': version } });
      const [old, young] = [await read('2017-11-15'), await read('2018-12-31')];
      expect(old.headers.get('x-ms-session-token')).toMatch(/^\w+:\d+$/);
      expect(young.headers.get('x-ms-session-token')).toMatch(/^\w+:-1#\d+$/);
      expect(young.headers.get('x-ms-content-path')).toBe(container._rid);
    }
  });

  test('[wire 17.15] rids say what they are of', async () => {
    const made = await shape();
    const bytes = (rid: string) => Buffer.from(rid.replaceAll('-', '/'), 'base64');
    const { json: container } = await world.fetch('GET', made.docs.slice(0, -5));
    const { json: ranges } = await world.fetch('GET', made.pkranges);
    const { json: list } = await world.fetch('GET', made.docs);
    expect((bytes(container._rid)[4] ?? 0) & 0x80).toBe(0x80);
    for (const { _rid } of ranges.PartitionKeyRanges) expect((bytes(_rid)[15] ?? 0) >> 4).toBe(5);
    for (const { _rid } of list.Documents) {
      expect((bytes(_rid)[15] ?? 0) >> 4).toBe(0);
      expect(bytes(_rid).subarray(0, 8)).toEqual(bytes(container._rid));
    }
  });

  test('[wire 17.16] [wire 17.17] the account mirrors the endpoint; whatever is refused says why in JSON', async () => {
    const made = await shape();
    const { json } = await world.fetch('GET', '/');
    expect(json.writableLocations[0].databaseAccountEndpoint).toBe(`${world.url}/`);
    const refusals = await Promise.all([
      feedOf(world, made, past('"nonsense"')),
      feedOf(world, made, inRange('999')),
      world.fetch('GET', `${made.docs}/none`, { headers: pk('a') }),
      world.fetch('POST', made.docs, { headers: pk('a'), body: '{' }),
      world.fetch('POST', made.docs, { headers: pk('a'), body: { id: 'd-a', pk: 'a' } }),
      world.fetch('GET', made.docs, { headers: { authorization: 'nonsense' } }),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([400, 410, 404, 400, 409, 401]);
    for (const refusal of refusals) expect(refusal.json).toMatchObject({ code: /^\w+$/, message: /\w{3}/ });
  });

  test('[wire 17.18] a patch needs no content type', async () => {
    const made = await shape();
    for (const key of keys) {
      const path = `${made.docs}/d-${key}`;
      // Of bytes, unlike of text, fetch does not say a type.
      const body = Buffer.from(JSON.stringify({ operations: [{ op: 'set', path: '/n', value: 1 }] }));
      const headers = { ...signedHeaders('PATCH', path), ...pk(key) };
      const patched = await fetch(new URL(path, world.url), { method: 'PATCH', headers, body });
      expect([patched.status, ((await patched.json()) as { n: number }).n]).toEqual([200, 1]);
    }
  });

  test('[wire 17.19] [wire 17.20] a bulk is not a batch, and its keys are JSON in a string', async () => {
    const made = await shape();
    for (const range of inside(made).ranges) {
      const { json } = await world.fetch('GET', made.docs, { headers: inRange(range.id) });
      const own: string[] = json.Documents.map(({ pk: key }: { pk: string }) => key);
      const operations = own.flatMap((key) => {
        const partitionKey = JSON.stringify([key]);
        return [
          { operationType: 'Create', partitionKey, resourceBody: { id: `d-${key}`, pk: key } },
          { operationType: 'Create', partitionKey, resourceBody: { id: `new-${key}`, pk: key } },
        ];
      });
      const headers = {
        ...inRange(range.id),
        'x-ms-cosmos-is-batch-request': 'True',
        'x-ms-cosmos-batch-atomic': 'false',
        'x-ms-cosmos-batch-continue-on-error': 'True',
      };
      const { json: outcomes } = await world.fetch('POST', made.docs, { headers, body: operations });
      const statuses: number[] = outcomes.map(({ statusCode }: { statusCode: number }) => statusCode);
      expect(statuses).toEqual(own.flatMap(() => [409, 201]));
    }
    expect((await world.fetch('GET', made.docs, { headers: pageOf(100) })).status).toBe(200);
    expect(idsOf(await feedOf(world, made, pk('a')))).toEqual(['d-a', 'new-a']);
  });

  test('[wire 17.21] by rid, signed with the rid in lower case: documents, list, feed, ranges', async () => {
    const made = await shape();
    const { json: container } = await world.fetch('GET', made.docs.slice(0, -5));
    const sign = { link: container._rid.toLowerCase() };
    const docs = `/${container._self}docs/`;
    const ids: string[] = [];
    for (const id of rangesOf(made)) {
      const list = await world.fetch('GET', docs, { sign, headers: inRange(id) });
      const feed = await world.fetch('GET', docs, { sign, headers: { ...inRange(id), 'a-im': 'Incremental Feed' } });
      expect(idsOf(feed).sort()).toEqual(idsOf(list).sort());
      ids.push(...idsOf(list));
    }
    expect(ids.sort()).toEqual(keys.map((key) => `d-${key}`));
    const { json: document } = await world.fetch('GET', `${made.docs}/d-a`, { headers: pk('a') });
    const own = { link: document._rid.toLowerCase() };
    expect((await world.fetch('GET', `/${document._self}`, { sign: own, headers: pk('a') })).json).toEqual(document);
    const ranges = await world.fetch('GET', `/${container._self}pkranges`, { sign });
    expect(ranges.json.PartitionKeyRanges).toHaveLength(rangesOf(made).length);
  });

  test('[wire 17.23] a query that is answered is answered for all ranges, and none asks the client to go on by itself', async () => {
    const made = await shape();
    const ask = (query: string, headers: Headers = {}) =>
      world.fetch('POST', made.docs, {
        headers: {
          'content-type': 'application/query+json',
          'x-ms-documentdb-isquery': 'true',
          'x-ms-documentdb-query-enablecrosspartition': 'true',
          ...headers,
        },
        body: { query },
      });
    const ids: string[] = [];
    let more: Headers | undefined = {};
    while (more !== undefined) {
      const page: RawResponse = await ask('SELECT * FROM c', { ...pageOf(3), ...more });
      expect(page.status).toBe(200);
      ids.push(...idsOf(page));
      const continuation: string | null = page.headers.get('x-ms-continuation');
      more = continuation === null ? undefined : { 'x-ms-continuation': continuation };
    }
    expect(ids.sort()).toEqual(keys.map((key) => `d-${key}`));
    const counted = await ask('SELECT VALUE COUNT(1) FROM c');
    expect([counted.status, counted.json.Documents]).toEqual([200, [keys.length]]);
  });
});

test.each([
  [400, 1],
  [6_000, 1],
  [6_100, 2],
  [12_000, 2],
  [24_000, 4],
  [100_000, 17],
])('[wire 17.22] %d RU/s begin with %d ranges', async (throughput, ranges) => {
  const made = await makeIn(world, { throughput });
  const { json } = await world.fetch('GET', made.pkranges);
  expect(json.PartitionKeyRanges).toHaveLength(ranges);
  expect(ranges).toBe(Math.ceil(throughput / 6_000));
});
