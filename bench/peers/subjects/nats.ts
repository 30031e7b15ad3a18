// Documents and a change feed on NATS JetStream, the way its key-value store is built: a stream on files that keeps the last
// message of every subject, a subject for each document, and reads straight from the stream.

import { idOf, partitionKeyOf } from '../../engine/documents.ts';
import { requirePeer } from '../install/peers-folder.ts';
import { consumers, feedPageDocuments, groupBatchDocuments } from '../works.ts';
import type { Group, OnDocuments, ReadDocument, Subject, SubjectPlace, Tail } from './subject.ts';
import { textOf } from './subject.ts';

interface Message {
  readonly seq: number;
  json<T>(): T;
  ack(): void;
}

interface Messages extends AsyncIterable<Message> {
  close(): Promise<unknown>;
}

interface Consumer {
  consume(options: object): Promise<Messages>;
  fetch(options: object): Promise<AsyncIterable<Message>>;
}

interface JetStreamClient {
  publish(subject: string, payload: string): Promise<{ readonly seq: number }>;
  readonly consumers: { get(stream: string, consumer?: string | object): Promise<Consumer> };
}

interface JetStreamManager {
  readonly streams: {
    add(config: object): Promise<unknown>;
    info(stream: string): Promise<{ readonly state: { readonly messages: number; readonly last_seq: number } }>;
  };
  readonly consumers: {
    add(stream: string, config: object): Promise<unknown>;
    info(stream: string, consumer: string): Promise<{ readonly num_pending: number; readonly num_ack_pending: number }>;
  };
  readonly direct: { getMessage(stream: string, query: object): Promise<Message | null> };
}

interface NatsConnection {
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface TransportModule {
  connect(options: object): Promise<NatsConnection>;
}

interface JetStreamModule {
  jetstream(connection: NatsConnection): JetStreamClient;
  jetstreamManager(connection: NatsConnection): Promise<JetStreamManager>;
}

const stream = 'documents';

export class NatsJetStream implements Subject {
  readonly pieces = 1;
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  #groups = 0;

  private constructor(connection: NatsConnection, client: JetStreamClient, manager: JetStreamManager) {
    this.#connection = connection;
    this.#client = client;
    this.#manager = manager;
  }

  static async open({ port }: SubjectPlace): Promise<NatsJetStream> {
    const { connect } = requirePeer<TransportModule>('@nats-io/transport-node');
    const { jetstream, jetstreamManager } = requirePeer<JetStreamModule>('@nats-io/jetstream');
    const connection = await connect({ servers: `127.0.0.1:${port}`, noDelay: true });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({
      name: stream,
      subjects: ['documents.>'],
      storage: 'file',
      max_msgs_per_subject: 1,
      allow_direct: true,
    });
    return new NatsJetStream(connection, jetstream(connection), manager);
  }

  pieceOf(): number {
    return 0;
  }

  upsert(n: number, version: number): Promise<unknown> {
    return this.#client.publish(subjectOf(n), textOf(n, version));
  }

  /** A batch is messages sent together and their acknowledgements. */
  bulk(_piece: number, documents: readonly number[], version: number): Promise<unknown> {
    return Promise.all(documents.map((n) => this.upsert(n, version)));
  }

  async read(n: number): Promise<ReadDocument> {
    const message = await this.#manager.direct.getMessage(stream, { last_by_subj: subjectOf(n) });
    if (message === null) throw new Error(`Document ${n} is missing.`);
    return message.json();
  }

  async catchUp(onDocuments: OnDocuments): Promise<void> {
    const { state } = await this.#manager.streams.info(stream);
    const consumer = await this.#client.consumers.get(stream);
    const messages = await consumer.consume({ max_messages: feedPageDocuments });
    let left = state.messages;
    for await (const message of messages) {
      onDocuments([message.json<ReadDocument>()]);
      left -= 1;
      if (left === 0) break;
    }
    await messages.close();
  }

  async tail(onDocuments: OnDocuments): Promise<Tail> {
    const { state } = await this.#manager.streams.info(stream);
    const consumer = await this.#client.consumers.get(stream, { opt_start_seq: state.last_seq + 1 });
    const messages = await consumer.consume({ max_messages: feedPageDocuments });
    const follow = async (): Promise<void> => {
      for await (const message of messages) onDocuments([message.json<ReadDocument>()]);
    };
    const loop = follow();
    await this.#connection.flush();
    return {
      write: (n, version) => this.upsert(n, version),
      close: async () => {
        await messages.close();
        await loop;
      },
    };
  }

  async group(onDocuments: OnDocuments): Promise<Group> {
    this.#groups += 1;
    const name = `group-${this.#groups}`;
    await this.#manager.consumers.add(stream, {
      durable_name: name,
      ack_policy: 'explicit',
      deliver_policy: 'all',
      max_ack_pending: consumers * groupBatchDocuments * 4,
    });
    const consume = async (): Promise<Messages> => {
      const consumer = await this.#client.consumers.get(stream, name);
      const messages = await consumer.consume({ max_messages: groupBatchDocuments });
      void (async () => {
        for await (const message of messages) {
          onDocuments([message.json<ReadDocument>()]);
          message.ack();
        }
      })();
      return messages;
    };
    const all = await Promise.all(Array.from({ length: consumers }, consume));
    return {
      close: async () => {
        for (;;) {
          const info = await this.#manager.consumers.info(stream, name);
          if (info.num_pending === 0 && info.num_ack_pending === 0) break;
        }
        await Promise.all(all.map((messages) => messages.close()));
      },
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection.close();
  }
}

function subjectOf(n: number): string {
  return `documents.${partitionKeyOf(n)}.${idOf(n)}`;
}
