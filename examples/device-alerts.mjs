// Devices send readings, and whoever is too hot raises an alert, once. A reading that makes no sense goes to the dead letters, so
// that neither it is lost nor those behind it have to wait. In production the two halves are two programs.

import { setTimeout as sleep } from 'node:timers/promises';
import { CosmosClient } from '@azure/cosmos';
import { accountFromEnvironment, createProcessor, openGroup } from '@tidemark/processor';

const account = accountFromEnvironment(process.env);
const celsiusMax = 80;
const startedMs = Date.now();

const client = new CosmosClient(account);
const { database } = await client.databases.createIfNotExists({ id: 'factory' });
// Version 2 takes partition keys of 2 KiB; without it they have 101 bytes, which is too little for the ids of dead letters.
const make = async (id, path) => {
  const definition = { id, partitionKey: { paths: [path], version: 2 }, defaultTtl: -1 };
  return (await database.containers.createIfNotExists(definition)).container;
};
const readings = await make('readings', '/deviceId');
const alerts = await make('alerts', '/deviceId');
await make('leases', '/id');
await make('dead-letters', '/id');

const at = (container) => ({ ...account, database: 'factory', container });
const group = { source: at('readings'), leases: at('leases'), deadLetters: at('dead-letters'), name: 'alerts' };

const processor = createProcessor({
  ...group,
  start: 'beginning',
  lanes: 4, // devices are independent of each other: four handlers at a time, each device in order
  onFailure: 'park-item',
  // What can never succeed is given up at once; what fails for another reason is tried until it succeeds.
  classify: (error) => (error instanceof TypeError ? 'poison' : 'retry'),
  handler: async (batch) => {
    const failed = [];
    for (const [index, reading] of batch.entries()) {
      try {
        await watch(reading);
      } catch (error) {
        failed.push({ index, error });
      }
    }
    return { failed };
  },
});
await processor.start();
await sendReadings();
const desk = openGroup(group);
while ((await desk.lag()).items !== 0) await sleep(100);
for (const { itemId, error, parkedAtMs } of await (await desk.deadLetters()).list()) {
  console.log(`dead letter ${itemId}${parkedAtMs < startedMs ? ' of an earlier run' : ''}: ${error}`);
}
await processor.stop();
client.dispose();

/** Delivered twice, it has the same effect as once: the id of the alert is made of the reading's. */
async function watch({ id, deviceId, celsius }) {
  if (typeof celsius !== 'number') throw new TypeError(`celsius is ${JSON.stringify(celsius)}, not a number`);
  if (celsius <= celsiusMax) return;
  const { statusCode } = await alerts.items.upsert({ id: `hot-${id}`, deviceId, celsius });
  console.log(
    statusCode === 201 ? `alert: ${deviceId} has ${celsius} °C` : `no new alert: that of ${id} is there already`,
  );
}

async function sendReadings() {
  const sent = { furnace: [71, 79, 93], pump: [40, 'warm', 41], press: [55, 81] };
  for (const [deviceId, values] of Object.entries(sent)) {
    for (const [n, celsius] of values.entries()) {
      await readings.items.upsert({ id: `${deviceId}-${n}`, deviceId, celsius, ttl: 30 * 24 * 3600 });
    }
  }
}
