import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { emptyLinesMax, unreadBytesMax, unreadBytesTogetherMax } from '../limits.ts';
import type { Answer, Unread } from './connection.ts';
import { Connection } from './connection.ts';
import type { HttpRequest } from './http-request.ts';
import type { HttpResponse } from './http-response.ts';

/** Both ends of a connection; what is asked is answered by the test. */
class Pair implements Disposable {
  readonly client: Socket;
  readonly served: Socket;
  readonly connection: Connection;
  readonly asked: { readonly request: HttpRequest; readonly response: HttpResponse }[] = [];
  received = '';
  isClosed = false;
  #change: () => void = () => {};

  constructor(client: Socket, served: Socket, together: Unread) {
    this.client = client;
    this.served = served;
    client.on('data', (bytes: Buffer) => {
      this.received += bytes.toString('latin1');
      this.#change();
    });
    client.on('error', () => {});
    client.on('close', () => {
      this.isClosed = true;
      this.#change();
    });
    const answer: Answer = (request, response) => {
      this.asked.push({ request, response });
      this.#change();
    };
    this.connection = new Connection(served, answer, 'Connection: keep-alive\r\n', together);
    this.connection.start(served);
  }

  /** Resolves once it is so; looks again whenever something came, and after every turn of the event loop. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.#change = resolve;
        setImmediate(resolve);
      });
    }
  }

  async next(): Promise<{ request: HttpRequest; response: HttpResponse }> {
    await this.until(() => this.asked.length > 0);
    return this.asked.shift() as { request: HttpRequest; response: HttpResponse };
  }

  [Symbol.dispose](): void {
    this.client.destroy();
    this.served.destroy();
  }
}

const pairs: Pair[] = [];
afterEach(() => {
  for (const pair of pairs.splice(0)) pair[Symbol.dispose]();
});

async function connected(together: Unread = { bytes: 0 }): Promise<Pair> {
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  const [served] = (await once(server, 'connection')) as [Socket];
  server.close();
  const pair = new Pair(client, served, together);
  pairs.push(pair);
  return pair;
}

function ok(response: HttpResponse, body: string = 'ok'): void {
  response.writeHead(200, ['content-length', String(body.length)]);
  response.end(Buffer.from(body));
}

const get = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

describe('a connection', () => {
  test('holds one request at a time, and stops reading when more than a little waits behind it', async () => {
    const pair = await connected();
    const count = Math.ceil((unreadBytesMax * 4) / get.length);
    pair.client.write(get.repeat(count));
    const first = await pair.next();

    await pair.until(() => pair.served.isPaused());

    expect(pair.asked).toEqual([]);
    ok(first.response);
    for (let i = 1; i < count; i += 1) ok((await pair.next()).response);
    await pair.until(() => pair.received.split('HTTP/1.1 200').length - 1 === count);
    expect(pair.served.isPaused()).toBe(false);
  });

  test('does not read a body that nobody has asked for', async () => {
    const pair = await connected();
    const body = 'x'.repeat(1_000_000);
    pair.client.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    const { request, response } = await pair.next();
    await pair.until(() => pair.served.isPaused());

    const pieces: Buffer[] = [];
    const received = await request.receive(() => ({
      add: (bytes) => void pieces.push(bytes),
      end: () => Buffer.concat(pieces),
      close() {},
    }));

    expect(received?.toString()).toBe(body);
    ok(response);
    await pair.until(() => pair.received.includes('200'));
  });

  test('drops the rest of a request that was answered before its end, and serves the next', async () => {
    const pair = await connected();
    pair.client.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n01234');
    const { response } = await pair.next();
    ok(response, 'early');
    await pair.until(() => pair.received.endsWith('early'));

    pair.client.write(`56789${get}`);

    ok((await pair.next()).response, 'late');
    await pair.until(() => pair.received.endsWith('late'));
  });

  test('answers a client that has closed its side, and then ends', async () => {
    const pair = await connected();
    pair.client.end(get);
    const { response } = await pair.next();
    await pair.until(() => pair.served.readableEnded);
    ok(response, 'answer');
    await pair.until(() => pair.isClosed);
    expect(pair.received.endsWith('answer')).toBe(true);
  });

  test('tells who waits that the client has left', async () => {
    const pair = await connected();
    pair.client.write(get);
    const { response } = await pair.next();
    const left = once(response, 'close');
    pair.client.end();
    await left;
    expect(response.destroyed).toBe(true);
  });

  test('ends after the answer where the client wants it so, and says it', async () => {
    for (const head of ['GET / HTTP/1.1\r\nconnection: Close\r\n\r\n', 'GET / HTTP/1.0\r\n\r\n']) {
      const pair = await connected();
      pair.client.write(head);
      ok((await pair.next()).response);
      await pair.until(() => pair.served.writableEnded);
      pair.client.end();
      await pair.until(() => pair.isClosed);
      expect(pair.received).toContain('\r\nConnection: close\r\n');
    }
    const stays = await connected();
    stays.client.write('GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
    ok((await stays.next()).response);
    stays.client.write(get);
    ok((await stays.next()).response, 'second');
    await stays.until(() => stays.received.endsWith('second'));
  });

  test('sends an answer whose end is not known in chunks, and without them to HTTP/1.0', async () => {
    const chunked = await connected();
    chunked.client.write(get);
    const { response } = await chunked.next();
    response.writeHead(200, []);
    response.write('abc');
    response.write(Buffer.from('0123456789'));
    response.end();
    await chunked.until(() => chunked.received.endsWith('\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n'));
    expect(chunked.received).toContain('Transfer-Encoding: chunked');

    const old = await connected();
    old.client.write('GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
    const { response: plain } = await old.next();
    plain.writeHead(200, []);
    plain.write('abc');
    plain.end();
    await old.until(() => old.served.writableEnded && old.received.endsWith('\r\n\r\nabc'));
    expect(old.received).toContain('Connection: close');
  });

  test('sends no header that would begin another', async () => {
    const pair = await connected();
    pair.client.write(get);
    const { response } = await pair.next();
    for (const value of ['a\r\nset-cookie: b', 'a\nb', 'a\0', 'Ā']) {
      expect(() => response.writeHead(200, ['x', value])).toThrow('no header may hold');
    }
    ok(response);
    await pair.until(() => pair.received.includes('200'));
  });

  test('is refused when all of them together leave too much unread, and gives back what it held', async () => {
    const together = { bytes: unreadBytesTogetherMax - 50_000 };
    const first = await connected(together);
    const second = await connected(together);
    const half = `GET / HTTP/1.1\r\nx: ${'x'.repeat(30_000)}`;
    first.client.write(half);
    await first.until(() => together.bytes === unreadBytesTogetherMax - 50_000 + half.length);

    second.client.write(half);

    await second.until(() => second.received.includes('503'));
    first.client.write(`\r\n\r\n`);
    ok((await first.next()).response);
    await first.until(() => together.bytes === unreadBytesTogetherMax - 50_000);
  });

  test('passes over empty lines between requests, and waits no longer for them than for nothing', async () => {
    const pair = await connected();
    pair.client.write(`\r\n\r\n${get}\r\n`);
    ok((await pair.next()).response);
    pair.client.write(get);
    ok((await pair.next()).response, 'second');
    await pair.until(() => pair.received.endsWith('second'));
  });

  test('passes over a few empty lines before each request, and refuses what is no more than that', async () => {
    const few = '\r\n'.repeat(emptyLinesMax);
    const pair = await connected();
    for (const answer of ['first', 'second']) {
      pair.client.write(`${few}${get}`);
      ok((await pair.next()).response, answer);
      await pair.until(() => pair.received.endsWith(answer));
    }

    for (const line of [few, '\r\n']) pair.client.write(line);

    await pair.until(() => pair.served.writableFinished);
    expect(pair.asked).toEqual([]);
    await pair.until(() => /secondHTTP\/1\.1 400 BadRequest\r\n/.test(pair.received));
  });

  test('counts empty lines however they are cut, and what was sent ahead behind them', async () => {
    const pair = await connected();
    for (const byte of '\r\n'.repeat(emptyLinesMax)) {
      pair.client.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    pair.client.write(`${get}\r\n${get}${'\r\n'.repeat(emptyLinesMax + 1)}${get}`);

    ok((await pair.next()).response, '1');
    ok((await pair.next()).response, '2');

    await pair.until(() => pair.received.includes('400 BadRequest'));
    expect(pair.asked).toEqual([]);
  });

  test.each(['', '\r', '\r\n', '\r\n\r'])('on which only %j has come is closed as if nothing had', async (text) => {
    const times = { headerMsMax: 1e6, requestMsMax: 2e6, keepAliveMs: 1e9 };
    const pair = await connected();
    const sinceMs = performance.now();
    for (const [i, byte] of [...text].entries()) {
      pair.client.write(byte);
      await pair.until(() => pair.served.bytesRead === i + 1);
    }

    pair.connection.check(sinceMs + times.headerMsMax - 1_000, times);
    expect(pair.served.destroyed).toBe(false);
    pair.connection.check(sinceMs + times.headerMsMax + 1, times);

    expect([pair.served.destroyed, pair.received]).toEqual([true, '']);
  });

  test('lets a client that closes its side in the middle of an answer have the rest', async () => {
    const pair = await connected();
    const body = Buffer.alloc(32 * 1024 * 1024, 'x');
    pair.client.write(get);
    const { response } = await pair.next();
    pair.client.pause();
    let isClosed = false;
    response.once('close', () => {
      isClosed = true;
    });
    response.writeHead(200, ['content-length', String(body.length)]);
    response.end({ length: body.length, pieces: [body.subarray(0, 1_000), body.subarray(1_000)] });
    pair.client.end();
    await pair.until(() => pair.served.readableEnded);
    expect([isClosed, pair.served.destroyed]).toEqual([false, false]);

    pair.client.resume();

    await pair.until(() => pair.isClosed);
    expect(pair.received.length - pair.received.indexOf('\r\n\r\n') - 4).toBe(body.length);
    expect(isClosed).toBe(true);
  });

  test('tells who begins to wait for a client that has left before', async () => {
    const pair = await connected();
    pair.client.end(get);
    const { response } = await pair.next();
    await pair.until(() => pair.served.readableEnded);
    const left = once(response, 'close');
    pair.connection.check(performance.now(), { headerMsMax: 1e9, requestMsMax: 1e9, keepAliveMs: 1e9 });
    await left;
    expect(pair.served.destroyed).toBe(true);
  });

  test('has no body of a client that left before anybody asked for it', async () => {
    const pair = await connected();
    pair.client.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}');
    const { request, response } = await pair.next();
    const left = once(response, 'close');
    pair.client.resetAndDestroy();
    await left;
    const sink = { add() {}, end: () => Buffer.alloc(0), close() {} };
    expect(await request.receive(() => sink)).toBeUndefined();
  });

  test('says nothing behind its last answer', async () => {
    const together = { bytes: unreadBytesTogetherMax };
    const pair = await connected(together);
    pair.client.write('GET / HTTP/1.1\r\nconnection: close\r\n\r\n');
    const { response } = await pair.next();
    pair.client.write('more');
    await pair.until(() => pair.served.isPaused());
    ok(response, 'last');
    await pair.until(() => pair.served.writableEnded);
    pair.client.end();
    await pair.until(() => pair.isClosed);
    expect(pair.received.endsWith('last')).toBe(true);
  });

  test('tells a client of HTTP/1.0 nothing before its answer', async () => {
    const pair = await connected();
    pair.client.write('POST / HTTP/1.0\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n');
    const { response } = await pair.next();
    response.writeContinue();
    ok(response);
    await pair.until(() => pair.received.endsWith('ok'));
    expect(pair.received.startsWith('HTTP/1.1 200')).toBe(true);
  });

  test('reads no more from a client that is far ahead, and takes what was sent ahead a turn at a time', async () => {
    const together = { bytes: 0 };
    const pair = await connected(together);
    pair.client.write(get.repeat(Math.ceil((unreadBytesMax * 16) / get.length)));
    const first = await pair.next();
    await pair.until(() => pair.served.isPaused());
    const aheadBytes = together.bytes;
    ok(first.response);
    for (let i = 0; i < 20; i += 1) {
      const { response } = await pair.next();
      const answered = once(response, 'close');
      ok(response);
      await answered;
      expect(pair.asked).toEqual([]);
    }
    expect(together.bytes).toBeLessThanOrEqual(aheadBytes);
  });

  test('refuses what was sent ahead behind an offer to speak another protocol, and serves what comes after the answer', async () => {
    const offer = 'GET / HTTP/1.1\r\nhost: a\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n';
    const ahead = await connected();
    ahead.client.write(offer + get);
    ok((await ahead.next()).response, 'first');
    await ahead.until(() => ahead.client.readableEnded);
    expect(ahead.received).toMatch(/first.*HTTP\/1\.1 400 /s);
    expect(ahead.asked).toEqual([]);

    const patient = await connected();
    patient.client.write(offer);
    ok((await patient.next()).response, 'first');
    await patient.until(() => patient.received.endsWith('first'));
    patient.client.write(get);
    ok((await patient.next()).response, 'second');
    await patient.until(() => patient.received.endsWith('second'));
  });

  test.each([
    ['1.1', 'connection: x, close', true],
    ['1.1', 'proxy-connection: close', true],
    ['1.1', 'connection: keep-alive', false],
    ['1.0', 'connection: keep-alive', false],
    ['1.0', 'connection: x, Keep-Alive', false],
    ['1.0', 'connection: x keep-alive', true],
    ['1.0', 'x: y', true],
  ])('of HTTP/%s with %s ends with its answer: %s', async (version, line, isLast) => {
    const pair = await connected();
    pair.client.write(`GET / HTTP/${version}\r\nhost: a\r\n${line}\r\n\r\n`);
    const { response } = await pair.next();
    expect(response.isLast).toBe(isLast);
    ok(response);
  });

  test('answers what was sent ahead by a client that has closed its side', async () => {
    const pair = await connected();
    pair.client.end(get.repeat(3));
    const first = await pair.next();
    await pair.until(() => pair.served.readableEnded);
    ok(first.response, '1');
    ok((await pair.next()).response, '2');
    ok((await pair.next()).response, '3');
    await pair.until(() => pair.isClosed);
    expect(pair.received.split('HTTP/1.1 200').length - 1).toBe(3);
  });

  test('refuses what was sent ahead without its end by a client that has closed its side', async () => {
    const pair = await connected();
    pair.client.end(`${get}POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n123`);
    const { response } = await pair.next();
    await pair.until(() => pair.served.readableEnded);
    ok(response);
    await pair.until(() => pair.isClosed);
    expect(pair.received).toContain('400 BadRequest');
  });
});
