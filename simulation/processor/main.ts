// Runs of the processor in a world where everything goes wrong, by seeds.
//
//   npm run simulate -- --seeds 1000000 [--from 1]     that many seeds
//   npm run simulate -- --seed 42                      one seed, as a failing run prints it
//   npm run simulate -- --seed 42 --mutant D3          with a known defect put back

import { parseArgs } from 'node:util';
import { newCoverage } from './coverage.ts';
import { programNamed, realProgram } from './program.ts';
import { formatFailure, runSeed, runSeeds } from './seeds.ts';

const { values } = parseOptions();
const coverage = newCoverage();
const program = values.mutant === undefined ? realProgram(coverage.onStep) : programNamed(values.mutant);

if (values.seed === undefined) {
  const result = await runSeeds({
    from: Number(values.from),
    count: Number(values.seeds),
    program,
    coverage,
    isShrunk: values.shrink,
    onProgress: (line) => console.log(line),
  });
  for (const failure of result.failures) console.log(formatFailure(failure));
  console.log(result.summary);
  process.exitCode = result.failures.length === 0 && result.missing.length === 0 ? 0 : 1;
} else {
  const failure = await runSeed(Number(values.seed), program, { isShrunk: values.shrink });
  console.log(failure === undefined ? `seed ${values.seed} passes` : formatFailure(failure));
  process.exitCode = failure === undefined ? 0 : 1;
}

interface Values {
  readonly seed?: string;
  readonly seeds: string;
  readonly from: string;
  readonly mutant?: string;
  readonly shrink: boolean;
}

function parseOptions(): { readonly values: Values } {
  return parseArgs({
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '2000' },
      from: { type: 'string', default: '1' },
      mutant: { type: 'string' },
      shrink: { type: 'boolean', default: true },
    },
    allowNegative: true,
  }) as { readonly values: Values }; // The defaults above are all there.
}
