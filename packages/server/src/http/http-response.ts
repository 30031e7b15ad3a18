// An answer on its way out: head and body together where they are small, the body in chunks where its end is not known yet.

import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { DatabaseError } from '@tidemark/model';
import type { HeaderList } from '../header-list.ts';
import { httpDate } from '../http-date.ts';
import { joinedBodyBytesMax } from '../limits.ts';
import type { HttpRequest } from './http-request.ts';

/** A body that lies in pieces, which are sent one after the other. They must not change before the answer is closed. */
export interface BodyPieces {
  readonly length: number;
  readonly pieces: readonly Buffer[];
}

/** Events: `close` once, when it was sent or its client is gone; `drain` when a client that was slow takes more. */
export class HttpResponse extends EventEmitter {
  readonly req: HttpRequest;
  /** Sent, or nobody is there to take it. */
  destroyed = false;
  headersSent = false;
  /** The connection ends with it. */
  isLast: boolean;
  /** The client waits to be told to send its body, and may never send it. */
  isContinueOwed: boolean;
  readonly #socket: Socket;
  readonly #keepAliveLine: string;
  /** Told when the last byte has been taken by the system. */
  readonly #onSent: (error?: Error | null) => void;
  #ownHeaders: string[] | undefined;
  #head: string | undefined;
  #isChunked = false;
  #isEnded = false;

  constructor(req: HttpRequest, keepAliveLine: string, onSent: (error?: Error | null) => void) {
    super();
    this.req = req;
    this.#socket = req.socket;
    this.#keepAliveLine = keepAliveLine;
    this.#onSent = onSent;
    this.isLast = !wantsToStay(req);
    // HTTP/1.0 has no answer before the answer.
    this.isContinueOwed = req.headers.expect !== undefined && !req.isComplete && req.minorVersion > 0;
  }

  get socket(): Socket {
    return this.#socket;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  get writableNeedDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** Somebody has to be told when the client leaves: it waits, or reads without end. What has its end is only to be taken. */
  get isWatched(): boolean {
    return this.headersSent ? !this.#isEnded : this.listenerCount('close') > 0;
  }

  /** In addition to what `writeHead` will be given. */
  setHeader(name: string, value: string): void {
    this.#ownHeaders ??= [];
    this.#ownHeaders.push(name, value);
  }

  writeContinue(): void {
    if (!this.isContinueOwed) return;
    this.isContinueOwed = false;
    if (this.#socket.writable) this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
  }

  /** With a content-length, or `end` without a body must follow; or `write`, as often as one likes. */
  writeHead(status: number, headers: HeaderList): void {
    let head = `HTTP/1.1 ${status} ${reasons[status] ?? ''}\r\n`;
    if (this.#ownHeaders !== undefined) head += linesOf(this.#ownHeaders);
    head += linesOf(headers);
    // What comes next on this connection would be the body or another request, and nobody could tell.
    if (this.isContinueOwed) this.isLast = true;
    this.#head = `${head}Date: ${httpDate(Date.now())}\r\n`;
    this.headersSent = true;
  }

  write(data: string | Buffer): void {
    if (!this.#socket.writable) return;
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const socket = this.#socket;
    socket.cork();
    if (this.#head !== undefined) {
      // HTTP/1.0 has no chunks: its body ends with the connection.
      this.#isChunked = this.req.minorVersion > 0;
      if (!this.#isChunked) this.isLast = true;
      socket.write(this.#takeHead(this.#isChunked ? 'Transfer-Encoding: chunked\r\n' : ''), 'latin1');
      socket.on('drain', this.#onDrain);
    }
    if (this.#isChunked) socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    if (this.#isChunked) socket.write('\r\n', 'latin1');
    socket.uncork();
  }

  end(body?: Buffer | BodyPieces): void {
    const socket = this.#socket;
    this.#isEnded = true;
    if (!socket.writable) return;
    if (this.#head === undefined) {
      socket.write(this.#isChunked ? '0\r\n\r\n' : '', 'latin1', this.#onSent);
      return;
    }
    const head = this.#takeHead('');
    if (body === undefined || body.length === 0 || this.req.method === 'HEAD') {
      socket.write(head, 'latin1', this.#onSent);
    } else if (!Buffer.isBuffer(body)) {
      this.#endPieces(head, body.pieces);
    } else if (body.length <= joinedBodyBytesMax) {
      // One piece: the system is asked once, and a copy of this size costs less than asking for two.
      const bytes = Buffer.allocUnsafe(head.length + body.length);
      bytes.write(head, 0, 'latin1');
      body.copy(bytes, head.length);
      socket.write(bytes, this.#onSent);
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body, this.#onSent);
      socket.uncork();
    }
  }

  #endPieces(head: string, pieces: readonly Buffer[]): void {
    const socket = this.#socket;
    socket.cork();
    socket.write(Buffer.from(head, 'latin1'));
    const last = pieces.length - 1;
    for (let i = 0; i < last; i += 1) socket.write(pieces[i] as Buffer);
    socket.write(pieces[last] as Buffer, this.#onSent);
    socket.uncork();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  // For the connection

  /** Nothing more of it is sent. */
  close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#socket.removeListener('drain', this.#onDrain);
    this.emit('close');
  }

  readonly #onDrain = (): void => void this.emit('drain');

  #takeHead(more: string): string {
    const head = this.#head as string;
    this.#head = undefined;
    return `${head}${more}${this.isLast ? 'Connection: close\r\n' : this.#keepAliveLine}\r\n`;
  }
}

function linesOf(headers: HeaderList): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    // A line break would begin a header, or an answer, of somebody else's making.
    if (notInValue.test(value)) {
      throw new DatabaseError('internal', `The header ${headers[at]} of an answer holds what no header may hold.`);
    }
    lines += `${headers[at]}: ${value}\r\n`;
  }
  return lines;
}

/** Nobody reads them but people; those of node:http would cost the start of a server some milliseconds. */
const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  207: 'Multi-Status',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  424: 'Failed Dependency',
  429: 'Too Many Requests',
  449: 'Retry With',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

const notInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** HTTP/1.1 stays unless the client says otherwise, HTTP/1.0 only if it does. Old proxies have a name of their own for it. */
function wantsToStay({ headers, minorVersion }: HttpRequest): boolean {
  const { connection = '' } = headers;
  const said = headers['proxy-connection'] === undefined ? connection : `${connection},${headers['proxy-connection']}`;
  if (said === '') return minorVersion > 0;
  if (/(?:^|[,\s])close(?:$|[,\s])/i.test(said)) return false;
  return minorVersion > 0 || /(?:^|,)[ \t]*keep-alive[ \t]*(?:$|,)/i.test(said);
}
