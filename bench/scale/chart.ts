// The run as a chart: everything over the number of documents, and the room of the log over the updates.

import type { LineChart, LineSeries } from '../common/chart.ts';
import { flatMax, growthOf, heapBytesMax, startMsMax, startMsOf } from './goals.ts';
import type { CostName, UpdatesMeasured } from './messages.ts';
import type { Step } from './step.ts';

export function scaleChart(steps: readonly Step[], updated: UpdatesMeasured | undefined, subtitle: string): LineChart {
  const over = (name: string, of: (step: Step, i: number) => number): LineSeries => ({
    name,
    points: steps.map((step, i) => ({ x: step.count, y: of(step, i) })),
  });
  const growth = (name: string, cost: CostName): LineSeries => {
    const growths = growthOf(steps, cost);
    return over(name, (_, i) => growths[i] as number); // One for each step.
  };
  const flat = { label: `at most ${flatMax}`, y: flatMax };
  const mebibyte = 2 ** 20;
  const gibibyte = 2 ** 30;
  const panels = [
    {
      title: 'Cost of an operation, first report = 1',
      series: [growth('upsert', 'upsert'), growth('point read', 'read')],
      bound: flat,
    },
    {
      title: 'Cost of a feed page, first report = 1',
      series: [growth('start', 'pageStart'), growth('middle', 'pageMiddle'), growth('tail', 'pageTail')],
      bound: flat,
    },
    {
      title: 'Heap, MiB',
      series: [over('after a collection', ({ memory }) => memory.heapBytes / mebibyte)],
      bound: { label: `at most ${heapBytesMax / mebibyte}`, y: heapBytesMax / mebibyte },
    },
    {
      title: 'Start after a kill, ms',
      series: [over('the quickest of three', startMsOf)],
      bound: { label: `at most ${startMsMax}`, y: startMsMax },
    },
    {
      title: 'Resident memory, MiB',
      series: [
        over('its own', ({ memory }) => memory.ownBytes / mebibyte),
        over('with pages of the index', ({ memory }) => memory.residentBytes / mebibyte),
      ],
    },
    {
      title: 'Folder, GiB',
      series: [
        over('log', ({ segmentBytes }) => segmentBytes / gibibyte),
        over('index', ({ indexBytes }) => indexBytes / gibibyte),
      ],
    },
  ];
  return {
    title: 'Tidemark: cost by size',
    subtitle,
    xLabel: 'documents',
    panels: [...panels, ...spacePanels(updated)],
  };
}

function spacePanels(updated: UpdatesMeasured | undefined): LineChart['panels'] {
  if (updated === undefined) return [];
  const gibibyte = 2 ** 30;
  const points = (of: (sample: UpdatesMeasured['samples'][number]) => number): LineSeries['points'] =>
    updated.samples.map((sample) => ({ x: sample.updates, y: of(sample) / gibibyte }));
  return [
    {
      title: 'Room of the log while documents all over are updated, GiB',
      xLabel: 'updates',
      series: [
        { name: 'files', points: points(({ bytes }) => bytes), isPlain: true },
        { name: 'allowed: 2 × live + 4 segments', points: points((sample) => sample.allowedBytes), isPlain: true },
      ],
    },
    {
      title: 'Updates a second',
      xLabel: 'stretch',
      series: [false, true].map((isCompacting) => ({
        name: isCompacting ? 'with compaction' : 'without',
        points: updated.windows
          .filter((window) => window.isCompacting === isCompacting)
          .map(({ perSecond }, i) => ({ x: i + 1, y: perSecond })),
      })),
    },
  ];
}
