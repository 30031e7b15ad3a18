// Runs of the processor in a world where everything goes wrong, by seeds.
//
//   npm run simulate -- --seeds 1000000 [--from 1]     that many seeds
//   npm run simulate -- --seed 42                      one seed, as a failing run prints it
//   npm run simulate -- --seed 42 --mutant D3          with a known defect put back

import { parseArgs } from 'node:util';
import { newCoverage } from './coverage.ts';
import { programNamed, realProgram } from './program.ts';
import { formatFailure, runSeed, runSeeds } from './seeds.ts';

const usage = `Runs the change feed processor in worlds where everything goes wrong, one for each seed.

  npm run simulate -- --seeds N [--from S]     that many seeds, from S (2000 from 1)
  npm run simulate -- --seed S                 one seed, as a failing run prints it
      --mutant D3       with a known defect put back
      --no-shrink       do not look for the smallest plan that still fails`;

const values = parseOptions();
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

function parseOptions(): Values {
  try {
    const { values: read } = parseArgs({
      options: {
        help: { type: 'boolean', default: false },
        seed: { type: 'string' },
        seeds: { type: 'string', default: '2000' },
        from: { type: 'string', default: '1' },
        mutant: { type: 'string' },
        shrink: { type: 'boolean', default: true },
      },
      allowNegative: true,
    });
    for (const name of ['seed', 'seeds', 'from'] as const) {
      const text = read[name];
      if (text !== undefined && !/^\d+$/.test(text)) throw new Error(`--${name} is a whole number, not '${text}'.`);
    }
    if (read.help) {
      console.log(usage);
      process.exit(0);
    }
    return read as Values; // The defaults above are all there.
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}
