// One connection of a client that does as little as possible: it writes requests that are bytes already and finds the end of
// the answer, so that what is measured is the server and not a client library.

import type { Socket } from 'node:net';
import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly bodyBytes: number;
  /** Where the connection was asked to keep it; good until the next request. */
  readonly body: Buffer | undefined;
}

export class Connection {
  readonly #socket: Socket;
  #pending: ((answer: Answer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;
  /** What has come while the head is not complete. */
  #headBytes: Buffer | undefined;
  #head = '';
  #bodyLeft = 0;
  #bodyBytes = 0;
  readonly #keepsBody: boolean;
  #body: Buffer | undefined;
  /** Used again for every body: large buffers that are thrown away keep the garbage collector busy. */
  #room: Buffer = Buffer.alloc(0);
  #isOpen = true;

  private constructor(socket: Socket, keepsBody: boolean) {
    this.#socket = socket;
    this.#keepsBody = keepsBody;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('close', () => {
      this.#isOpen = false;
      this.#failed?.(new Error('The server closed the connection.'));
    });
    socket.on('error', (error) => this.#failed?.(error));
  }

  static open(port: number, options: { readonly keepsBody?: boolean } = {}): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Connection(socket, options.keepsBody === true)));
    });
  }

  /** A server may close a connection that is not used for a while. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** One at a time. */
  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#bodyLeft > 0) {
      this.#takeBody(chunk);
      return;
    }
    const bytes = this.#headBytes === undefined ? chunk : Buffer.concat([this.#headBytes, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#headBytes = bytes;
      return;
    }
    this.#headBytes = undefined;
    this.#head = bytes.toString('latin1', 0, end);
    this.#bodyBytes = lengthOf(this.#head);
    this.#bodyLeft = this.#bodyBytes;
    if (this.#keepsBody) {
      if (this.#room.length < this.#bodyBytes) this.#room = Buffer.allocUnsafe(this.#bodyBytes * 2);
      this.#body = this.#room.subarray(0, this.#bodyBytes);
    }
    this.#takeBody(bytes.subarray(end + 4));
  }

  #takeBody(bytes: Buffer): void {
    this.#body?.set(bytes, this.#bodyBytes - this.#bodyLeft);
    this.#bodyLeft -= bytes.length;
    if (this.#bodyLeft > 0) return;
    if (this.#bodyLeft < 0) throw new Error('The server sent more than it said.');
    const pending = this.#pending;
    this.#pending = undefined;
    this.#failed = undefined;
    const status = Number(this.#head.slice(9, 12));
    pending?.({ status, head: this.#head, bodyBytes: this.#bodyBytes, body: this.#body });
  }
}

export function headerOf(head: string, name: string): string | undefined {
  const at = head.toLowerCase().indexOf(`\r\n${name}: `);
  if (at < 0) return undefined;
  const from = at + name.length + 4;
  const end = head.indexOf('\r\n', from);
  return head.slice(from, end < 0 ? undefined : end);
}

function lengthOf(head: string): number {
  const at = head.search(/\r\ncontent-length: /i);
  return at < 0 ? 0 : Number.parseInt(head.slice(at + 18), 10);
}
