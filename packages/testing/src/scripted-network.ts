// A network that answers as a test has written down, and remembers what it was asked.

import type { Environment } from '@tidemark/client';
import { VirtualClock } from './virtual-clock.ts';

export interface Asked {
  readonly url: string;
  readonly verb: string;
  readonly headers: Headers;
  readonly body: string;
}

/** An answer, of another program than a server of the protocol where it is foreign, or what happens to the connection; `never` leaves the request without one. */
export type Scripted =
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
      readonly isForeign?: true;
    }
  | { readonly broken: string }
  | 'never';

export class ScriptedNetwork {
  readonly clock: VirtualClock = new VirtualClock();
  readonly asked: Asked[] = [];
  readonly #script: Scripted[];

  constructor(script: readonly Scripted[]) {
    this.#script = [...script];
  }

  get environment(): Environment {
    return { clock: this.clock, random: () => 1, fetch: (url, init) => this.#answer(String(url), init) };
  }

  /** Lets time pass until the call has ended. */
  async run<T>(call: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    call.then(over, over);
    while (!isOver) await this.clock.advance(100);
    return call;
  }

  async #answer(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    this.asked.push({ url, verb: init.method ?? 'GET', headers, body: init.body == null ? '' : String(init.body) });
    const next = this.#script.shift();
    if (next === undefined) throw new Error('the script has no more answers');
    if (next === 'never') return aborted(init.signal);
    if ('broken' in next) {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(next.broken), { code: next.broken }) });
    }
    const { status, body = '{}', isForeign } = next;
    const own = isForeign ? {} : { 'x-ms-activity-id': '0' };
    const answered = { status, headers: { ...own, ...next.headers } };
    return new Response(status === 304 || status === 204 ? null : body, answered);
  }
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('This operation was aborted', 'AbortError')));
  });
}
