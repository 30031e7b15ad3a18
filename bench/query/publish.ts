// The tables of docs/performance.md, between two markers.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { roundsText } from '../peers/figure-text.ts';
import type { Result } from './result.ts';
import type { Table } from './table.ts';
import { markdownText } from './table.ts';

const page = 'docs/performance.md';
const begin = '<!-- queries -->';
const end = '<!-- /queries -->';

export function publish(root: string, result: Result, tables: readonly Table[]): void {
  const path = join(root, page);
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${page} has no ${begin} … ${end}.`);
  const { facts, goals } = result;
  const held = goals.filter(({ isHeld }) => isHeld).length;
  const missed = goals.filter(({ isHeld }) => !isHeld);
  const lines = [
    `${facts['isQuick'] === true ? 'A quick run, for a look only: ' : ''}${String(facts['time']).slice(0, 10)}, commit ${facts['commit']}, ` +
      `${roundsText(Number(facts['rounds']))}, ${facts['cores']} cores of ${facts['cpu']}. In brackets: how many times as quick Tidemark is, embedded; ` +
      'beside who is asked through `@azure/cosmos`, Tidemark through the same.',
    ...tables.map(markdownText),
    `${held} of ${goals.length} goals hold.${missed.length === 0 ? '' : ' Not:'}`,
    missed.map(({ text: goal, figure, kind, bound }) => `- ${goal}: ${figure}, ${kind} ${bound}`).join('\n'),
  ].filter((each) => each !== '');
  writeFileSync(path, `${text.slice(0, from + begin.length)}\n\n${lines.join('\n\n')}\n\n${text.slice(to)}`);
}
