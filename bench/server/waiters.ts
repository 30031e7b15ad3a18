// Many parked requests: what they take of the server's memory, and how long until all of them have one change. The clients
// are a process of their own.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../common/progress.ts';
import { Connection } from './connection.ts';
import { ServerProcess } from './process.ts';
import { upsertOf } from './requests.ts';
import type { ServerSetting } from './setting.ts';

export async function measureWaiters(setting: ServerSetting): Promise<void> {
  const { report } = setting;
  report.section('parked requests, all woken by one change');
  for (const count of [1_000, 10_000]) {
    showProgress(`${count} parked requests`);
    await using server = await ServerProcess.start(['--data', setting.folder]);
    const writer = await Connection.open(server.port);
    await writer.ask(upsertOf(0, 1));
    const before = server.residentBytes;
    const crowd = fork(fileURLToPath(new URL('./crowd.js', import.meta.url)), [String(server.port), String(count)]);
    await once(crowd, 'message');
    const bytes = server.residentBytes - before;
    const answered = once(crowd, 'message');
    const sentMs = performance.now();
    await writer.ask(upsertOf(1, 2));
    const acknowledgedMs = performance.now();
    const [{ atMs }] = (await answered) as [{ atMs: number }];
    report.add({
      id: `waiters-${count}-memory`,
      label: `${count} waiters: added to the server's memory`,
      figure: bytes / 2 ** 20,
      unit: 'MiB',
      ...(count === 10_000 ? { bound: { kind: 'at most', floor: 150 * (1e6 / 2 ** 20) } as const } : {}),
    });
    report.add({
      id: `waiters-${count}-last`,
      label: `${count} waiters: until the last has the change`,
      figure: atMs - (performance.timeOrigin + acknowledgedMs),
      unit: 'ms',
      note: `write took ${(acknowledgedMs - sentMs).toFixed(1)} ms`,
    });
    writer.close();
    const ended = once(crowd, 'exit');
    crowd.kill();
    await ended;
  }
}
