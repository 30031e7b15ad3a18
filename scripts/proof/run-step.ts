// A step as a process of its own. All that it says goes to a file; what it has found is read from there.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seedSource } from '@tidemark/testing';
import { installNodes, newerCosmos, pathOfNode } from './node-versions.ts';
import type { Step } from './steps.ts';

export interface StepResult {
  readonly hasPassed: boolean;
  /** Why it could not be run here; it counts as passed. */
  readonly skipped?: string;
  readonly seconds: number;
  /** `FINDING seed command`, a line each. */
  readonly findings: readonly string[];
  /** The last lines of what it said. */
  readonly lastWords: string;
  readonly logPath: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const proofFolder: string = join(root, 'node_modules', '.cache', 'tidemark', 'proof');

const lastLinesMax = 80;
/** Waits for disks and processes are most of what those tests do that come in several files. */
const workersOfTests = '2';

export async function runStep(name: string, step: Step): Promise<StepResult> {
  mkdirSync(proofFolder, { recursive: true });
  const logPath = join(proofFolder, `${name}.log`);
  const resultsPath = join(proofFolder, `${name}.json`);
  // Results of an earlier run must never be taken for those of this one.
  rmSync(resultsPath, { force: true });
  if (step.node !== undefined) {
    const skipped = await installNodes();
    if (skipped !== undefined) return { hasPassed: true, skipped, seconds: 0, findings: [], lastWords: '', logPath };
  }
  const log = openSync(logPath, 'w');
  const startedMs = performance.now();
  const node = step.node === undefined ? process.execPath : pathOfNode(step.node);
  const child = spawn(node, argumentsOf(step, resultsPath), {
    cwd: root,
    stdio: ['ignore', log, log],
    env: environmentOf(step),
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  closeSync(log);
  const lines = readFileSync(logPath, 'utf8').trimEnd().split('\n');
  return {
    hasPassed: code === 0,
    seconds: (performance.now() - startedMs) / 1000,
    findings: lines.filter((line) => line.startsWith('FINDING ')),
    lastWords: lines.slice(-lastLinesMax).join('\n'),
    logPath,
  };
}

function environmentOf({ node, hasNewerCosmos }: Step): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PROOF_LENGTH: node === undefined ? 'long' : 'short',
    PROOF_SEED: seedSource().text,
    ...(hasNewerCosmos === true ? { PROOF_COSMOS: newerCosmos } : {}),
    TESTS_ARE_BUILT: 'yes',
    NO_COLOR: '1',
  };
}

function argumentsOf({ tests = [], program }: Step, resultsPath: string): string[] {
  if (program !== undefined) return ['--conditions=tidemark-source', '--import', 'tsx', ...program];
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultsPath}`];
  return [vitest, 'run', ...tests, ...reporters, `--maxWorkers=${tests.length > 1 ? workersOfTests : '1'}`];
}
