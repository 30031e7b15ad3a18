// Starting and stopping: for people's tests, with many at once, and with many clients.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { CosmosClient } from '@azure/cosmos';
import { openDatabase } from '@tidemark/engine';
import type { RunningServer, ServerOptions } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { commandLine, programOf } from '@tidemark/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawFetch, signedHeaders } from './harness.ts';
import { fileOf, run } from './old-client.ts';
import { end, start } from './server-process.ts';
import { RawClient } from './socket.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-start-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Closing that waits for anything but answers takes longer than a test may. */
const patient = { limits: { drainMsMax: 10 * 60_000 } };

/** After the compiler alone, the command runs its modules. */
test.each([
  ['one file', commandLine],
  ['modules', fileOf('../packages/cli/dist/main.js')],
])('the command serves from its %s', async (_, command) => {
  const running = await start(['--data', join(folder, basename(command)), '--port', '0'], { command });

  expect((await rawFetch(running.ready.url, 'GET', '/dbs', {})).status).toBe(200);
  // What answers it is loaded only now.
  const sign = { type: '', link: '_tidemark/health' };
  expect((await rawFetch(running.ready.url, 'GET', '/_tidemark/health', { sign })).status).toBe(200);
  expect(running.words()).not.toContain('Warning');
  expect(running.words()).toContain(fileOf('../docs/README.md'));
  expect(await end(running, 'SIGTERM')).toBe(0);
});

describe('a server for tests', () => {
  test('has a database of its own, and everything that a client needs to know', async () => {
    await using server = await startServer({ memory: true });
    const client = new CosmosClient(server.connectionString);

    const { database } = await client.databases.create({ id: 'db' });
    const { container } = await database.containers.create({ id: 'c', partitionKey: '/pk' });
    await container.items.create({ id: '1', pk: 'a' });

    expect((await container.item('1', 'a').read()).resource).toMatchObject({ id: '1' });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.ca).toContain('BEGIN CERTIFICATE');
    client.dispose();
  });

  test('keeps what it is told to keep, and its authority with it', async () => {
    const data = join(folder, 'kept');
    const first = await startServer({ data });
    await rawFetch(first.url, 'POST', '/dbs', { body: { id: 'db' } });
    const { ca } = first;
    await first.close();

    await using second = await startServer({ data });

    expect((await rawFetch(second.url, 'GET', '/dbs/db', {})).status).toBe(200);
    expect(second.ca).toBe(ca);
  });

  test('lets a database stay open that was open before', async () => {
    await using database = await openDatabase({ memory: true });
    const server = await startServer({ database });
    await server.close();
    expect(database.health.status).toBe('ok');
  });

  test('says what is missing or too much', async () => {
    await expect(startServer({})).rejects.toThrow('Give one of them');
    await expect(startServer({ memory: true, data: folder })).rejects.toThrow('Give one of them');
  });

  test('that cannot listen leaves nothing open', async () => {
    await using other = await startServer({ memory: true });
    const data = join(folder, 'taken');
    await expect(startServer({ data, port: other.port })).rejects.toThrow('EADDRINUSE');
    await using free = await startServer({ data });
    expect(free.port).not.toBe(other.port);
  });

  test.each(['localhost', '127.0.0.2', '::1'])('listens on %s', async (host) => {
    await using server = await startServer({ memory: true, host });
    const { json } = await rawFetch(server.url, 'GET', '/', {});
    expect(json.writableLocations[0].databaseAccountEndpoint).toBe(`${server.url}/`);
  });

  test('is one of fifty in a process, which ends by itself when they are closed', async () => {
    const args = [programOf(new URL('./clients/many-servers.ts', import.meta.url)), '50'];
    const { code, out, err } = await run(process.execPath, args);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual({ ports: 50, served: 50 });
  });
});

