// The endless form of the feed: server-sent events (B1).
//
// EVENTS
//   id: <etag>                       before the first page, and whenever a filtered feed has passed what is not its own: a
//                                    client notes it and shows nothing
//   id: <etag> · data: <page>        a page, exactly as the body of an ordinary answer, in one line. Its id is the position after
//                                    all of it, and a client takes an event whole or not at all: whoever goes on with the id
//                                    misses nothing and sees nothing twice, and no transaction is cut
//   event: gone · data: <json>       the range that was named is split or merged: {code, message, range, children}; the last one
//   event: failed · data: <json>     what an ordinary request would have got as an error: {code, message}; the last one
//   :                                nothing came for a while; the connection lives
//
// A client that reads slowly stops the reading of the feed, not only the writing: what it has not taken is one page, and
// counts among the answers that nobody has taken. One that takes nothing at all for a while is cut off.

import type { ChangeFeed, ChangePage } from '@tidemark/engine';
import { isDatabaseError } from '@tidemark/model';
import { pageCharge } from './charge.ts';
import { readPage } from './feed-page.ts';
import type { HttpResponse } from './http/http-response.ts';
import { heartbeatMs, slowReaderMsMax, streamRetryMs } from './limits.ts';
import type { Ticket } from './throttle.ts';
import type { UnsentAnswers } from './unsent.ts';
import type { WaitingRoom, Wake, Watched } from './waiting-room.ts';

export interface ChangeStreamOptions {
  readonly feed: ChangeFeed<unknown>;
  /** Of the container. */
  readonly rid: string;
  readonly room: Pick<WaitingRoom, 'wait' | 'streams' | 'answered' | 'forget'>;
  /** Throws too-many-requests while the throughput is used up; undefined: it is not looked at. */
  readonly admit: (() => Ticket) | undefined;
  readonly unsent: Pick<UnsentAnswers, 'admit' | 'hold' | 'note'>;
  /** Throws when whoever asked may not read any more. */
  readonly recheck: () => void;
  /** The last event when the feed fails. */
  readonly farewell: (error: unknown) => { readonly event: string; readonly data: object };
}

export class ChangeStream {
  readonly #options: ChangeStreamOptions;
  readonly #outgoing: HttpResponse;
  readonly #drain: Watched;
  #id = '';

  constructor(outgoing: HttpResponse, options: ChangeStreamOptions) {
    this.#outgoing = outgoing;
    this.#options = options;
    this.#drain = {
      watch(callback) {
        outgoing.once('drain', callback);
        return () => outgoing.removeListener('drain', callback);
      },
    };
  }

  /** Resolves when the stream is over. Never rejects. */
  async run(): Promise<void> {
    const { feed, room, unsent, farewell } = this.#options;
    const outgoing = this.#outgoing;
    room.streams += 1;
    try {
      this.#write(`retry: ${streamRetryMs}\n`);
      this.#note(feed.etag);
      while (await this.#step());
    } catch (error) {
      if (!outgoing.destroyed) {
        const { event, data } = farewell(error);
        this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      }
    }
    room.streams -= 1;
    room.forget(outgoing);
    if (outgoing.destroyed) return;
    outgoing.end();
    // From here on it is an answer like others: whoever does not take it is cut off.
    unsent.note(outgoing);
  }

  /** One page, or one wait for it. False when it was the last. */
  async #step(): Promise<boolean> {
    const { feed, room } = this.#options;
    const outgoing = this.#outgoing;
    const ticket = await this.#admitted();
    if (ticket === undefined) return false;
    const page = await readPage(feed);
    ticket.settle(pageCharge(page.count, sizeOf(page)));
    if (outgoing.destroyed) return false;
    if (page.count === 0) this.#note(page.etag);
    else if (!this.#show(page)) return false;
    if (outgoing.writableNeedDrain && !(await this.#isTaken())) return false;
    if (page.count > 0 || !page.isDrained) return true;
    const wait = room.wait(feed, heartbeatMs, outgoing, 'stream');
    if (wait === undefined) return false;
    return this.#goOn(await wait);
  }

  /** Whose throughput is used up waits for it. Undefined when the stream is over. */
  async #admitted(): Promise<Ticket | undefined> {
    const { admit, room } = this.#options;
    if (admit === undefined) return unmetered;
    for (;;) {
      try {
        return admit();
      } catch (error) {
        if (!isDatabaseError(error) || error.code !== 'too-many-requests') throw error;
        const wake = await room.wait(nothing, error.retryAfterMs ?? 0, this.#outgoing, 'stream');
        if (wake !== 'time') return undefined;
      }
    }
  }

  #goOn(wake: Wake): boolean {
    const { feed, recheck } = this.#options;
    if (wake === 'more') return true;
    if (wake !== 'time') return false;
    recheck();
    feed.moveToEnd();
    this.#note(feed.etag);
    this.#write(':\n\n');
    return true;
  }

  /** False when too much waits for other clients: this one comes again, with the position it has. */
  #show(page: ChangePage): boolean {
    const { rid, room, recheck, unsent } = this.#options;
    recheck();
    const event = pageEvent(page, rid);
    page.release?.();
    if (!unsent.admit(event.length)) return false;
    this.#id = page.etag;
    this.#outgoing.write(event);
    room.answered(this.#outgoing);
    return true;
  }

  async #isTaken(): Promise<boolean> {
    const { room, unsent } = this.#options;
    const release = unsent.hold(this.#outgoing);
    const wake = await room.wait(this.#drain, slowReaderMsMax, this.#outgoing, 'stream');
    release();
    // That it can take more is no commit.
    room.forget(this.#outgoing);
    if (wake === 'time') this.#outgoing.destroy();
    return wake === 'more';
  }

  /** The position, where it has changed without anything to show. */
  #note(etag: string): void {
    if (etag === this.#id) return;
    this.#id = etag;
    this.#write(`id: ${etag}\n\n`);
  }

  /** A few bytes; whether they were taken is looked at before the next page. */
  #write(text: string): void {
    this.#outgoing.write(text);
  }
}

const unmetered: Ticket = { settle: () => {} };
/** What never comes. */
const nothing: Watched = { watch: () => () => {} };

function sizeOf({ pieces }: ChangePage): number {
  let sizeBytes = 0;
  for (const piece of pieces) sizeBytes += piece.length;
  return sizeBytes;
}

/** One copy, as of an ordinary page. */
function pageEvent({ pieces, count, etag }: ChangePage, rid: string): Buffer {
  const head = Buffer.from(`id: ${etag}\ndata: {"_rid":"${rid}","Documents":[`);
  const event = Buffer.concat([head, ...pieces, Buffer.from(`],"_count":${count}}\n\n`)]);
  // Where a client's document has line breaks they stand between its tokens: in a string they would not be JSON.
  const body = event.subarray(head.length, event.length - 2);
  for (const lineBreak of [0x0a, 0x0d]) {
    for (let at = body.indexOf(lineBreak); at !== -1; at = body.indexOf(lineBreak, at + 1)) body[at] = 0x20;
  }
  return event;
}
