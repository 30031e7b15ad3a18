// The report of a soak: a table for people and the lines themselves.

import { writeFile } from 'node:fs/promises';
import type { LinePanel } from '../../bench/common/chart.ts';
import { lineChart } from '../../bench/common/chart.ts';
import type { Window } from './soak-windows.ts';
import { trendOf } from './soak-windows.ts';

type Value = (window: Window) => number;

const lines: readonly { readonly panel: string; readonly series: Readonly<Record<string, Value>> }[] = [
  {
    panel: 'writes, ms',
    series: { median: ({ writeMs }) => writeMs.p50, p99: ({ writeMs }) => writeMs.p99 },
  },
  {
    panel: 'point reads, ms',
    series: { median: ({ readMs }) => readMs.p50, p99: ({ readMs }) => readMs.p99 },
  },
  {
    panel: 'memory of the server, MiB',
    series: { 'not mapped files': ({ anonymousMiB }) => anonymousMiB, heap: ({ heapMiB }) => heapMiB },
  },
  { panel: 'how late timers of the server were, p99 in ms', series: { delay: ({ loopDelayMs }) => loopDelayMs } },
];

/** Name of a line → its last third by its first. */
export function trendsOf(windows: readonly Window[]): Record<string, number> {
  const trends: Record<string, number> = {};
  for (const { panel, series } of lines) {
    for (const [name, value] of Object.entries(series)) {
      trends[`${panel}: ${name}`] = Math.round(trendOf(windows, value) * 100) / 100;
    }
  }
  return trends;
}

/** `path` without an ending. */
export async function writeReport(path: string, windows: readonly Window[], subtitle: string): Promise<void> {
  const panels: LinePanel[] = lines.map(({ panel, series }) => ({
    title: panel,
    series: Object.entries(series).map(([name, value]) => ({
      name,
      isPlain: true,
      points: windows.map((window) => ({ x: window.atSeconds / 60, y: value(window) })),
    })),
  }));
  const title = 'A soak of mixed load';
  await writeFile(`${path}.svg`, lineChart({ title, subtitle, xLabel: 'minutes', panels }));
  const name = path.slice(path.lastIndexOf('/') + 1);
  await writeFile(`${path}.md`, `# ${title}\n\n${subtitle}\n\n![the lines](${name}.svg)\n\n${tableOf(windows)}\n`);
}

const shownWindows = 20;

function tableOf(windows: readonly Window[]): string {
  const step = Math.max(1, Math.ceil(windows.length / shownWindows));
  const rows = windows
    .filter((_, n) => n % step === 0)
    .map(({ atSeconds, writesPerSecond, readsPerSecond, writeMs, readMs, anonymousMiB, loopDelayMs }) =>
      [
        Math.round(atSeconds),
        Math.round(writesPerSecond),
        Math.round(readsPerSecond),
        ...[writeMs.p50, writeMs.p99, writeMs.max, readMs.p50, readMs.p99].map((ms) => ms.toFixed(1)),
        Math.round(anonymousMiB),
        loopDelayMs.toFixed(1),
      ].join(' | '),
    );
  const trends = Object.entries(trendsOf(windows)).map(([name, trend]) => `| ${name} | ${trend} |`);
  return [
    '| s | writes/s | reads/s | write p50 | p99 | max | read p50 | p99 | MiB | timers late |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
    '| line | last third by first, after the warm-up |',
    '|---|---|',
    ...trends,
  ].join('\n');
}
