// Requests that are wrong in one way each, many times over. Each has an answer that says so, or a closed connection, and no other.

import { gzipSync } from 'node:zlib';
import { RawClient } from '../../conformance/socket.ts';
import { headerBytesMax } from '../../packages/server/src/limits.ts';
import type { Abuse } from './abuse.ts';
import { slackBytes } from './abuse.ts';

const docs = '/dbs/db/colls/items/docs';
const key = { 'x-ms-documentdb-partitionkey': '["nonsense"]' };
/** How often each is sent, on connections of their own. */
const times = 8;

interface Wrong {
  readonly name: string;
  /** What may be answered; 0 is a closed connection. */
  readonly statuses: readonly number[];
  send(client: RawClient): void;
}

const bomb: Buffer = gzipSync(Buffer.alloc(100_000_000));

const wrongs: readonly Wrong[] = [
  {
    name: 'JSON as deep as a body is long',
    statuses: [400],
    send: (client) => client.ask('POST', docs, key, `{"id":"1","pk":"nonsense","x":${'['.repeat(2_000_000)}`),
  },
  {
    name: 'headers without end',
    statuses: [431],
    send: (client) => client.send(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(4 * headerBytesMax)}`),
  },
  {
    name: 'thousands of headers',
    statuses: [400, 401, 431],
    send: (client) => client.send(`GET / HTTP/1.1\r\nhost: a\r\n${'x: y\r\n'.repeat(12_000)}\r\n`),
  },
  {
    name: 'more requests ahead than are read',
    statuses: [200],
    send: (client) => {
      for (let n = 0; n < 200; n += 1) client.ask('GET', '/dbs');
    },
  },
  {
    name: 'a length that is too short',
    statuses: [400],
    send: (client) => client.ask('POST', docs, { ...key, 'content-length': '10' }, '{"id":"1","pk":"nonsense"}'),
  },
  {
    name: 'a length that is too long, and an end',
    statuses: [400],
    send: (client) => client.ask('POST', docs, { ...key, 'content-length': '900' }, '{"id":"1"}').socket.end(),
  },
  {
    name: 'two lengths, and a length beside chunks',
    statuses: [400],
    send: (client) => client.ask('POST', docs, { ...key, 'content-length': '5', 'transfer-encoding': 'chunked' }, 'x'),
  },
  {
    name: 'a length beyond every limit',
    statuses: [413],
    send: (client) => client.ask('POST', docs, { ...key, 'content-length': '99999999999' }),
  },
  {
    name: 'a compressed body that would become a hundred megabytes',
    statuses: [415],
    send: (client) => {
      const length = { 'content-encoding': 'gzip', 'content-length': String(bomb.length) };
      client.ask('POST', docs, { ...key, ...length }).send(bomb);
    },
  },
  {
    name: 'a body of one chunk for each byte',
    statuses: [400],
    send: (client) => {
      client.ask('POST', docs, { ...key, 'transfer-encoding': 'chunked' });
      client.send('1\r\nx\r\n'.repeat(50_000)).send('0\r\n\r\n');
    },
  },
];

export const nonsense: Abuse = {
  name: 'deep JSON, huge headers, pipelining, wrong lengths, compressed bodies',
  isQuick: true,
  growthBytesMax: slackBytes,
  run: async ({ port, othersAreServed }) => {
    const findings: string[] = [];
    for (const { name, statuses, send } of wrongs) {
      const clients = await Promise.all(Array.from({ length: times }, () => RawClient.connect(port)));
      for (const client of clients) send(client);
      const answers = await Promise.all(clients.map((client) => client.answer().catch(() => ({ status: 0 }))));
      const wrong = answers.find(({ status }) => !statuses.includes(status));
      if (wrong !== undefined) findings.push(`${name}: answered with ${wrong.status}, not ${statuses.join(' or ')}`);
      for (const client of clients) client[Symbol.dispose]();
    }
    await othersAreServed();
    return findings;
  },
};
