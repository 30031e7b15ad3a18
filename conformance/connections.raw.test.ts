// Connections: one port for two protocols, and clients that are slow, silent, greedy or wrong.

import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createNetServer } from 'node:net';
import { openDatabase } from '@tidemark/engine';
import type { ConnectionLimits, RunningServer, ServerOptions } from '@tidemark/server';
import { CertificateStore, startServer } from '@tidemark/server';
import { afterEach, describe, expect, test } from 'vitest';
import { rawFetch, signedHeaders } from './harness.ts';
import { RawClient } from './socket.ts';

const running: RunningServer[] = [];
const defects: unknown[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  expect(defects.splice(0)).toEqual([]);
});

async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ memory: true, onDefect: (error) => defects.push(error), ...options });
  running.push(server);
  return server;
}

const limited = (limits: Partial<ConnectionLimits>): Promise<RunningServer> =>
  start({ limits: { timeoutCheckMs: 10, ...limits } });

/** Databases whose list is an answer of a few megabytes. */
async function fillWithDatabases(server: RunningServer, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const { status } = await rawFetch(server.url, 'POST', '/dbs', { body: { id: `${'x'.repeat(240)}${i}` } });
    expect(status).toBe(201);
  }
}

interface Trusted {
  readonly status: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects.
  readonly json: any;
}

function fetchTrusting(server: RunningServer, ca: string, host: string = 'localhost'): Promise<Trusted> {
  return new Promise((resolve, reject) => {
    const headers = signedHeaders('GET', '/');
    const options = { ca, headers, agent: false, host: '127.0.0.1', port: server.port, servername: host };
    const request = httpsRequest(
      { ...options, setHost: false, headers: { ...headers, host: `${host}:1` } },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, json: JSON.parse(text) });
      },
    );
    request.on('error', reject);
    request.end();
  });
}

