// A host in a process of its own, to be killed. It tells of every range that it opens, one line each.

import { systemEnvironment } from '@tidemark/client';
import { RestFeedSource, RestStore } from '@tidemark/processor';
import { databaseId } from '../server/requests.ts';
import type { HostRules, Intervals } from './hosts.ts';
import { makeHost } from './hosts.ts';
import { clientAt, leasesId, many } from './setting.ts';

const { clock: systemClock } = systemEnvironment();

export interface ChildConfig {
  readonly rules: HostRules;
  readonly port: number;
  readonly name: string;
  readonly instance: string;
  readonly intervals: Intervals;
}

const { rules, port, name, instance, intervals } = JSON.parse(process.argv[2] ?? '') as ChildConfig;
const client = clientAt(port);
const host = makeHost(rules, {
  source: new RestFeedSource(client, databaseId, many.id),
  store: new RestStore(client, databaseId, leasesId),
  clock: systemClock,
  name,
  instance,
  start: 'now',
  intervals,
  onBatch: () => {},
  onOpened: () => {
    process.stdout.write('opened\n');
  },
});
// Without its parent it has nobody to work for.
process.stdin.on('end', () => process.exit(0)).resume();
await host.start();
