// Runs of the processor in a world where everything goes wrong, by seeds.

import { readCommandLine } from '@tidemark/testing';
import { newCoverage } from './coverage.ts';
import { programNamed, realProgram } from './program.ts';
import { formatFailure, runSeed, runSeeds } from './seeds.ts';

const asked = readCommandLine({
  usage: `Runs the change feed processor in worlds where everything goes wrong, one for each seed.

  npm run simulate -- --seeds N [--from S]     that many seeds, from S (2000 from 1)
  npm run simulate -- --seed S                 one seed, as a failing run prints it
      --mutant D3       with a known defect put back
      --no-shrink       do not look for the smallest plan that still fails`,
  values: { seed: undefined, seeds: '2000', from: '1', mutant: undefined },
  numbers: ['seed', 'seeds', 'from'],
  switches: { shrink: true },
});
const [seed, mutant, isShrunk] = [asked.text('seed'), asked.text('mutant'), asked.isOn('shrink')];
const coverage = newCoverage();
const program = mutant === undefined ? realProgram(coverage.onStep) : programNamed(mutant);

if (seed === undefined) {
  const result = await runSeeds({
    from: asked.number('from'),
    count: asked.number('seeds'),
    program,
    coverage,
    isShrunk,
    onProgress: (line) => console.log(line),
  });
  for (const failure of result.failures) console.log(formatFailure(failure));
  console.log(result.summary);
  process.exitCode = result.failures.length === 0 && result.missing.length === 0 ? 0 : 1;
} else {
  const failure = await runSeed(Number(seed), program, { isShrunk });
  console.log(failure === undefined ? `seed ${seed} passes` : formatFailure(failure));
  process.exitCode = failure === undefined ? 0 : 1;
}
