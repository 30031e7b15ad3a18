// A Cosmos server through the official client, the same for Tidemark and for @vercel/cosmosdb-server.

import type { Container, SqlQuerySpec } from '@azure/cosmos';
import { CosmosClient } from '@azure/cosmos';
import { wellKnownKey } from '@tidemark/server';
import { drive } from '../../common/drive.ts';
import { idOf, partitionKeyOf } from '../../engine/documents.ts';
import { containerId, databaseId } from '../../server/requests.ts';
import { orderOf } from '../documents.ts';
import type { Rows } from '../questions.ts';
import { asked, cosmosTexts } from '../questions.ts';
import type { ScanId, Subject, SubjectPlace } from './subject.ts';

const itemsMax = 1_000;
const writers = 64;

/** The server has the documents. */
export async function openTidemarkSdk({ port }: SubjectPlace): Promise<Subject> {
  const client = clientOf(port);
  return new CosmosSdk(client, client.database(databaseId).container(containerId));
}

export async function openVercelSdk({ port }: SubjectPlace): Promise<Subject> {
  const client = clientOf(port);
  const { database } = await client.databases.create({ id: databaseId });
  const definition = { id: containerId, partitionKey: { paths: ['/customerId'], version: 2 } };
  const { container } = await database.containers.create(definition);
  const subject = new CosmosSdk(client, container);
  return Object.assign(subject, { fill: (documents: number) => subject.create(documents) });
}

class CosmosSdk implements Subject {
  readonly #client: CosmosClient;
  readonly #container: Container;

  constructor(client: CosmosClient, container: Container) {
    this.#client = client;
    this.#container = container;
  }

  async create(documents: number): Promise<void> {
    let n = 0;
    await drive({ writers, operations: documents }, () => this.#container.items.create(orderOf(n++)));
  }

  async ask(question: ScanId): Promise<Rows | number> {
    const { resources } = await this.#query(cosmosTexts[question], asked);
    return question === 'count' ? (resources[0] as number) : (resources as Rows); // The question says what is selected.
  }

  async point(n: number): Promise<unknown> {
    const { resources } = await this.#query(cosmosTexts.point, { customer: partitionKeyOf(n), id: idOf(n) });
    return resources[0];
  }

  async #query(query: string, values: Readonly<Record<string, string | number>>): Promise<{ resources: unknown[] }> {
    const parameters = Object.entries(values).map(([name, value]) => ({ name: `@${name}`, value }));
    // Those that a query does not name are refused by @vercel/cosmosdb-server.
    const spec: SqlQuerySpec = { query, parameters: parameters.filter(({ name }) => query.includes(name)) };
    return this.#container.items.query<unknown>(spec, { maxItemCount: itemsMax }).fetchAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.dispose();
  }
}

/** @vercel/cosmosdb-server names addresses with https whatever it listens on, so the client must keep to the one it was given. */
function clientOf(port: number): CosmosClient {
  const connectionPolicy = { enableEndpointDiscovery: false };
  return new CosmosClient({ endpoint: `http://127.0.0.1:${port}`, key: wellKnownKey, connectionPolicy });
}
