// The table in the README: works by contestants, between two markers.

import { contestantOf } from './contestants.ts';
import { figureText, ratioText, roundsText } from './figure-text.ts';
import type { Result, ResultWork } from './result.ts';
import { ratioOf } from './works.ts';

const begin = '<!-- peers -->';
const end = '<!-- /peers -->';

export function readmeTable({ facts, contestants, works, leftOut, goals }: Result): string {
  const heads = ['', 'a write that is acknowledged is', ...works.map(({ short }) => short)];
  const rows = contestants.map(({ id, name, version, durability }) => [
    id.startsWith('tidemark') ? `**${name}**` : `${name} ${version}`,
    durability,
    ...works.map((work) => cellOf(work, id)),
  ]);
  const missed = goals.filter(({ isHeld }) => isHeld === false);
  const judged = goals.filter(({ isHeld }) => isHeld !== undefined).length;
  const lines = [
    '![Tidemark beside its peers: bars for every work](docs/charts/peers.svg)',
    '',
    `${facts['isQuick'] === true ? 'A quick run, for a look only: ' : ''}${String(facts['time']).slice(0, 10)}, commit ${facts['commit']}: ${facts['documents']} documents of 1 KiB over ten thousand partition ` +
      `keys, ${roundsText(Number(facts['rounds']))}, ${facts['cores']} cores of ${facts['cpu']}; ${facts['placement']}. ` +
      'In brackets: how many times as good Tidemark over HTTP is; beside who is asked through `@azure/cosmos`, Tidemark through the same.',
    '',
    rowText(heads),
    rowText(heads.map(() => '---')),
    ...rows.map(rowText),
    '',
    ...leftOut.map(({ id, reason }) => `Left out: ${contestantOf(id).name}: ${reason}.\n`),
    missed.length === 0
      ? `All ${judged} goals hold.`
      : `${judged - missed.length} of ${judged} goals hold. Not: ${missedText(missed)}.`,
  ];
  return lines.join('\n');
}

/** The text with the table in the place of the one that was there. */
export function withTable(text: string, table: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The README has no ${begin} … ${end}.`);
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
}

function cellOf(work: ResultWork, id: Result['contestants'][number]['id']): string {
  const figure = work.figures[id];
  if (figure === undefined) return '–';
  // The client costs more than either server: only through the same one do two of them compare.
  const ours = work.figures[id === 'vercel' ? 'tidemark-sdk' : 'tidemark-http'];
  const ratio =
    ours === undefined || id.startsWith('tidemark') ? '' : ` (${ratioText(ratioOf(work, ours.median, figure.median))})`;
  return `${figureText(work, figure.median)}${ratio}`;
}

/** Goal by goal, with the works and ratios that miss it. */
function missedText(missed: Result['goals']): string {
  const texts = new Set(missed.map(({ text }) => text));
  const ratiosOf = (text: string): string =>
    missed
      .filter((goal) => goal.text === text)
      .map(({ work, ratio }) => `${work} ${ratio === undefined ? '?' : ratioText(ratio)}`)
      .join(', ');
  return [...texts].map((text) => `${text} (${ratiosOf(text)})`).join('; ');
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
