// A client that writes what it is told to write, byte by byte if need be, and reads what comes.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { signedHeaders } from './harness.ts';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects.
  readonly json: any;
}

export class RawClient implements Disposable {
  readonly socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #isOver = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    // A reset is one way to be closed.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  static async connect(port: number, host: string = '127.0.0.1'): Promise<RawClient> {
    const socket = connect(port, host);
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  static async connectTls(port: number, options: ConnectionOptions): Promise<RawClient> {
    const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', ...options });
    await once(socket, 'secureConnect');
    return new RawClient(socket);
  }

  send(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }

  /** A signed request. */
  ask(verb: string, path: string, headers: Readonly<Record<string, string>> = {}, body: string = ''): this {
    const all: Record<string, string> = { host: 'localhost', ...signedHeaders(verb, path), ...headers };
    if (body !== '') all['content-length'] ??= String(Buffer.byteLength(body));
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return this.send(`${verb} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  }

  /** The next answer, whole. Fails when the connection ends before it. */
  async answer(hasBody: boolean = true): Promise<RawAnswer> {
    for (;;) {
      const headEnd = this.#bytes.indexOf('\r\n\r\n');
      if (headEnd !== -1) {
        const head = this.#bytes.subarray(0, headEnd).toString('latin1');
        const length = hasBody ? Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) : 0;
        const end = headEnd + 4 + length;
        if (this.#bytes.length >= end) {
          const text = this.#bytes.subarray(headEnd + 4, end).toString('utf8');
          this.#bytes = this.#bytes.subarray(end);
          const status = Number(head.split(' ')[1]);
          return { status, head, json: text === '' ? undefined : JSON.parse(text) };
        }
      }
      if (this.#isOver) throw new Error(`the connection ended before an answer: '${this.#bytes.toString('latin1')}'`);
      await this.#change();
    }
  }

  /** Resolves when the connection is closed, with what came and was not looked at. */
  async closed(): Promise<string> {
    while (!this.#isOver) await this.#change();
    return this.#bytes.toString('latin1');
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
