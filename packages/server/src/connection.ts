// One connection of a client and what is asked on it. Requests are served one after the other, also when the client sends
// the next before it has the answer: so one connection never holds more than one answer in memory, and what was asked first
// has happened before what was asked second is looked at.
//
//   idle      nothing is asked; may be closed at any time
//   busy      an answer is due; requests behind it wait, a limited number of them
//   refused   no further request is taken; when those under way are answered, the refusal is said and the connection ends
//   closing   the answer under way is the last one

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipelinedMax } from './limits.ts';
import type { Refusal } from './refusal.ts';
import { malformed, refuse, refuseUnread, tooManyPipelined } from './refusal.ts';

export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export class Connection {
  readonly #answer: Answer;
  #stream: Socket;
  /** Undefined while idle. */
  #outgoing: ServerResponse | undefined;
  /** The latest request, also after it was answered: its body may still be coming in. */
  #incoming: IncomingMessage | undefined;
  /** What came while busy, in order. Empty unless the client pipelines. */
  #waiting: (readonly [IncomingMessage, ServerResponse])[] = noneWaiting;
  #refusal: Refusal | undefined;
  #isClosing = false;
  #lastUse: number = nextUse();
  readonly #onDone = (): void => this.#done();

  constructor(socket: Socket, answer: Answer) {
    this.#stream = socket;
    this.#answer = answer;
    // A client that goes away is no error of ours.
    socket.on('error', ignore);
  }

  /** What requests are read from: the socket, or TLS on top of it. */
  get stream(): Socket {
    return this.#stream;
  }

  set stream(stream: Socket) {
    this.#stream = stream;
  }

  get isIdle(): boolean {
    return this.#outgoing === undefined;
  }

  /** The greater, the later it was used. */
  get lastUse(): number {
    return this.#lastUse;
  }

  take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.#refusal !== undefined) return;
    if (this.#outgoing === undefined) {
      this.#begin(incoming, outgoing);
    } else if (this.#waiting.length < pipelinedMax) {
      if (this.#waiting === noneWaiting) this.#waiting = [];
      this.#waiting.push([incoming, outgoing]);
    } else {
      this.#refuseLater(tooManyPipelined);
    }
  }

  /** What came is not a request, or did not come in time. */
  malformed(error: NodeJS.ErrnoException): void {
    if (!this.#stream.writable || error.code === 'ECONNRESET') {
      this.#stream.destroy();
      return;
    }
    if (this.#refusal !== undefined) return;
    // The rest of it will never come: it was late, or is no HTTP, or its client has closed its side.
    const isUnread = this.#incoming?.complete === false;
    if (!isUnread) {
      this.#refuseLater(malformed(error.code));
    } else if (this.#outgoing === undefined || this.#outgoing.headersSent) {
      // It has been answered before it was read to its end; there is nothing more to say.
      this.#stream.destroy();
    } else {
      this.#refusal = malformed(error.code);
      // Its handler waits for the rest, which must not reach it after the client has been told that it was refused.
      refuseUnread(this.#stream, this.#refusal);
    }
  }

  /** Ends it as soon as nothing is under way. */
  close(): void {
    this.#isClosing = true;
    if (this.isIdle) this.#stream.destroy();
  }

  destroy(): void {
    this.#stream.destroy();
  }

  #begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#lastUse = nextUse();
    outgoing.on('close', this.#onDone);
    outgoing.on('error', ignore);
    this.#answer(incoming, outgoing);
  }

  #done(): void {
    this.#outgoing = undefined;
    const next = this.#waiting === noneWaiting ? undefined : this.#waiting.shift();
    if (this.#stream.destroyed) return;
    if (this.#isClosing) this.#stream.destroySoon();
    else if (next !== undefined && (this.#refusal === undefined || next[0].complete)) this.#begin(next[0], next[1]);
    else if (this.#refusal !== undefined) refuse(this.#stream, this.#refusal);
  }

  #refuseLater(refusal: Refusal): void {
    this.#refusal = refusal;
    if (this.isIdle) refuse(this.#stream, refusal);
    else this.#stream.pause();
  }
}

const noneWaiting: (readonly [IncomingMessage, ServerResponse])[] = [];

let uses = 0;

function nextUse(): number {
  uses += 1;
  return uses;
}

function ignore(): void {}
