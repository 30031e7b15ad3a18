// A connection that sends bytes as they are and takes apart whatever comes back. One request after the other; after a
// request that ends the connection, the next one opens a new one.

import type { Socket } from 'node:net';
import { connect } from 'node:net';

export interface HostileAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** `closed`: the server ended the connection without an answer. */
export type Outcome = HostileAnswer | 'closed' | 'unanswered';

const answerMsMax = 120_000;

export class HostileSocket {
  readonly #port: number;
  #socket: Socket | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #check: () => void = () => {};
  #isEnded = false;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends the pieces, each when the one before has gone out, and waits for the first whole answer. */
  async ask(pieces: readonly Buffer[], how: { readonly isHead: boolean; readonly isCut: boolean }): Promise<Outcome> {
    const socket = await this.#open();
    this.#bytes = Buffer.alloc(0);
    for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
    if (how.isCut) socket.end();
    const outcome = await this.#answer(how.isHead);
    if (how.isCut || outcome === 'closed' || outcome === 'unanswered' || mustClose(outcome)) this.close();
    return outcome;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#isEnded) return Promise.resolve(this.#socket);
    this.#isEnded = false;
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
      this.#socket = socket;
      const ended = (): void => {
        if (this.#socket !== socket) return;
        this.#isEnded = true;
        this.#check();
      };
      socket.once('connect', () => resolve(socket));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') reject(error);
        ended();
      });
      socket.on('end', ended);
      socket.on('close', ended);
      socket.on('data', (chunk: Buffer) => {
        this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
        this.#check();
      });
    });
  }

  #answer(isHead: boolean): Promise<Outcome> {
    return new Promise((resolve) => {
      const deadline = setTimeout(() => settle('unanswered'), answerMsMax);
      const settle = (outcome: Outcome): void => {
        clearTimeout(deadline);
        this.#check = () => {};
        resolve(outcome);
      };
      this.#check = () => {
        const answer = parse(this.#bytes, isHead);
        if (answer !== undefined) settle(answer);
        else if (this.#isEnded) settle('closed');
      };
      this.#check();
    });
  }
}

function parse(bytes: Buffer, isHead: boolean): HostileAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  if (status === 100) return parse(bytes.subarray(end + 4), isHead);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const bodyBytes = isHead || status === 304 || status === 204 ? 0 : length;
  if (bytes.length < end + 4 + bodyBytes) return undefined;
  return { status, head, body: bytes.subarray(end + 4, end + 4 + bodyBytes) };
}

function mustClose({ head }: HostileAnswer): boolean {
  return /\r\nconnection: close/i.test(head);
}
