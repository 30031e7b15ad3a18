// One port for HTTP and HTTPS. The first byte of a connection says which: a TLS handshake begins with 0x16, and no HTTP verb
// does. After that the connection belongs to node:http as if it had accepted it itself, so that this costs nothing later.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket, Server as TlsServer } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';
import type { Answer } from './connection.ts';
import { Connection } from './connection.ts';
import {
  connectionsMax,
  drainMsMax,
  evictedShare,
  headerBytesMax,
  headerMsMax,
  keepAliveMs,
  requestMsMax,
  tcpKeepAliveMs,
  timeoutCheckMs,
} from './limits.ts';
import { connectionsAllowed } from './open-files.ts';
import { noTunnel, notHttps, refuse } from './refusal.ts';

export interface ListenerLimits {
  readonly connectionsMax: number;
  readonly drainMsMax: number;
  readonly headerMsMax: number;
  readonly requestMsMax: number;
  readonly keepAliveMs: number;
  readonly timeoutCheckMs: number;
}

/** What TLS is spoken with, until when. */
export interface TlsIdentity {
  readonly context: SecureContextOptions;
  /** When it is asked for again; Infinity if it never changes. */
  readonly renewAtMs: number;
}

export interface ListenerOptions {
  readonly answer: Answer;
  /** Called at the first handshake, and again when it is time to renew. */
  readonly identity: () => TlsIdentity;
  readonly isHttpsOnly: boolean;
  readonly limits?: Partial<ListenerLimits> | undefined;
  /** Told when a handshake is impossible through a fault of this side. */
  readonly onDefect: (error: unknown) => void;
}

export interface ListenerFigures {
  readonly connections: number;
  /** Closed at once because there were too many. */
  readonly refused: number;
  /** Idle ones that were closed to make room. */
  readonly evicted: number;
}

