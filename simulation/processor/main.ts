// Runs of the processor in a world where everything goes wrong, by seeds.

import { randomInt } from 'node:crypto';
import { readCommandLine } from '@tidemark/testing';
import { runCampaign } from './campaign.ts';
import { newCoverage } from './coverage.ts';
import { successionSeeds } from './plan.ts';
import { programNamed, realProgram } from './program.ts';
import { formatFailure, runSeed } from './seeds.ts';

const asked = readCommandLine({
  usage: `Runs the change feed processor in worlds where everything goes wrong, one for each seed.

  npm run simulate -- --seeds N [--from S]     that many seeds (2000), from S or from a start that is drawn and printed
  npm run simulate -- --seed S                 one seed, as a failing run prints it
      --failures N      stop after so many failing seeds (5)
      --workers N       in so many processes (1)
      --findings        failing seeds are findings: a last line for each one, FINDING seed command, and success
      --mutant D3       with a known defect put back
      --no-shrink       do not look for the smallest plan that still fails`,
  values: { seed: undefined, seeds: '2000', from: undefined, failures: '5', workers: '1', mutant: undefined },
  numbers: ['seed', 'seeds', 'from', 'failures', 'workers'],
  switches: { shrink: true, findings: false },
});
const [seed, mutant, isShrunk] = [asked.text('seed'), asked.text('mutant'), asked.isOn('shrink')];

if (seed === undefined) await runMany();
else await runOne(Number(seed));

async function runMany(): Promise<void> {
  // Far from the seeds that tests know, and of few enough digits to be typed again.
  const from =
    asked.text('from') === undefined ? successionSeeds + randomInt(1_000_000, successionSeeds) : asked.number('from');
  const count = asked.number('seeds');
  console.log(
    `seeds ${from} to ${from + count - 1}; the same again: npm run simulate -- --seeds ${count} --from ${from}`,
  );
  const { findings, summary } = await runCampaign({
    from,
    count,
    mutant,
    isShrunk,
    failuresMax: asked.number('failures'),
    workers: asked.number('workers'),
    onLine: (line) => console.log(line),
  });
  for (const line of summary) console.log(line);
  if (asked.isOn('findings'))
    for (const finding of findings) console.log(`FINDING ${finding.seed} npm run simulate -- --seed ${finding.seed}`);
  else process.exitCode = findings.length === 0 ? 0 : 1;
}

async function runOne(number: number): Promise<void> {
  const coverage = newCoverage();
  const program = mutant === undefined ? realProgram(coverage.onStep) : programNamed(mutant);
  const failure = await runSeed(number, program, { isShrunk, coverage });
  console.log(failure === undefined ? `seed ${number} passes` : formatFailure(failure));
  process.exitCode = failure === undefined ? 0 : 1;
}
