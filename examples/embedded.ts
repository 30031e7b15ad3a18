// A database in the process: put documents, follow the feed, stop, and go on later from where the reader was.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@tidemark/engine';

const folder = await mkdtemp(join(tmpdir(), 'tidemark-example-'));
let seenUpTo: string;
{
  await using database = await openDatabase({ folder });
  await database.createDatabase('shop');
  const orders = await database.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/customer'] } });

  await orders.create({ id: '1', customer: 'ada', total: 10 });
  await orders.create({ id: '2', customer: 'bob', total: 20 });
  await orders.upsert({ id: '1', customer: 'ada', total: 15 });

  const stop = new AbortController();
  const feed = orders.changes({ from: 'beginning', signal: stop.signal });
  const seen: string[] = [];
  for await (const order of feed) {
    console.log(`${order.id}: ${order['total']} (LSN ${order._lsn})`);
    seen.push(order.id);
    // The latest version of each document, in the order of change: the first order was changed last.
    if (seen.length === 2) await orders.create({ id: '3', customer: 'ada', total: 30 });
    if (seen.length === 3) stop.abort();
  }
  assert.deepEqual(seen, ['2', '1', '3']);
  seenUpTo = feed.etag;
}

{
  await using database = await openDatabase({ folder });
  const orders = database.container('shop', 'orders');
  await orders.patch('2', 'bob', [{ op: 'incr', path: '/total', value: 5 }]);

  const page = await orders.changes({ from: { etag: seenUpTo } }).page();
  const [order] = JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`);
  console.log(`after ${seenUpTo}: order ${order.id} is ${order.total} now`);
  assert.equal(page.count, 1);
  assert.equal(order.total, 25);
}
await rm(folder, { recursive: true });
