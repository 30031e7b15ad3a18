// Writes by plain HTTP, one after the other, to a server that is in trouble, and the judge of what became of them.

import type { RawResponse } from '../../conformance/harness.ts';
import { rawFetch } from '../../conformance/harness.ts';
import { inRange, pk } from '../../conformance/raw.ts';
import { Judge, problemsOf } from '../judge/judge.ts';

const key = 'k';
const docs = '/dbs/db/colls/c/docs';

interface Numbered {
  readonly id: string;
  readonly n: number;
  readonly _ts: number;
}

export class RawWrites {
  readonly judge: Judge = new Judge({ 'the feed': { sees: 'latest', mayRepeat: true } });
  readonly #url: () => string;
  #n = 0;
  /** By the clock of the server, which may be another. */
  shiftMs = 0;

  constructor(url: () => string) {
    this.#url = url;
  }

  async create(): Promise<void> {
    await this.ask('POST', '/dbs', { body: { id: 'db' } });
    const body = { id: 'c', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };
    await this.ask('POST', '/dbs/db/colls', { body });
  }

  ask(
    verb: string,
    path: string,
    options: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<RawResponse> {
    const date = new Date(Date.now() + this.shiftMs).toUTCString();
    return rawFetch(this.#url(), verb, path, { ...options, sign: { date } });
  }

  /** The status; 0 when the connection ended. */
  async put(textBytes: number = 200): Promise<number> {
    this.#n += 1;
    const write = { key, n: this.#n, id: `d${this.#n}`, isDelete: false };
    this.judge.begin(write);
    const body = { id: write.id, pk: key, n: write.n, text: 'x'.repeat(textBytes) };
    const { status } = await this.ask('POST', docs, { headers: pk(key), body }).catch(() => ({ status: 0 }));
    if (status === 201) this.judge.acknowledge(write);
    return status;
  }

  /** Writes until it is answered with something else than success. */
  async putUntilRefused(textBytes: number, writesMax: number): Promise<number> {
    for (let n = 0; n < writesMax; n += 1) {
      const status = await this.put(textBytes);
      if (status !== 201) return status;
    }
    return 201;
  }

  /** Whether what was acknowledged last can be read. */
  async readsAreServed(): Promise<boolean> {
    const feed = await this.ask('GET', docs, { headers: { 'a-im': 'Incremental Feed', ...inRange('0') } });
    const list = await this.ask('GET', docs);
    return feed.status === 200 && list.status === 200;
  }

  async health(): Promise<string> {
    const path = '/_tidemark/health';
    const date = new Date(Date.now() + this.shiftMs).toUTCString();
    const { json } = await rawFetch(this.#url(), 'GET', path, { sign: { type: '', link: path.slice(1), date } });
    return String(json.engine.status);
  }

  /** What the list shows and what the feed shows, from the beginning, before the judge. */
  async verdict(): Promise<string[]> {
    const found = new Map<string, number>();
    for await (const { id, n } of this.#list()) found.set(id, n);
    let lastTs = 0;
    const problems: string[] = [];
    for await (const { n, _ts } of this.#feed()) {
      this.judge.give('the feed', { key, n });
      if (_ts < lastTs) problems.push(`_ts goes back from ${lastTs} to ${_ts} at ${n}`);
      lastTs = _ts;
    }
    return [...problems, ...problemsOf(this.judge.verdict(new Map([[key, found]])))];
  }

  async *#list(): AsyncGenerator<Numbered> {
    let continuation: string | null | undefined;
    do {
      const headers = { 'x-ms-max-item-count': '-1', ...(continuation && { 'x-ms-continuation': continuation }) };
      const page = await this.ask('GET', docs, { headers });
      yield* page.json.Documents;
      continuation = page.headers.get('x-ms-continuation');
    } while (continuation);
  }

  async *#feed(): AsyncGenerator<Numbered> {
    let etag: string | undefined;
    for (;;) {
      const from = etag === undefined ? {} : { 'if-none-match': etag };
      const page = await this.ask('GET', docs, { headers: { 'a-im': 'Incremental Feed', ...inRange('0'), ...from } });
      if (page.status !== 200) return;
      etag = page.headers.get('etag') ?? '';
      yield* page.json.Documents;
    }
  }
}
