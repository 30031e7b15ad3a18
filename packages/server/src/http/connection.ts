// One connection of a client and what is asked on it. Requests are served one after the other: what a client sends before it
// has its answer stays unread, within a bound, and beyond that with the client. So one connection never holds more than one
// request and one answer in memory, and what was asked first has happened before what was asked second is looked at.
//
//   idle      nothing is asked; may be closed at any time. A few empty lines are nothing
//   reading   a part of a head is here
//   busy      an answer is due; the body may still be coming in
//   trailing  the answer is out before its request came to its end; the rest is dropped
//   refused   no further request is taken; when the one under way is answered, the refusal is said and the connection ends
//   closing   the answer under way is the last one

import type { Socket } from 'node:net';
import { emptyLinesMax, headerBytesMax, unreadBytesMax, unreadBytesTogetherMax } from '../limits.ts';
import { ChunkedBody } from './chunked-body.ts';
import { parseHead } from './head.ts';
import { HeadPrefix } from './head-prefix.ts';
import { HttpRequest } from './http-request.ts';
import { HttpResponse } from './http-response.ts';
import type { Refusal } from './refusal.ts';
import {
  headTooLong,
  linger,
  noTunnel,
  notHttp,
  refuse,
  refuseUnread,
  tooLate,
  tooManyFields,
  tooMuchUnread,
} from './refusal.ts';

export type Answer = (request: HttpRequest, response: HttpResponse) => void;

export interface ConnectionTimes {
  /** For the first byte, and for all of a head from its first byte on. */
  readonly headerMsMax: number;
  /** For a request with its body. */
  readonly requestMsMax: number;
  readonly keepAliveMs: number;
}

/** What has come on all connections and has not been looked at. */
export interface Unread {
  bytes: number;
}

