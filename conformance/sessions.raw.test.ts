// Session tokens and consistency levels (wire 13), and headers that must not disturb (wire 1, 15).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { clientOf, World } from './harness.ts';
import type { Made } from './raw.ts';
import { feedOf, makeIn, pk, putIn } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const tokenOf = ({ headers }: RawResponse): string => String(headers.get('x-ms-session-token'));
const session = (token: string): Record<string, string> => ({ 'x-ms-session-token': token });
const read = (made: Made, headers: Record<string, string> = {}): Promise<RawResponse> =>
  world.fetch('GET', `${made.docs}/1`, { headers: { ...pk('a'), ...headers } });
const statusOf = ({ status, headers }: RawResponse): (number | string | null)[] => [
  status,
  headers.get('x-ms-substatus'),
];

describe('session tokens', () => {
  test('[wire 13] a read has to have come to what the client has seen, in every kind of read', async () => {
    const made = await makeIn(world);
    const token = tokenOf(await putIn(world, made, { id: '1', pk: 'a' }));
    expect(token).toBe('0:-1#1');
    const query = { 'content-type': 'application/query+json', 'x-ms-documentdb-query-enablecrosspartition': 'true' };
    const reads = (headers: Record<string, string>): Promise<RawResponse>[] => [
      read(made, headers),
      world.fetch('GET', made.docs, { headers }),
      feedOf(world, made, headers),
      world.fetch('POST', made.docs, { headers: { ...headers, ...query }, body: { query: 'SELECT * FROM c' } }),
    ];
    for (const each of reads(session(token))) expect((await each).status).toBe(200);
    for (const ahead of ['0:-1#2', '0:2', '0:1#2#1=2', '5:-1#1', `${token},1:-1#1`]) {
      for (const each of reads(session(ahead))) expect(statusOf(await each), ahead).toEqual([404, '1002']);
    }
    for (const broken of ['x', '0', '0:', '0:#', ':1', '0:-1#x', '0:1#2#3', '0:1.5']) {
      for (const each of reads(session(broken))) expect((await each).status, broken).toBe(400);
    }
  });

  test('[wire 13] a write does not ask for the session, and a weaker level does not wait for it', async () => {
    const made = await makeIn(world);
    await putIn(world, made, { id: '1', pk: 'a' });
    const ahead = session('0:-1#999');
    const write = {
      headers: { ...pk('a'), ...ahead, 'x-ms-documentdb-is-upsert': 'true' },
      body: { id: '1', pk: 'a' },
    };
    expect((await world.fetch('POST', made.docs, write)).status).toBe(200);
    for (const [level, status] of [
      ['Eventual', 200],
      ['ConsistentPrefix', 200],
      ['Session', 404],
    ] as const) {
      expect((await read(made, { ...ahead, 'x-ms-consistency-level': level })).status, level).toBe(status);
    }
  });

  test('[wire 13] a token of before a split or merge is good afterwards', async () => {
    const made = await makeIn(world, { throughput: 12_000 });
    const inside = world.database.container('db', made.id);
    const tokens = new Map<string, string>();
    for (let n = 0; tokens.size < 2; n += 1) {
      const token = tokenOf(await putIn(world, made, { id: '1', pk: `key ${n}` }));
      tokens.set(token.split(':')[0] as string, token);
    }
    await putIn(world, made, { id: '1', pk: 'a' });
    const both = [...tokens.values()].join(',');
    await inside.split('0');
    expect((await read(made, session(both))).status).toBe(200);
    const [left, right] = inside.ranges.map(({ id }) => id) as [string, string];
    await inside.merge(left, right);
    expect((await read(made, session(both))).status).toBe(200);
    const parent = tokens.get('0') as string;
    const ahead = parent.replace(/#\d+$/, '#1000');
    expect(statusOf(await read(made, session(ahead)))).toEqual([404, '1002']);
  });

  test('[wire 13] [wire 17.13] the form follows the version, on answers and on refusals', async () => {
    const made = await makeIn(world);
    await putIn(world, made, { id: '1', pk: 'a' });
    for (const [version, form] of [
      ['2016-07-11', /^0:\d+$/],
      ['2017-11-15', /^0:\d+$/],
      ['2018-06-18', /^0:-1#\d+$/],
      ['2020-07-15', /^0:-1#\d+$/],
    ] as const) {
      const headers = { ...pk('a'), 'x-ms-version': version };
      const create = { headers, body: { id: '1', pk: 'a' } };
      for (const [status, answer] of [
        [200, world.fetch('GET', `${made.docs}/1`, { headers })],
        [404, world.fetch('GET', `${made.docs}/2`, { headers })],
        [409, world.fetch('POST', made.docs, create)],
        [412, world.fetch('DELETE', `${made.docs}/1`, { headers: { ...headers, 'if-match': '"x"' } })],
      ] as const) {
        const response = await answer;
        expect([response.status, tokenOf(response)]).toEqual([status, expect.stringMatching(form)]);
      }
    }
    // Either form is understood from everybody.
    expect((await read(made, { ...session('0:1'), 'x-ms-version': '2020-07-15' })).status).toBe(200);
    expect((await read(made, { ...session('0:-1#1'), 'x-ms-version': '2017-11-15' })).status).toBe(200);
  });

  test('[wire 13] reads do not move it, so that a client echoes what its write got', async () => {
    const made = await makeIn(world);
    const written = tokenOf(await putIn(world, made, { id: '1', pk: 'a' }));
    expect([tokenOf(await read(made)), tokenOf(await read(made))]).toEqual([written, written]);
  });

  test('[wire 13] a client of the SDK with session consistency, over many ranges, and over a container made anew', async () => {
    const client = clientOf(world.url, undefined, { consistencyLevel: 'Session' as never });
    const { database } = await client.databases.createIfNotExists({ id: 'db' });
    const definition = { id: 'sessions', partitionKey: { paths: ['/pk'] }, throughput: 24_000 };
    const { container } = await database.containers.create(definition);
    for (let n = 0; n < 20; n += 1) {
      await container.items.create({ id: String(n), pk: `key ${n}` });
      expect((await container.item(String(n), `key ${n}`).read()).statusCode).toBe(200);
    }
    await world.inside(container).split('1');
    for (let n = 0; n < 20; n += 1) expect((await container.item(String(n), `key ${n}`).read()).statusCode).toBe(200);
    // Behind the client's back: its token is of another life, and it recovers from 404/1002 by dropping it.
    await world.database.deleteContainer('db', 'sessions');
    await world.database.createContainer('db', { id: 'sessions', partitionKey: { paths: ['/pk'] } });
    await world.database.container('db', 'sessions').create({ id: 'new', pk: 'key 0' });
    expect((await container.item('new', 'key 0').read()).statusCode).toBe(200);
    client.dispose();
  });
});

describe('consistency levels', () => {
  test.each([
    ['Strong', 400],
    ['BoundedStaleness', 400],
    ['nonsense', 400],
    ['Session', 200],
    ['session', 200],
    ['ConsistentPrefix', 200],
    ['Eventual', 200],
  ])('[wire 13] %s is %i: a request may weaken the level and not strengthen it', async (level, status) => {
    const headers = { 'x-ms-consistency-level': level };
    const response = await world.fetch('GET', '/dbs/db', { headers });
    expect(response.status).toBe(status);
    if (status === 400) expect(response.json.message).toMatch(/consistency level.*invalid/);
    const made = await makeIn(world);
    await putIn(world, made, { id: '1', pk: 'a' });
    expect((await read(made, headers)).status).toBe(status);
  });
});

test('[wire 13] strong consistency is there for those who could always ask for it', async () => {
  const headers = { 'x-ms-consistency-level': 'Strong', 'x-ms-version': '2016-07-11' };
  expect((await world.fetch('GET', '/dbs/db', { headers })).status).toBe(200);
  const wrong = { ...headers, 'x-ms-consistency-level': 'Stronger' };
  expect((await world.fetch('GET', '/dbs/db', { headers: wrong })).status).toBe(400);
});

describe('headers', () => {
  test('[wire 1] [wire 15] those that every client sends disturb nothing', async () => {
    const made = await makeIn(world);
    await putIn(world, made, { id: '1', pk: 'a' });
    const usual = {
      'x-ms-documentdb-responsecontinuationtokenlimitinkb': '1',
      'x-ms-documentdb-query-enablecrosspartition': 'true',
      'cache-control': 'no-cache',
      'x-ms-cosmos-sdk-supportedcapabilities': '1',
      'x-ms-cosmos-allow-tentative-writes': 'true',
      'x-ms-useragent': 'a client',
      accept: 'application/json',
    };
    const misc = {
      'x-ms-cosmos-priority-level': 'Low',
      'x-ms-cosmos-throughput-bucket': '1',
      'x-ms-dedicatedgateway-max-age': '1000',
      'x-ms-dedicatedgateway-bypass-cache': 'true',
      'x-ms-documentdb-disable-ru-per-minute-usage': 'true',
      'x-ms-documentdb-query-parallelizecrosspartitionquery': 'true',
      'x-ms-indexing-directive': 'Default',
      'x-ms-force-refresh': 'true',
    };
    for (const version of ['2017-11-15', '2018-12-31', '2020-07-15', '2099-01-01', 'nonsense']) {
      const headers = { ...usual, ...misc, 'x-ms-version': version };
      expect((await read(made, headers)).status, version).toBe(200);
      expect((await world.fetch('GET', `/dbs/db/colls/${made.id}`, { headers })).status, version).toBe(200);
      expect((await feedOf(world, made, headers)).status, version).toBe(200);
      const write = {
        headers: { ...headers, ...pk('a'), 'x-ms-documentdb-is-upsert': 'true' },
        body: { id: '1', pk: 'a' },
      };
      expect((await world.fetch('POST', made.docs, write)).status, version).toBe(200);
    }
  });

  test('[wire 15] the correlated activity id comes back, on answers and on refusals', async () => {
    const made = await makeIn(world);
    const headers = { 'x-ms-cosmos-correlated-activityid': 'f2a1ccd6-4f3c-4c6e-9f5d-0d9f3c0c5a11' };
    for (const response of [await feedOf(world, made, headers), await read(made, headers)]) {
      expect(response.headers.get('x-ms-cosmos-correlated-activityid')).toBe('f2a1ccd6-4f3c-4c6e-9f5d-0d9f3c0c5a11');
      expect(response.headers.get('x-ms-activity-id')).not.toBe('f2a1ccd6-4f3c-4c6e-9f5d-0d9f3c0c5a11');
    }
    expect((await feedOf(world, made)).headers.get('x-ms-cosmos-correlated-activityid')).toBeNull();
  });
});
