// The crowd of clients that wait. It says when all are parked, and when all have been answered.

import { Connection, headerOf } from './connection.ts';
import { feedOf } from './requests.ts';

const port = Number(process.argv[2]);
const count = Number(process.argv[3]);
const openAtOnce = 100;

const connections: Connection[] = [];
while (connections.length < count) {
  const some = Array.from({ length: Math.min(openAtOnce, count - connections.length) }, () => Connection.open(port));
  connections.push(...(await Promise.all(some)));
}
const first = connections[0] as Connection;
const etag = headerOf((await first.ask(feedOf('0', '*', 1))).head, 'etag') ?? '';
const request = feedOf('0', etag, 100, 300);
const waiting = connections.map((connection) => connection.ask(request));
// Requests are answered in the order they come, so one that is answered at once came after all that are parked.
const last = await Connection.open(port);
await last.ask(feedOf('0', '*', 1));
process.send?.({ parked: count });
const answers = await Promise.all(waiting);
const wrong = answers.find(({ status }) => status !== 200);
if (wrong !== undefined) throw new Error(`A waiting client was answered: ${wrong.head}`);
process.send?.({ atMs: performance.timeOrigin + performance.now() });
