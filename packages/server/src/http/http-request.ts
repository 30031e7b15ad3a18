// A request: its head, and its body as far as it has come. Nobody who is not allowed to send a body has it kept in memory:
// until it is wanted the connection stops reading, and once the request is answered the rest is dropped.

import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Head } from './head.ts';

/** Where a body goes that did not come together with its head. */
export interface BodySink {
  add(bytes: Buffer): void;
  /** All of it is here. */
  end(): Buffer;
  /** The rest is not wanted, or will never come. */
  close(): void;
}

interface Receiver {
  readonly sink: BodySink;
  resolve(body: Buffer | undefined): void;
}

export class HttpRequest {
  readonly method: string;
  url: string;
  readonly minorVersion: number;
  headers: IncomingHttpHeaders;
  /** What is sent ahead behind it may be of another protocol. */
  readonly asksForUpgrade: boolean;
  /** What it came on: TCP, or TLS on top of it. */
  readonly socket: Socket;
  /** All of its body is here, or has been dropped. */
  isComplete = false;
  /** Makes the connection read on. */
  readonly #readOn: () => void;
  #pieces: Buffer[] = none;
  #isDropped = false;
  #receiver: Receiver | undefined;

  constructor(head: Head, socket: Socket, readOn: () => void) {
    this.method = head.method;
    this.url = head.url;
    this.minorVersion = head.minorVersion;
    this.headers = head.headers;
    this.asksForUpgrade = head.headers.upgrade !== undefined;
    this.socket = socket;
    this.#readOn = readOn;
  }

  /** Bytes of the body are kept without anybody having asked for it. */
  get isHeld(): boolean {
    return this.#pieces !== none && !this.isComplete;
  }

  /**
   * The whole body; undefined when it does not come to its end. What is refused is read on and dropped: a connection that is
   * cut instead takes the answer with it.
   */
  receive(open: (refuse: (error: Error) => void) => BodySink): Buffer | Promise<Buffer | undefined> {
    // Of a client that has left since nothing is there any more, even where all of it had come.
    if (this.#isDropped) return Promise.resolve(undefined);
    if (this.isComplete) return this.#take();
    return new Promise((resolve, reject) => {
      const sink = open(reject);
      this.#receiver = { sink, resolve };
      for (const piece of this.#pieces) sink.add(piece);
      this.#pieces = none;
      this.#readOn();
    });
  }

  /** Whoever waits is read, and its head would be most of what it occupies; `kept` comes back with the answer. */
  forgetHead(kept: IncomingHttpHeaders): void {
    this.headers = kept;
    this.url = '';
  }

  // For the connection

  push(bytes: Buffer): void {
    if (this.#isDropped || bytes.length === 0) return;
    if (this.#receiver !== undefined) this.#receiver.sink.add(bytes);
    else if (this.#pieces === none) this.#pieces = [bytes];
    else this.#pieces.push(bytes);
  }

  complete(): void {
    this.isComplete = true;
    const receiver = this.#receiver;
    this.#receiver = undefined;
    if (receiver !== undefined) receiver.resolve(receiver.sink.end());
  }

  /** Nobody wants the rest. */
  drop(): void {
    this.#isDropped = true;
    this.#pieces = none;
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.sink.close();
    receiver?.resolve(undefined);
  }

  #take(): Buffer {
    const pieces = this.#pieces;
    this.#pieces = none;
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }
}

const none: Buffer[] = [];
