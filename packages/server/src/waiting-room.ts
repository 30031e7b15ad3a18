// Where feed requests wait for a commit (B1). Each is parked with the engine, in the timer wheel and at its connection, and
// leaves all three together, for whichever reason comes first:
//
//   parked → more     a commit touched what it reads, or its range or container is no more: it looks
//          → time     it has waited as long as it wanted: nothing came
//          → left     its client went away
//          → closing  the server is stopping: it is answered as if its time were over
//
// A commit only puts those it wakes in a queue. They go on a few a turn, so that a thousand of them on one range keep neither
// the writer's acknowledgement nor other requests waiting.

import type { IncomingHttpHeaders } from 'node:http';
import { header, isDatabaseError } from '@tidemark/model';
import { Histogram } from './histogram.ts';
import type { HttpRequest } from './http/http-request.ts';
import type { HttpResponse } from './http/http-response.ts';
import { parkedRequestsMax, timerTickMs, waitMsMax, wakesPerTurn } from './limits.ts';
import { lagBuckets } from './metric-definitions.ts';
import type { Timed } from './timer-wheel.ts';
import { TimerWheel } from './timer-wheel.ts';

export type Wake = 'more' | 'time' | 'left' | 'closing';

/** What tells that there is more: undefined when there may be already. */
export interface Watched {
  watch(callback: () => void): (() => void) | undefined;
}

/** The answer that is owed, for its connection. */
export type Client = Pick<HttpResponse, 'destroyed' | 'on' | 'removeListener'> & {
  readonly req: Pick<HttpRequest, 'headers' | 'forgetHead'>;
};

const noHeaders: IncomingHttpHeaders = Object.freeze({});

export class WaitingRoom {
  readonly #wheel = new TimerWheel(timerTickMs, waitMsMax);
  readonly #parked = new Set<Parked>();
  #woken: Parked[] = [];
  /** When the commit came that those were woken by who are not answered yet. */
  readonly #wokenMs = new Map<Client, number>();
  /** From the commit that woke a reader to its answer. */
  readonly lagSeconds: Histogram = new Histogram(lagBuckets);
  #isClosing = false;
  #parkedStreams = 0;
  /** Event streams that are open, parked or not; kept by them. */
  streams = 0;

  get count(): number {
    return this.#parked.size;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Resolves when the wait is over, one way or another; undefined when there is no room for it. */
  wait(watched: Watched, ms: number, client: Client, kind?: 'stream'): Promise<Wake> | undefined {
    if (this.#isClosing) return Promise.resolve('closing');
    if (client.destroyed) return Promise.resolve('left');
    const isStream = kind === 'stream';
    if (!isStream && this.#parked.size - this.#parkedStreams >= parkedRequestsMax) return undefined;
    const parked = new Parked(this, client, isStream);
    try {
      parked.stop = watched.watch(() => this.#wake(parked));
    } catch (error) {
      // The engine bounds its waiters as well: embedders wait there, too.
      if (isDatabaseError(error) && error.code === 'too-many-requests') return undefined;
      throw error;
    }
    if (parked.stop === undefined) return Promise.resolve('more');
    this.#wokenMs.delete(client);
    this.#parked.add(parked);
    if (isStream) this.#parkedStreams += 1;
    this.#wheel.add(parked, ms);
    client.on('close', parked.onLeft);
    // Whoever waits has been read: its headers would be a quarter of what it occupies.
    if (client.req.headers !== noHeaders) forgetHeaders(client.req);
    return new Promise((resolve) => {
      parked.resolve = resolve;
    });
  }

  /** Answers all that are parked, and parks no more. */
  close(): void {
    this.#isClosing = true;
    for (const parked of [...this.#parked]) this.end(parked, 'closing');
  }

  end(parked: Parked, wake: Wake): void {
    // Whoever has been woken goes on in a moment anyway.
    if (parked.isWoken || !this.#parked.has(parked)) return;
    parked.stop?.();
    this.#leave(parked, wake);
  }

  /** It has been sent what it was woken for, if it was woken at all. */
  answered(client: Client): void {
    if (this.#wokenMs.size === 0) return;
    const wokenMs = this.#wokenMs.get(client);
    if (wokenMs === undefined) return;
    this.#wokenMs.delete(client);
    this.lagSeconds.observe((performance.now() - wokenMs) / 1000);
  }

  /** It is no longer there, or was woken by something else than a commit. */
  forget(client: Client): void {
    this.#wokenMs.delete(client);
  }

  /** Runs before the commit is acknowledged, for all it wakes: it does no more than it must. */
  #wake(parked: Parked): void {
    if (parked.isWoken) return;
    parked.isWoken = true;
    parked.stop?.();
    parked.wokenMs = performance.now();
    this.#woken.push(parked);
    if (this.#woken.length === 1) setImmediate(this.#goOn);
  }

  readonly #goOn = (): void => {
    const rest = this.#woken.splice(wakesPerTurn);
    for (const parked of this.#woken) {
      this.#wokenMs.set(parked.client, parked.wokenMs);
      this.#leave(parked, 'more');
    }
    this.#woken = rest;
    if (rest.length > 0) setImmediate(this.#goOn);
  };

  #leave(parked: Parked, wake: Wake): void {
    this.#parked.delete(parked);
    if (parked.isStream) this.#parkedStreams -= 1;
    this.#wheel.remove(parked);
    parked.client.removeListener('close', parked.onLeft);
    parked.resolve?.(wake);
  }
}

/** All but the one that comes back with the answer. */
function forgetHeaders(request: Client['req']): void {
  const correlated = request.headers[header.correlatedActivityId];
  request.forgetHead(correlated === undefined ? noHeaders : { [header.correlatedActivityId]: correlated });
}

class Parked implements Timed {
  readonly client: Client;
  readonly isStream: boolean;
  readonly onLeft: () => void;
  slot = -1;
  isWoken = false;
  wokenMs = 0;
  stop: (() => void) | undefined;
  resolve: ((wake: Wake) => void) | undefined;
  readonly #room: WaitingRoom;

  constructor(room: WaitingRoom, client: Client, isStream: boolean) {
    this.#room = room;
    this.client = client;
    this.isStream = isStream;
    this.onLeft = () => room.end(this, 'left');
  }

  onTime(): void {
    this.#room.end(this, 'time');
  }
}
