// Documents and a change feed on Redis: a document is a string under its key, and every version is an entry of the stream of its
// piece; both are written together. Commands of one moment share a write to the socket and, at the server, a flush.

import { idOf } from '../../engine/documents.ts';
import { requirePeer } from '../install/peers-folder.ts';
import { consumers, feedPageDocuments, groupBatchDocuments, ranges } from '../works.ts';
import type { Group, OnDocuments, ReadDocument, Subject, SubjectPlace, Tail } from './subject.ts';
import { textOf } from './subject.ts';

/** Id, and names and values of its fields in turn. */
type Entry = readonly [id: string, fields: readonly string[]];
type Streams = readonly (readonly [stream: string, entries: readonly Entry[]])[];

interface Transaction {
  set(key: string, value: string): Transaction;
  xadd(...args: string[]): Transaction;
  exec(): Promise<readonly (readonly [Error | null, unknown])[] | null>;
}

interface Client {
  multi(): Transaction;
  get(key: string): Promise<string | null>;
  xrange(stream: string, ...args: string[]): Promise<readonly Entry[]>;
  xread(...args: string[]): Promise<Streams | null>;
  xreadgroup(...args: string[]): Promise<Streams | null>;
  xack(stream: string, group: string, ...ids: string[]): Promise<number>;
  xgroup(...args: string[]): Promise<unknown>;
  xinfo(...args: string[]): Promise<unknown>;
  duplicate(): Client;
  disconnect(): void;
}

interface RedisModule {
  readonly Redis: new (options: object) => Client;
}

const streams: readonly string[] = Array.from({ length: ranges }, (_, i) => `feed:${i}`);

export class RedisStreams implements Subject {
  readonly pieces: number = ranges;
  readonly #client: Client;
  #groups = 0;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open({ port }: SubjectPlace): Promise<RedisStreams> {
    const { Redis } = requirePeer<RedisModule>('ioredis');
    return new RedisStreams(new Redis({ host: '127.0.0.1', port, noDelay: true }));
  }

  pieceOf(n: number): number {
    return n % ranges;
  }

  upsert(n: number, version: number): Promise<unknown> {
    return this.#write(this.#client.multi(), [n], version);
  }

  bulk(_piece: number, documents: readonly number[], version: number): Promise<unknown> {
    return this.#write(this.#client.multi(), documents, version);
  }

  async #write(transaction: Transaction, documents: readonly number[], version: number): Promise<void> {
    for (const n of documents) {
      const text = textOf(n, version);
      transaction.set(`doc:${idOf(n)}`, text).xadd(streams[this.pieceOf(n)] as string, '*', 'body', text);
    }
    const results = await transaction.exec();
    for (const [error] of results ?? []) if (error !== null) throw error;
  }

  async read(n: number): Promise<ReadDocument> {
    return JSON.parse((await this.#client.get(`doc:${idOf(n)}`)) ?? '');
  }

  async catchUp(onDocuments: OnDocuments): Promise<void> {
    await Promise.all(
      streams.map(async (stream) => {
        let from = '-';
        for (;;) {
          const entries = await this.#client.xrange(stream, from, '+', 'COUNT', String(feedPageDocuments));
          onDocuments(entries.map(documentOf));
          if (entries.length < feedPageDocuments) return;
          from = `(${(entries.at(-1) as Entry)[0]}`;
        }
      }),
    );
  }

  async tail(onDocuments: OnDocuments): Promise<Tail> {
    const client = this.#client.duplicate();
    const positions = new Map<string, string>();
    for (const stream of streams) {
      const info = (await this.#client.xinfo('STREAM', stream)) as readonly unknown[];
      positions.set(stream, info[info.indexOf('last-generated-id') + 1] as string);
    }
    let isOver = false;
    const follow = async (): Promise<void> => {
      while (!isOver) {
        const found = await client.xread('BLOCK', '0', 'STREAMS', ...streams, ...positions.values());
        for (const [stream, entries] of found ?? []) {
          onDocuments(entries.map(documentOf));
          positions.set(stream, (entries.at(-1) as Entry)[0]);
        }
      }
    };
    void follow().catch((error: unknown) => {
      if (!isOver) throw error;
    });
    return {
      write: (n, version) => this.upsert(n, version),
      close: async () => {
        isOver = true;
        client.disconnect();
      },
    };
  }

  async group(onDocuments: OnDocuments): Promise<Group> {
    this.#groups += 1;
    const group = `group-${this.#groups}`;
    for (const stream of streams) await this.#client.xgroup('CREATE', stream, group, '0');
    const clients = Array.from({ length: consumers }, () => this.#client.duplicate());
    // A consumer has its own streams, so that the changes of a document stay in order.
    const consume = async (client: Client, consumer: number): Promise<void> => {
      const own = streams.filter((_, i) => i % consumers === consumer);
      const args = ['GROUP', group, `consumer-${consumer}`, 'COUNT', String(groupBatchDocuments), 'STREAMS', ...own];
      for (;;) {
        const found = await client.xreadgroup(...args, ...own.map(() => '>'));
        if (found === null) return;
        const acknowledged = found.map(([stream, entries]) => {
          onDocuments(entries.map(documentOf));
          return client.xack(stream, group, ...entries.map(([id]) => id));
        });
        await Promise.all(acknowledged);
      }
    };
    const loops = Promise.all(clients.map(consume));
    return {
      close: async () => {
        await loops;
        for (const client of clients) client.disconnect();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.disconnect();
  }
}

function documentOf([, [, body = '']]: Entry): ReadDocument {
  return JSON.parse(body);
}
