// Two hosts share the changes of a container, one of them leaves, and nothing is lost or repeated. The container and the leases are in
// memory here; with an endpoint and a key in their place it is the same program.

import { createProcessor, MemoryDocumentStore, MemoryFeedSource, openGroup } from '@tidemark/processor';

interface Order {
  readonly id: string;
  readonly pk: string;
}

const orders = new MemoryFeedSource({ ranges: 4, partitionKey: '/pk' });
const group = { source: orders, leases: new MemoryDocumentStore(), name: 'example' };

const handled = new Map<string, number>();
const hosts = ['host-1', 'host-2'].map((instance) =>
  createProcessor<Order>({
    ...group,
    instance,
    lanes: 4,
    joinMs: 100,
    leaseAcquireMs: 200,
    handler: async (changes) => {
      for (const { id } of changes) handled.set(id, (handled.get(id) ?? 0) + 1);
    },
  }),
);
const desk = openGroup(group);

await Promise.all(hosts.map((host) => host.start()));
write(0, 500);
await caughtUp();
const { hosts: shares } = await desk.status();
for (const { instance, ranges } of shares) console.log(`${instance} has ${ranges} ranges`);

await hosts[0]?.stop();
write(500, 1000);
await caughtUp();
await hosts[1]?.stop();

const twice = [...handled.values()].filter((times) => times > 1).length;
console.log(`${handled.size} changes handled, ${twice} of them twice`);
if (handled.size !== 1000 || twice > 0) throw new Error('Something was lost or repeated.');

function write(from: number, to: number): void {
  for (let n = from; n < to; n += 1) orders.put({ id: `${n}`, pk: `customer ${n % 20}` });
}

async function caughtUp(): Promise<void> {
  while ((await desk.lag()).items !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
