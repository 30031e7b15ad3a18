// More power cuts than `npm test` makes.

import { readCommandLine } from '@tidemark/testing';
import { memoryIndexDisk } from './index-disks.ts';
import { runPowerCuts } from './run.ts';
import { cutsPerRun, runMany } from './suite.ts';

const cutsInTests = 10_000;

const asked = readCommandLine({
  usage: `Cuts the power of a database in the middle of its work: what was not flushed is forgotten, torn or reordered.

  npm run simulate:power-cut -- --factor 20                           20 times as many cuts as in npm test
  npm run simulate:power-cut -- --seed 42 --sync full --ending cut    one run, as a failing test prints it
      --sync full|os    what is flushed: everything that is acknowledged, or what the operating system likes
      --ending cut|kill what ends a life: the power, or the process alone
      --cuts N          of the one run (${cutsPerRun})`,
  values: { seed: undefined, factor: '1', cuts: String(cutsPerRun), sync: 'full', ending: 'cut' },
  numbers: ['factor', 'cuts'],
});
const seed = asked.text('seed');
const started = performance.now();
const sync = asked.text('sync') === 'os' ? 'os' : 'full';
const ending = asked.text('ending') === 'kill' ? 'kill' : 'cut';
if (seed !== undefined) {
  console.log(await runPowerCuts({ seed, cuts: asked.number('cuts'), sync, ending, index: memoryIndexDisk() }));
} else {
  const cuts = cutsInTests * asked.number('factor');
  const onProgress = (done: number): void => {
    if (done % (cutsInTests / 10) === 0) console.log(`${done} of ${cuts} cuts`);
  };
  console.log(await runMany({ name: 'more', cuts, sync, ending, makeIndex: memoryIndexDisk, onProgress }));
}
console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