export class Listener {
  readonly #options: ListenerOptions;
  readonly #limits: ListenerLimits;
  readonly #http: Server;
  readonly #tls: TlsServer;
  /** Node's own handler of new connections. */
  readonly #hand: (socket: Socket) => void;
  /** Everything accepted, in the order of acceptance. */
  readonly #connections = new Set<Connection>();
  /** Those on which requests may come, by what they come on. */
  readonly #byStream = new Map<Socket, Connection>();
  /** TLS handshakes under way, by the addresses of both ends: what node gives back in the end is another object. */
  readonly #handshakes = new Map<string, Connection>();
  #renewAtMs = Number.NEGATIVE_INFINITY;
  #refused = 0;
  #evicted = 0;
  #closing: Promise<void> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const limits = {
      connectionsMax,
      drainMsMax,
      headerMsMax,
      requestMsMax,
      keepAliveMs,
      timeoutCheckMs,
      ...options.limits,
    };
    this.#limits = { ...limits, connectionsMax: connectionsAllowed(limits.connectionsMax) };
    this.#http = createServer({
      maxHeaderSize: headerBytesMax,
      headersTimeout: Math.min(this.#limits.headerMsMax, this.#limits.requestMsMax),
      requestTimeout: this.#limits.requestMsMax,
      keepAliveTimeout: this.#limits.keepAliveMs,
      connectionsCheckingInterval: this.#limits.timeoutCheckMs,
      // Its absence is answered by the pipeline, with a body.
      requireHostHeader: false,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: tcpKeepAliveMs,
    });
    this.#hand = this.#takeOverAccepting();
    this.#listenToHttp();
    this.#tls = createTlsServer({ ALPNProtocols: ['http/1.1'], handshakeTimeout: this.#limits.headerMsMax });
    this.#listenToTls();
  }

  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    const server = this.#http;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog: acceptBacklog }, () => {
        server.removeListener('error', reject);
        // A TCP socket's address is never a string.
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  figures(): ListenerFigures {
    return { connections: this.#connections.size, refused: this.#refused, evicted: this.#evicted };
  }

  /** Accepts nothing more, lets what is under way be answered, and resolves when all connections are closed. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      const deadline = setTimeout(() => {
        for (const connection of this.#connections) connection.destroy();
      }, this.#limits.drainMsMax);
      this.#http.close(() => {
        clearTimeout(deadline);
        resolve();
      });
      for (const connection of this.#connections) connection.close();
    });
    return this.#closing;
  }

  /** Node's handler is taken off the server and called when it is known what a connection speaks. */
  #takeOverAccepting(): (socket: Socket) => void {
    const handlers = this.#http.listeners('connection');
    this.#http.removeAllListeners('connection');
    this.#http.on('connection', (socket: Socket) => this.#accept(socket));
    return (socket) => {
      for (const handler of handlers) handler.call(this.#http, socket);
    };
  }

  #listenToHttp(): void {
    const take = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      this.#byStream.get(incoming.socket)?.take(incoming, outgoing);
    };
    this.#http.on('request', take);
    // Whether the body is wanted is known only when the head has been looked at.
    this.#http.on('checkContinue', take);
    this.#http.on('checkExpectation', take);
    this.#http.on('connect', (_incoming, stream: Socket) => refuse(stream, noTunnel));
    this.#http.on('clientError', (error: NodeJS.ErrnoException, stream: Socket) => {
      const connection = this.#byStream.get(stream);
      if (connection === undefined) stream.destroy();
      else connection.malformed(error);
    });
  }

  #listenToTls(): void {
    this.#tls.on('secureConnection', (stream: TLSSocket) => {
      const ends = endsOf(stream);
      const connection = this.#handshakes.get(ends);
      this.#handshakes.delete(ends);
      if (connection === undefined || this.#closing !== undefined) stream.destroy();
      else this.#handOver(connection, stream);
    });
    this.#tls.on('tlsClientError', (_error, stream: TLSSocket) => stream.destroy());
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= this.#limits.connectionsMax && !this.#evict()) {
      this.#refused += 1;
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, this.#options.answer);
    this.#connections.add(connection);
    const isLate = (): void => connection.destroy();
    socket.setTimeout(this.#limits.headerMsMax, isLate);
    // Ten thousand connections may wait for a change: what each of them keeps is kept small.
    socket.on('close', () => {
      this.#connections.delete(connection);
      this.#byStream.delete(connection.stream);
    });
    // An end before the first byte.
    const onEnd = (): void => void socket.end();
    socket.on('end', onEnd);
    socket.once('data', (bytes: Buffer) => {
      socket.setTimeout(0, isLate);
      socket.removeListener('end', onEnd);
      socket.pause();
      socket.unshift(bytes);
      if (bytes[0] === tlsHandshake) this.#secure(connection, socket);
      else if (this.#options.isHttpsOnly) refuse(socket, notHttps);
      else this.#handOver(connection, socket);
    });
  }

  #secure(connection: Connection, socket: Socket): void {
    try {
      if (this.#renewAtMs <= Date.now()) {
        const { context, renewAtMs } = this.#options.identity();
        this.#tls.setSecureContext(context);
        this.#renewAtMs = renewAtMs;
      }
    } catch (error) {
      this.#options.onDefect(error);
      connection.destroy();
      return;
    }
    const ends = endsOf(socket);
    this.#handshakes.set(ends, connection);
    socket.once('close', () => this.#handshakes.delete(ends));
    // Or a client that leaves in the middle of the handshake would be waited for.
    socket.allowHalfOpen = false;
    this.#tls.emit('connection', socket);
  }

  #handOver(connection: Connection, stream: Socket): void {
    connection.stream = stream;
    this.#byStream.set(stream, connection);
    this.#hand(stream);
    stream.resume();
  }

  #evict(): boolean {
    const idle = [...this.#connections].filter((connection) => connection.isIdle);
    idle.sort((a, b) => a.lastUse - b.lastUse);
    idle.length = Math.min(idle.length, Math.ceil(this.#limits.connectionsMax * evictedShare));
    for (const connection of idle) {
      this.#connections.delete(connection);
      connection.destroy();
    }
    this.#evicted += idle.length;
    return idle.length > 0;
  }
}

const tlsHandshake = 0x16;

/** Many clients may come at the same instant; node's own 511 are too few for that. */
const acceptBacklog = 4_096;

function endsOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`;
}
