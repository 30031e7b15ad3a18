// Many clients at once that each do little.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inRange } from '../../conformance/raw.ts';
import { connectionsAllowed } from '../../packages/server/src/open-files.ts';
import { untilMetric } from '../load/server-metrics.ts';
import type { Abuse } from './abuse.ts';
import { slackBytes } from './abuse.ts';
import { closeAll, connectAll } from './stalling.ts';

/** Fewer where a process may not have so many files: both sides need one for each. */
const idle = connectionsAllowed(12_500) >= 10_000 ? 10_000 : Math.floor(connectionsAllowed(12_500) * 0.8);
/** What a connection that nobody uses may keep: sockets, parser and timers of node. */
const idleBytesMax = 24 * 1024;

export const idleConnections: Abuse = {
  name: `${idle} idle connections`,
  growthBytesMax: idle * idleBytesMax + slackBytes,
  run: async ({ port, othersAreServed }) => {
    const program = fileURLToPath(new URL('../../conformance/clients/idle-connections.mjs', import.meta.url));
    const child = spawn(process.execPath, [program, String(port), String(idle)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line] = (await Promise.race([
      once(createInterface(child.stdout), 'line'),
      exited.then(([code]) => [`nothing, and ended with ${code}`]),
    ])) as [string];
    await othersAreServed();
    child.stdin.end();
    await exited;
    return line === `open ${idle}` ? [] : [`of ${idle} connections it said: ${line}`];
  },
};

const waits = 2_000;
const waitBytesMax = 32 * 1024;

export const vanishedWaits: Abuse = {
  name: `${waits} parked waits that vanish`,
  growthBytesMax: waits * waitBytesMax + slackBytes,
  run: async ({ port, url, othersAreServed }) => {
    const clients = await connectAll(port, waits);
    // Nobody writes to the leases of a group that does not run.
    const headers = { 'a-im': 'Incremental Feed', ...inRange('0'), 'if-none-match': '*', prefer: 'wait=60' };
    for (const client of clients) client.ask('GET', '/dbs/db/colls/leases/docs', headers);
    await untilMetric(url, 'tidemark_feed_waiters', (parked) => parked >= waits);
    await othersAreServed();
    closeAll(clients);
    await untilMetric(url, 'tidemark_feed_waiters', (parked) => parked === 0);
    return [];
  },
};
