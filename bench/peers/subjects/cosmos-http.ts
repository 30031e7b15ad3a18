// A Cosmos server over HTTP with the least of a client: bare sockets, requests that are signed bytes. The group is the processor.

import { wellKnownKey } from '@tidemark/server';
import { Connection, headerOf } from '../../server/connection.ts';
import { bulkOf, containerId, databaseId, feedOf, readOf, upsertOf } from '../../server/requests.ts';
import { feedPageDocuments } from '../works.ts';
import { createVercelContainer } from './cosmos-sdk.ts';
import type { Group, OnDocuments, ReadDocument, Subject, SubjectPlace, Tail } from './subject.ts';
import { createPeerContainer, leasesId, startGroup, TidemarkRanges } from './tidemark-container.ts';

const waitSeconds = 30;

export class CosmosHttp implements Subject {
  readonly pieces: number;
  readonly #port: number;
  readonly #ranges: TidemarkRanges;
  /** Each does one thing at a time; there are as many as were ever needed at once. */
  readonly #free: Connection[] = [];
  readonly #open: Connection[] = [];

  private constructor(port: number, found: TidemarkRanges) {
    this.#port = port;
    this.#ranges = found;
    this.pieces = found.ids.length;
  }

  static async open({ port }: SubjectPlace): Promise<CosmosHttp> {
    return new CosmosHttp(port, await createPeerContainer(port));
  }

  /** The feed it does not have is never asked for. */
  static async openVercel({ port }: SubjectPlace): Promise<CosmosHttp> {
    await createVercelContainer(port);
    return new CosmosHttp(port, new TidemarkRanges([{ id: '0', min: '', max: 'FF' }]));
  }

  pieceOf(n: number): number {
    return this.#ranges.pieceOf(n);
  }

  upsert(n: number, version: number): Promise<unknown> {
    return this.#ask(upsertOf(n, version, true));
  }

  async bulk(piece: number, documents: readonly number[], version: number): Promise<void> {
    const body = await this.#ask(bulkOf(this.#rangeOf(piece), documents, version));
    const outcomes = JSON.parse(body.toString()) as { statusCode: number }[];
    const wrong = outcomes.find(({ statusCode }) => statusCode >= 300);
    if (wrong !== undefined || outcomes.length !== documents.length) {
      throw new Error(`A bulk was answered: ${JSON.stringify(wrong ?? outcomes.length)}`);
    }
  }

  async read(n: number): Promise<ReadDocument> {
    return JSON.parse((await this.#ask(readOf(n))).toString());
  }

  async catchUp(onDocuments: OnDocuments): Promise<void> {
    await Promise.all(this.#ranges.ids.map((range) => this.#readRange(range, onDocuments)));
  }

  async #readRange(range: string, onDocuments: OnDocuments): Promise<void> {
    const connection = await this.#take();
    let etag: string | undefined;
    for (;;) {
      const answer = await connection.ask(feedOf(range, etag, feedPageDocuments));
      if (answer.status === 304) break;
      etag = deliver(answer, onDocuments);
    }
    this.#free.push(connection);
  }

  async tail(onDocuments: OnDocuments): Promise<Tail> {
    const connections = await Promise.all(this.#ranges.ids.map(() => Connection.open(this.#port, { keepsBody: true })));
    let isOver = false;
    const follow = async (connection: Connection, range: string, from: string): Promise<void> => {
      let etag = from;
      while (!isOver) {
        const answer = await connection.ask(feedOf(range, etag, feedPageDocuments, waitSeconds));
        if (answer.status !== 304) etag = deliver(answer, onDocuments);
      }
    };
    for (const [i, connection] of connections.entries()) {
      const range = this.#rangeOf(i);
      const now = await connection.ask(feedOf(range, '*', 1));
      follow(connection, range, headerOf(now.head, 'etag') ?? '').catch((error: unknown) => {
        if (!isOver) throw error;
      });
    }
    return {
      write: (n, version) => this.upsert(n, version),
      close: async () => {
        isOver = true;
        for (const connection of connections) connection.close();
      },
    };
  }

  group(onDocuments: OnDocuments): Promise<Group> {
    const account = { endpoint: `http://127.0.0.1:${this.#port}`, key: wellKnownKey, database: databaseId };
    const source = { ...account, container: containerId };
    return startGroup(() => ({ source, leases: { ...account, container: leasesId } }), onDocuments);
  }

  async #ask(request: Buffer): Promise<Buffer> {
    const connection = this.#takeFree() ?? (await this.#take());
    const { status, head, body } = await connection.ask(request);
    if (status >= 300) throw new Error(`The server answered: ${head}`);
    this.#free.push(connection);
    return body as Buffer;
  }

  async #take(): Promise<Connection> {
    const free = this.#takeFree();
    if (free !== undefined) return free;
    const connection = await Connection.open(this.#port, { keepsBody: true });
    this.#open.push(connection);
    return connection;
  }

  #takeFree(): Connection | undefined {
    let connection = this.#free.pop();
    while (connection?.isOpen === false) connection = this.#free.pop();
    return connection;
  }

  #rangeOf(piece: number): string {
    return this.#ranges.ids[piece] as string;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#open) connection.close();
  }
}

/** The etag to go on from. */
function deliver(
  answer: { readonly status: number; readonly head: string; readonly body: Buffer | undefined },
  onDocuments: OnDocuments,
): string {
  if (answer.status !== 200) throw new Error(`The server answered: ${answer.head}`);
  const { Documents } = JSON.parse((answer.body as Buffer).toString()) as { Documents: ReadDocument[] };
  onDocuments(Documents);
  return headerOf(answer.head, 'etag') ?? '';
}
