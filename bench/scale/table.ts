// A row for each size.

import { startMsOf } from './goals.ts';
import type { CostName } from './messages.ts';
import { costNames } from './messages.ts';
import type { Step } from './step.ts';

const head = [
  'documents',
  'loaded /s',
  'upsert µs',
  'read µs',
  'page: start',
  'middle',
  'tail µs',
  'heap MiB',
  'own',
  'resident',
  'log GiB',
  'index',
  'start ms',
] as const;

export function stepTable(steps: readonly Step[]): string {
  const rows = [head, ...steps.map(cellsOf)];
  const widths = head.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('  ')).join('\n');
}

/** One size as it comes, for whoever watches a long run. */
export function stepLine(step: Step): string {
  return cellsOf(step)
    .map((cell, i) => `${head[i]} ${cell}`)
    .join('  ');
}

/** A cost with, in brackets, how many times that in a small database it is. */
function cellsOf(step: Step): readonly string[] {
  const cost = (name: CostName): string => {
    const { micros, relative } = step.costs[name];
    return `${micros.toFixed(micros < 100 ? 1 : 0)} (${relative.toPrecision(3)})`;
  };
  const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  const gibibytes = (bytes: number): string => (bytes / 2 ** 30).toFixed(2);
  return [
    `${step.count}`,
    step.loadedPerSecond.toFixed(0),
    ...costNames.map(cost),
    mebibytes(step.memory.heapBytes),
    mebibytes(step.memory.ownBytes),
    mebibytes(step.memory.residentBytes),
    gibibytes(step.segmentBytes),
    gibibytes(step.indexBytes),
    startMsOf(step).toFixed(0),
  ];
}