export class Connection {
  readonly #answer: Answer;
  readonly #together: Unread;
  readonly #keepAliveLine: string;
  #stream: Socket;
  /** The latest one, while it is not both complete and answered. */
  #request: HttpRequest | undefined;
  /** Undefined while no answer is due. */
  #response: HttpResponse | undefined;
  /** What is left of the body of a request that is not complete. */
  #bodyRest: number | ChunkedBody = 0;
  /** What came and has not been looked at. */
  #unread: Buffer | undefined;
  /** What it counts for in #together. */
  #counted = 0;
  /** Of #unread, where the end of a head cannot be any more. */
  #searched = 0;
  /** What is known of a head that has not come whole. */
  #prefix: HeadPrefix | undefined;
  #refusal: Refusal | undefined;
  #isClosing = false;
  /** The client has closed its side. */
  #hasEnded = false;
  #isPaused = false;
  /** What was sent ahead is looked at in the next turn of the event loop. */
  #isDue = false;
  /** Nothing is read or timed: a handshake is under way, or the end. */
  #isApart = true;
  /** Nothing has come but empty lines. */
  #isFresh = true;
  /** Since the last request. */
  #emptyLines = 0;
  /** When what it waits for began: the first byte, the next request, the rest of one. */
  #sinceMs: number = performance.now();
  #lastUse: number = nextUse();
  readonly #readOn = (): void => this.#resume();
  readonly #onSent = (error?: Error | null): void => {
    // Where it went wrong the stream is closed.
    if (error === undefined || error === null) this.#done();
  };

  constructor(socket: Socket, answer: Answer, keepAliveLine: string, together: Unread) {
    this.#stream = socket;
    this.#together = together;
    this.#answer = answer;
    this.#keepAliveLine = keepAliveLine;
    // A client that goes away is no error of ours.
    socket.on('error', ignore);
  }

  /** What requests are read from: the socket, or TLS on top of it. */
  get stream(): Socket {
    return this.#stream;
  }

  get isIdle(): boolean {
    return this.#response === undefined && !this.#isDue;
  }

  /** The greater, the later it was used. */
  get lastUse(): number {
    return this.#lastUse;
  }

  /** Takes requests from now on. `first` has been read already. */
  start(stream: Socket, first?: Buffer): void {
    if (stream !== this.#stream) {
      this.#stream = stream;
      stream.on('error', ignore);
      this.#isFresh = true;
      this.#sinceMs = performance.now();
    }
    this.#isApart = false;
    stream.on('data', this.#onData);
    stream.on('end', this.#onEnd);
    stream.on('close', this.#onClose);
    // Set where an answer is not taken; see unsent.ts.
    stream.on('timeout', destroyThis);
    if (first !== undefined) this.#onData(first);
  }

  /** Called now and then: cuts off what takes too long. */
  check(nowMs: number, times: ConnectionTimes): void {
    const sinceMs = nowMs - this.#sinceMs;
    if (this.#isFresh) {
      if (sinceMs > times.headerMsMax) this.destroy();
      return;
    }
    if (this.#isApart || this.#refusal !== undefined) return;
    if (this.#request !== undefined) {
      // It may have left before it began to wait.
      if (this.#request.isComplete) this.#leaveIfWaiting();
      else if (sinceMs > times.requestMsMax) this.#refuse(tooLate);
    } else if (this.#unread !== undefined) {
      if (sinceMs > Math.min(times.headerMsMax, times.requestMsMax)) this.#refuse(tooLate);
    } else if (sinceMs > times.keepAliveMs) this.destroy();
  }

  /** What it waits for is somebody else's business from now on: TLS, until it comes to `start`. */
  setApart(): void {
    this.#isFresh = false;
    this.#isApart = true;
  }

  /** Ends it as soon as nothing is under way. */
  close(): void {
    this.#isClosing = true;
    if (this.isIdle) this.#stream.destroy();
  }

  destroy(): void {
    this.#stream.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#refusal !== undefined || this.#isApart) return;
    const isBeginning = this.#request === undefined && this.#unread === undefined;
    this.#unread = this.#unread === undefined ? bytes : Buffer.concat([this.#unread, bytes]);
    this.#goOn();
    this.#count();
    // Most requests come whole: only of the others does anybody want to know since when they come.
    if (isBeginning && !this.#isAtRest && !this.#isFresh) this.#sinceMs = performance.now();
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#refusal !== undefined || this.#isApart || this.#isDue) return;
    if (this.#request?.isComplete === false) this.#refuse(notHttp);
    else if (this.#response === undefined) this.#endIdle();
    else this.#leaveIfWaiting();
  };

  /** Who has left does not wait for a change. Others may close their side and read what they asked for. */
  #leaveIfWaiting(): void {
    if (this.#hasEnded && this.#unread === undefined && this.#response?.isWatched === true) this.#stream.destroy();
  }

  readonly #onClose = (): void => {
    this.#request?.drop();
    this.#response?.close();
    this.#unread = undefined;
    this.#count();
  };

  /** Nothing has come of which the rest is missing. */
  get #isAtRest(): boolean {
    return this.#request === undefined ? this.#unread === undefined : this.#request.isComplete;
  }

  /** Looks at what is unread, as far as it may be looked at. */
  #goOn(): void {
    while (this.#unread !== undefined && this.#refusal === undefined) {
      const request = this.#request;
      if (request !== undefined && !request.isComplete) {
        if (!this.#readBody(request)) this.#refuse(notHttp);
        else if (request.isComplete && this.#response === undefined) {
          this.#request = undefined;
          this.#sinceMs = performance.now();
        }
        if (request.isHeld) this.#pause();
      } else if (this.#response !== undefined) {
        if (this.#unread.length > unreadBytesMax) this.#pause();
        return;
      } else if (!this.#readHead(this.#unread)) return;
    }
  }

  /** Few connections have anything unread, and those little; whoever adds to it when it is too much is not served. */
  #count(): void {
    const bytes = this.#unread?.length ?? 0;
    if (bytes === this.#counted) return;
    const more = bytes - this.#counted;
    this.#counted = bytes;
    this.#together.bytes += more;
    if (more > 0 && this.#together.bytes > unreadBytesTogetherMax) {
      this.#refuse(tooMuchUnread);
      this.#count();
    }
  }

  /** False when there is nothing to look at before more has come. */
  #readHead(unread: Buffer): boolean {
    // Some clients send an empty line behind a body.
    if (unread[0] === cr && unread[1] === lf) return this.#passEmptyLines(unread);
    // The half of one says nothing, either.
    if (unread[0] !== cr) this.#isFresh = false;
    const end = unread.indexOf(headEnd, this.#searched, 'latin1');
    if (end === -1 || end > headerBytesMax) {
      this.#searched = Math.max(0, unread.length - headEnd.length + 1);
      if (end !== -1 || unread.length > headerBytesMax) this.#refuse(headTooLong);
      else if (!this.#mayBecomeHead(unread)) this.#refuse(notHttp);
      return false;
    }
    this.#searched = 0;
    this.#prefix = undefined;
    const head = parseHead(unread.toString('latin1', 0, end + 2));
    if (head === undefined || head === 'too many fields') {
      this.#refuse(head === undefined ? notHttp : tooManyFields);
      return false;
    }
    if (head.method === 'CONNECT') {
      this.#refuse(noTunnel);
      return false;
    }
    this.#emptyLines = 0;
    const bodyAt = end + headEnd.length;
    this.#unread = bodyAt === unread.length ? undefined : unread.subarray(bodyAt);
    const request = new HttpRequest(head, this.#stream, this.#readOn);
    this.#request = request;
    if (head.bodyBytes === 0) request.complete();
    else this.#bodyRest = head.bodyBytes === 'chunked' ? new ChunkedBody() : head.bodyBytes;
    // What of the body has come along is there before anybody asks for it.
    if (!request.isComplete && this.#unread !== undefined && !this.#readBody(request)) {
      this.#request = undefined;
      this.#refuse(notHttp);
      return false;
    }
    this.#lastUse = nextUse();
    const response = new HttpResponse(request, this.#keepAliveLine, this.#onSent);
    this.#response = response;
    this.#answer(request, response);
    if (request.isHeld) this.#pause();
    return true;
  }

  #passEmptyLines(unread: Buffer): boolean {
    let at = 0;
    while (unread[at] === cr && unread[at + 1] === lf) {
      at += 2;
      this.#emptyLines += 1;
      if (this.#emptyLines > emptyLinesMax) {
        this.#refuse(notHttp);
        return false;
      }
    }
    this.#unread = at === unread.length ? undefined : unread.subarray(at);
    this.#prefix = undefined;
    return true;
  }

  #mayBecomeHead(unread: Buffer): boolean {
    this.#prefix ??= new HeadPrefix();
    return this.#prefix.mayBecomeHead(unread);
  }

  /** False when what came is not a body. */
  #readBody(request: HttpRequest): boolean {
    const unread = this.#unread as Buffer;
    const rest = this.#bodyRest;
    if (typeof rest === 'number') {
      const end = Math.min(rest, unread.length);
      this.#unread = end === unread.length ? undefined : unread.subarray(end);
      this.#bodyRest = rest - end;
      request.push(end === unread.length ? unread : unread.subarray(0, end));
      if (rest === end) request.complete();
      return true;
    }
    const read = rest.read(unread, (data) => request.push(data));
    if (read === undefined) return false;
    this.#unread = read.consumed === unread.length ? undefined : unread.subarray(read.consumed);
    if (read.isOver) request.complete();
    return true;
  }

  /** The answer is out. */
  #done(): void {
    const response = this.#response;
    const request = this.#request;
    // Closed meanwhile.
    if (response === undefined || response.destroyed) return;
    this.#response = undefined;
    response.close();
    const stream = this.#stream;
    if (stream.destroyed) return;
    if (stream.timeout !== 0 && stream.timeout !== undefined) stream.setTimeout(0);
    this.#sinceMs = performance.now();
    if (this.#isClosing) stream.destroySoon();
    else if (response.isLast) this.#endAfterLast();
    else if (this.#refusal !== undefined) this.#sayRefusal(this.#refusal);
    else {
      if (request?.isComplete === false) request.drop();
      else this.#request = undefined;
      // What was sent ahead waits for a turn of its own: a client that takes large answers at once would keep out all others.
      if (this.#unread === undefined) this.#goOnAfter();
      else if (request?.isComplete === true && request.asksForUpgrade) this.#refuse(notHttp);
      else {
        this.#isDue = true;
        setImmediate(this.#onTurn);
      }
    }
  }

  readonly #onTurn = (): void => {
    this.#isDue = false;
    if (!this.#stream.destroyed && !this.#isApart) this.#goOnAfter();
  };

  /** With what comes behind a request that has been answered. */
  #goOnAfter(): void {
    this.#goOn();
    this.#count();
    if (this.#refusal !== undefined) return;
    if ((this.#unread?.length ?? 0) <= unreadBytesMax && this.#request?.isHeld !== true) this.#resume();
    if (this.#isClosing && this.#response === undefined) this.#stream.destroy();
    else if (this.#hasEnded && !this.#stream.destroyed) this.#onEnd();
  }

  /** The client has closed its side, and no answer is due. */
  #endIdle(): void {
    if (this.#refusal !== undefined) return;
    if (this.#unread !== undefined || this.#request !== undefined) this.#refuse(notHttp);
    else this.#stream.end();
  }

  /** What came is not a request, or did not come in time. */
  #refuse(refusal: Refusal): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = refusal;
    this.#unread = undefined;
    const stream = this.#stream;
    if (!stream.writable) {
      stream.destroy();
    } else if (this.#request?.isComplete !== false) {
      if (this.#response === undefined) this.#sayRefusal(refusal);
      else this.#pause();
    } else if (this.#response === undefined || this.#response.headersSent) {
      // It has been answered before it was read to its end; there is nothing more to say.
      stream.destroy();
    } else {
      // Its handler waits for the rest, which must not reach it after the client has been told that it was refused.
      this.#request.drop();
      this.#response.close();
      this.#isApart = true;
      refuseUnread(stream, refusal);
    }
  }

  #sayRefusal(refusal: Refusal): void {
    this.#isApart = true;
    refuse(this.#stream, refusal);
  }

  #endAfterLast(): void {
    this.#isApart = true;
    this.#unread = undefined;
    linger(this.#stream);
    this.#stream.end();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#stream.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#stream.resume();
  }
}

const headEnd = '\r\n\r\n';
const cr = 0x0d;
const lf = 0x0a;

let uses = 0;

function nextUse(): number {
  uses += 1;
  return uses;
}

function ignore(): void {}

function destroyThis(this: Socket): void {
  this.destroy();
}
