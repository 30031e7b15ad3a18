// The table in the terminal: work by work, everybody with a figure, how far its rounds were apart, and how many times as good each
// of the three ways to use Tidemark is.

import type { Contestant, ContestantId } from './contestants.ts';
import { figureText, ratioText } from './figure-text.ts';
import type { Standings } from './standings.ts';
import type { WorkId } from './works.ts';
import { workOf } from './works.ts';

export interface TableInput {
  readonly standings: Standings;
  readonly works: readonly WorkId[];
  readonly contestants: readonly Contestant[];
}

const ways: readonly (readonly [id: ContestantId, head: string])[] = [
  ['tidemark-http', 'HTTP ×'],
  ['tidemark-sdk', 'SDK ×'],
  ['tidemark-embedded', 'embedded ×'],
];
const heads: readonly string[] = [
  '',
  'median',
  'spread',
  ...ways.map(([, head]) => head),
  'a write that is acknowledged is',
];

export function tableText({ standings, works, contestants }: TableInput): string {
  const sections = works.map((work) => ({
    title: `── ${workOf(work).label}`,
    rows: contestants.map((contestant) => rowOf(standings, work, contestant)),
  }));
  const all = [heads, ...sections.flatMap(({ rows }) => rows)];
  const widths = heads.map((_, i) =>
    Math.max(...all.map((row) => (row.length < heads.length && i > 0 ? 0 : (row[i]?.length ?? 0)))),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => {
        // What is said instead of figures takes the whole line.
        if (row.length < heads.length && i > 0) return cell;
        const isNumber = i > 0 && i < heads.length - 1;
        return isNumber ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0);
      })
      .join('  ')
      .trimEnd();
  const lines = [line(heads)];
  for (const { title, rows } of sections) lines.push(title, ...rows.map(line));
  return lines.join('\n');
}

function rowOf(standings: Standings, work: WorkId, { id, name, durability, lacks }: Contestant): string[] {
  const standing = standings.get(work, id);
  if (standing === undefined) return [name, `–  ${lacks[work] ?? standings.failure(work, id) ?? 'not measured'}`];
  const ratios = ways.map(([way]) => {
    const ratio = way === id ? undefined : standings.ratio(work, way, id);
    return ratio === undefined ? '' : ratioText(ratio);
  });
  const spread = `${(standing.spread * 100).toFixed(0)} %`;
  return [name, figureText(workOf(work), standing.figure), spread, ...ratios, durability];
}
