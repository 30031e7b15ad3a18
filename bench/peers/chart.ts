// The chart that the README shows: a small chart of bars for every work, written as SVG by hand. Its colours follow the reader's
// light or dark page.

import type { ContestantId } from './contestants.ts';
import { figureText, roundsText } from './figure-text.ts';
import type { Result, ResultWork } from './result.ts';

const columns = 2;
const panelWidth = 490;
const gap = 24;
const margin = 20;
const barHeight = 14;
const rowHeight = 20;
const titleHeight = 30;
const nameWidth = 206;
const figureWidth = 74;
const barWidthMax: number = panelWidth - nameWidth - figureWidth;
const headHeight = 52;
const footHeight = 40;

const style = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 13px; }
  .head { font-weight: 600; font-size: 16px; }
  .soft { fill: #57606a; }
  .ours { fill: #0a7d6f; }
  .ours-weak { fill: #7fc4b9; }
  .peer { fill: #8c959f; }
  .peer-weak { fill: #c9d0d7; }
  .back { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .soft { fill: #9198a1; }
    .ours { fill: #2fbfa9; }
    .ours-weak { fill: #1d6d62; }
    .peer { fill: #7d8590; }
    .peer-weak { fill: #444c56; }
    .back { fill: #0d1117; }
  }`;

export function chartSvg(result: Result): string {
  const ids = result.contestants.map(({ id }) => id);
  const panelHeight = titleHeight + ids.length * rowHeight + gap;
  const rows = Math.ceil(result.works.length / columns);
  const width = margin * 2 + columns * panelWidth + (columns - 1) * gap;
  const height = headHeight + rows * panelHeight + footHeight;
  const names = new Map(result.contestants.map(({ id, name }) => [id, name]));
  const durable = new Set(
    result.contestants.filter(({ durability }) => durability.startsWith('on disk')).map(({ id }) => id),
  );
  const panels = result.works.map((work, i) => {
    const x = margin + (i % columns) * (panelWidth + gap);
    const y = headHeight + Math.floor(i / columns) * panelHeight;
    return `<g transform="translate(${x} ${y})">${panelOf(work, ids, names, durable)}</g>`;
  });
  const facts = `${result.facts['documents']} documents of 1 KiB, ${roundsText(Number(result.facts['rounds']))}, ${result.facts['cores']} cores, ${String(result.facts['time']).slice(0, 10)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Tidemark beside its peers">`,
    `<style>${style}\n</style>`,
    `<rect class="back" width="${width}" height="${height}" rx="8"/>`,
    `<text class="head" x="${margin}" y="30">Tidemark beside its peers</text>`,
    `<text class="soft" x="${width - margin}" y="30" text-anchor="end">${escaped(facts)}</text>`,
    ...panels,
    legendOf(height - 14),
    '</svg>',
    '',
  ].join('\n');
}

function panelOf(
  work: ResultWork,
  ids: readonly ContestantId[],
  names: ReadonlyMap<ContestantId, string>,
  durable: ReadonlySet<ContestantId>,
): string {
  const most = Math.max(...ids.map((id) => work.figures[id]?.median ?? 0));
  const better = work.better === 'more' ? 'more is better' : 'less is better';
  const title =
    `<text class="title" y="14">${escaped(work.label)}</text>` +
    `<text class="soft" x="${panelWidth}" y="14" text-anchor="end">${better}</text>`;
  const bars = ids.map((id, i) => {
    const y = titleHeight + i * rowHeight;
    const middle = y + barHeight - 3;
    const name = `<text x="${nameWidth - 8}" y="${middle}" text-anchor="end">${escaped(names.get(id) ?? id)}</text>`;
    const figure = work.figures[id];
    if (figure === undefined) return `${name}<text class="soft" x="${nameWidth}" y="${middle}">–</text>`;
    const width = Math.max(1, (figure.median / most) * barWidthMax).toFixed(1);
    const kind = `${id.startsWith('tidemark') ? 'ours' : 'peer'}${durable.has(id) ? '' : '-weak'}`;
    const bar = `<rect class="${kind}" x="${nameWidth}" y="${y}" width="${width}" height="${barHeight}" rx="2"/>`;
    const text = escaped(figureText(work, figure.median));
    return `${name}${bar}<text x="${(nameWidth + Number(width) + 6).toFixed(1)}" y="${middle}">${text}</text>`;
  });
  return title + bars.join('');
}

function legendOf(y: number): string {
  const entries = [
    ['ours', 'Tidemark, on disk when acknowledged'],
    ['ours-weak', 'not flushed'],
    ['peer', 'peer, on disk when acknowledged'],
    ['peer-weak', 'not flushed, or memory only'],
  ] as const;
  let x = margin;
  return entries
    .map(([kind, text]) => {
      const entry =
        `<rect class="${kind}" x="${x}" y="${y - 11}" width="12" height="12" rx="2"/>` +
        `<text class="soft" x="${x + 18}" y="${y}">${text}</text>`;
      x += 40 + text.length * 6.3;
      return entry;
    })
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
