// More random histories than `npm test` runs.
//
//   npm run simulate:model -- --seeds 10000            that many seeds, from 1 on
//   npm run simulate:model -- --seed 42 --steps 120    one seed, as a failing test prints it

import { parseArgs } from 'node:util';
import { runModel } from './run.ts';

const { values } = parseOptions();
const seeds = values.seed === undefined ? numbered(Number(values.seeds), Number(values.from)) : [values.seed];
const steps = Number(values.steps);
const started = performance.now();
const counts: Record<string, number> = {};
let failed = 0;

for (const seed of seeds) {
  try {
    for (const [step, count] of Object.entries(await runModel({ seed, steps })))
      counts[step] = (counts[step] ?? 0) + count;
  } catch (error) {
    failed += 1;
    console.log(error instanceof Error && values.seed === undefined ? error.message : error);
  }
}
console.log(counts);
console.log(
  `${seeds.length - failed} passed, ${failed} failed, ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
process.exitCode = failed === 0 ? 0 : 1;

function numbered(count: number, from: number): string[] {
  return Array.from({ length: count }, (_, i) => String(from + i));
}

function parseOptions(): { values: { seed?: string; seeds: string; from: string; steps: string } } {
  return parseArgs({
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      steps: { type: 'string', default: '120' },
    },
  }) as { values: { seed?: string; seeds: string; from: string; steps: string } };
}
