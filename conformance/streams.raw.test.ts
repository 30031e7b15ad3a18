// The feed as server-sent events (B1), over real sockets: scopes, modes, starts, resuming, tokens, slow readers, the end.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventStream } from './event-stream.ts';
import type { RawResponse } from './harness.ts';
import { signedHeaders, World } from './harness.ts';
import type { Headers, Made, MadeOptions, RawDocument } from './raw.ts';
import { allVersions, feedOf, fromBeginning, inRange, keysFrom, makeIn, past, pk, putIn, scopes } from './raw.ts';

let world: World;
const logged: string[] = [];
beforeAll(async () => {
  const logStream = { write: (line: string) => logged.push(line) };
  world = await World.open({ logLevel: 'debug', logStream });
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const make = (options?: MadeOptions): Promise<Made> => makeIn(world, options);
const put = (made: Made, document: RawDocument): Promise<RawResponse> => putIn(world, made, document);
const inside = (made: Made) => world.database.container('db', made.id);
const open = (made: Made, headers?: Headers): Promise<EventStream> => EventStream.open(world, made.docs, headers);
const ask = (made: Made, query: string, headers?: Headers): Promise<EventStream> =>
  EventStream.open(world, `${made.docs}?${query}`, headers);
const waiters = (): number => world.database.figures.waiters;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

describe('an event stream', () => {
  test('[B1] [engine 10] shows what is there and then what comes, in every scope and both modes', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a', n: 1 });
    for (const scope of Object.values(scopes)) {
      for (const mode of [{}, fromBeginning]) {
        await using stream = await open(made, { ...scope, ...mode });
        expect(stream.status).toBe(200);
        expect(stream.response.headers).toMatchObject({
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache',
          'transfer-encoding': 'chunked',
        });
        await stream.until(({ documents }) => documents.length > 0);
        const n = Number(inside(made).ranges[0]?.tailLsn) + 1;
        await put(made, { id: '1', pk: 'a', n });
        await stream.until(({ documents }) => documents.some((each) => (each.current ?? each).n === n));
        expect(stream.lastEventId).toBe(`"${n}"`);
        const last = stream.events.at(-1);
        // What an event carries is what a page would.
        const page = await feedOf(world, made, {
          ...scope,
          ...(mode === fromBeginning ? allVersions : {}),
          ...past(`"${n - 1}"`),
        });
        expect(last?.data).toEqual(page.json);
      }
    }
    await until(() => waiters() === 0);
  });

  test('[B1] everything but the signature may stand in the query', async () => {
    const made = await make({ policy: true, throughput: 12_000 });
    for (let i = 0; i < 6; i += 1) await put(made, { id: `${i}`, pk: `k${i}`, n: i });
    const shown = async (query: string, count: number): Promise<string[]> => {
      await using stream = await ask(made, query);
      expect(stream.status, query).toBe(200);
      await stream.until(({ documents }) => documents.length >= count);
      return stream.documents.map((each) => (each.current ?? each).id);
    };
    const all = ['0', '1', '2', '3', '4', '5'];
    expect((await shown('', 6)).sort()).toEqual(all);
    expect((await shown('mode=all&start=beginning', 6)).sort()).toEqual(all);
    expect(await shown(`partitionKey=${encodeURIComponent('["k3"]')}`, 1)).toEqual(['3']);
    const half = inside(made).ranges[1]?.min ?? '';
    const low = await shown('range=0', Number(inside(made).ranges[0]?.tailLsn));
    const high = await shown(`startEpk=${half}&endEpk=FF`, Number(inside(made).ranges[1]?.tailLsn));
    expect([...low, ...high].sort()).toEqual(all);
    await using one = await ask(made, 'maxItemCount=1&start=beginning');
    await one.until(({ documents }) => documents.length === 6);
    expect(one.events.map(({ data }) => data._count)).toEqual([1, 1, 1, 1, 1, 1]);

    for (const wrong of [
      'mode=some',
      'nonsense=1',
      'range=0&range=1',
      'start=yesterday',
      'maxItemCount=0',
      'mode=all',
    ]) {
      await using refused = await ask(made, wrong);
      expect(refused.status, wrong).toBe(400);
      await refused.ended();
      expect(JSON.parse(refused.text)).toMatchObject({ code: 'BadRequest' });
    }
  });

  test('[B1] from now, from a time and from an etag; the last event id counts before all of them', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    world.shiftMs += 3_000;
    const time = encodeURIComponent(new Date(Date.now() + world.shiftMs).toISOString());
    world.shiftMs += 3_000;
    await put(made, { id: '2', pk: 'a' });
    await using now = await ask(made, 'start=now');
    await now.until(({ lastEventId }) => lastEventId === '"2"');
    await using later = await ask(made, `start=${time}`);
    await using etag = await ask(made, `start=${encodeURIComponent('"1"')}`);
    await using last = await ask(made, 'start=beginning', { 'last-event-id': '"1"' });
    await using empty = await ask(made, 'start=now', { 'last-event-id': '' });
    await empty.until(({ lastEventId }) => lastEventId === '"2"');
    await put(made, { id: '3', pk: 'a' });
    for (const [stream, ids] of [
      [now, ['3']],
      [later, ['2', '3']],
      [etag, ['2', '3']],
      [last, ['2', '3']],
      [empty, ['3']],
    ] as const) {
      await stream.until(({ documents }) => documents.length >= ids.length);
      expect(stream.documents.map(({ id }) => id)).toEqual(ids);
    }
  });

  test('[B1] [M6] a reader that comes again and again with its last id misses nothing and sees nothing twice', async () => {
    const made = await make({ throughput: 12_000, policy: true });
    const seen: string[] = [];
    let id: string | undefined;
    let isOver = false;
    const writer = (async () => {
      for (let n = 0; n < 30; n += 1) {
        const key = `k${n % 7}`;
        const operations = ['a', 'b', 'c'].map((each) => ({
          operationType: 'Upsert',
          resourceBody: { id: `${n}-${each}`, pk: key, text: 'x'.repeat(500) },
        }));
        const headers = { ...pk(key), 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true' };
        await world.fetch('POST', made.docs, { headers, body: operations });
        if (n === 10) await inside(made).split('0');
        if (n === 20) await inside(made).merge('3', '1');
      }
      isOver = true;
    })();
    while (!isOver || seen.length < 90) {
      await using stream = await ask(made, 'maxItemCount=2', id === undefined ? {} : { 'last-event-id': id });
      expect(stream.status).toBe(200);
      await stream.until(({ events }) => events.length > 0 || isOver);
      if (isOver && seen.length < 90) await stream.until(({ documents }) => seen.length + documents.length >= 90);
      stream.response.destroy();
      for (const event of stream.events) {
        // A transaction is whole.
        const ids = event.data.Documents.map((each: { id: string }) => each.id);
        for (const each of ids)
          expect(ids.filter((other: string) => other.startsWith(`${each.split('-')[0]}-`))).toHaveLength(3);
        seen.push(...ids);
      }
      id = stream.lastEventId;
    }
    await writer;
    expect(seen).toHaveLength(90);
    expect(new Set(seen).size).toBe(90);
  });

  test('[B1] [B8] of a key, of keys and of the container goes on over splits and merges', async () => {
    const made = await make({ throughput: 12_000 });
    const streams = await Promise.all([open(made), open(made, pk('k1')), open(made, keysFrom('', 'FF'))]);
    const round = async (n: number) => {
      for (let i = 0; i < 6; i += 1) await put(made, { id: '1', pk: `k${i}`, n });
      await Promise.all(
        streams.map((stream, which) =>
          stream.until(({ documents }) => documents.filter((each) => each.n === n).length === (which === 1 ? 1 : 6)),
        ),
      );
    };
    await round(1);
    await inside(made).split('0');
    await round(2);
    await inside(made).merge('3', '1');
    await round(3);
    await inside(made).merge('2', '4');
    await round(4);
    for (const stream of streams) {
      const last = new Map<string, number>();
      for (const { pk: key, n } of stream.documents) {
        expect(n).toBe((last.get(key) ?? 0) + 1);
        last.set(key, n);
      }
      await stream[Symbol.asyncDispose]();
    }
  });

  test('[B1] [B8] of a range ends with its children when it is split, and a merge too', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    await using first = await open(made, inRange('0'));
    await first.until(({ documents }) => documents.length === 1);
    await inside(made).split('0');
    await first.ended();
    expect(first.events.at(-1)).toMatchObject({
      type: 'gone',
      data: { code: 'Gone', range: '0', children: ['1', '2'] },
    });
    await using second = await open(made, { ...inRange('2'), ...past('*') });
    await second.until(({ lastEventId }) => lastEventId !== '');
    await inside(made).merge('1', '2');
    await second.ended();
    expect(second.events.at(-1)).toMatchObject({ type: 'gone', data: { range: '2', children: ['3'] } });
    await using third = await open(made, inRange('2'));
    expect([third.status, third.response.headers['x-ms-substatus']]).toEqual([410, '1002']);
  });

  test('[B1] ends when its container is deleted, and says so', async () => {
    const made = await make();
    await using stream = await open(made, past('*'));
    await until(() => waiters() === 1);
    await world.fetch('DELETE', made.docs.slice(0, -5));
    await stream.ended();
    expect(stream.events.at(-1)).toMatchObject({ type: 'failed', data: { code: 'NotFound' } });
  });

  test('[B1] line breaks in documents do not break events, and number literals survive', async () => {
    const made = await make();
    const text = '{\n  "id": "1",\r\n  "pk": "a",\n  "n": 1.0,\n  "s": "a\\nb"\n}';
    await world.fetch('POST', made.docs, { headers: pk('a'), body: text });
    await using stream = await open(made);
    await stream.until(({ documents }) => documents.length === 1);
    expect(stream.documents[0]).toMatchObject({ id: '1', s: 'a\nb' });
    expect(stream.text).toContain('"n": 1.0');
    expect(stream.text).not.toContain('\r');
  });

  test('[B1] leaves nothing behind when its client goes away', async () => {
    const made = await make();
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(made, past('*'))));
    await until(() => waiters() === 20);
    for (const stream of streams) stream.response.destroy();
    await until(() => waiters() === 0);
  });

  test('[B1] HEAD has the head of a stream and ends', async () => {
    const made = await make();
    const response = await fetch(new URL(made.docs, world.url), {
      method: 'HEAD',
      headers: { ...signedHeaders('HEAD', made.docs), accept: 'text/event-stream' },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });

  test('[B1] a client that reads nothing stops the reading of the feed', async () => {
    const made = await make();
    for (let i = 0; i < 24; i += 1) await put(made, { id: `${i}`, pk: `k${i}`, text: 'x'.repeat(1_000_000) });
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    const lines = Object.entries({ ...signedHeaders('GET', made.docs), accept: 'text/event-stream' });
    const head = lines.map(([name, value]) => `${name}: ${value}`);
    socket.write([`GET ${made.docs} HTTP/1.1`, 'host: localhost', ...head, '', ''].join('\r\n'));
    await new Promise((resolve) => socket.once('readable', resolve));
    // Everybody else is served meanwhile, and the whole of it comes once the client reads.
    expect((await feedOf(world, made, { ...pk('k3') })).status).toBe(200);
    let bytes = 0;
    let text = '';
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        text = (text + chunk.toString('latin1')).slice(-200);
        if (bytes > 24_000_000 && text.includes('"_count"')) resolve();
      });
    });
    socket.destroy();
    await until(() => waiters() === 0);
  });

  test('[B1] ends when the server stops, and goes on with its last id when it is there again', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    const stream = await open(made);
    await stream.until(({ documents }) => documents.length === 1);
    await world.restart();
    await stream.ended();
    await put(made, { id: '2', pk: 'a' });
    await using again = await open(made, { 'last-event-id': stream.lastEventId });
    await again.until(({ documents }) => documents.length > 0);
    expect(again.documents.map(({ id }) => id)).toEqual(['2']);
  });
});

