// More power cuts than `npm test` makes.
//
//   npm run simulate:power-cut -- --factor 20                           20 times as many, all kinds
//   npm run simulate:power-cut -- --seed 42 --sync full --ending cut    one run, as a failing test prints it

import { parseArgs } from 'node:util';
import { memoryIndexDisk } from './index-disks.ts';
import { runPowerCuts } from './run.ts';
import { cutsPerRun, runMany } from './suite.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    factor: { type: 'string', default: '1' },
    cuts: { type: 'string', default: String(cutsPerRun) },
    sync: { type: 'string', default: 'full' },
    ending: { type: 'string', default: 'cut' },
  },
});
const started = performance.now();
const sync = values.sync === 'os' ? 'os' : 'full';
const ending = values.ending === 'kill' ? 'kill' : 'cut';
if (values.seed !== undefined) {
  console.log(
    await runPowerCuts({ seed: values.seed, cuts: Number(values.cuts), sync, ending, index: memoryIndexDisk() }),
  );
} else {
  const cuts = 10_000 * Number(values.factor);
  console.log(await runMany({ name: 'more', cuts, sync, ending, makeIndex: memoryIndexDisk }));
}
console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
