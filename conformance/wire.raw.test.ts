// What no SDK shows: headers, signatures and bodies, with plain fetch.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { rawFetch, World } from './harness.ts';
import type { Made, MadeOptions, RawDocument } from './raw.ts';
import { feedOf, inRange, makeIn, pk, putIn } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const make = (options?: MadeOptions): Promise<Made> => makeIn(world, options);
const put = (made: Made, document: RawDocument): Promise<RawResponse> => putIn(world, made, document);
const feed = (made: Made, headers?: Readonly<Record<string, string>>): Promise<RawResponse> =>
  feedOf(world, made, headers);
const inside = (made: Made) => world.database.container('db', made.id);
const idsOf = ({ json }: RawResponse): string[] => json.Documents.map(({ id }: { id: string }) => id);

describe('authorization', () => {
  test('a wrong key, no key and no date are 401, and the body says why', async () => {
    const wrong = await world.fetch('GET', '/dbs/db', { sign: { key: Buffer.alloc(64, 1).toString('base64') } });
    expect([wrong.status, wrong.json.code]).toEqual([401, 'Unauthorized']);
    expect(wrong.json.message).toContain('get\\ndbs\\ndbs/db\\n');
    expect((await world.fetch('GET', '/dbs/db', { headers: { authorization: '' } })).status).toBe(401);
    expect((await world.fetch('GET', '/dbs/db', { headers: { 'x-ms-date': 'yesterday' } })).status).toBe(401);
    expect((await world.fetch('GET', '/dbs/db', { headers: { authorization: 'type=aad&ver=1.0&sig=x' } })).status).toBe(
      401,
    );
  });

  test('a clock that is off by more than 15 minutes is 403', async () => {
    for (const [minutes, status] of [
      [-14, 200],
      [14, 200],
      [-16, 403],
      [16, 403],
    ] as const) {
      const date = new Date(Date.now() + minutes * 60_000).toUTCString();
      expect((await world.fetch('GET', '/dbs/db', { sign: { date } })).status, `${minutes}`).toBe(status);
    }
  });

  test('a signature for another verb, kind or address does not do', async () => {
    const made = await make();
    expect((await world.fetch('GET', made.docs, { sign: { type: 'colls' } })).status).toBe(401);
    expect((await world.fetch('GET', made.docs, { sign: { link: 'dbs/DB' } })).status).toBe(401);
  });

  test('[wire 17.21] paths and signatures by rid', async () => {
    const made = await make();
    const { json: container } = await world.fetch('GET', made.docs.slice(0, -5));
    const { json: document } = await put(made, { id: '1', pk: 'a', n: 1 });
    const byRid = (path: string, rid: string, headers = {}) =>
      world.fetch('GET', `/${path}`, { sign: { link: rid.toLowerCase() }, headers });
    expect((await byRid(container._self, container._rid)).json.id).toBe(made.id);
    expect((await byRid(document._self, document._rid)).json).toEqual(document);
    expect((await byRid(document._self, document._rid, pk('a'))).status).toBe(200);
    expect((await byRid(document._self, document._rid, pk('b'))).status).toBe(404);
    expect((await byRid(`${container._self}docs`, container._rid)).json._count).toBe(1);
    expect((await byRid(`${container._self}pkranges/`, container._rid)).json._count).toBe(1);
    const patch = { operations: [{ op: 'incr', path: '/n', value: 1 }] };
    const sign = { link: document._rid.toLowerCase() };
    expect((await world.fetch('PATCH', `/${document._self}`, { sign, body: patch })).json.n).toBe(2);
  });
});

