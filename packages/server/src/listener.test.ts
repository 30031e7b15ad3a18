import { once } from 'node:events';
import { request } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { CertificateStore } from './certificate-store.ts';
import type { Answer } from './http/connection.ts';
import type { HttpRequest } from './http/http-request.ts';
import type { HttpResponse } from './http/http-response.ts';
import type { TlsIdentity } from './listener.ts';
import { Listener } from './listener.ts';
import { connectionsAllowed } from './open-files.ts';

const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

function answerAtOnce(_incoming: HttpRequest, outgoing: HttpResponse): void {
  outgoing.writeHead(200, ['content-length', '2']);
  outgoing.end(Buffer.from('{}'));
}

async function listen(
  identity: () => TlsIdentity,
  answer: Answer = answerAtOnce,
): Promise<{ port: number; defects: unknown[] }> {
  const defects: unknown[] = [];
  const listener = new Listener({
    answer,
    identity,
    isHttpsOnly: false,
    onDefect: (error) => defects.push(error),
  });
  listeners.push(listener);
  return { port: await listener.listen('127.0.0.1', 0), defects };
}

/** The serial number of the certificate that is shown. */
async function shownTo(port: number): Promise<string> {
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

async function statusOf(port: number): Promise<number | undefined> {
  const asking = request({ port, host: '127.0.0.1', agent: false }).end();
  const [response] = await once(asking, 'response');
  response.resume();
  return response.statusCode;
}

describe('the certificate', () => {
  test('is made when it is needed first, and again when it is time', async () => {
    let renewAtMs = Date.now() - 1;
    let made = 0;
    const { port } = await listen(() => {
      made += 1;
      const { key, certificate } = new CertificateStore(undefined, []).serverPair('ec');
      return { context: { key, cert: certificate }, renewAtMs };
    });
    expect(await statusOf(port)).toBe(200);
    expect(made).toBe(0);

    const first = await shownTo(port);
    renewAtMs = Number.POSITIVE_INFINITY;
    const second = await shownTo(port);

    expect(second).not.toBe(first);
    expect([await shownTo(port), made]).toEqual([second, 2]);
  });

  test('that cannot be made ends the connection, and is told; HTTP goes on', async () => {
    const { port, defects } = await listen(() => {
      throw new Error('no key');
    });
    await expect(shownTo(port)).rejects.toThrow();
    expect(defects).toEqual([new Error('no key')]);
    expect(await statusOf(port)).toBe(200);
  });
});

describe('a connection with TLS', () => {
  function identity(): TlsIdentity {
    const { key, certificate } = new CertificateStore(undefined, []).serverPair('ec');
    return { context: { key, cert: certificate }, renewAtMs: Number.POSITIVE_INFINITY };
  }

  test('is made with a client that knows HTTP/1.0 only', async () => {
    const { port } = await listen(identity);
    const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.0'] });
    await once(client, 'secureConnect');
    expect(client.alpnProtocol).toBe('http/1.0');
    client.destroy();
  });

  test('answers a client that has closed its side, and then ends', async () => {
    const { port } = await listen(identity, (incoming, outgoing) => {
      incoming.socket.once('end', () => setImmediate(answerAtOnce, incoming, outgoing));
    });
    const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    let received = '';
    client.on('data', (bytes) => {
      received += bytes;
    });
    client.end('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(client, 'close');
    expect(received.endsWith('\r\n\r\n{}')).toBe(true);
  });
});

test('connections leave files to the database', () => {
  expect(connectionsAllowed(20_000, 1_048_576)).toBe(20_000);
  expect(connectionsAllowed(20_000, 1_024)).toBe(819);
  // Node and the log need so many whatever the share.
  expect(connectionsAllowed(20_000, 160)).toBe(96);
  expect(connectionsAllowed(20_000, 64)).toBe(1);
  expect(connectionsAllowed(20_000, Number.POSITIVE_INFINITY)).toBe(20_000);
  expect(connectionsAllowed(100)).toBe(100);
});
