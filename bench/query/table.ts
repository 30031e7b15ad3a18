// The tables: of each size who answers how quickly, and how many times as quick Tidemark is; and what others see of hostile queries.
// In the terminal and, as Markdown, in docs/performance.md.

import { rateText, ratioText } from '../peers/figure-text.ts';
import type { ContestantId } from './contestants.ts';
import { contestantOf } from './contestants.ts';
import { hostiles, quiet } from './hostile.ts';
import type { QuestionId } from './questions.ts';
import { questionOf } from './questions.ts';
import type { HostileFigure, HostileResult, SizeResult } from './result.ts';
import { reasonOf } from './result.ts';

export interface Table {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

export function sizeTable(size: SizeResult, questions: readonly QuestionId[], wanted: readonly ContestantId[]): Table {
  const heads = questions.map((id) => `${questionOf(id).label}, ${questionOf(id).unit}/s`);
  const rows = wanted.map((id) => {
    const { name, isTidemark } = contestantOf(id);
    const version = isTidemark ? '' : ` ${size.versions[id] ?? ''}`;
    return [name + version, ...questions.map((question) => cellOf(size, question, id))];
  });
  const notes = wanted.flatMap((id) =>
    [...new Set(questions.map((question) => reasonOf(size, id, question)))]
      .filter((reason) => reason !== undefined)
      .map((reason) => `${contestantOf(id).name}: ${reason}`),
  );
  return { title: `${size.documents.toLocaleString('en')} documents`, rows: [['', ...heads], ...rows], notes };
}

/** A figure; of a peer, in brackets, how many times as quick Tidemark is: embedded, or through the client where that is how it is asked. */
function cellOf({ figures, ratios }: SizeResult, question: QuestionId, id: ContestantId): string {
  const figure = figures[question]?.[id];
  if (figure === undefined) return '–';
  const ratio = ratios[question]?.[id === 'vercel' ? 'sdk' : 'embedded']?.[id];
  return rateText(figure.perSecond) + (ratio === undefined ? '' : ` (${ratioText(ratio)})`);
}

export function hostileTable(results: readonly HostileResult[]): Table {
  const documents = results.map((result) => result.documents)[0] ?? 0;
  const heads = results.flatMap(({ connections }) => [
    `p50, ${connections} in flight`,
    `p99, ${connections} in flight`,
  ]);
  const all = [{ id: quiet, label: 'nobody asks anything' } as const, ...hostiles];
  const rows = all.map(({ id, label }) => [label, ...results.flatMap(({ figures }) => latencyCells(figures[id]))]);
  const title = `point reads over HTTP beside a hostile query, ${documents.toLocaleString('en')} documents`;
  return { title, rows: [['beside', ...heads], ...rows], notes: [] };
}

function latencyCells(figure: HostileFigure | undefined): string[] {
  if (figure === undefined) return ['–', '–'];
  const cell = (latencyMs: number, ratio: number): string =>
    `${latencyMs.toFixed(latencyMs < 10 ? 2 : 1)} ms${ratio === 1 ? '' : ` (${ratioText(ratio)})`}`;
  return [cell(figure.p50Ms, figure.p50Ratio), cell(figure.p99Ms, figure.p99Ratio)];
}

export function terminalText({ title, rows, notes }: Table): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0, i))
      .join('  ')
      .trimEnd(),
  );
  return [`── ${title}`, ...lines, ...notes].join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

export function markdownText({ title, rows, notes }: Table): string {
  const [heads = [], ...others] = rows.map((row) => `| ${row.join(' | ')} |`);
  const line = `|${'---|'.repeat(rows[0]?.length ?? 0)}`;
  return [
    `**${title[0]?.toUpperCase()}${title.slice(1)}**`,
    '',
    heads,
    line,
    ...others,
    ...notes.flatMap((note) => ['', note]),
  ].join('\n');
}
