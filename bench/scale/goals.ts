// Which goals hold: costs flat over the size, memory bounded, the log in its bounds while writes go on.

import { median } from '../common/drive.ts';
import type { Report } from '../common/report.ts';
import type { CostName, UpdatesMeasured } from './messages.ts';
import { costNames } from './messages.ts';
import type { Step } from './step.ts';

export const flatMax = 1.3;
export const heapBytesMax: number = 64 * 2 ** 20;
export const startMsMax = 1_000;
export const keptRateMin = 0.7;

export const costLabels: Readonly<Record<CostName, string>> = {
  upsert: 'upsert, 64 in flight',
  read: 'point read',
  pageStart: 'feed page, from the start',
  pageMiddle: 'feed page, in the middle',
  pageTail: 'feed page, at the tail',
};

/** Of each step: its cost as a multiple of the first one's, both measured against a small database. */
export function growthOf(steps: readonly Step[], name: CostName): number[] {
  const first = steps[0]?.costs[name].relative ?? Number.NaN;
  return steps.map((step) => step.costs[name].relative / first);
}

/** The quickest: the others of them count who was served first as well. */
export function startMsOf(step: Step): number {
  return Math.min(...step.opens.map(({ openMs }) => openMs));
}

/** The rate with compaction beside the rate without, in neighbouring stretches: the median. */
export function keptRateOf({ windows }: Pick<UpdatesMeasured, 'windows'>): number {
  const ratios: number[] = [];
  for (const [i, window] of windows.entries()) {
    const before = windows[i - 1];
    if (window.isCompacting && before !== undefined) ratios.push(window.perSecond / before.perSecond);
  }
  return median(ratios);
}

export function addCosts(report: Report, steps: readonly Step[]): void {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return;
  report.section(`cost with ${last.count} documents beside ${first.count}; ratio: the worst report`);
  for (const name of costNames) {
    report.add({
      id: `flat-${name}`,
      label: costLabels[name],
      figure: last.costs[name].micros,
      unit: 'µs',
      against: { name: 'at first', figure: first.costs[name].micros },
      ratio: Math.max(...growthOf(steps, name)),
      bound: { kind: 'at most', floor: flatMax },
    });
    report.add({
      id: `processor-${name}`,
      label: `${costLabels[name]}: processor time`,
      figure: last.costs[name].processorMicros,
      unit: 'µs',
      against: { name: 'at first', figure: first.costs[name].processorMicros },
    });
    const [before, after] = [first.costs[name].writtenBytes, last.costs[name].writtenBytes];
    if (before === undefined || after === undefined) continue;
    const against = { name: 'at first', figure: before / 1024 };
    report.add({
      id: `written-${name}`,
      label: `${costLabels[name]}: written`,
      figure: after / 1024,
      unit: 'KiB',
      against,
    });
  }
}

export function addStarts(
  report: Report,
  steps: readonly Step[],
  lost: number,
  serverReadyMs: number | undefined,
): void {
  if (steps.length === 0) return;
  const starts = steps.map(startMsOf);
  const processors = steps.map(({ opens }) => median(opens.map(({ processorMs }) => processorMs)));
  report.section('start after SIGKILL with 64 writes in flight');
  const start = { figure: Math.max(...starts), unit: 'ms', against: { name: 'at first', figure: starts[0] ?? 0 } };
  const bound = { kind: 'at most', floor: startMsMax } as const;
  report.add({ id: 'start', label: 'the slowest size, its quickest start', ...start, bound, boundOf: 'figure' });
  report.add({
    id: 'start-processor',
    label: 'the slowest size, its median: processor time',
    figure: Math.max(...processors),
    unit: 'ms',
    against: { name: 'at first', figure: processors[0] ?? 0 },
  });
  if (serverReadyMs !== undefined) {
    const server = { label: 'server, process to ready line', figure: serverReadyMs, unit: 'ms' };
    report.add({ id: 'start-server', ...server, bound });
  }
  const none = { kind: 'at most', floor: 0 } as const;
  report.add({ id: 'lost', label: 'acknowledged and lost', figure: lost, unit: 'writes', bound: none });
}

export function addMemory(report: Report, steps: readonly Step[]): void {
  const mebibytes = (bytes: number): number => bytes / 2 ** 20;
  const most = (of: (step: Step) => number): number => mebibytes(Math.max(...steps.map(of)));
  const first = steps[0];
  if (first === undefined) return;
  report.section('memory, the most of all reports');
  const bound = { kind: 'at most', floor: mebibytes(heapBytesMax) } as const;
  report.add({
    id: 'heap',
    label: 'heap, collected',
    figure: most(({ memory }) => memory.heapBytes),
    unit: 'MiB',
    against: { name: 'at first', figure: mebibytes(first.memory.heapBytes) },
    bound,
    boundOf: 'figure',
  });
  for (const [id, label, of] of [
    ['heap-peak', 'heap while loading, garbage included', (step: Step) => step.memory.heapPeakBytes],
    ['own', 'resident, its own', (step: Step) => step.memory.ownBytes],
    ['resident', 'resident, with pages of the index', (step: Step) => step.memory.residentBytes],
  ] as const) {
    report.add({
      id,
      label,
      figure: most(of),
      unit: 'MiB',
      against: { name: 'at first', figure: mebibytes(of(first)) },
    });
  }
}

export function addUpdates(report: Report, updated: UpdatesMeasured): void {
  const rates = (isCompacting: boolean): number[] =>
    updated.windows.filter((window) => window.isCompacting === isCompacting).map(({ perSecond }) => perSecond);
  report.section(`${updated.updates} updates all over, 64 in flight`);
  report.add({
    id: 'space',
    label: 'files of the log, at the worst moment',
    figure: updated.worstBytes / 2 ** 20,
    unit: 'MiB',
    against: { name: '2 × live + 4 segments', figure: updated.allowedBytes / 2 ** 20 },
    bound: { kind: 'at most', floor: 1 },
  });
  report.add({
    id: 'space-without',
    label: 'without compaction it would have been',
    figure: updated.uncompactedBytes / 2 ** 20,
    unit: 'MiB',
    against: { name: 'the same', figure: updated.allowedBytes / 2 ** 20 },
  });
  report.add({
    id: 'kept-rate',
    label: 'updates while compaction runs',
    figure: median(rates(true)),
    unit: '/s',
    against: { name: 'without it', figure: median(rates(false)) },
    ratio: keptRateOf(updated),
    bound: { kind: 'at least', floor: keptRateMin },
  });
  const shares = updated.windows.filter(({ isCompacting }) => isCompacting).map((window) => window.compactionShare);
  report.add({ id: 'compaction-share', label: 'compaction was under way', figure: median(shares) * 100, unit: '%' });
}
