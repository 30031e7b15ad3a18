// ChangeFeedEventHost of the service's documentation, which its text calls ChangeFeedProcessorHost: documents move to another collection,
// where they have another partition key. An observer for each range writes what the feed gives it.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeFeedObserver, ChangeFeedObserverFactory, RestContainer } from '@tidemark/processor';
import { accountFromEnvironment, ChangeFeedEventHost, RestClient } from '@tidemark/processor';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly city: string;
}

/** The destination is handed from the factory to every observer. */
class DocumentFeedObserver implements ChangeFeedObserver<Person> {
  readonly #destination: RestContainer;

  constructor(destination: RestContainer) {
    this.#destination = destination;
  }

  open(): void {}

  /** Once more it has the same effect: a batch that fails comes again. */
  async processChanges(_: unknown, documents: readonly Person[]): Promise<void> {
    for (const { id, name, city } of documents) await this.#destination.upsertDocument([city], { id, name, city });
  }

  close(): void {}
}

class DocumentFeedObserverFactory implements ChangeFeedObserverFactory<Person> {
  readonly #destination: RestContainer;

  constructor(destination: RestContainer) {
    this.#destination = destination;
  }

  createObserver(): ChangeFeedObserver<Person> {
    return new DocumentFeedObserver(this.#destination);
  }
}

const { endpoint, key } = accountFromEnvironment(process.env);
const client = new RestClient({ endpoint, credential: { key } });
await client.createDatabaseIfNotExists('people');
const make = (id: string, path: string) => {
  const definition = { id, partitionKey: { paths: [path], version: 2 } };
  return client.createContainerIfNotExists('people', definition);
};
const monitored = await make('by-name', '/name');
const destination = await make('by-city', '/city');
await make('leases', '/id');

const info = (collectionName: string) => ({ uri: endpoint, masterKey: key, databaseName: 'people', collectionName });
const feedOptions = { startFromBeginning: true };
const feedHostOptions = { leaseRenewInterval: 15_000 };
const hostName = randomUUID();
const places = [info('by-name'), info('leases')] as const;
const host = new ChangeFeedEventHost<Person>(hostName, ...places, feedOptions, feedHostOptions);
await host.registerObserverFactory(new DocumentFeedObserverFactory(destination));
console.log('Running...');

for (const [name, city] of [
  ['Ada', 'London'],
  ['Grace', 'New York'],
  ['Mary', 'London'],
] as const) {
  await monitored.upsertDocument([name], { id: name, name, city });
}
while ((await host.getEstimatedRemainingWork()) !== 0) await sleep(50);
await host.unregisterObservers();

const inLondon = (await destination.documents({ partitionKey: ['London'] })).items() as Person[];
console.log(`in London: ${inLondon.map(({ name }) => name).join(', ')}`);
