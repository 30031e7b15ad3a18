// Feed requests that wait (B1): `Prefer: wait=N`, over real sockets, in every scope and both modes.

import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { signedHeaders, World } from './harness.ts';
import type { Headers, Made } from './raw.ts';
import { allVersions, etagOf, idsOf, inRange, keysFrom, past, pk, requestsTo, scopes } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const { make, put, feed, inside } = requestsTo(() => world);
const waitFor = (seconds: number): Headers => ({ prefer: `wait=${seconds}` });
const appliedOf = ({ headers }: RawResponse): string | null => headers.get('preference-applied');
const waiters = (): number => world.database.figures.waiters;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** The request, once it is parked. */
async function parked(made: Made, headers: Headers): Promise<{ answer: Promise<RawResponse> }> {
  const before = waiters();
  const answer = feed(made, headers);
  await until(() => waiters() > before);
  return { answer };
}

describe('a request that waits', () => {
  test('[B1] [engine 10] is answered by the commit, in every scope and both modes, from now and from an etag', async () => {
    const made = await make({ policy: true });
    await put(made, { id: 'before', pk: 'a' });
    for (const scope of Object.values(scopes)) {
      for (const mode of [{}, allVersions]) {
        for (const start of [past('*'), past(`"${inside(made).ranges[0]?.tailLsn}"`)]) {
          const tail = inside(made).ranges[0]?.tailLsn ?? 0;
          const from = start['if-none-match'] === '*' ? start : past(`"${tail}"`);
          const { answer } = await parked(made, { ...scope, ...mode, ...from, ...waitFor(60) });
          await put(made, { id: 'new', pk: 'a', n: tail });
          const page = await answer;
          expect([page.status, etagOf(page), appliedOf(page)]).toEqual([200, `"${tail + 1}"`, 'wait=60']);
          expect(page.headers.get('x-ms-item-count')).toBe('1');
          const [item] = page.json.Documents;
          expect(item.current?.n ?? item.n).toBe(tail);
        }
      }
    }
    expect(waiters()).toBe(0);
  });

  test('[B1] does not wait when there is something; says that it would have', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    const page = await feed(made, waitFor(60));
    expect([page.status, appliedOf(page)]).toEqual([200, 'wait=60']);
    expect(appliedOf(await feed(made))).toBeNull();
  });

  test('[B1] [wire 17.1] [wire 17.2] gets the ordinary 304 when its time is over', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    const requests = Object.values(scopes).flatMap((scope) =>
      [{}, allVersions].map((mode) => feed(made, { ...scope, ...mode, ...past('"1"'), ...waitFor(1) })),
    );
    for (const { status, text, headers } of await Promise.all(requests)) {
      expect([status, text]).toEqual([304, '']);
      expect(Object.fromEntries(headers)).toMatchObject({
        etag: '"1"',
        'preference-applied': 'wait=1',
        'x-ms-item-count': '0',
        'x-ms-session-token': '0:-1#1',
        'x-ms-documentdb-partitionkeyrangeid': '0',
      });
    }
    const none = await feed(made, { ...past('"1"'), ...waitFor(0) });
    expect([none.status, appliedOf(none)]).toEqual([304, 'wait=0']);
  });

  test('[B1] waits no longer than the server allows; what is no number of seconds is not applied', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    expect(appliedOf(await feed(made, waitFor(999_999)))).toBe('wait=60');
    expect(appliedOf(await feed(made, { prefer: 'return=minimal, wait=7' }))).toBe('wait=7');
    for (const prefer of ['wait', 'wait=', 'wait=x', 'wait=-1', 'await=3', 'return=minimal']) {
      expect(appliedOf(await feed(made, { prefer })), prefer).toBeNull();
    }
  });

  test('[B1] is not woken by other keys, and its etag has passed them when it ends', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    const epk = Buffer.from(inside(made).partitionKey('a').epk).toString('hex').toUpperCase();
    const filters = [pk('a'), { ...inRange('0'), ...keysFrom(epk, `${epk}FF`) }, keysFrom(epk, `${epk}FF`)];
    let tail = 1;
    // A machine on which the writes take longer than the wait has shown nothing: then all of it again, with more time.
    for (let seconds = 2; ; seconds *= 3) {
      const endMs = performance.now() + 1_000 * seconds;
      const start = { ...past(`"${tail}"`), ...waitFor(seconds) };
      const answers = filters.flatMap((filter) =>
        [{}, allVersions].map((mode) => feed(made, { ...filter, ...mode, ...start })),
      );
      let answered = 0;
      for (const answer of answers) void answer.then(() => (answered += 1));
      await until(() => waiters() + answered >= answers.length);
      for (let i = 0; i < 20; i += 1) await put(made, { id: `${i}`, pk: `other${i}` });
      const found = { answered, waiters: waiters() };
      const isInTime = performance.now() < endMs;
      tail += 20;
      if (isInTime) expect(found).toEqual({ answered: 0, waiters: answers.length });
      for (const { status, headers } of await Promise.all(answers)) {
        expect(status).toBe(304);
        if (isInTime) expect(headers.get('etag')).toBe(`"${tail}"`);
      }
      if (isInTime) return;
      expect(seconds).toBeLessThan(60);
    }
  });

  test('[B1] waits on when what came is nothing to show, and then shows only what is', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    await put(made, { id: '2', pk: 'a' });
    const { answer } = await parked(made, { ...pk('a'), ...past('"2"'), ...waitFor(60) });
    await world.fetch('DELETE', `${made.docs}/1`, { headers: pk('a') });
    await until(() => waiters() === 1);
    await put(made, { id: '3', pk: 'a' });
    const page = await answer;
    expect([page.status, idsOf(page), etagOf(page)]).toEqual([200, ['3'], '"4"']);
  });

  test('[B1] [B8] by range is told of a split with 410/1002; every other goes on over the children', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    const routed = [{}, pk('a'), keysFrom('', 'FF')];
    const byRange = [inRange('0'), { ...inRange('0'), ...keysFrom('', 'FF') }];
    const start = { ...past('"1"'), ...waitFor(60) };
    const going = await Promise.all(routed.map((scope) => parked(made, { ...scope, ...start })));
    const ending = await Promise.all(byRange.map((scope) => parked(made, { ...scope, ...start })));
    await inside(made).split('0');
    for (const { answer } of ending) {
      const { status, headers, json } = await answer;
      expect([status, headers.get('x-ms-substatus'), json.code]).toEqual([410, '1002', 'Gone']);
    }
    await inside(made).merge('1', '2');
    await put(made, { id: '2', pk: 'a' });
    for (const { answer } of going) expect(idsOf(await answer)).toEqual(['2']);
  });

  test('[B1] is told when its container is deleted', async () => {
    const made = await make();
    const all = await Promise.all(
      [{}, inRange('0'), pk('a')].map((scope) => parked(made, { ...scope, ...past('*'), ...waitFor(60) })),
    );
    await world.fetch('DELETE', made.docs.slice(0, -5));
    for (const { answer } of all) {
      const { status, json } = await answer;
      expect([status, json.code]).toEqual([404, 'NotFound']);
    }
  });

  test('[B1] leaves nothing behind when its client goes away', async () => {
    const made = await make();
    const sockets = await Promise.all(Array.from({ length: 20 }, () => parkOn(made)));
    await until(() => waiters() === 20);
    for (const [i, socket] of sockets.entries()) i % 2 === 0 ? socket.destroy() : socket.end();
    await until(() => waiters() === 0);
    await put(made, { id: '1', pk: 'a' });
    expect(idsOf(await feed(made))).toEqual(['1']);
  });

  test('[B1] a thousand on one range all get the change, while others are served', async () => {
    const made = await make();
    const sockets = await Promise.all(Array.from({ length: 1_000 }, () => parkOn(made)));
    await until(() => waiters() === 1_000);
    const answers = sockets.map(
      (socket) =>
        new Promise<string>((resolve) => {
          socket.once('data', (bytes: Buffer) => resolve(bytes.toString('utf8')));
        }),
    );
    await put(made, { id: '1', pk: 'a' });
    const reads = Array.from({ length: 20 }, () => world.fetch('GET', `${made.docs}/1`, { headers: pk('a') }));
    for (const text of await Promise.all(answers)) {
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text).toMatch(/etag: "1"/i);
    }
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test('[B1] many, over splits, merges and leavers, see every change once and in order', async () => {
    const made = await make({ throughput: 12_000 });
    const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
    let isOver = false;
    const follow = async (scope: Headers, wanted: readonly string[]) => {
      const last = new Map<string, number>();
      let etag = '*';
      for (;;) {
        const page = await feed(made, { ...scope, ...past(etag), ...waitFor(isOver ? 0 : 1) });
        etag = etagOf(page);
        if (page.status === 304 && isOver) break;
        for (const { pk: key, n } of page.json?.Documents ?? []) {
          expect(n).toBeGreaterThan(last.get(key) ?? 0);
          last.set(key, n);
        }
      }
      expect([...last.keys()].sort()).toEqual([...wanted].sort());
      expect(new Set(last.values())).toEqual(new Set([8]));
    };
    const readers = [
      ...Array.from({ length: 4 }, () => follow({}, keys)),
      ...keys.map((key) => follow(pk(key), [key])),
      follow(keysFrom('', 'FF'), keys),
    ];
    await until(() => waiters() === readers.length);
    for (let n = 1; n <= 8; n += 1) {
      await Promise.all(keys.map((key) => put(made, { id: '1', pk: key, n })));
      if (n === 2) await inside(made).split('0');
      if (n === 4) await inside(made).merge('3', '1');
      if (n === 6) await inside(made).split('4');
    }
    isOver = true;
    await Promise.all(readers);
  });

  test('[B1] is answered at once with a 304 when the server stops', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    const { answer } = await parked(made, { ...past('"1"'), ...waitFor(60) });
    const stopped = world.restart();
    const { status, headers } = await answer;
    expect([status, headers.get('etag'), headers.get('connection')]).toEqual([304, '"1"', 'close']);
    await stopped;
    expect(idsOf(await feed(made))).toEqual(['1']);
  });
});

/** A waiting request on a bare socket, which nobody pools. */
function parkOn(made: Made): Promise<Socket> {
  const headers = { 'a-im': 'Incremental Feed', ...inRange('0'), ...past('*'), ...waitFor(60) };
  const lines = Object.entries({ ...signedHeaders('GET', made.docs), ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const text = [`GET ${made.docs} HTTP/1.1`, 'host: localhost', ...lines, '', ''].join('\r\n');
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1', () => {
      socket.write(text);
      resolve(socket);
    });
    socket.on('error', () => {});
  });
}
