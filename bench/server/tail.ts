// How soon a waiting client has a change: from the acknowledgement of the write, and from its sending.

import { quantiles } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { Connection, headerOf } from './connection.ts';
import { feedOf, upsertOf } from './requests.ts';
import type { ServerSetting } from './setting.ts';

const waitSeconds = 30;

export async function measureTail(setting: ServerSetting): Promise<void> {
  const { report, options, server } = setting;
  showProgress('from a write to the waiting client');
  report.section('from a write to a client that waits for it (Prefer: wait)');
  const reader = await Connection.open(server.port);
  const writer = await Connection.open(server.port);
  const now = await reader.ask(feedOf('0', '*', 1));
  let etag = headerOf(now.head, 'etag') ?? '';
  const fromAcknowledged: number[] = [];
  const fromSent: number[] = [];
  const writes = options.isQuick ? 500 : 5_000;
  for (let n = -50; n < writes; n += 1) {
    const waiting = reader
      .ask(feedOf('0', etag, 100, waitSeconds))
      .then((answer) => ({ answer, atMs: performance.now() }));
    // Only a request that is parked is answered by the commit; this one is sent after it on another connection.
    await writer.ask(feedOf('0', '*', 1));
    const sentMs = performance.now();
    const write = writer.ask(upsertOf(n + 50, n + 50)).then(() => performance.now());
    const [{ answer, atMs }, acknowledgedMs] = await Promise.all([waiting, write]);
    if (answer.status !== 200) throw new Error(`The waiting client was answered: ${answer.head}`);
    etag = headerOf(answer.head, 'etag') ?? '';
    if (n < 0) continue;
    fromAcknowledged.push(Math.max(0, atMs - acknowledgedMs));
    fromSent.push(atMs - sentMs);
  }
  reader.close();
  writer.close();
  const acknowledged = quantiles(fromAcknowledged);
  const sent = quantiles(fromSent);
  const rows = [
    ['tail-acknowledged-p50', 'acknowledged to waiting client, p50', acknowledged.p50, 0.5],
    ['tail-acknowledged-p99', 'acknowledged to waiting client, p99', acknowledged.p99, 2],
    ['tail-sent-p50', 'write sent to waiting client, p50', sent.p50, undefined],
    ['tail-sent-p99', 'write sent to waiting client, p99', sent.p99, 10],
  ] as const;
  for (const [id, label, figure, floor] of rows) {
    const bound = floor === undefined ? {} : { bound: { kind: 'at most', floor } as const };
    report.add({ id, label, figure, unit: 'ms', ...bound });
  }
}
