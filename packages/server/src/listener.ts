// One port for HTTP and HTTPS. The first bytes of a connection say which: a TLS handshake begins with 0x16 0x03, and no HTTP verb
// does. After that it is a `Connection`, on the socket itself or on TLS on top of it.

import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { SecureContextOptions, TLSSocket, Server as TlsServer } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';
import type { Answer, Unread } from './http/connection.ts';
import { Connection } from './http/connection.ts';
import { notHttps, refuse } from './http/refusal.ts';
import {
  connectionsMax,
  drainMsMax,
  evictedShare,
  headerMsMax,
  keepAliveMs,
  requestMsMax,
  tcpKeepAliveMs,
  timeoutCheckMs,
} from './limits.ts';
import { connectionsAllowed } from './open-files.ts';

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
  readonly #server: Server;
  /** Made for the first client that speaks it: most servers never meet one. */
  #tls: TlsServer | undefined;
  readonly #keepAliveLine: string;
  readonly #unread: Unread = { bytes: 0 };
  /** Everything accepted, in the order of acceptance. */
  readonly #connections = new Set<Connection>();
  #checks: NodeJS.Timeout | undefined;
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
    this.#keepAliveLine = keepAliveLineOf(this.#limits.keepAliveMs);
    const socketOptions = {
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: tcpKeepAliveMs,
      // Who closes its side may still read what it asked for.
      allowHalfOpen: true,
    };
    this.#server = createServer(socketOptions, (socket) => this.#accept(socket));
  }

  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog: acceptBacklog }, () => {
        server.removeListener('error', reject);
        this.#checks = setInterval(() => this.#check(), this.#limits.timeoutCheckMs).unref();
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
      this.#server.close(() => {
        clearTimeout(deadline);
        clearInterval(this.#checks);
        resolve();
      });
      for (const connection of this.#connections) connection.close();
    });
    return this.#closing;
  }

  #check(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections) connection.check(nowMs, this.#limits);
  }

  #openTls(): TlsServer {
    const tls = createTlsServer({
      ALPNProtocols: ['http/1.1', 'http/1.0'],
      handshakeTimeout: this.#limits.headerMsMax,
    });
    tls.on('secureConnection', (stream: TLSSocket) => {
      const ends = endsOf(stream);
      const connection = this.#handshakes.get(ends);
      this.#handshakes.delete(ends);
      if (connection === undefined || this.#closing !== undefined) {
        stream.destroy();
        return;
      }
      // As without TLS.
      stream.allowHalfOpen = true;
      connection.start(stream);
    });
    tls.on('tlsClientError', (_error, stream: TLSSocket) => stream.destroy());
    return tls;
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= this.#limits.connectionsMax && !this.#evict()) {
      this.#refused += 1;
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, this.#options.answer, this.#keepAliveLine, this.#unread);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    // An end before the first byte.
    const onEnd = (): void => void socket.end();
    socket.on('end', onEnd);
    socket.once('data', (bytes: Buffer) => {
      socket.removeListener('end', onEnd);
      if (bytes[0] === tlsHandshake && (bytes.length === 1 || bytes[1] === tlsMajor)) {
        socket.pause();
        socket.unshift(bytes);
        this.#secure(connection, socket);
      } else if (this.#options.isHttpsOnly) {
        connection.setApart();
        refuse(socket, notHttps);
      } else connection.start(socket, bytes);
    });
  }

  #secure(connection: Connection, socket: Socket): void {
    this.#tls ??= this.#openTls();
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
    connection.setApart();
    const ends = endsOf(socket);
    this.#handshakes.set(ends, connection);
    socket.once('close', () => {
      // A client may come again from the same port before this end has heard that it had left.
      if (this.#handshakes.get(ends) === connection) this.#handshakes.delete(ends);
    });
    // Or a client that leaves in the middle of the handshake would be waited for.
    socket.allowHalfOpen = false;
    this.#tls.emit('connection', socket);
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

/** What a client's connection pool goes by. */
function keepAliveLineOf(keepAliveMs: number): string {
  const seconds = Math.floor(keepAliveMs / 1000);
  return `Connection: keep-alive\r\n${seconds > 0 ? `Keep-Alive: timeout=${seconds}\r\n` : ''}`;
}

const tlsHandshake = 0x16;
/** All versions of TLS have it. A client with another would be waited for: a handshake is not looked at before five bytes are here. */
const tlsMajor = 0x03;

/** Many clients may come at the same instant; node's own 511 are too few for that. */
const acceptBacklog = 4_096;

function endsOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`;
}