describe('resources', () => {
  test('[wire 17.16] the account names the endpoint that the client used', async () => {
    const { status, json } = await world.fetch('GET', '/');
    expect(status).toBe(200);
    expect(json.writableLocations[0].databaseAccountEndpoint).toBe(`${world.url}/`);
    const { json: other } = await rawFetch(world.url.replace('127.0.0.1', 'localhost'), 'GET', '/', {});
    expect(other.readableLocations[0].databaseAccountEndpoint).toMatch(/^http:\/\/localhost:\d+\/$/);
  });

  test('[wire 17.14] [wire 17.15] owners, rids and etags', async () => {
    const made = await make();
    const { json: container } = await world.fetch('GET', made.docs.slice(0, -5));
    const { status, headers, json } = await put(made, { id: '1', pk: 'a' });
    expect(status).toBe(201);
    expect(headers.get('x-ms-content-path')).toBe(container._rid);
    expect(headers.get('x-ms-alt-content-path')).toBe(`dbs/db/colls/${made.id}`);
    expect(headers.get('etag')).toBe(json._etag);
    expect(headers.get('x-ms-activity-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(headers.get('x-ms-request-charge'))).toBeGreaterThan(0);
    const bytes = (rid: string) => Buffer.from(rid.replaceAll('-', '/'), 'base64');
    expect(bytes(container._rid)).toHaveLength(8);
    expect((bytes(container._rid)[4] as number) & 0x80).toBe(0x80);
    expect((bytes(json._rid)[15] as number) >> 4).toBe(0);
    const { json: ranges } = await world.fetch('GET', made.pkranges);
    expect((bytes(ranges.PartitionKeyRanges[0]._rid)[15] as number) >> 4).toBe(5);
  });

  test('[wire 17.13] session tokens are simple for clients of before 2018-06-18', async () => {
    const made = await make();
    const { headers } = await put(made, { id: '1', pk: 'a' });
    expect(headers.get('x-ms-session-token')).toBe('0:-1#1');
    const old = await feed(made, { 'x-ms-version': '2017-11-15' });
    expect(old.headers.get('x-ms-session-token')).toBe('0:1');
  });

  test('[wire 17.12a] each range counts its own commits, and reads do not count', async () => {
    const made = await make({ throughput: 12_000 });
    const token = (response: RawResponse): string[] => response.headers.get('x-ms-session-token')?.split(':-1#') ?? [];
    const seen = new Map<string, number>();
    for (let i = 0; i < 20; i += 1) {
      const [range = '', lsn] = token(await put(made, { id: '1', pk: `k${i}` }));
      expect(Number(lsn)).toBe((seen.get(range) ?? 0) + 1);
      seen.set(range, Number(lsn));
      const read = await world.fetch('GET', `${made.docs}/1`, { headers: pk(`k${i}`) });
      expect(token(read)).toEqual([range, lsn]);
      const conflict = await world.fetch('POST', made.docs, { headers: pk(`k${i}`), body: { id: '1', pk: `k${i}` } });
      expect(conflict.status).toBe(409);
      expect(token(conflict)).toEqual([range, lsn]);
    }
    expect(seen.size).toBe(2);
  });

  test('[wire 17.17] every error has a JSON body with code and message', async () => {
    const made = await make();
    const cases: readonly (readonly [Promise<RawResponse>, number, string])[] = [
      [world.fetch('GET', '/dbs/no'), 404, 'NotFound'],
      [world.fetch('GET', '/dbs/no/colls/c'), 404, 'NotFound'],
      [world.fetch('GET', `${made.docs}/no`, { headers: pk('a') }), 404, 'NotFound'],
      [world.fetch('GET', `${made.docs}/no`), 400, 'BadRequest'],
      [world.fetch('GET', `${made.docs}/no`, { headers: { 'x-ms-documentdb-partitionkey': '"a' } }), 400, 'BadRequest'],
      [world.fetch('POST', made.docs, { headers: pk('a'), body: '{"id":' }), 400, 'BadRequest'],
      [world.fetch('POST', made.docs, { headers: pk('b'), body: { id: '1', pk: 'a' } }), 400, 'BadRequest'],
      [world.fetch('PUT', '/dbs/db', { body: {} }), 405, 'MethodNotAllowed'],
      [world.fetch('GET', '/media/x'), 501, 'NotImplemented'],
      [world.fetch('GET', '/nonsense/x'), 404, 'NotFound'],
      [world.fetch('GET', '/dbs/%E0%A4%A', { sign: { link: 'x' } }), 400, 'BadRequest'],
      [
        world.fetch('POST', made.docs, { headers: pk('a'), body: 'x'.repeat(4 * 1024 * 1024) }),
        413,
        'RequestEntityTooLarge',
      ],
    ];
    for (const [response, status, code] of cases) {
      const { status: actual, json } = await response;
      expect([actual, json.code]).toEqual([status, code]);
      expect(json.message.length).toBeGreaterThan(10);
    }
    const missing = await world.fetch('GET', `${made.docs}/no`, { headers: pk('a') });
    expect(missing.headers.get('x-ms-substatus')).toBeNull();
    const ownerless = await world.fetch('GET', '/dbs/db/colls/no/docs/1', { headers: pk('a') });
    expect(ownerless.headers.get('x-ms-substatus')).toBe('1003');
  });

  test('what is not HTTP is refused, and the server goes on', async () => {
    const { port } = new URL(world.url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"BadRequest"');
    expect((await world.fetch('GET', '/')).status).toBe(200);
  });

  test('[wire 17.18] a patch needs no content type; a minimal answer has no body; number literals survive', async () => {
    const made = await make();
    const text = '{"id":"1","pk":"a","z":1.0,"a":12345678901234567890,"2":0,"1":1e2}';
    const minimal = { ...pk('a'), prefer: 'return=minimal' };
    const created = await world.fetch('POST', made.docs, { headers: minimal, body: text });
    expect([created.status, created.text]).toEqual([201, '']);
    expect(created.headers.get('etag')).toBeTruthy();
    const read = await world.fetch('GET', `${made.docs}/1`, { headers: pk('a') });
    expect(read.text.startsWith(text.slice(0, -1))).toBe(true);
    const batch = [
      `{"operationType":"Upsert","resourceBody": ${text} ,"x":[{"resourceBody":1}]}`,
      '{"id":"1","operationType":"Read"}',
    ];
    const headers = { ...pk('a'), 'x-ms-cosmos-is-batch-request': 'True', 'x-ms-cosmos-batch-atomic': 'True' };
    const { status, text: answer } = await world.fetch('POST', made.docs, {
      headers,
      body: ` [ ${batch.join(' , ')} ] `,
    });
    expect(status).toBe(200);
    expect(answer.split(text.slice(0, -1))).toHaveLength(3);
    const patch = [{ op: 'add', path: '/n', value: 1 }];
    expect((await world.fetch('PATCH', `${made.docs}/1`, { headers: pk('a'), body: patch })).json.n).toBe(1);
  });
});

describe('ranges', () => {
  test('[M3] [wire 17.12] the list is complete and has the leaves only', async () => {
    const made = await make({ throughput: 12_000 });
    await inside(made).split('0');
    const { json } = await world.fetch('GET', made.pkranges);
    const ranges = json.PartitionKeyRanges as {
      id: string;
      minInclusive: string;
      maxExclusive: string;
      parents: string[];
    }[];
    expect(ranges.map(({ id }) => id)).toEqual(['2', '3', '1']);
    expect(ranges.map(({ parents }) => parents)).toEqual([['0'], ['0'], []]);
    let end = '';
    for (const range of ranges) {
      expect(range.minInclusive).toBe(end);
      end = range.maxExclusive;
    }
    expect(end).toBe('FF');
  });

  test('[wire 17.11] read like a feed, the list ends in a 304 and goes on with the children', async () => {
    const made = await make();
    const read = (etag?: string) =>
      world.fetch('GET', made.pkranges, {
        headers: {
          'a-im': 'Incremental Feed',
          'x-ms-max-item-count': '-1',
          ...(etag === undefined ? {} : { 'if-none-match': etag }),
        },
      });
    const first = await read();
    expect(first.json._count).toBe(1);
    const etag = first.headers.get('etag') ?? '';
    const drained = await read(etag);
    expect([drained.status, drained.headers.get('etag')]).toEqual([304, etag]);
    await inside(made).split('0');
    const next = await read(etag);
    expect(
      next.json.PartitionKeyRanges.map(({ id, parents }: { id: string; parents: string[] }) => [id, parents]),
    ).toEqual([
      ['1', ['0']],
      ['2', ['0']],
    ]);
    expect((await read(next.headers.get('etag') ?? '')).status).toBe(304);
  });
});

describe('read feed', () => {
  async function listAll(
    made: Made,
    headers: Readonly<Record<string, string>>,
    between?: (page: number) => Promise<unknown>,
  ) {
    const ids: string[] = [];
    let continuation: string | undefined;
    for (let page = 0; ; page += 1) {
      const paging = continuation === undefined ? {} : { 'x-ms-continuation': continuation };
      const response = await world.fetch('GET', made.docs, { headers: { ...headers, ...paging } });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-ms-item-count')).toBe(String(response.json._count));
      ids.push(...idsOf(response));
      continuation = response.headers.get('x-ms-continuation') ?? undefined;
      if (continuation === undefined) return { ids, pages: page + 1 };
      expect(continuation.length).toBeLessThan(1024);
      await between?.(page);
    }
  }

  const wanted: readonly string[] = Array.from({ length: 30 }, (_, i) => `${i}`);

  async function filled(throughput: number): Promise<Made> {
    const made = await make({ throughput });
    for (const id of wanted) await put(made, { id, pk: `k${id}` });
    return made;
  }

  test('[M2] pages over all ranges, one after the other, without `_lsn`', async () => {
    const made = await filled(18_000);
    const { ids, pages } = await listAll(made, { 'x-ms-max-item-count': '4' });
    expect(ids.sort()).toEqual([...wanted].sort());
    expect(pages).toBeGreaterThanOrEqual(8);
    const { json } = await world.fetch('GET', made.docs);
    expect(json.Documents[0]).not.toHaveProperty('_lsn');
  });

  test('[M2] [M3] pages of each range', async () => {
    const made = await filled(18_000);
    const parts = await Promise.all(
      ['0', '1', '2'].map((id) => listAll(made, { 'x-ms-max-item-count': '3', ...inRange(id) })),
    );
    expect(parts.flatMap(({ ids }) => ids).sort()).toEqual([...wanted].sort());
    const gone = await world.fetch('GET', made.docs, { headers: inRange('7') });
    expect([gone.status, gone.headers.get('x-ms-substatus')]).toEqual([410, '1002']);
  });

  test('[M2] a listing goes on over splits and merges and repeats nothing', async () => {
    const made = await filled(12_000);
    const { ids } = await listAll(made, { 'x-ms-max-item-count': '2' }, async (page) => {
      if (page === 1) await inside(made).split('0');
      if (page === 3) await inside(made).split('2');
      if (page === 5) await inside(made).merge('4', '5');
      if (page === 9) await inside(made).merge('3', '1');
    });
    expect(ids.sort()).toEqual([...wanted].sort());
  });

  test('of one partition key', async () => {
    const made = await filled(12_000);
    await put(made, { id: 'more', pk: 'k5' });
    expect((await listAll(made, pk('k5'))).ids).toEqual(['5', 'more']);
  });

  test('a continuation that was not made here is 400', async () => {
    const made = await make();
    const response = await world.fetch('GET', made.docs, { headers: { 'x-ms-continuation': 'nonsense' } });
    expect(response.status).toBe(400);
    expect(response.json.message).toContain('Invalid Continuation Token');
  });
});

describe('change feed', () => {
  test('[wire 17.1] [wire 17.2] [wire 17.9] [wire 17.10] a page and a 304 carry what clients live by', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    await put(made, { id: '2', pk: 'b' });
    const page = await feed(made, inRange('0'));
    expect(page.status).toBe(200);
    const wanted = {
      etag: '"2"',
      'x-ms-documentdb-partitionkeyrangeid': '0',
      'x-ms-session-token': '0:-1#2',
      lsn: '2',
    };
    expect(Object.fromEntries(page.headers)).toMatchObject({ ...wanted, 'x-ms-item-count': '2' });
    expect(page.headers.has('x-ms-continuation')).toBe(false);
    expect(page.json).toMatchObject({ _count: 2, _rid: expect.any(String) });
    const drained = await feed(made, { ...inRange('0'), 'if-none-match': '"2"' });
    expect([drained.status, drained.text]).toEqual([304, '']);
    expect(Object.fromEntries(drained.headers)).toMatchObject({ ...wanted, 'x-ms-item-count': '0' });
    expect(drained.headers.has('x-ms-continuation')).toBe(false);
    expect(Number(drained.headers.get('x-ms-request-charge'))).toBeGreaterThan(0);
  });

  test('[wire 17.3] A-IM is compared without case, and nothing else is accepted', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    for (const value of ['Incremental feed', 'INCREMENTAL FEED', 'incremental Feed']) {
      expect((await feed(made, { 'a-im': value })).status).toBe(200);
    }
    expect((await feed(made, { 'a-im': 'feed' })).status).toBe(400);
  });

  test('[M4] every start: beginning, now, an etag with and without quotes, beyond the end, nonsense', async () => {
    const made = await make();
    expect((await feed(made, { 'if-none-match': '*' })).headers.get('etag')).toBe('"0"');
    for (const id of ['1', '2', '3']) await put(made, { id, pk: 'a' });
    expect(idsOf(await feed(made))).toEqual(['1', '2', '3']);
    const now = await feed(made, { 'if-none-match': '*' });
    expect([now.status, now.headers.get('etag')]).toEqual([304, '"3"']);
    expect(idsOf(await feed(made, { 'if-none-match': '"1"' }))).toEqual(['2', '3']);
    expect(idsOf(await feed(made, { 'if-none-match': '1' }))).toEqual(['2', '3']);
    const beyond = await feed(made, { ...inRange('0'), 'if-none-match': '"99"' });
    expect([beyond.status, beyond.headers.get('etag')]).toEqual([304, '"99"']);
    expect((await feed(made, { 'if-none-match': 'x' })).status).toBe(400);
    expect((await feed(made, { 'if-modified-since': 'x' })).status).toBe(400);
  });

  test('[M7] [wire 17.4] a continuation wins over a time, which wins over the beginning', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    world.shiftMs += 3_000;
    const time = new Date(Date.now() + world.shiftMs).toUTCString();
    world.shiftMs += 3_000;
    await put(made, { id: '2', pk: 'a' });
    expect(idsOf(await feed(made, { 'if-modified-since': time }))).toEqual(['2']);
    expect(idsOf(await feed(made, { 'if-modified-since': time, 'if-none-match': '"0"' }))).toEqual(['1', '2']);
  });

  test('[M4] a time is answered with the etag alone for a client of API version 2016-07-11', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    world.shiftMs += 3_000;
    const time = new Date(Date.now() + world.shiftMs).toUTCString();
    world.shiftMs += 3_000;
    await put(made, { id: '2', pk: 'a' });
    const old = { 'x-ms-version': '2016-07-11', 'if-modified-since': time };
    for (const scope of [{}, inRange('0'), pk('a')]) {
      const first = await feed(made, { ...old, ...scope });
      expect(first.status).toBe(304);
      const etag = first.headers.get('etag') ?? '';
      expect(idsOf(await feed(made, { ...old, ...scope, 'if-none-match': etag }))).toEqual(['2']);
    }
  });

  test('[M3] [wire 17.5] a range that is gone is 410/1002, and its etag continues in the children', async () => {
    const made = await make();
    for (let i = 0; i < 12; i += 1) await put(made, { id: `${i}`, pk: `k${i}` });
    const first = await feed(made, { ...inRange('0'), 'x-ms-max-item-count': '5' });
    const etag = first.headers.get('etag') ?? '';
    await inside(made).split('0');
    const gone = await feed(made, { ...inRange('0'), 'if-none-match': etag });
    expect([gone.status, gone.headers.get('x-ms-substatus'), gone.json.code]).toEqual([410, '1002', 'Gone']);
    const children = await Promise.all(['1', '2'].map((id) => feed(made, { ...inRange(id), 'if-none-match': etag })));
    expect([...idsOf(first), ...children.flatMap(idsOf)].sort()).toEqual(
      Array.from({ length: 12 }, (_, i) => `${i}`).sort(),
    );
  });

  test('[M7] a part of a range by effective keys, and what lies outside of it', async () => {
    const made = await make();
    for (let i = 0; i < 12; i += 1) await put(made, { id: `${i}`, pk: `k${i}` });
    const half = '1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF';
    const type = { 'x-ms-read-key-type': 'EffectivePartitionKeyRange' };
    const low = await feed(made, { ...inRange('0'), ...type, 'x-ms-start-epk': '', 'x-ms-end-epk': half });
    const high = await feed(made, { ...inRange('0'), ...type, 'x-ms-start-epk': half, 'x-ms-end-epk': 'FF' });
    expect(low.json._count).toBeGreaterThan(0);
    expect(high.json._count).toBeGreaterThan(0);
    expect(low.json._count + high.json._count).toBe(12);
    await inside(made).split('0');
    const outside = await feed(made, { ...inRange('1'), ...type, 'x-ms-start-epk': 'F0', 'x-ms-end-epk': 'FF' });
    expect([outside.status, outside.headers.get('etag')]).toEqual([304, '"12"']);
    expect((await feed(made, { ...inRange('1'), 'x-ms-start-epk': 'xyz' })).status).toBe(400);
  });

  test('[M5] the whole container, with an etag that outlives splits and merges', async () => {
    const made = await make({ throughput: 12_000 });
    const seen: string[] = [];
    let etag: string | undefined;
    const read = async (): Promise<void> => {
      for (;;) {
        const headers = etag === undefined ? {} : { 'if-none-match': etag };
        const page = await feed(made, { ...headers, 'x-ms-max-item-count': '3' });
        etag = page.headers.get('etag') ?? undefined;
        expect(etag).toBeDefined();
        if (page.status === 304) return;
        seen.push(...idsOf(page));
      }
    };
    const changes = [
      () => inside(made).split('0'),
      () => inside(made).merge('3', '1'),
      () => inside(made).merge('2', '4'),
    ];
    for (let round = 0; round <= changes.length; round += 1) {
      for (let i = 0; i < 10; i += 1) await put(made, { id: `${round}-${i}`, pk: `k${i}` });
      if (round % 2 === 0) await read();
      await changes[round]?.();
    }
    await read();
    expect(seen).toHaveLength(40);
    expect(new Set(seen).size).toBe(40);
  });

  test('[M5] a busy range does not keep the others from being read', async () => {
    const made = await make({ throughput: 12_000 });
    for (let i = 0; i < 40; i += 1) await put(made, { id: `${i}`, pk: `k${i}` });
    let etag: string | undefined;
    const ranges = new Set<string>();
    for (let page = 0; page < 20; page += 1) {
      const headers = etag === undefined ? {} : { 'if-none-match': etag };
      const { json, headers: answer } = await feed(made, { ...headers, 'x-ms-max-item-count': '1' });
      etag = answer.get('etag') ?? undefined;
      const { epk } = inside(made).partitionKey(json.Documents[0].pk);
      ranges.add(world.database.engine.rangeOf(inside(made).info.number, epk));
    }
    expect(ranges.size).toBe(2);
  });

  test('[M4] all versions from a time within the retention; the body is the envelope', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a', n: 1 });
    world.shiftMs += 3_000;
    const time = new Date(Date.now() + world.shiftMs).toUTCString();
    world.shiftMs += 3_000;
    await put(made, { id: '1', pk: 'a', n: 2 });
    const page = await feed(made, { 'a-im': 'Full-Fidelity Feed', 'if-modified-since': time });
    expect(page.json.Documents).toMatchObject([{ current: { n: 2 }, metadata: { operationType: 'replace', lsn: 2 } }]);
  });
});
