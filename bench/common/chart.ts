// Line charts as SVG, for the documentation: panels beside and below each other over one kind of x, each from zero, so that a
// line that looks flat is flat. Plain text with numbers rounded to a tenth: the same figures give the same bytes.

export interface LineChart {
  readonly title: string;
  /** Under the title: what, where, when. */
  readonly subtitle: string;
  /** What x counts, under every panel. */
  readonly xLabel: string;
  readonly panels: readonly LinePanel[];
}

export interface LinePanel {
  readonly title: string;
  readonly series: readonly LineSeries[];
  /** Where it is not the chart's. */
  readonly xLabel?: string;
  /** A dashed line: what must not be crossed. */
  readonly bound?: { readonly label: string; readonly y: number };
}

export interface LineSeries {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Too many points to mark each. */
  readonly isPlain?: boolean;
}

const columns = 2;
const panelWidth = 440;
const panelHeight = 250;
const headHeight = 64;
const plot = { left: 56, right: 16, top: 48, bottom: 40 } as const;
/** Told apart also by people who do not see all colours, and on paper by their marks. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9'] as const;
const font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';

export function lineChart(chart: LineChart): string {
  const rows = Math.ceil(chart.panels.length / columns);
  const width = panelWidth * Math.min(columns, chart.panels.length);
  const height = headHeight + panelHeight * rows;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${font}>`,
    `<title>${escapeXml(chart.title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="28" font-size="17" font-weight="600" fill="#1a1a1a">${escapeXml(chart.title)}</text>`,
    `<text x="16" y="48" font-size="12" fill="#555555">${escapeXml(chart.subtitle)}</text>`,
  ];
  for (const [i, panel] of chart.panels.entries()) {
    const x = (i % columns) * panelWidth;
    const y = headHeight + Math.floor(i / columns) * panelHeight;
    lines.push(`<g transform="translate(${x} ${y})">`, ...panelLines(panel, panel.xLabel ?? chart.xLabel), '</g>');
  }
  lines.push('</svg>');
  return `${lines.join('\n')}\n`;
}

/** Up to five steps from zero that people count in, the last at or above `max`. */
export function ticksUpTo(max: number): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function panelLines(panel: LinePanel, xLabel: string): string[] {
  const points = panel.series.flatMap((series) => series.points);
  const xTicks = ticksUpTo(Math.max(0, ...points.map(({ x }) => x)));
  const yTicks = ticksUpTo(Math.max(0, panel.bound?.y ?? 0, ...points.map(({ y }) => y)));
  const bottom = panelHeight - plot.bottom;
  const right = panelWidth - plot.right;
  const xAt = (x: number): string => short(plot.left + (x / (xTicks.at(-1) as number)) * (right - plot.left));
  const yAt = (y: number): string => short(bottom - (y / (yTicks.at(-1) as number)) * (bottom - plot.top));
  const lines = [
    `<text x="16" y="16" font-size="13" font-weight="600" fill="#1a1a1a">${escapeXml(panel.title)}</text>`,
  ];
  for (const y of yTicks) {
    lines.push(`<path d="M${plot.left} ${yAt(y)}H${right}" stroke="${y === 0 ? '#888888' : '#e3e3e3'}"/>`);
    lines.push(label(plot.left - 6, Number(yAt(y)) + 4, 'end', humanTick(y)));
  }
  for (const x of xTicks) lines.push(label(Number(xAt(x)), bottom + 15, 'middle', humanTick(x)));
  lines.push(label((plot.left + right) / 2, bottom + 31, 'middle', xLabel));
  if (panel.bound !== undefined) {
    const y = yAt(panel.bound.y);
    lines.push(`<path d="M${plot.left} ${y}H${right}" stroke="#888888" stroke-dasharray="5 4"/>`);
    lines.push(label(right, Number(y) - 4, 'end', panel.bound.label));
  }
  let legendX: number = plot.left;
  for (const [i, series] of panel.series.entries()) {
    const colour = colours[i % colours.length] as string;
    const path = series.points.map(({ x, y }, j) => `${j === 0 ? 'M' : 'L'}${xAt(x)} ${yAt(y)}`).join('');
    lines.push(`<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const { x, y } of series.points)
      lines.push(`<circle cx="${xAt(x)}" cy="${yAt(y)}" r="2.5" fill="${colour}"/>`);
    lines.push(`<path d="M${legendX} 31h14" stroke="${colour}" stroke-width="3"/>`);
    lines.push(label(legendX + 19, 35, 'start', series.name));
    legendX += 34 + series.name.length * 6.2;
  }
  return lines;
}

function label(x: number, y: number, anchor: 'start' | 'middle' | 'end', text: string): string {
  return `<text x="${short(x)}" y="${short(y)}" font-size="11" fill="#555555" text-anchor="${anchor}">${escapeXml(text)}</text>`;
}

function humanTick(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (value >= 10_000) return `${Number((value / 1e3).toPrecision(3))} k`;
  return `${Number(value.toPrecision(3))}`;
}

function short(value: number): string {
  return `${Math.round(value * 10) / 10}`;
}
