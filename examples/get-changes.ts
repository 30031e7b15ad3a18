// GetChanges of the service's documentation: the changes of a collection by hand, with a checkpoint for each range. That is the feed
// without a processor: the checkpoints are yours to keep, and so are ranges that split, and who reads which.

import type { ChangesOptions, RestContainer } from '@tidemark/processor';
import { accountFromEnvironment, RestClient } from '@tidemark/processor';

interface DeviceReading {
  readonly id: string;
  readonly deviceId: string;
  readonly metricType: 'Temperature' | 'Pressure';
  readonly unit: string;
  readonly metricValue: number;
}

// The endpoint and the key of the printed program's settings come from the environment.
const { endpoint, key } = accountFromEnvironment(process.env);
const client = new RestClient({ endpoint, credential: { key } });
await client.createDatabaseIfNotExists('devices');
const definition = { id: 'readings', partitionKey: { paths: ['/deviceId'], version: 2 } };
const collection = await client.createContainerIfNotExists('devices', definition);
await send('xsensr-1', 'Temperature', 'Celsius', 20);
await send('xsensr-2', 'Pressure', 'psi', 990);

// Returns all documents in the collection.
const checkpoints = new Map<string, string>();
tell('all', await getChanges(collection, checkpoints));

await send('xsensr-201', 'Temperature', 'Celsius', 1000);
await send('xsensr-212', 'Pressure', 'psi', 1000);

// Returns only the two documents created above.
tell('created since', await getChanges(collection, checkpoints));

// Some changes only: the client chooses, and triggers an action.
await send('xsensr-201', 'Temperature', 'Celsius', 1200);
await send('xsensr-212', 'Pressure', 'psi', 1200);
const isTooHot = ({ metricType, metricValue }: DeviceReading) => metricType === 'Temperature' && metricValue > 1000;
tell('too hot', (await getChanges(collection, checkpoints)).filter(isTooHot));

// From a time instead: what was modified since. A checkpoint would win over it.
const timeMs = Date.now() - 10 * 60_000;
tell('of the last minutes', await getChanges(collection, new Map(), { timeMs }));

// PartitionKey in the place of PartitionKeyRangeId: one key has no ranges to go through.
const page = await collection.changes({ partitionKey: ['xsensr-212'] });
tell('of one device', page.items() as DeviceReading[]);

/** What has changed in each range since its checkpoint, which is moved; without one, from the beginning or from `start`. */
async function getChanges(
  collection: RestContainer,
  checkpoints: Map<string, string>,
  start: ChangesOptions['from'] = 'beginning',
): Promise<DeviceReading[]> {
  const changes: DeviceReading[] = [];
  for (const { id: range } of await collection.ranges()) {
    for (;;) {
      const continuation = checkpoints.get(range);
      const from = continuation === undefined ? start : { etag: continuation };
      const page = await collection.changes({ range, from, itemsMax: 1 });
      changes.push(...(page.items() as DeviceReading[]));
      checkpoints.set(range, page.etag);
      if (page.isDrained) break;
    }
  }
  return changes;
}

async function send(deviceId: string, metricType: string, unit: string, metricValue: number): Promise<void> {
  await collection.upsertDocument([deviceId], { id: deviceId, deviceId, metricType, unit, metricValue });
}

function tell(which: string, readings: readonly DeviceReading[]): void {
  console.log(`${which}: ${readings.map(({ id, metricValue, unit }) => `${id} ${metricValue} ${unit}`).join(', ')}`);
}
