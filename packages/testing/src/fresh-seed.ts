// The seed of a fresh part: another one with every commit, so that no range of seeds can become the one that everything was tuned
// to. `PROOF_SEED` plays a run again: it takes the place of the commit. (Names that begin with TIDEMARK_ are settings of the server.)

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { repositoryRoot } from './source-tree.ts';

export interface SeedSource {
  /** What `PROOF_SEED` takes to draw the same seeds again. */
  readonly text: string;
  readonly meaning: 'PROOF_SEED' | 'the commit' | 'the clock';
}

let source: SeedSource | undefined;

/** The same for the whole life of a process. */
export function seedSource(): SeedSource {
  source ??= readSource();
  return source;
}

/** A whole number of 32 bits. Each generator has its own. */
export function freshSeed(generator: string, { text }: SeedSource = seedSource()): number {
  return createHash('sha256').update(`${generator} ${text}`).digest().readUInt32BE();
}

function readSource(): SeedSource {
  const asked = process.env['PROOF_SEED'];
  if (asked !== undefined && asked !== '') return { text: asked, meaning: 'PROOF_SEED' };
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (status === 0) return { text: stdout.trim(), meaning: 'the commit' };
  return { text: String(Date.now()), meaning: 'the clock' };
}
