// Clients that send what no SDK sends, or nothing at all.

import { once } from 'node:events';
import { connect } from 'node:net';
import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { rawFetch, World } from './harness.ts';
import type { Made, RawDocument } from './raw.ts';
import { feedOf, inRange, makeIn, pk, putIn } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const put = (made: Made, document: RawDocument): Promise<RawResponse> => putIn(world, made, document);
const feed = (made: Made, headers: Readonly<Record<string, string>>): Promise<RawResponse> =>
  feedOf(world, made, headers);

describe('connections', () => {
  test('closing does not wait for those on which nothing is asked', async () => {
    const server = await startServer({ database: world.database });
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    await rawFetch(server.url, 'GET', '/', {});

    // The connection is still open: if closing waited for it, the test would never end.
    await server.close();

    await expect(rawFetch(server.url, 'GET', '/', {})).rejects.toThrow();
    socket.destroy();
  });
});

describe('[SEC15] hostile input', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  test('nothing nested or large harms the server: it is refused, and the next request is served', async () => {
    const made = await makeIn(world);
    const batch = { ...pk('a'), 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true' };
    for (const levels of [200, 100_000]) {
      const definition = `{"id":"deep","partitionKey":{"paths":["/pk"]},"x":${deep(levels)}}`;
      expect((await world.fetch('POST', '/dbs/db/colls', { body: definition })).status).toBe(400);
      const document = `{"id":"1","pk":"a","x":${deep(levels)}}`;
      expect((await world.fetch('POST', made.docs, { headers: pk('a'), body: document })).status).toBe(400);
      const operation = `[{"operationType":"Create","resourceBody":${document}}]`;
      const inBatch = await world.fetch('POST', made.docs, { headers: batch, body: operation });
      expect([inBatch.status, inBatch.json[0].statusCode]).toEqual([207, 400]);
      const patch = `[{"op":"add","path":"/x","value":${deep(levels)}}]`;
      await put(made, { id: '1', pk: 'a' });
      expect((await world.fetch('PATCH', `${made.docs}/1`, { headers: pk('a'), body: patch })).status).toBe(400);
      expect((await world.fetch('POST', '/dbs', { body: `{"id":${deep(levels)}}` })).status).toBe(400);
    }
    const large = { id: 'large', partitionKey: { paths: ['/pk'] }, x: 'x'.repeat(2_000_000) };
    expect((await world.fetch('POST', '/dbs/db/colls', { body: large })).status).toBe(400);
    expect(world.database.health.status).toBe('ok');
    expect((await put(made, { id: '2', pk: 'a' })).status).toBe(201);
  });

  test('headers out of place are refused one by one, none with a 500', async () => {
    const made = await makeIn(world, { throughput: 12_000 });
    await put(made, { id: '1', pk: 'a' });
    const nonsense = [
      '',
      '"',
      '-1',
      '1e999',
      'NaN',
      '[]',
      '[{"a":1}]',
      '["a","b"]',
      '"c1:FF=1"',
      '"c1:00=1,FF=-1"',
      'r1:;FF=1',
      '0'.repeat(5_000),
    ];
    const names = [
      'x-ms-documentdb-partitionkey',
      'x-ms-documentdb-partitionkeyrangeid',
      'x-ms-start-epk',
      'x-ms-end-epk',
      'x-ms-max-item-count',
      'x-ms-continuation',
      'x-ms-session-token',
      'x-ms-version',
      'x-ms-offer-throughput',
      'x-ms-cosmos-offer-autopilot-settings',
      'if-none-match',
      'if-match',
      'if-modified-since',
      'a-im',
      'prefer',
    ];
    for (const name of names) {
      for (const value of nonsense) {
        const headers = { [name]: value };
        const answers = [
          await world.fetch('GET', made.docs, { headers }),
          await feed(made, headers),
          await feed(made, { ...inRange('0'), ...headers }),
          await world.fetch('GET', `${made.docs}/1`, { headers: { ...pk('a'), ...headers } }),
          await world.fetch('POST', made.docs, { headers: { ...pk('a'), ...headers }, body: { id: '1', pk: 'a' } }),
          await world.fetch('GET', made.pkranges, { headers }),
        ];
        for (const { status, json } of answers) {
          expect(status, `${name}: ${value}`).toBeLessThan(500);
          if (status >= 400) expect(json.message, `${name}: ${value}`).toBeTruthy();
        }
      }
    }
  });
});
