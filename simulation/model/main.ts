// More random histories than `npm test` runs.

import { readCommandLine } from '@tidemark/testing';
import { runModel } from './run.ts';

const asked = readCommandLine({
  usage: `Random histories of a database beside those of a model of it.

  npm run simulate:model -- --seeds 10000 [--from 1]    that many seeds
  npm run simulate:model -- --seed 42 --steps 120       one seed, as a failing test prints it`,
  values: { seed: undefined, seeds: '1000', from: '1', steps: '120' },
  numbers: ['seeds', 'from', 'steps'],
});
const one = asked.text('seed');
const seeds = one === undefined ? numbered(asked.number('seeds'), asked.number('from')) : [one];
const steps = asked.number('steps');
const started = performance.now();
const counts: Record<string, number> = {};
let failed = 0;

for (const [n, seed] of seeds.entries()) {
  if (n > 0 && n % 100 === 0) console.log(`${n} of ${seeds.length} seeds`);
  try {
    for (const [step, count] of Object.entries(await runModel({ seed, steps })))
      counts[step] = (counts[step] ?? 0) + count;
  } catch (error) {
    failed += 1;
    console.log(error instanceof Error && one === undefined ? error.message : error);
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
