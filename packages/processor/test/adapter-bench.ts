// An engine with a server before it, and what the contracts of the processor's seams want done behind the adapters' backs.

import { RestClient } from '@tidemark/client';
import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import type { FeedUnderTest, StoreUnderTest } from '@tidemark/testing';

/** What a container for leases is partitioned by; `fixed`: by nothing. */
export const storeKinds = ['/id', '/partitionKey', 'fixed'] as const;
export type StoreKind = (typeof storeKinds)[number];

const fixed = { partitionKey: { paths: ['/_partitionKey'], kind: 'Hash', systemKey: true } };

export class AdapterBench {
  readonly database: Database;
  readonly server: RunningServer;
  readonly client: RestClient;
  #containers = 0;

  constructor(database: Database, server: RunningServer) {
    this.database = database;
    this.server = server;
    this.client = new RestClient({ endpoint: server.url, credential: { key: wellKnownKey } });
  }

  static async open(): Promise<AdapterBench> {
    const database = await openDatabase({ memory: true });
    const server = await startServer({ database });
    await database.createDatabase('db');
    return new AdapterBench(database, server);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.database.close();
  }

  async container(path: string, definition: object = {}): Promise<Container> {
    this.#containers += 1;
    const id = `c${this.#containers}`;
    return this.database.createContainer('db', { id, partitionKey: { paths: [path], version: 2 }, ...definition });
  }

  /** All but the source of a feed on trial. */
  async feed(): Promise<{ container: Container } & Omit<FeedUnderTest, 'source' | 'offers'>> {
    const container = await this.container('/pk', { changeFeedPolicy: { retentionDuration: 60 } });
    return {
      container,
      write: async (pk, ids) => {
        const result = await container.batch(
          pk,
          ids.map((id) => ({ upsert: { id, pk } })),
        );
        if (!result.isCommitted) throw new Error('the batch was refused');
      },
      remove: (pk, id) => container.delete(id, pk),
      split: async (range) => {
        await container.split(range);
      },
      merge: async (left, right) => {
        await container.merge(left, right);
      },
      close: async () => {},
    };
  }

  /** All but the store of a store on trial. */
  async store(kind: StoreKind): Promise<{ container: Container } & Omit<StoreUnderTest, 'store' | 'offers'>> {
    const container = await this.container(kind, kind === 'fixed' ? fixed : {});
    return {
      container,
      writeForeign: async (body) => {
        await container.create(body);
      },
      close: async () => {},
    };
  }
}
