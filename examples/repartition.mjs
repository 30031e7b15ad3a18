// Orders lie by customer and shall lie by city, while the shop stays open: a processor copies what is there and what comes, and once
// it is close behind, the shop goes over. Every write of an order has a higher revision, and nobody replaces a higher one: it does not
// matter whether shop or copy is first. The feed does not show deletes: the shop would mark an order and let it expire.

import { setTimeout as sleep } from 'node:timers/promises';
import { CosmosClient, StatusCodes } from '@azure/cosmos';
import { accountFromEnvironment, createProcessor, openGroup } from '@tidemark/processor';

const account = accountFromEnvironment(process.env);

const client = new CosmosClient(account);
const { database } = await client.databases.createIfNotExists({ id: 'moving-shop' });
const make = async (id, path) => {
  const definition = { id, partitionKey: { paths: [path], version: 2 } };
  return (await database.containers.createIfNotExists(definition)).container;
};
const old = { container: await make('orders', '/customer'), keyOf: ({ customer }) => customer };
const next = { container: await make('orders-by-city', '/city'), keyOf: ({ city }) => city };
await make('leases', '/id');

const shop = { place: old, isOpen: true, write: undefined };
const selling = sell();
const at = (container) => ({ ...account, database: database.id, container });
const group = { source: at('orders'), leases: at('leases'), name: 'orders-by-city' };
const copier = createProcessor({
  ...group,
  start: 'beginning',
  handler: async (orders) => {
    for (const order of orders) await put(next, order); // If it throws, the batch comes again.
  },
});
await copier.start();
await behindAtMost(10);
console.log('close behind: the shop goes over');
shop.place = next; // In production a setting, and the next line the time until every instance has it.
await shop.write;
await behindAtMost(0);
await copier.stop();
shop.isOpen = false;
const sold = await selling;
const copies = (await next.container.items.readAll().fetchAll()).resources.filter(({ id }) => sold.has(id));
const stale = copies.filter(({ id, revision }) => sold.get(id) !== revision);
console.log(`${sold.size - copies.length} orders missing, ${stale.length} stale`);
client.dispose();

async function behindAtMost(itemsMax) {
  const desk = openGroup(group);
  while (!((await desk.lag()).items <= itemsMax)) await sleep(50);
}

/** Writes unless an equal or higher revision is there. */
async function put({ container, keyOf }, { id, customer, city, revision }) {
  const order = { id, customer, city, revision };
  const item = container.item(id, keyOf(order));
  for (;;) {
    const { resource: there, etag } = await item.read();
    if (there?.revision >= revision) return;
    try {
      if (there === undefined) await container.items.create(order);
      else await item.replace(order, { accessCondition: { type: 'IfMatch', condition: etag } });
      return;
    } catch (error) {
      if (error.code !== StatusCodes.Conflict && error.code !== StatusCodes.PreconditionFailed) throw error;
    }
  }
}

/** Orders come and change all the time. Resolves with the last revision of each, once the shop is closed. */
async function sell() {
  const sold = new Map();
  for (let revision = Date.now(); shop.isOpen; revision += 1) {
    const n = revision % 60;
    shop.write = put(shop.place, { id: `${n}`, customer: `customer ${n % 7}`, city: `city ${n % 3}`, revision });
    await shop.write;
    sold.set(`${n}`, revision);
  }
  return sold;
}
