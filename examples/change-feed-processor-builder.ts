// ChangeFeedProcessorBuilder of the service's documentation: an observer that prints what it is told, a factory that makes one for each
// range, and a processor that is built of its parts, started and stopped.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ChangeFeedObserver,
  ChangeFeedObserverCloseReason,
  ChangeFeedObserverContext,
  ChangeFeedObserverFactory,
  ChangeFeedProcessorOptions,
  DocumentCollectionInfo,
} from '@tidemark/processor';
import { accountFromEnvironment, ChangeFeedProcessorBuilder, RestClient } from '@tidemark/processor';

interface Order {
  readonly id: string;
}

let totalDocs = 0;

class DocumentFeedObserver implements ChangeFeedObserver<Order> {
  open({ partitionKeyRangeId }: ChangeFeedObserverContext): void {
    console.log(`Observer opened for partition Key Range: ${partitionKeyRangeId}`);
  }

  processChanges({ partitionKeyRangeId }: ChangeFeedObserverContext, docs: readonly Order[]): void {
    totalDocs += docs.length;
    console.log(`Change feed: PartitionId ${partitionKeyRangeId} total ${totalDocs} doc(s)`);
    for (const doc of docs) console.log(doc.id);
  }

  close({ partitionKeyRangeId }: ChangeFeedObserverContext, reason: ChangeFeedObserverCloseReason): void {
    console.log(`Observer closed, ${partitionKeyRangeId}`);
    console.log(`Reason for shutdown, ${reason}`);
  }
}

class DocumentFeedObserverFactory implements ChangeFeedObserverFactory<Order> {
  createObserver(): ChangeFeedObserver<Order> {
    return new DocumentFeedObserver();
  }
}

// The two collections may be of two accounts: each has an endpoint and a key of its own.
const { endpoint: uri, key: masterKey } = accountFromEnvironment(process.env);
const client = new RestClient({ endpoint: uri, credential: { key: masterKey } });
await client.createDatabaseIfNotExists('sales');
const byId = { partitionKey: { paths: ['/id'], version: 2 } };
const orders = await client.createContainerIfNotExists('sales', { id: 'orders', ...byId });
await client.createContainerIfNotExists('sales', { id: 'leases', ...byId });
for (const id of ['order 1', 'order 2', 'order 3']) await orders.upsertDocument([id], { id });

const documentCollectionInfo: DocumentCollectionInfo = {
  uri,
  masterKey,
  databaseName: 'sales',
  collectionName: 'orders',
};
const leaseCollectionInfo: DocumentCollectionInfo = { ...documentCollectionInfo, collectionName: 'leases' };
const options: ChangeFeedProcessorOptions = { startFromBeginning: true, leaseRenewInterval: 15_000 };

const builder = new ChangeFeedProcessorBuilder<Order>()
  .withHostName(randomUUID())
  .withFeedCollection(documentCollectionInfo)
  .withLeaseCollection(leaseCollectionInfo)
  .withProcessorOptions(options)
  .withObserverFactory(new DocumentFeedObserverFactory());
// .withObserver(DocumentFeedObserver) if there is no factory

const processor = await builder.build();
await processor.start();
const estimator = await builder.buildEstimator();
while ((await estimator.getEstimatedRemainingWork()) !== 0) await sleep(50);
await processor.stop();
