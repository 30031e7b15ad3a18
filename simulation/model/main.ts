// Random histories of the engine beside its model, by seeds.

import { randomInt } from 'node:crypto';
import { readCommandLine } from '@tidemark/testing';
import { runHistories } from './histories.ts';
import { runModel } from './run.ts';

const asked = readCommandLine({
  usage: `Random histories of a database beside those of a model of it.

  npm run simulate:model -- --seeds N [--from S]      that many (1000), from S or from a start that is drawn and printed
  npm run simulate:model -- --seed S [--steps 120]    one history, as a failing run prints it
      --failures N      stop after so many failing seeds (5)
      --workers N       in so many processes (1)
      --findings        failing seeds are findings: a last line for each one, FINDING seed command, and success`,
  values: { seed: undefined, seeds: '1000', from: undefined, steps: '120', failures: '5', workers: '1' },
  numbers: ['seeds', 'from', 'steps', 'failures', 'workers'],
  switches: { findings: false },
});
const seed = asked.text('seed');
const steps = asked.number('steps');

if (seed === undefined) await runMany();
else console.log(await runModel({ seed, steps }));

async function runMany(): Promise<void> {
  // Far from the seeds that tests know, and of few enough digits to be typed again.
  const from = asked.text('from') === undefined ? randomInt(1_000_000, 1_000_000_000_000) : asked.number('from');
  const count = asked.number('seeds');
  const again = `npm run simulate:model -- --seeds ${count} --from ${from} --steps ${steps}`;
  console.log(`seeds ${from} to ${from + count - 1}; the same again: ${again}`);
  const startedMs = performance.now();
  const { done, failed, counts } = await runHistories({
    from,
    count,
    steps,
    failuresMax: asked.number('failures'),
    workers: asked.number('workers'),
    onLine: (line) => console.log(line),
  });
  console.log(counts);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${done - failed.length} passed, ${failed.length} failed, ${seconds} s`);
  if (!asked.isOn('findings')) process.exitCode = failed.length === 0 ? 0 : 1;
  else
    for (const each of failed) console.log(`FINDING ${each} npm run simulate:model -- --seed ${each} --steps ${steps}`);
}
