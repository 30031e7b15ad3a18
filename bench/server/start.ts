// From the start of the process to its ready line, empty and with data, and what it occupies when it does nothing.

import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { ServerProcess } from './process.ts';
import type { ServerSetting } from './setting.ts';

const idleMs = 2_000;

export async function measureStart(setting: ServerSetting): Promise<void> {
  const { report, options } = setting;
  showProgress('start');
  report.section('start of the process to its ready line');
  const empty = await readyTimes(['--memory'], options.rounds);
  const full = await readyTimes(['--data', setting.folder], options.rounds);
  report.add({
    id: 'start-empty',
    label: 'nothing in it',
    figure: median(empty),
    unit: 'ms',
    bound: { kind: 'at most', floor: 300 },
  });
  report.add({
    id: 'start-full',
    label: `${options.documents} documents`,
    figure: median(full),
    unit: 'ms',
    bound: { kind: 'at most', floor: 1_000 },
  });
  await using server = await ServerProcess.start(['--memory']);
  await sleep(idleMs);
  report.add({
    id: 'idle-memory',
    label: 'memory of an idle server',
    figure: server.residentBytes / 2 ** 20,
    unit: 'MiB',
    bound: { kind: 'at most', floor: 80 * (1e6 / 2 ** 20) },
  });
}

async function readyTimes(args: readonly string[], rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await using server = await ServerProcess.start(args);
    times.push(server.readyMs);
  }
  return times;
}
