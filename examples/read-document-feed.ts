// The read feed of the service's documentation, ReadDocumentFeedAsync and ReadPartitionKeyRangeFeedAsync: every document, page after page,
// from one client, which walks the ranges one after the other; then by a reader for each range, at the same time.

import type { RestContainer } from '@tidemark/processor';
import { accountFromEnvironment, RestClient } from '@tidemark/processor';

interface LogEntry {
  readonly id: string;
  readonly server: string;
}

const { endpoint, key } = accountFromEnvironment(process.env);
const client = new RestClient({ endpoint, credential: { key } });
await client.createDatabaseIfNotExists('bigdb');
const definition = { id: 'serverlogs', partitionKey: { paths: ['/server'], version: 2 } };
// Throughput decides how many ranges there are: with more than one there is something to share.
const collection = await client.createContainerIfNotExists('bigdb', definition, { throughput: 20_000 });
for (let n = 0; n < 60; n += 1) {
  const entry: LogEntry = { id: `entry ${n}`, server: `server ${n % 20}` };
  await collection.upsertDocument([entry.server], entry);
}

const documents = await readDocumentFeed(collection);
console.log(`${documents.length} documents, one range after the other`);

const ranges = await collection.ranges();
const parts = await Promise.all(ranges.map(({ id }) => readDocumentFeed(collection, id)));
console.log(`${parts.flat().length} documents by ${ranges.length} readers, one for each range`);
const isTwice = new Set(parts.flat().map(({ id }) => id)).size < documents.length;
if (isTwice || parts.some((part) => part.length === 0)) throw new Error('The ranges do not share the documents.');

/** Where a page ended says the service, and the next request says it again. */
async function readDocumentFeed(collection: RestContainer, range?: string): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  let continuation: string | undefined;
  do {
    const page = await collection.documents({ range, continuation, itemsMax: -1 });
    found.push(...(page.items() as LogEntry[]));
    ({ continuation } = page);
  } while (continuation !== undefined);
  return found;
}
