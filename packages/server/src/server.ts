// The server: sockets in front of a database. What becomes of a request is the pipeline's.

import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Database } from '@tidemark/engine';
import { DatabaseError } from '@tidemark/model';
import type { KeySet } from './keys.ts';
import { Keys, wellKnownKey } from './keys.ts';
import { drainMsMax, headerBytesMax, keepAliveMs, requestMsMax } from './limits.ts';
import { Pipeline } from './pipeline.ts';

export interface ServerOptions {
  /** Stays open when the server is closed: whoever opened it closes it. */
  readonly database: Database;
  /** An address of this machine; 127.0.0.1 by default. Others only with a key of one's own. */
  readonly host?: string;
  /** 0 takes any that is free. */
  readonly port?: number;
  /** The primary key, in base64; the emulator's well-known key by default. */
  readonly key?: string;
  /** All keys of the account; instead of `key`. */
  readonly keys?: KeySet;
  /** Where backups that the admin API is asked for go, each in a folder of its own. None can be made without it. */
  readonly backupFolder?: string;
  /** How long containers without a policy of their own keep all versions, those that are there too; see `keepHistory`. */
  readonly historyMs?: number;
  /** Lets the admin API make requests fail on demand. For tests of what talks to the server. */
  readonly chaos?: boolean;
  /** Told of every error that is a defect, not a client's. */
  readonly onDefect?: (error: unknown, activityId: string) => void;
  /** The clock that signatures and tokens are judged by; for tests. */
  readonly nowMs?: () => number;
}

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Takes no more requests, answers those under way, and resolves when all connections are closed. */
  close(): Promise<void>;
  /** Takes these keys in the place of the ones it has, from the next request on. Throws bad-request, and keeps the old ones. */
  setKeys(keys: KeySet): void;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 0 } = options;
  const keys = keysOf(options);
  checkExposure(keys, host);
  const front = new Front(options, keys);
  if (options.historyMs !== undefined) await options.database.keepHistory(options.historyMs);
  await listen(front.server, host, port);
  // A TCP socket's address is never a string.
  const address = front.server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  const close = (): Promise<void> => front.close();
  const setKeys = (set: KeySet): void => {
    checkExposure(new Keys(set), host);
    keys.set(set);
  };
  return { url, host, port: address.port, close, setKeys, [Symbol.asyncDispose]: close };
}

function keysOf({ key, keys }: ServerOptions): Keys {
  if (key !== undefined && keys !== undefined) throw new DatabaseError('bad-request', 'Give a key or keys, not both.');
  return new Keys(keys ?? { primary: key ?? wellKnownKey });
}

function checkExposure(keys: Keys, host: string): void {
  if (!keys.hasWellKnown || isLoopback(host)) return;
  throw new DatabaseError(
    'forbidden',
    `With the well-known key the server listens on this machine only (127.0.0.1, ::1 or localhost), not on ${host}.`,
  );
}

class Front {
  readonly server: Server;
  /** For each open connection the number of requests under way on it. */
  readonly #underWay = new Map<Socket, number>();
  readonly #pipeline: Pipeline;
  #closing: Promise<void> | undefined;

  constructor(options: ServerOptions, keys: Keys) {
    const { database, backupFolder, chaos = false, onDefect, nowMs = Date.now } = options;
    const isClosing = (): boolean => this.#closing !== undefined;
    const pipeline = new Pipeline({ database, keys, nowMs, backupFolder, chaos, onDefect, isClosing });
    this.#pipeline = pipeline;
    const limits = { maxHeaderSize: headerBytesMax, requestTimeout: requestMsMax, keepAliveTimeout: keepAliveMs };
    this.server = createServer({ ...limits, noDelay: true }, (incoming, outgoing) => {
      this.#count(incoming.socket, 1);
      outgoing.once('close', () => this.#count(incoming.socket, -1));
      // A client that goes away while it is being answered is no error of ours.
      outgoing.on('error', () => {});
      void pipeline.answer(incoming, outgoing);
    });
    this.server.on('clientError', refuseMalformed);
    this.server.on('connection', (socket: Socket) => {
      this.#underWay.set(socket, 0);
      socket.once('close', () => this.#underWay.delete(socket));
    });
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#drain(), this.#pipeline.close()]).then(() => {});
    return this.#closing;
  }

  #drain(): Promise<void> {
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.server.closeAllConnections(), drainMsMax);
      this.server.close(() => {
        clearTimeout(deadline);
        resolve();
      });
      // Node's own closeIdleConnections leaves those open on which nothing has been asked yet.
      for (const [socket, requests] of this.#underWay) if (requests === 0) socket.destroy();
    });
  }

  #count(socket: Socket, change: number): void {
    const requests = this.#underWay.get(socket);
    if (requests !== undefined) this.#underWay.set(socket, requests + change);
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** What is not even HTTP gets an answer, too. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, name, message] = malformedStatus(error.code);
  const body = JSON.stringify({ code: name, message });
  socket.end(
    `HTTP/1.1 ${status} ${name}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

function malformedStatus(code: string | undefined): [status: number, name: string, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [431, 'RequestHeaderFieldsTooLarge', `The headers of a request may have at most ${headerBytesMax} bytes.`];
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return [408, 'RequestTimeout', `A request has to be complete within ${requestMsMax / 1000} seconds.`];
  }
  return [400, 'BadRequest', 'This is not an HTTP request.'];
}
