// A Cosmos server through the official client, the same for Tidemark and for @vercel/cosmosdb-server.

import type { Container } from '@azure/cosmos';
import { BulkOperationType, ChangeFeedStartFrom, CosmosClient } from '@azure/cosmos';
import { wellKnownKey } from '@tidemark/server';
import { idOf, partitionKeyOf } from '../../engine/documents.ts';
import { containerId, databaseId } from '../../server/requests.ts';
import { feedPageDocuments, ranges } from '../works.ts';
import type { Group, OnDocuments, ReadDocument, Subject, SubjectPlace, Tail } from './subject.ts';
import { objectOf } from './subject.ts';
import { createPeerContainer, leasesId, startGroup } from './tidemark-container.ts';

export class CosmosSdk implements Subject {
  readonly pieces: number;
  readonly #client: CosmosClient;
  readonly #container: Container;
  readonly #pieceOf: (n: number) => number;

  constructor(port: number, pieces: number, pieceOf: (n: number) => number) {
    this.pieces = pieces;
    this.#pieceOf = pieceOf;
    this.#client = clientOf(port);
    this.#container = this.#client.database(databaseId).container(containerId);
  }

  pieceOf(n: number): number {
    return this.#pieceOf(n);
  }

  upsert(n: number, version: number): Promise<unknown> {
    return this.#container.items.upsert(objectOf(n, version));
  }

  async bulk(_piece: number, documents: readonly number[], version: number): Promise<void> {
    const operations = documents.map((n) => ({
      operationType: BulkOperationType.Upsert,
      partitionKey: partitionKeyOf(n),
      resourceBody: { ...objectOf(n, version) },
    }));
    const outcomes = await this.#container.items.bulk(operations);
    const wrong = outcomes.find(({ statusCode }) => statusCode >= 300);
    if (wrong !== undefined) throw new Error(`A bulk was answered: ${JSON.stringify(wrong)}`);
  }

  async read(n: number): Promise<ReadDocument> {
    const { resource } = await this.#container.item(idOf(n), partitionKeyOf(n)).read<ReadDocument>();
    if (resource === undefined) throw new Error(`Document ${n} is missing.`);
    return resource;
  }

  async catchUp(onDocuments: OnDocuments): Promise<void> {
    const feedRanges = await this.#container.getFeedRanges();
    await Promise.all(
      feedRanges.map(async (feedRange) => {
        const iterator = this.#container.items.getChangeFeedIterator<ReadDocument>({
          changeFeedStartFrom: ChangeFeedStartFrom.Beginning(feedRange),
          maxItemCount: feedPageDocuments,
        });
        for (let page = await iterator.readNext(); page.statusCode !== 304; page = await iterator.readNext()) {
          onDocuments(page.result);
        }
      }),
    );
  }

  /** The client cannot wait for a change: it asks again and again, here without a pause. */
  async tail(onDocuments: OnDocuments): Promise<Tail> {
    const iterator = this.#container.items.getChangeFeedIterator<ReadDocument>({
      changeFeedStartFrom: ChangeFeedStartFrom.Now(),
      maxItemCount: feedPageDocuments,
    });
    await iterator.readNext();
    let isOver = false;
    const loop = (async () => {
      while (!isOver) {
        const page = await iterator.readNext();
        if (page.statusCode !== 304) onDocuments(page.result);
      }
    })();
    return {
      write: (n, version) => this.upsert(n, version),
      close: () => {
        isOver = true;
        return loop;
      },
    };
  }

  group(onDocuments: OnDocuments): Promise<Group> {
    const account = { client: this.#client, ChangeFeedStartFrom, database: databaseId };
    const source = { ...account, container: containerId };
    return startGroup(() => ({ source, leases: { ...account, container: leasesId } }), onDocuments);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.dispose();
  }
}

export async function openTidemarkSdk({ port }: SubjectPlace): Promise<CosmosSdk> {
  const found = await createPeerContainer(port);
  return new CosmosSdk(port, ranges, (n) => found.pieceOf(n));
}

export async function openVercelSdk({ port }: SubjectPlace): Promise<CosmosSdk> {
  await createVercelContainer(port);
  return new CosmosSdk(port, 1, () => 0);
}

/** It has one range, whatever is asked for. The version decides how the client hashes every key of a bulk: the same for both servers. */
export async function createVercelContainer(port: number): Promise<void> {
  const client = clientOf(port);
  const { database } = await client.databases.create({ id: databaseId });
  await database.containers.create({ id: containerId, partitionKey: { paths: ['/pk'], version: 2 } });
  client.dispose();
}

/** @vercel/cosmosdb-server names addresses with https whatever it listens on, so the client must keep to the one it was given. */
function clientOf(port: number): CosmosClient {
  const connectionPolicy = { enableEndpointDiscovery: false };
  return new CosmosClient({ endpoint: `http://127.0.0.1:${port}`, key: wellKnownKey, connectionPolicy });
}
