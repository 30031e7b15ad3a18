// Documents and a change feed on Redis: a document is a string under its key, and every version is an entry of the stream of its
// piece. A script writes both, so that the document goes over the wire once; MULTI took the client three times as long. All that is
// in flight is pipelined on one connection, and shares flushes at the server.

import { idOf } from '../../engine/documents.ts';
import { requirePeer } from '../install/peers-folder.ts';
import { consumers, feedPageDocuments, groupBatchDocuments, ranges } from '../works.ts';
import type { Group, OnDocuments, ReadDocument, Subject, SubjectPlace, Tail } from './subject.ts';
import { textOf } from './subject.ts';

/** Id, and names and values of its fields in turn. */
type Entry = readonly [id: string, fields: readonly string[]];
type Streams = readonly (readonly [stream: string, entries: readonly Entry[]])[];

interface Client {
  /** Sends the name of a script, and its text only where the server does not know it. */
  defineCommand(name: 'upsert', options: { readonly lua: string }): void;
  upsert(keys: number, ...keysAndValues: string[]): Promise<number>;
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

/** The stream, the keys of the documents; their texts. */
const upsertScript = `
  for i = 1, #ARGV do
    redis.call('SET', KEYS[i + 1], ARGV[i])
    redis.call('XADD', KEYS[1], '*', 'body', ARGV[i])
  end
  return #ARGV`;

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
    const client = new Redis({ host: '127.0.0.1', port, noDelay: true });
    client.defineCommand('upsert', { lua: upsertScript });
    return new RedisStreams(client);
  }

  pieceOf(n: number): number {
    return n % ranges;
  }

  upsert(n: number, version: number): Promise<unknown> {
    return this.#client.upsert(2, this.#streamOf(n), keyOf(n), textOf(n, version));
  }

  bulk(piece: number, documents: readonly number[], version: number): Promise<unknown> {
    const texts = documents.map((n) => textOf(n, version));
    return this.#client.upsert(documents.length + 1, streams[piece] as string, ...documents.map(keyOf), ...texts);
  }

  #streamOf(n: number): string {
    return streams[this.pieceOf(n)] as string;
  }

  async read(n: number): Promise<ReadDocument> {
    return JSON.parse((await this.#client.get(keyOf(n))) ?? '');
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

function keyOf(n: number): string {
  return `doc:${idOf(n)}`;
}

function documentOf([, [, body = '']]: Entry): ReadDocument {
  return JSON.parse(body);
}
