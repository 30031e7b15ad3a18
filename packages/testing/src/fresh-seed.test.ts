import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { freshSeed, seedSource } from './fresh-seed.ts';
import { repositoryRoot } from './source-tree.ts';

test('the seeds of a fresh part are drawn from the commit, or from what PROOF_SEED says', () => {
  const head = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: repositoryRoot, encoding: 'utf8' });
  const { text, meaning } = seedSource();

  if (process.env['PROOF_SEED'] !== undefined)
    expect([text, meaning]).toEqual([process.env['PROOF_SEED'], 'PROOF_SEED']);
  else if (head.status === 0) expect([head.stdout.startsWith(text), meaning]).toEqual([true, 'the commit']);
  else expect(meaning).toBe('the clock');
});

test('each generator has seeds of its own, other ones with another commit, and the same ones again', () => {
  const commits = ['1f0c', '1f0d'].map((text) => ({ text, meaning: 'the commit' }) as const);

  const seeds = commits.flatMap((commit) => ['worlds', 'kills'].map((generator) => freshSeed(generator, commit)));

  expect(new Set(seeds).size).toBe(4);
  expect(freshSeed('kills', commits[1])).toBe(seeds[3]);
  for (const seed of seeds) expect(Number.isSafeInteger(seed) && seed >= 0 && seed < 2 ** 32).toBe(true);
});
