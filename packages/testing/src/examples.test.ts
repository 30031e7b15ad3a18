// Runs every example from its source, so that documentation cannot rot. That the packed packages run them too is shown by
// scripts/check-packages.mjs.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readText, repositoryRoot } from './source-tree.ts';

const folder = join(repositoryRoot, 'examples');
const examples = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ts')) : [];
const exampleLinesMax = 60;

test('examples are short enough to be read at once', () => {
  const lines = examples.map((name) => ({ name, lines: readText(`examples/${name}`).trimEnd().split('\n').length }));

  expect(lines.filter((example) => example.lines > exampleLinesMax)).toEqual([]);
});

test.each(examples)('examples/%s runs', (name) => {
  const args = ['--conditions=tidemark-source', '--import', 'tsx', join(folder, name)];

  const result = spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: 'utf8', timeout: 50_000 });

  expect({ status: result.status, stderr: result.status === 0 ? '' : result.stderr }).toEqual({
    status: 0,
    stderr: '',
  });
});
