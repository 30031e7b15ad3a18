// The two readers of HTTP that are compared: ours, and that of node:http, each on a connection that lies in memory.

import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Connection } from '../../packages/server/src/http/connection.ts';
import { headerBytesMax, headerFieldsMax } from '../../packages/server/src/limits.ts';
import type { HttpStream } from './http-streams.ts';

/** A request as its reader understood it. */
export interface UnderstoodRequest {
  readonly head: string;
  /** Undefined: it did not come to its end. */
  body?: string;
}

export interface Understood {
  readonly requests: readonly UnderstoodRequest[];
  /** What the client received. */
  readonly answers: string;
}

/** What has both ends in this process; with as much of a socket as servers ask for. */
class Wire extends Duplex {
  readonly timeout = 0;
  readonly #answers: Buffer[] = [];

  constructor() {
    super({ allowHalfOpen: true });
  }

  get answers(): string {
    return Buffer.concat(this.#answers).toString('latin1');
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#answers.push(bytes);
    done();
  }

  setTimeout(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.end(() => this.destroy());
  }

  /** Resolves when both sides are closed. */
  async carry({ bytes, cuts, isSlow }: HttpStream): Promise<void> {
    const closed = new Promise<void>((resolve) => this.once('close', resolve));
    for (const [i, end] of [...cuts, bytes.length].entries()) {
      const from = i === 0 ? 0 : (cuts[i - 1] as number);
      if (this.destroyed) return;
      if (end > from) this.push(bytes.subarray(from, end));
      if (isSlow) await new Promise(setImmediate);
    }
    if (!this.destroyed) this.push(null);
    await closed;
  }
}

export async function readAsTidemark(stream: HttpStream): Promise<Understood> {
  const requests: UnderstoodRequest[] = [];
  const wire = new Wire();
  // As much of a socket as a connection asks for.
  const socket = wire as unknown as Socket;
  const connection = new Connection(
    socket,
    (request, response) => {
      const { method, url, minorVersion, headers } = request;
      const understood: UnderstoodRequest = { head: headOf(method, url, `1.${minorVersion}`, headers) };
      requests.push(understood);
      response.writeContinue();
      const pieces: Buffer[] = [];
      const received = request.receive(() => ({
        add: (bytes) => void pieces.push(bytes),
        end: () => Buffer.concat(pieces),
        close: () => {},
      }));
      const answer = (body: Buffer | undefined): void => {
        if (body === undefined) return;
        understood.body = body.toString('latin1');
        response.writeHead(200, ['content-length', '0']);
        response.end();
      };
      if (received instanceof Promise) void received.then(answer);
      else answer(received);
    },
    'Connection: keep-alive\r\n',
    { bytes: 0 },
  );
  connection.start(socket);
  await wire.carry(stream);
  return { requests, answers: wire.answers };
}

export async function readAsNode(stream: HttpStream): Promise<Understood> {
  const requests: UnderstoodRequest[] = [];
  const server = createServer({
    insecureHTTPParser: false,
    // Both are for whoever has read the request; ours is refused then.
    requireHostHeader: false,
    maxHeaderSize: 2 * headerBytesMax,
  });
  server.maxHeadersCount = 2 * headerFieldsMax;
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.on(event, (request, response) => {
      const { method, url, httpVersion, headers } = request;
      const understood: UnderstoodRequest = { head: headOf(method, url, httpVersion, headers) };
      requests.push(understood);
      if (event === 'checkContinue') response.writeContinue();
      request.on('error', () => {});
      request.on('end', () => response.end());
      request.resume();
      noteBody(request, understood);
    });
  }
  const wire = new Wire();
  server.emit('connection', wire);
  wire.on('error', () => {});
  await wire.carry(stream);
  return { requests, answers: wire.answers };
}

/**
 * What the parser gives to the request, when it gives it: of a request that has come whole nobody hears any more when something
 * that is none comes behind it in the same bytes.
 */
function noteBody(request: IncomingMessage, understood: UnderstoodRequest): void {
  const pieces: Buffer[] = [];
  const push = request.push.bind(request);
  request.push = (bytes: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (bytes !== null) pieces.push(bytes);
    else if (request.complete) understood.body = Buffer.concat(pieces).toString('latin1');
    return push(bytes, encoding);
  };
}

type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

function headOf(method: string, url: string, version: string, headers: HeaderValues): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`);
  return [`${method} ${url} HTTP/${version}`, ...lines.sort()].join('\n');
}
