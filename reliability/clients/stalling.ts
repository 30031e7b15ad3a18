// Clients that begin and do not go on: heads, handshakes and bodies that stand still, answers that nobody takes, and connections of
// which the client has closed its half.

import { RawClient } from '../../conformance/socket.ts';
import {
  bodiesBytesMax,
  bodyBytesMax,
  pageBytesMax,
  pagesAtOnceMax,
  unsentBytesMax,
} from '../../packages/server/src/limits.ts';
import { untilMetric } from '../load/server-metrics.ts';
import type { Abuse } from './abuse.ts';
import { slackBytes } from './abuse.ts';
import { fillLarge, largeDocs, largeFeed } from './large-documents.ts';

const lorises = 300;

export const slowLoris: Abuse = {
  name: 'slow loris: heads, handshakes and bodies that come byte by byte',
  isQuick: true,
  growthBytesMax: slackBytes,
  run: async ({ port, othersAreServed }) => {
    const clients = await connectAll(port, lorises);
    for (const [n, client] of clients.entries()) {
      if (n % 3 === 0) client.send('GET / HTTP/1.1\r\nhost: a\r\nx-slow: ');
      else if (n % 3 === 1) client.send(Buffer.from([0x16, 0x03, 0x01, 0x40, 0x00]));
      else client.ask('POST', '/dbs', { 'content-length': '100000' }, '{"id":"');
    }
    for (let turn = 0; turn < 20; turn += 1) for (const client of clients) client.send('x');
    await othersAreServed();
    for (const client of clients) client.send('x');
    return closeAll(clients);
  },
};

/** Together more than there is room for. */
const stuckBodies = Math.ceil((bodiesBytesMax / bodyBytesMax) * 1.5);

export const bodiesUnderWay: Abuse = {
  name: 'bodies that stop before their end',
  growthBytesMax: bodiesBytesMax + slackBytes,
  run: async ({ port, othersAreServed }) => {
    const clients = await connectAll(port, stuckBodies);
    const most = `{"id":"${'x'.repeat(bodyBytesMax - 100)}`;
    for (const client of clients) client.ask('POST', '/dbs', { 'content-length': String(bodyBytesMax) }, most);
    const refused = await Promise.race(clients.map((client) => client.answer()));
    await othersAreServed();
    closeAll(clients);
    return refused.status === 503 ? [] : [`a body too many was answered with ${refused.status}`];
  },
};

/** With the buffers that answers lie in, pages that are being made, and answers that were cut off and are not collected yet. */
const unsentGrowthMax: number = unsentBytesMax + 2 * pagesAtOnceMax * pageBytesMax + unsentBytesMax / 2 + slackBytes;

/** Together they ask for more than may be unsent, whatever the system's buffers take. */
const deafClients = 90;
const pagesEach = 5;

export const neverReading: Abuse = {
  name: 'answers that nobody takes',
  growthBytesMax: unsentGrowthMax,
  run: async (scene) => {
    await fillLarge(scene);
    const clients = await connectAll(scene.port, deafClients);
    for (const client of clients) {
      client.socket.pause();
      for (let page = 0; page < pagesEach; page += 1) client.ask('GET', largeDocs, largeFeed);
    }
    await scene.othersAreServed();
    return closeAll(clients);
  },
};

export const deafStreams: Abuse = {
  name: 'event streams that nobody takes',
  growthBytesMax: unsentGrowthMax,
  run: async (scene) => {
    await fillLarge(scene);
    const clients = await connectAll(scene.port, 2 * deafClients);
    for (const client of clients) {
      client.socket.pause();
      client.ask('GET', largeDocs, { ...largeFeed, accept: 'text/event-stream' });
    }
    await untilMetric(scene.url, 'tidemark_feed_streams', (streams) => streams > 0);
    await scene.othersAreServed();
    return closeAll(clients);
  },
};

export const halfOpen: Abuse = {
  name: 'connections whose client has closed its half',
  isQuick: true,
  growthBytesMax: slackBytes,
  run: async ({ port, othersAreServed }) => {
    const clients = await connectAll(port, 300);
    for (const [n, client] of clients.entries()) {
      if (n % 3 === 1) client.send('GET / HTTP/1.1\r\nhost: a\r\n');
      if (n % 3 === 2) client.ask('GET', '/dbs');
      client.socket.end();
    }
    await othersAreServed();
    // The server closes its half too, all by itself.
    await Promise.all(clients.map((client) => client.closed()));
    return [];
  },
};

export async function connectAll(port: number, count: number): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: count }, () => RawClient.connect(port)));
}

export function closeAll(clients: readonly RawClient[]): string[] {
  for (const client of clients) client[Symbol.dispose]();
  return [];
}
