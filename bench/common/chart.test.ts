import { describe, expect, test } from 'vitest';
import type { LineChart } from './chart.ts';
import { escapeXml, lineChart, ticksUpTo } from './chart.ts';

describe('ticks', () => {
  test.each([
    [10, [0, 2, 4, 6, 8, 10]],
    [1.3, [0, 0.5, 1, 1.5]],
    [7, [0, 2, 4, 6, 8]],
    [10_000_000, [0, 2_000_000, 4_000_000, 6_000_000, 8_000_000, 10_000_000]],
    [0.03, [0, 0.01, 0.02, 0.03]],
    [0, [0, 1]],
  ])('up to %d they begin at zero, are round and reach it', (max, ticks) => {
    expect(ticksUpTo(max)).toEqual(ticks);
  });
});

const chart: LineChart = {
  title: 'Cost & size',
  subtitle: 'a test',
  xLabel: 'documents',
  panels: [
    {
      title: 'time < 2',
      series: [
        {
          name: 'read',
          points: [
            { x: 0, y: 0 },
            { x: 10, y: 5 },
          ],
        },
        { name: 'write', points: [{ x: 5, y: 10 }] },
      ],
      bound: { label: 'limit', y: 8 },
    },
    { title: 'empty', series: [] },
    { title: 'third', series: [] },
  ],
};

describe('a line chart', () => {
  test('has every panel, series, point and bound', () => {
    const svg = lineChart(chart);

    expect(svg.match(/<g /g)).toHaveLength(3);
    expect(svg.match(/<circle /g)).toHaveLength(3);
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(1);
    for (const text of ['read', 'write', 'limit', 'documents', 'empty']) expect(svg).toContain(`>${text}</text>`);
  });

  test('puts zero at the bottom left and the last tick at the top right of the plot', () => {
    const svg = lineChart(chart);

    expect(svg).toContain('<path d="M56 210L424 129" ');
    expect(svg).toContain('<circle cx="240" cy="48" ');
  });

  test('is well-formed whatever the texts are', () => {
    const svg = lineChart(chart);

    expect(svg).toContain('Cost &amp; size');
    expect(svg).toContain('time &lt; 2');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(escapeXml('"<&>"')).toBe('&quot;&lt;&amp;&gt;&quot;');
  });

  test('is as high as its rows of two panels', () => {
    expect(lineChart(chart)).toContain('viewBox="0 0 880 564"');
    expect(lineChart({ ...chart, panels: chart.panels.slice(0, 1) })).toContain('viewBox="0 0 440 314"');
  });
});
