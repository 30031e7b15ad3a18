// The sample of the service's documentation, as it is written today: read a page of changes, keep where it ended, and go on from
// there, now or next week. The feed needs no library but the official one; of the other comes the account, as in every example.

import { ChangeFeedStartFrom, CosmosClient, StatusCodes } from '@azure/cosmos';
import { accountFromEnvironment } from '@tidemark/processor';

const client = new CosmosClient(accountFromEnvironment(process.env));

try {
  const { database } = await client.databases.createIfNotExists({ id: 'db' });
  const { container } = await database.containers.createIfNotExists({ id: 'c1', partitionKey: '/city' });
  for (const city of ['Lisbon', 'Oslo', 'Quito']) await container.items.upsert({ id: city, city });

  const first = await readChanges(container, ChangeFeedStartFrom.Beginning());
  console.log(first.changes.map(({ id, _lsn }) => `${id} (LSN ${_lsn})`).join(', '));

  await container.items.upsert({ id: 'Oslo', city: 'Oslo', metres: 23 });

  // The continuation is a text. A program that keeps it in a file or a table goes on from there after a restart.
  const next = await readChanges(container, ChangeFeedStartFrom.Continuation(first.continuation));
  for (const { id, metres } of next.changes) console.log(`next one: ${id}, ${metres} m`);
} catch (error) {
  console.error(
    error.code === 'ECONNREFUSED' ? `Nobody listens there (${error.message}); npm start starts a server.` : error,
  );
  process.exitCode = 1;
} finally {
  client.dispose();
}

/** All changes from a point on, and where they ended. */
async function readChanges(container, changeFeedStartFrom) {
  const feed = container.items.getChangeFeedIterator({ changeFeedStartFrom, maxItemCount: 100 });
  const changes = [];
  for (;;) {
    const page = await feed.readNext();
    // Not an end: the feed has none. It only says that nothing new is there at this moment.
    if (page.statusCode === StatusCodes.NotModified) return { changes, continuation: page.continuationToken };
    changes.push(...page.result);
  }
}