describe('closing', () => {
  test('lets a request that is under way come to its end, and says that it is the last', async () => {
    const server = await startServer({ memory: true, ...patient });
    using client = await RawClient.connect(server.port);
    client.ask('POST', '/dbs', { 'content-length': '11', expect: '100-continue' });
    expect((await client.answer()).status).toBe(100);

    const closing = server.close();
    client.send('{"id":"db"}');

    const { status, head } = await client.answer();
    expect([status, /connection: close/i.test(head)]).toEqual([201, true]);
    await client.closed();
    await closing;
  });

  test('cuts what does not come to its end', async () => {
    const server = await startServer({ memory: true, limits: { drainMsMax: 50 } });
    using client = await RawClient.connect(server.port);
    client.ask('POST', '/dbs', { 'content-length': '11', expect: '100-continue' });
    expect((await client.answer()).status).toBe(100);
    await server.close();
    await client.closed();
  });

  test('waits for nobody who asks nothing: silent, idle, in the middle of a handshake', async () => {
    const server = await startServer({ memory: true, ...patient });
    using silent = await RawClient.connect(server.port);
    using idle = await RawClient.connect(server.port);
    await idle.ask('GET', '/').answer();
    using secure = await RawClient.connectTls(server.port, { ca: server.ca, servername: 'localhost' });
    await secure.ask('GET', '/').answer();
    using handshaking = await RawClient.connect(server.port);
    handshaking.send(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
    // Whoever came before this one has been seen by the server.
    using last = await RawClient.connect(server.port);
    await last.ask('GET', '/').answer();

    await server.close();

    await Promise.all([silent, idle, secure, handshaking, last].map((client) => client.closed()));
    await expect(RawClient.connect(server.port)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('answers that nobody takes', () => {
  const twoMegabytes = { 'x-ms-documentdb-partitionkey': '["a"]' };

  /** A list whose page is nearly four megabytes. */
  async function withLargeList(limits: ServerOptions['limits']): Promise<RunningServer> {
    const server = await startServer({ memory: true, ...(limits === undefined ? {} : { limits }) });
    await rawFetch(server.url, 'POST', '/dbs', { body: { id: 'db' } });
    await rawFetch(server.url, 'POST', '/dbs/db/colls', { body: { id: 'c', partitionKey: { paths: ['/pk'] } } });
    for (const id of ['1', '2']) {
      const body = { id, pk: 'a', text: 'x'.repeat(1_900_000) };
      const { status } = await rawFetch(server.url, 'POST', '/dbs/db/colls/c/docs', { body, headers: twoMegabytes });
      expect(status).toBe(201);
    }
    return server;
  }

  const list = '/dbs/db/colls/c/docs';

  test('are cut off for the sake of the others', async () => {
    await using server = await withLargeList({ unsentBytesMax: 1_000_000, unsentMsMin: 0 });
    using deaf = await RawClient.connect(server.port);
    deaf.socket.pause();
    for (let i = 0; i < 16; i += 1) deaf.ask('GET', list);
    let isCut = false;
    const cut = deaf.closed().then(() => {
      isCut = true;
    });

    while (!isCut) {
      expect((await rawFetch(server.url, 'GET', list, {})).status).toBe(200);
      // Whoever does not read learns only by writing that nobody is there any more. An empty line is no request.
      if (deaf.socket.writable) deaf.send('\r\n');
    }

    await cut;
  });

  test('are not those of an event stream whose client takes everything', async () => {
    await using server = await withLargeList({ unsentBytesMax: 1, unsentMsMin: 0 });
    const headers = { ...signedHeaders('GET', list), accept: 'text/event-stream', 'if-none-match': '*' };
    const stream = await fetch(new URL(list, server.url), { headers });
    expect(stream.status).toBe(200);
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    // Each of them takes more room than there is.
    for (let i = 0; i < 4; i += 1) expect((await rawFetch(server.url, 'GET', list, {})).status).toBe(200);

    const body = { id: 'small', pk: 'a' };
    await rawFetch(server.url, 'POST', list, { body, headers: { 'x-ms-documentdb-partitionkey': '["a"]' } });
    let text = '';
    while (!text.includes('"small"')) {
      const { done, value } = await reader.read();
      expect(done).toBe(false);
      text += Buffer.from(value ?? []).toString();
    }
    await reader.cancel();
  });

  test('keep others from reading for a moment, and nobody from writing', async () => {
    await using server = await withLargeList({ unsentBytesMax: 1_000_000, unsentMsMin: 10 * 60_000 });
    using deaf = await RawClient.connect(server.port);
    deaf.socket.pause();
    for (let i = 0; i < 16; i += 1) deaf.ask('GET', list);

    let refused = await rawFetch(server.url, 'GET', list, {});
    while (refused.status === 200) refused = await rawFetch(server.url, 'GET', list, {});

    expect([refused.status, refused.json.code]).toEqual([503, 'ServiceUnavailable']);
    expect(Number(refused.headers.get('x-ms-retry-after-ms'))).toBeGreaterThan(0);
    const headers = {
      'content-type': 'application/query+json',
      'x-ms-documentdb-isquery': 'True',
      'x-ms-documentdb-query-enablecrosspartition': 'True',
    };
    const query = await rawFetch(server.url, 'POST', list, { headers, body: { query: 'SELECT * FROM c' } });
    expect(query.status).toBe(503);
    expect((await rawFetch(server.url, 'POST', '/dbs', { body: { id: 'other' } })).status).toBe(201);
    deaf.socket.destroy();
    while (refused.status !== 200) refused = await rawFetch(server.url, 'GET', list, {});
  });
});

test('thousands of idle connections are kept for little, and others are served', async () => {
  const connections = 3_000;
  const bytesMax = 40_000;
  await using server = await startServer({ memory: true });
  await rawFetch(server.url, 'GET', '/', {});
  const before = process.memoryUsage().rss;
  const args = [fileOf('./clients/idle-connections.mjs'), String(server.port), String(connections)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe(`open ${connections}`);

  expect((await rawFetch(server.url, 'GET', '/', {})).status).toBe(200);
  expect((process.memoryUsage().rss - before) / connections).toBeLessThan(bytesMax);

  const exited = once(child, 'exit');
  await server.close();
  expect((await lines.next()).value).toBe(`closed ${connections}`);
  await exited;
});

/**
 * Loading takes most of the time until the ready line. Node's own record of what it ran is written at the end; in the one file of the
 * command every module that is not needed at once is a function, by the name of its source.
 */
test('a start runs neither the processor, nor the admin API, nor an index on disk that it has not', async () => {
  const record = join(folder, 'loaded');
  const args = [commandLine, 'serve', '--memory', '--port', '0'];
  const env = { ...process.env, NODE_V8_COVERAGE: record };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
  const exited = once(child, 'exit');
  await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`it ended with ${code} before it was ready`))),
  ]);
  child.kill('SIGTERM');
  await exited;

  const ran: string[] = [];
  for (const name of await readdir(record)) {
    const { result } = JSON.parse(await readFile(join(record, name), 'utf8')) as { result: Coverage[] };
    for (const { url, functions } of result) {
      const called = functions.filter(({ ranges }) => ranges[0]?.count !== 0);
      ran.push(url, ...called.map(({ functionName }) => functionName));
    }
  }
  expect(ran).toContain('packages/server/src/pipeline.ts');
  const needless = /^packages\/processor\/|^packages\/server\/src\/admin\/admin\.ts|\/node_modules\/lmdb\//;
  expect(ran.filter((name) => needless.test(name))).toEqual([]);
});

/** Of one script, as V8 writes it. */
interface Coverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}
