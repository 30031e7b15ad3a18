import { describe, expect, test } from 'vitest';
import { lineChart } from '../common/chart.ts';
import type { Drive } from '../common/drive.ts';
import { Report } from '../common/report.ts';
import { scaleChart } from './chart.ts';
import type { Cost } from './cost.ts';
import { costOf } from './cost.ts';
import { addCosts, addMemory, addStarts, addUpdates, growthOf, keptRateOf, startMsOf } from './goals.ts';
import type { CostName, UpdatesMeasured, UpdateWindow } from './messages.ts';
import { readScaleOptions, usage } from './options.ts';
import { allowedBytes } from './space.ts';
import type { Step } from './step.ts';
import { stepTable } from './table.ts';

const defaults = { folder: '/data', chart: '/chart.svg' };

describe('options', () => {
  test('are ten million documents of 1 KiB with half as many updates again', () => {
    const options = readScaleOptions([], defaults);

    expect(options).toMatchObject({ documents: 10_000_000, documentBytes: 1_024, updates: 15_000_000 });
    expect(options).toMatchObject({ folder: '/data', chart: '/chart.svg', isQuick: false });
  });

  test('draw no chart of a quick run unless one is asked for', () => {
    expect(readScaleOptions(['--quick'], defaults).chart).toBeUndefined();
    expect(readScaleOptions(['--quick', '--chart', 'a.svg'], defaults).chart).toBe('a.svg');
  });

  test.each([
    ['--documents', '99999'],
    ['--documents', '1e9x'],
    ['--bytes', '95'],
    ['--updates', '-1'],
  ])('refuse %s %s and name it', (flag, value) => {
    expect(() => readScaleOptions([`${flag}=${value}`], defaults)).toThrow(flag);
  });

  test('all stand in the help', () => {
    for (const flag of ['quick', 'documents', 'bytes', 'updates', 'folder', 'chart', 'help']) {
      expect(usage).toContain(`\n  --${flag} `);
    }
  });
});

describe('a cost', () => {
  test('is told beside that in the small database just before it, and the median round counts', async () => {
    // Of the round that warms up, and of three more.
    const [small, large] = [turns(9, 30, 4, 1), turns(1, 60, 40, 3)];

    const cost = await costOf({ rounds: 3, isAlone: true, measure: 'processor time', large, small });

    expect(cost).toEqual({
      micros: 7_000,
      processorMicros: 400,
      smallMicros: 7_000,
      smallProcessorMicros: 40,
      relative: 3,
    });
  });

  test('of operations that wait for nobody is the time of one', async () => {
    const cost = await costOf({ rounds: 1, isAlone: true, measure: 'median', large: turns(1, 90), small: turns(1, 1) });

    expect(cost).toMatchObject({ relative: 1, processorMicros: 900 });
  });

  test('of many in flight is on the wall their share of the time; what was written for each stands beside it', async () => {
    let written = 0;

    const cost = await costOf({
      rounds: 1,
      isAlone: false,
      measure: 'processor time',
      large: turns(1, 1),
      small: turns(1, 1),
      written: () => {
        written += 500;
        return written;
      },
    });

    expect(cost).toMatchObject({ micros: 1_000, smallMicros: 1_000, relative: 1, writtenBytes: 5 });
  });
});