describe('tokens in an address', () => {
  async function tokenFor(made: Made, partitionKey?: string): Promise<string> {
    const { user } = await (await world.sdkDatabase()).users.upsert({ id: 'reader' });
    const { resource } = await user.permissions.upsert({
      id: `${made.id}-${partitionKey ?? 'all'}`,
      permissionMode: 'Read' as never,
      resource: made.docs.slice(1, -5),
      ...(partitionKey === undefined ? {} : { resourcePartitionKey: [partitionKey] }),
    } as never);
    return (resource as unknown as { _token: string })._token;
  }

  test('[B1] [M18] [SEC4] a resource token opens its container, within its partition key, and nothing else', async () => {
    const [made, other] = [await make(), await make()];
    for (const key of ['a', 'b']) await put(made, { id: key, pk: key });
    const whole = `token=${encodeURIComponent(await tokenFor(made))}`;
    await using stream = await EventStream.open(world, `${made.docs}?${whole}`, {}, false);
    await stream.until(({ documents }) => documents.length === 2);
    await using elsewhere = await EventStream.open(world, `${other.docs}?${whole}`, {}, false);
    expect(elsewhere.status).toBe(403);
    const key = `token=${encodeURIComponent(await tokenFor(made, 'a'))}`;
    await using tooMuch = await EventStream.open(world, `${made.docs}?${key}`, {}, false);
    expect(tooMuch.status).toBe(403);
    const scope = `partitionKey=${encodeURIComponent('["a"]')}`;
    await using own = await EventStream.open(world, `${made.docs}?${key}&${scope}`, {}, false);
    await own.until(({ documents }) => documents.length === 1);
    // Only for a stream: everybody else has headers.
    const page = await fetch(new URL(`${made.docs}?${whole}`, world.url), { headers: { 'a-im': 'Incremental Feed' } });
    expect(page.status).toBe(401);
  });

  test('[B1] [M18] [SEC9] what is signed with a key is refused in an address, and no token is ever repeated or logged', async () => {
    const made = await make();
    const token = await tokenFor(made);
    const secret = decodeURIComponent(signedHeaders('GET', made.docs)['authorization'] ?? '');
    for (const [refused, status] of [
      [secret, 401],
      [`${token.slice(0, -20)}forged;`, 401],
      ['type=aad&ver=1.0&sig=secret-of-somebody', 401],
    ] as const) {
      await using stream = await EventStream.open(
        world,
        `${made.docs}?token=${encodeURIComponent(refused)}`,
        {},
        false,
      );
      expect(stream.status).toBe(status);
      await stream.ended();
      expect(stream.text).not.toContain(refused.slice(-20));
      expect(JSON.parse(stream.text)).toMatchObject({ code: 'Unauthorized' });
    }
    const query = `token=${encodeURIComponent(token)}`;
    for (const path of [`${made.docs}?${query}&x=${encodeURIComponent(token)}`, `/dbs/db/colls/none/docs?${query}`]) {
      await using stream = await EventStream.open(world, path, {}, false);
      expect(stream.status).toBeGreaterThanOrEqual(400);
      await stream.ended();
      expect(stream.text).not.toContain(token.slice(40, 60));
    }
    await using stream = await EventStream.open(world, `${made.docs}?${query}`, {}, false);
    expect(stream.status).toBe(200);
    await until(() => logged.some((line) => line.includes('"operation":"stream"')));
    const all = logged.join('\n');
    expect(logged.length).toBeGreaterThan(100);
    for (const part of [token.slice(30, 60), encodeURIComponent(token).slice(40, 70), 'secret-of-somebody', 'token=']) {
      expect(all).not.toContain(part);
    }
  });
});
