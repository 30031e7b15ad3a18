// The commands that check this repository: what they answer when they are asked for something that there is not, and how far they are.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { progressLine, secondsLeft } from '../../../scripts/proof/progress.ts';
import { steps } from '../../../scripts/proof/steps.ts';
import { readSources, repositoryRoot, resolveImport } from './source-tree.ts';

const run = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: 'utf8' });
  return { status, stdout, stderr };
};

test('npm test with a name that there is not says which steps and tests there are, and fails', () => {
  const { status, stdout, stderr } = run('scripts/test.mjs', 'lint', 'packages/engin-e');

  expect(status).toBe(1);
  expect(stderr).toContain('there is neither a step nor a test called packages/engin-e.');
  expect(stderr).toContain('steps: lint, types, unused, tests, packages, ids');
  expect(stderr).toContain('packages/engine, ');
  expect(stdout).toBe('0 passed, 1 failed\n');
});

test('npm test -- --help says which steps and tests there are, and runs none', () => {
  const { status, stdout, stderr } = run('scripts/test.mjs', '--help');

  expect(status).toBe(0);
  expect(stderr).toBe('');
  expect(stdout).toContain('steps: lint, types, unused, tests, packages, ids');
  expect(stdout).toContain('packages/engine, ');
});

test('npm run proof with a name that there is not says which steps there are, and fails', () => {
  const proof = ['--conditions=tidemark-source', '--import', 'tsx', 'scripts/proof/main.ts'];

  const { status, stderr } = run(...proof, 'power-cut');

  expect(status).toBe(2);
  expect(stderr).toContain('There is no step called power-cut.');
  expect(stderr).toMatch(/^ {2}power-cuts /m);
});

test('every test that has a long form is in a step of the proof', () => {
  const parts = Object.values(steps).flatMap(({ tests = [], node }) => (node === undefined ? tests : []));
  const sources = readSources(['packages', 'conformance', 'simulation', 'reliability', 'bench']);
  const isInTwoSizes = (code: string): boolean => /\b(isLong\b|sizeOf\(|runOfTests\(|fc\.assert\()/.test(code);
  // What tests of a folder share may be what has two sizes.
  const shared = new Set(sources.filter(({ isTest, code }) => isTest && isInTwoSizes(code)).map(({ path }) => path));
  const withLongForm = sources
    .filter(({ path, imports }) => path.endsWith('.test.ts') && !imports.includes('../../../scripts/proof/steps.ts'))
    .filter(
      ({ path, code, imports }) =>
        isInTwoSizes(code) || imports.some((specifier) => shared.has(resolveImport(path, specifier) ?? '')),
    )
    .map(({ path }) => path);

  expect(withLongForm.length).toBeGreaterThan(20);
  expect(withLongForm.filter((path) => !parts.some((part) => path.includes(part)))).toEqual([]);
});

test('the time that a proof will still take follows from what it has left and from how quick the machine is', () => {
  const steps = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { meaning: '', minutes: 4 }]));
  const progress = { lanes: 2, elapsedSeconds: 0, done: new Map(), running: new Map(), waiting: ['a', 'b', 'c', 'd'] };
  const half = { ...progress, done: new Map([['a', 240]]), running: new Map([['b', 120]]), waiting: ['c', 'd'] };
  const slow = { ...half, done: new Map([['a', 960]]) };

  expect(secondsLeft(progress, steps)).toBe(480);
  expect(secondsLeft(half, steps)).toBe(300);
  expect(secondsLeft(slow, steps)).toBeGreaterThan(2 * 300);
  expect(progressLine({ ...half, elapsedSeconds: 245 }, steps)).toBe(
    '4:05  1 of 4 steps done; running b for 2:00; about 5 min left',
  );
});