describe('goals', () => {
  test('growth is told beside the first report', () => {
    const steps = [stepOf(1, { read: 2 }), stepOf(2, { read: 2.4 }), stepOf(3, { read: 1 })];

    expect(growthOf(steps, 'read')).toEqual([1, 1.2, 0.5]);
    expect(growthOf(steps, 'upsert')).toEqual([1, 1, 1]);
  });

  test('a cost that grew too much in any report is missed, and no other', () => {
    const report = new Report();
    addCosts(report, [stepOf(1, {}), stepOf(2, { pageTail: 1.31 }), stepOf(3, { upsert: 1.3 })]);

    expect(verdictsOf(report)).toEqual({
      'flat-upsert': 'pass',
      'flat-read': 'pass',
      'flat-pageStart': 'pass',
      'flat-pageMiddle': 'pass',
      'flat-pageTail': 'FAIL',
    });
  });

  test('the slowest start counts, each size by its quickest', () => {
    const slow = { ...stepOf(2, {}), opens: opensOf(1_500, 1_100, 1_200) };
    const report = new Report();
    addStarts(report, [stepOf(1, {}), slow], 0, 900);

    expect(startMsOf(slow)).toBe(1_100);
    expect(verdictsOf(report)).toEqual({ start: 'FAIL', 'start-server': 'pass', lost: 'pass' });
  });

  test('one lost write is a goal missed', () => {
    const report = new Report();
    addStarts(report, [stepOf(1, {})], 1, 1_001);

    expect(verdictsOf(report)).toEqual({ start: 'pass', 'start-server': 'FAIL', lost: 'FAIL' });
  });

  test('the heap has one bound at every size', () => {
    const large = stepOf(2, {});
    const report = new Report();
    addMemory(report, [stepOf(1, {}), { ...large, memory: { ...large.memory, heapBytes: 65 * 2 ** 20 } }]);

    expect(verdictsOf(report)).toEqual({ heap: 'FAIL' });
  });

  test('the log may take twice what is kept and four segments', () => {
    expect(allowedBytes(1_000_000_000)).toBe(2_000_000_000 + 256 * 1024 * 1024);
  });

  test('what compaction leaves of the rate is told from neighbouring stretches', () => {
    const windows = [
      windowOf(100),
      windowOf(80, true),
      windowOf(10),
      windowOf(9, true),
      windowOf(50),
      windowOf(10, true),
    ];

    expect(keptRateOf({ windows })).toBe(0.8);
  });

  test.each([
    [999, 70, { space: 'pass', 'kept-rate': 'pass' }],
    [1_001, 69, { space: 'FAIL', 'kept-rate': 'FAIL' }],
  ])('with %d bytes of 1,000 and %d % of the rate they are judged', (worstBytes, kept, verdicts) => {
    const report = new Report();
    addUpdates(report, updatesOf({ worstBytes, windows: [windowOf(100), windowOf(kept, true)] }));

    expect(verdictsOf(report)).toEqual(verdicts);
  });
});

describe('what is shown', () => {
  test('the table has a row for each size, with every cost beside its multiple of that in the small database', () => {
    const rows = stepTable([stepOf(1_000_000, { read: 2.5 }), stepOf(2_000_000, {})]).split('\n');

    expect(rows).toHaveLength(3);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    expect(rows[1]).toContain('1000000');
    expect(rows[1]).toContain('10.0 (2.50)');
  });

  test('the chart has a panel for each thing measured, and two more for the updates', () => {
    const steps = [stepOf(1, {}), stepOf(2, {})];

    expect(scaleChart(steps, undefined, '').panels).toHaveLength(6);
    expect(scaleChart(steps, updatesOf({}), '').panels).toHaveLength(8);
    expect(lineChart(scaleChart(steps, updatesOf({}), ''))).not.toMatch(/NaN|undefined|Infinity/);
  });
});

/** Hundred operations each, which took so much processor time in all. */
function turns(...processorMs: number[]): () => Promise<Drive> {
  const latencyMs = { p50: 7, p99: 7, max: 7 };
  return async () => ({
    operations: 100,
    elapsedMs: 100,
    acknowledgedMs: 100,
    processorMs: processorMs.shift() as number,
    latencyMs,
  });
}

function stepOf(count: number, relative: Partial<Record<CostName, number>>): Step {
  const cost = (name: CostName): Cost => ({
    micros: 10,
    processorMicros: 8,
    smallMicros: 9,
    smallProcessorMicros: 7,
    relative: relative[name] ?? 1,
  });
  const mebibyte = 2 ** 20;
  return {
    count,
    loadedPerSecond: 1,
    costs: {
      upsert: cost('upsert'),
      read: cost('read'),
      pageStart: cost('pageStart'),
      pageMiddle: cost('pageMiddle'),
      pageTail: cost('pageTail'),
    },
    memory: {
      heapBytes: 20 * mebibyte,
      heapPeakBytes: 40 * mebibyte,
      residentBytes: 200 * mebibyte,
      ownBytes: 100 * mebibyte,
      bitmapBytes: 1,
    },
    segmentBytes: 1,
    indexBytes: 1,
    opens: opensOf(100, 200, 300),
  };
}

function opensOf(...times: readonly number[]): Step['opens'] {
  return times.map((openMs) => ({ openMs, processorMs: openMs }));
}

function windowOf(perSecond: number, isCompacting = false): UpdateWindow {
  return { isCompacting, compactionShare: isCompacting ? 1 : 0, perSecond, p99Ms: 1 };
}

function updatesOf(of: Partial<UpdatesMeasured>): UpdatesMeasured {
  return {
    updates: 10,
    windows: [windowOf(1), windowOf(1, true)],
    worstBytes: 1,
    allowedBytes: 1_000,
    uncompactedBytes: 3_000,
    samples: [{ updates: 5, bytes: 2, allowedBytes: 4 }],
    ...of,
  };
}

/** Of the rows that have a bound. */
function verdictsOf(report: Report): Record<string, string> {
  const { results } = JSON.parse(report.json({})) as { results: { id: string; verdict?: string }[] };
  return Object.fromEntries(results.flatMap(({ id, verdict }) => (verdict === undefined ? [] : [[id, verdict]])));
}