describe('[wire 1] one port', () => {
  test('speaks HTTP and HTTPS, told apart by the first byte', async () => {
    const server = await start();
    using plain = await RawClient.connect(server.port);
    using secure = await RawClient.connectTls(server.port, { ca: server.ca, servername: 'localhost' });

    for (const client of [plain, secure, plain, secure]) {
      const { status, json } = await client.ask('GET', '/').answer();
      expect([status, json.id]).toEqual([200, 'localhost']);
    }
  });

  test('waits for the first byte however late it comes, and for a handshake in pieces', async () => {
    const server = await start();
    using plain = await RawClient.connect(server.port);
    for (const letter of 'GET / HTTP/1.1\r\nhost: a\r\n\r\n') {
      plain.send(letter);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await plain.answer()).status).toBe(401);

    // Between client and server stands somebody who passes on one byte at a time.
    const relay = createNetServer((client) => {
      void RawClient.connect(server.port).then((onward) => {
        onward.socket.removeAllListeners('data').on('data', (chunk: Buffer) => client.write(chunk));
        client.on('data', (chunk: Buffer) => {
          for (const byte of chunk) onward.socket.write(Buffer.from([byte]));
        });
        client.on('close', () => onward.socket.destroy());
      });
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    using secure = await RawClient.connectTls((relay.address() as AddressInfo).port, {
      ca: server.ca,
      servername: 'localhost',
    });
    expect((await secure.ask('GET', '/').answer()).status).toBe(200);
    relay.close();
  });

  test.each([
    ['noise', '\x00\x01\xfe\xff'],
    ['noise that begins with a letter', 'G\x00\x9a\x13'],
    ['noise that begins like a handshake', '\x16\x07'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.7\r\n'],
    ['a greeting', 'EHLO example\r\n'],
    ['a command of Redis', '*1\r\n$4\r\nPING\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method that there is not', 'GRAB'],
    ['a target that is no path', 'GET dbs'],
    ['half a line of something else', 'GET / FTP'],
    ['a version that there is not', 'GET / HTTP/1.7'],
    ['a line without its CR', 'GET / HTTP/1.1\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nnonsense\r\n'],
    ['a control in a header', 'GET / HTTP/1.1\r\nx: \x01'],
    ['empty lines and nothing else', '\r\n'.repeat(100)],
  ])('[SEC15] closes at once what is %s, and does not wait for its end', async (_what, text) => {
    const hours = 3_600_000;
    const server = await limited({ headerMsMax: hours, requestMsMax: hours, keepAliveMs: hours });
    using inOnePiece = await RawClient.connect(server.port);
    using byteByByte = await RawClient.connect(server.port);
    using secure = await RawClient.connectTls(server.port, { ca: server.ca, servername: 'localhost' });

    inOnePiece.send(Buffer.from(text, 'latin1'));
    secure.send(Buffer.from(text, 'latin1'));
    for (const byte of Buffer.from(text, 'latin1')) {
      byteByByte.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }

    for (const client of [inOnePiece, secure, ...(text.startsWith('\x16') ? [] : [byteByByte])]) {
      expect(await client.closed()).toContain('This is not an HTTP/1.1 request.');
    }
  });

  test('[SEC15] closes a handshake that is none', async () => {
    const server = await limited({ headerMsMax: 3_600_000 });
    for (const text of ['\x16\x03\x09\x00\x10', '\x16\x03\x01\xff\xff\x01', '\x16\x03\x01\x00\x06\x02hello']) {
      using client = await RawClient.connect(server.port);
      client.send(Buffer.from(text.padEnd(40, 'x'), 'latin1'));
      await client.closed();
    }
  });

  test('[SEC10] refuses plain HTTP where only HTTPS is wanted, and says so', async () => {
    const server = await start({ httpsOnly: true });
    expect(server.url).toMatch(/^https:/);
    using plain = await RawClient.connect(server.port);

    const { status, json } = await plain.ask('GET', '/').answer();

    expect([status, json.code]).toEqual([400, 'BadRequest']);
    expect(json.message).toContain('https://');
    await plain.closed();
    expect((await fetchTrusting(server, server.ca ?? '')).status).toBe(200);
  });

  test('[SEC10] speaks nothing older than TLS 1.2, unless it is told to', async () => {
    const old = {
      maxVersion: 'TLSv1',
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
      servername: 'localhost',
    } as const;
    const modern = await start();
    const legacy = await start({ legacyTls: true });

    await expect(RawClient.connectTls(modern.port, { ...old, ca: modern.ca })).rejects.toThrow();
    using client = await RawClient.connectTls(legacy.port, { ...old, ca: legacy.ca });
    using withRsa = await RawClient.connectTls(legacy.port, {
      ...old,
      ciphers: 'AES128-SHA@SECLEVEL=0',
      ca: legacy.ca,
    });

    expect((await client.ask('GET', '/').answer()).status).toBe(200);
    expect((await withRsa.ask('GET', '/').answer()).status).toBe(200);
    expect((await fetchTrusting(legacy, legacy.ca ?? '')).status).toBe(200);
  });

  test("takes a certificate of one's own, and none that does not fit its key", async () => {
    const store = new CertificateStore(undefined, ['db.example']);
    const { key, certificate } = store.serverPair('ec');
    const { key: otherKey } = new CertificateStore(undefined, []).serverPair('ec');
    const server = await start({ certificate, certificateKey: key, insecureDefaultKey: true });

    expect(server.ca).toBeUndefined();
    expect((await fetchTrusting(server, store.authority().pem, 'db.example')).status).toBe(200);
    await expect(start({ certificate, certificateKey: otherKey })).rejects.toThrow('cannot be used');
    await expect(start({ certificate })).rejects.toThrow('its key, or neither');
  });

  test('is not disturbed by handshakes that fail', async () => {
    const server = await start();
    for (const bytes of [
      Buffer.from([0x16]),
      Buffer.from([0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5]),
      Buffer.alloc(70_000, 0x16),
    ]) {
      using client = await RawClient.connect(server.port);
      client.send(bytes);
      client.socket.end();
      await client.closed();
    }
    await expect(fetchTrusting(server, new CertificateStore(undefined, []).authority().pem)).rejects.toThrow();
    expect((await fetchTrusting(server, server.ca ?? '')).status).toBe(200);
  });
});

describe('[wire 2] [wire 17.16] the account names the endpoint that the client used', () => {
  const endpointOf = (json: Trusted['json']): string => json.writableLocations[0].databaseAccountEndpoint;

  test('with its scheme, host and port', async () => {
    const server = await start({ insecureDefaultKey: true });
    using client = await RawClient.connect(server.port);
    for (const host of ['localhost:8081', '127.0.0.1', '[::1]:5', 'db.example:443']) {
      const { json } = await client.ask('GET', '/', { host }).answer();
      expect(endpointOf(json)).toBe(`http://${host}/`);
      expect(json.readableLocations).toEqual(json.writableLocations);
    }
    expect(endpointOf((await fetchTrusting(server, server.ca ?? '')).json)).toBe('https://localhost:1/');
  });

  test('or the one that the server was told', async () => {
    const server = await start({ publicUrl: 'https://db.example:8443' });
    const { json } = await rawFetch(server.url, 'GET', '/', {});
    expect(endpointOf(json)).toBe('https://db.example:8443/');
    expect((await fetchTrusting(server, server.ca ?? '', 'db.example')).status).toBe(200);
    await expect(start({ publicUrl: 'db.example' })).rejects.toThrow('The public URL');
  });

  test('and none that could not be one', async () => {
    const server = await start({ insecureDefaultKey: true });
    using client = await RawClient.connect(server.port);
    for (const host of ['evil.example/x', 'a@b', '"', 'a b', '']) {
      const { status, json } = await client.ask('GET', '/', { host }).answer();
      expect([status, json.code], host).toEqual([400, 'BadRequest']);
    }
    const headers = Object.entries(signedHeaders('GET', '/'))
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const without = await client.send(`GET / HTTP/1.1\r\n${headers}\r\n`).answer();
    expect([without.status, without.json.code]).toEqual([400, 'BadRequest']);
    const old = await client.send(`GET / HTTP/1.0\r\n${headers}\r\n`).answer();
    expect([old.status, endpointOf(old.json)]).toEqual([200, 'http://localhost/']);
  });
});

describe('[SEC16] requests that are not quite requests', () => {
  test('[wire 17.17] are answered with JSON, and the server goes on', async () => {
    const server = await start();
    const wrong: [status: number, text: string][] = [
      [400, 'nonsense\r\n\r\n'],
      [400, 'GET / HTTP/9.9\r\n\r\n'],
      [400, 'GET / HTTP/1.1\r\nno colon\r\n\r\n'],
      [400, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n'],
      [400, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
      [400, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
      [431, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`],
      [431, `GET / HTTP/1.1\r\nhost: a\r\n${'x: x\r\n'.repeat(300)}\r\n`],
      [405, 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n'],
      [401, 'GET / HTTP/1.1\r\nhost: a\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'],
      [400, '\x80\x2e\x01\x03\x01'],
      [400, `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`],
    ];
    for (const [expected, text] of wrong) {
      using client = await RawClient.connect(server.port);
      const { status, json, head } = await client.send(Buffer.from(text, 'latin1')).answer();
      expect([status, typeof json.code, typeof json.message], text.slice(0, 60)).toEqual([
        expected,
        'string',
        'string',
      ]);
      expect(head).toContain('x-ms-activity-id');
    }
    expect((await rawFetch(server.url, 'GET', '/', {})).status).toBe(200);
  });

  test('wrong after right: what came first is answered first', async () => {
    const server = await start();
    using client = await RawClient.connect(server.port);
    client.ask('POST', '/dbs', {}, '{"id":"db"}').send('nonsense\r\n\r\n');
    expect((await client.answer()).status).toBe(201);
    expect((await client.answer()).status).toBe(400);
    await client.closed();
  });

  test('a body that is announced too long is refused before it is sent', async () => {
    const server = await start();
    using client = await RawClient.connect(server.port);
    const { status, json } = await client.ask('POST', '/dbs', { 'content-length': '100000000000' }).answer();
    expect([status, json.code]).toEqual([413, 'RequestEntityTooLarge']);
  });

  test('a body that turns out too long is refused, and the connection stays', async () => {
    const server = await start();
    using client = await RawClient.connect(server.port);
    client.ask('POST', '/dbs', { 'transfer-encoding': 'chunked' });
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (let i = 0; i < 64; i += 1) client.send(chunk);
    client.send('0\r\n\r\n');
    expect((await client.answer()).status).toBe(413);
    expect((await client.ask('GET', '/').answer()).status).toBe(200);
  });

  test('a body that is encoded is refused with what it is', async () => {
    const server = await start();
    using client = await RawClient.connect(server.port);
    for (const encoding of ['gzip', 'br', 'gzip, identity']) {
      const { status, json } = await client
        .ask('POST', '/dbs', { 'content-encoding': encoding }, '{"id":"a"}')
        .answer();
      expect([status, json.code]).toEqual([415, 'UnsupportedMediaType']);
      expect(json.message).toContain(encoding);
    }
    const plain = await client.ask('POST', '/dbs', { 'content-encoding': 'identity' }, '{"id":"a"}').answer();
    expect(plain.status).toBe(201);
  });

  test('a client that waits to be told to send its body is told, if it is wanted', async () => {
    const server = await start();
    const body = '{"id":"db"}';
    const waiting = { expect: '100-continue', 'content-length': String(body.length) };
    using client = await RawClient.connect(server.port);

    const go = await client.ask('POST', '/dbs', waiting).answer();
    expect(go.status).toBe(100);
    expect((await client.send(body).answer()).status).toBe(201);

    const unsigned = await client.ask('POST', '/dbs', { ...waiting, authorization: 'x' }).answer();
    expect(unsigned.status).toBe(401);
    expect(unsigned.head).toContain('Connection: close');
    await client.closed();

    using strange = await RawClient.connect(server.port);
    const refused = await strange.ask('POST', '/dbs', { ...waiting, expect: 'miracles' }).answer();
    expect([refused.status, refused.json.code]).toEqual([400, 'BadRequest']);
  });

  test('HEAD is GET without the body', async () => {
    const server = await start();
    using client = await RawClient.connect(server.port);
    const { status, head } = await client.ask('HEAD', '/').answer(false);
    expect(status).toBe(200);
    expect(Number(/content-length: (\d+)/.exec(head)?.[1])).toBeGreaterThan(100);
    const missing = await client.ask('HEAD', '/dbs/none').answer(false);
    expect(missing.status).toBe(404);
    expect((await client.ask('GET', '/').answer()).status).toBe(200);
  });
});

describe('[SEC15] limits', () => {
  test('a head that does not come to its end is answered in the end', async () => {
    const server = await limited({ headerMsMax: 50 });
    using client = await RawClient.connect(server.port);
    const { status, json } = await client.send('GET / HTTP/1.1\r\nhost: a\r\n').answer();
    expect([status, json.code]).toEqual([408, 'RequestTimeout']);
    await client.closed();
  });

  test('a body that does not come to its end is answered in the end, and has no effect after that', async () => {
    await using database = await openDatabase({ memory: true });
    const server = await start({ database, memory: false, limits: { timeoutCheckMs: 10, requestMsMax: 50 } });
    using client = await RawClient.connect(server.port);
    const { status } = await client.ask('POST', '/dbs', { 'content-length': '11' }, '{"id":').answer();
    expect(status).toBe(408);
    client.send('"db"}');
    await client.closed();
    expect(database.databases()).toEqual([]);
  });

  test('a body whose client has closed its side, or whose chunks are none, is refused at once and has no effect', async () => {
    const server = await limited({});
    using cut = await RawClient.connect(server.port);
    cut.ask('POST', '/dbs', { 'content-length': '20' }, '{"id":"db"}').socket.end();
    expect((await cut.answer()).status).toBe(400);
    using broken = await RawClient.connect(server.port);
    broken.ask('POST', '/dbs', { 'transfer-encoding': 'chunked' }).send('zz\r\n');
    expect((await broken.answer()).status).toBe(400);
    using behind = await RawClient.connect(server.port);
    behind.ask('GET', '/dbs').ask('POST', '/dbs', { 'content-length': '20' }, '{"id":"db"}').socket.end();
    expect((await behind.answer()).status).toBe(200);
    expect((await behind.answer()).status).toBe(400);
    expect((await rawFetch(server.url, 'GET', '/dbs', {})).json._count).toBe(0);
  });

  test('bodies that stop in the middle have bounded room together, and make way for others', async () => {
    const bodiesBytesMax = 256 * 1024;
    const server = await limited({ bodiesBytesMax, bodyMsMin: 50 });
    const stuck = await Promise.all(Array.from({ length: 8 }, () => RawClient.connect(server.port)));
    const half = `{"id":"${'x'.repeat(100_000)}`;
    for (const client of stuck) client.ask('POST', '/dbs', { 'content-length': '200000' }, half);

    // They have 1 MiB in all: most of them are told so, whoever came first.
    const answers = await Promise.race(stuck.map((client) => client.answer()));
    expect([answers.status, answers.json.code]).toEqual([503, 'ServiceUnavailable']);
    expect(Number(/x-ms-retry-after-ms: (\d+)/.exec(answers.head)?.[1])).toBeGreaterThan(0);

    // Chunked, it does not come with its head; one of the others goes when it has been there for a while.
    using other = await RawClient.connect(server.port);
    let status = 503;
    while (status === 503) {
      const chunk = '{"id":"other"}';
      other
        .ask('POST', '/dbs', { 'transfer-encoding': 'chunked' })
        .send(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
      status = (await other.send('0\r\n\r\n').answer()).status;
    }
    expect(status).toBe(201);
    for (const client of stuck) client[Symbol.dispose]();
  });

  test('a connection on which nothing comes is closed, and so is a handshake that stands still', async () => {
    const server = await limited({ headerMsMax: 50 });
    using silent = await RawClient.connect(server.port);
    using handshaking = await RawClient.connect(server.port);
    handshaking.send(Buffer.from([0x16, 0x03, 0x01]));
    await Promise.all([silent.closed(), handshaking.closed()]);
  });

  test('a connection on which nothing but empty lines comes is closed as soon, and a flood of them sooner', async () => {
    const hours = 3_600_000;
    const slow = await limited({ headerMsMax: 50, keepAliveMs: hours });
    const patient = await limited({ headerMsMax: hours, keepAliveMs: hours, requestMsMax: hours });
    using few = await RawClient.connect(slow.port);
    using secure = await RawClient.connectTls(slow.port, { ca: slow.ca, servername: 'localhost' });
    using flood = await RawClient.connect(patient.port);
    for (const client of [few, secure]) client.send('\r\n\r\n');
    flood.send(Buffer.from('\r\n'.repeat(500_000)));

    expect([await few.closed(), await secure.closed()]).toEqual(['', '']);
    expect((await flood.answer()).status).toBe(400);
  });

  test('a connection that is idle after an answer is closed later', async () => {
    const server = await limited({ keepAliveMs: 50 });
    using client = await RawClient.connect(server.port);
    expect((await client.ask('GET', '/').answer()).status).toBe(200);
    await client.closed();
  });

  test('pipelined requests are served in their order', async () => {
    const server = await start();
    using orderly = await RawClient.connect(server.port);
    const pairs = 16;
    for (let i = 0; i < pairs; i += 1) orderly.ask('POST', '/dbs', {}, `{"id":"d${i}"}`).ask('GET', `/dbs/d${i}`);
    for (let i = 0; i < pairs; i += 1) {
      expect([(await orderly.answer()).status, (await orderly.answer()).json.id]).toEqual([201, `d${i}`]);
    }

    // However many come at once, each has its answer, and none is kept in memory while another is served.
    using greedy = await RawClient.connect(server.port);
    const { authorization = '', 'x-ms-date': date = '' } = signedHeaders('GET', '/dbs');
    const one = `GET /dbs HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\nx-ms-date: ${date}\r\n\r\n`;
    greedy.send(one.repeat(1_000));
    for (let i = 0; i < 1_000; i += 1) expect((await greedy.answer()).status).toBe(200);
  });

  test('when there are too many connections, the one that was idle for longest goes', async () => {
    const server = await limited({ connectionsMax: 3 });
    using first = await RawClient.connect(server.port);
    using second = await RawClient.connect(server.port);
    using third = await RawClient.connect(server.port);
    for (const client of [third, second, first]) expect((await client.ask('GET', '/').answer()).status).toBe(200);

    using fourth = await RawClient.connect(server.port);

    expect((await fourth.ask('GET', '/').answer()).status).toBe(200);
    await third.closed();
    for (const client of [first, second]) expect((await client.ask('GET', '/').answer()).status).toBe(200);
  });

  test('a client that does not take its answer is cut off', async () => {
    const server = await limited({ answerStallMsMax: 100 });
    await fillWithDatabases(server, 300);
    using client = await RawClient.connect(server.port);
    client.socket.pause();
    const { authorization = '', 'x-ms-date': date = '' } = signedHeaders('GET', '/dbs');
    const one = `GET /dbs HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\nx-ms-date: ${date}\r\n\r\n`;

    // Asks again and again, within what may be pipelined, until the system's own buffers are full.
    const over = client.closed();
    const asking = setInterval(() => client.socket.writable && client.send(one), 1);
    await over;

    clearInterval(asking);
    expect((await rawFetch(server.url, 'GET', '/', {})).status).toBe(200);
  });
});
