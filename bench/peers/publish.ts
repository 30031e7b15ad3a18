// Where a run leaves its results: a file of JSON always, and on request the chart and the table that the README shows.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chartSvg } from './chart.ts';
import { readmeTable, withTable } from './readme-table.ts';
import type { Result } from './result.ts';

export function writeResult(path: string, result: Result): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
}

export function publish(root: string, result: Result): void {
  writeResult(join(root, 'docs/charts/peers.json'), result);
  writeFileSync(join(root, 'docs/charts/peers.svg'), chartSvg(result));
  const readme = join(root, 'README.md');
  writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), readmeTable(result)));
}
