// npm run proof [-- NAME …]: what is proven at length, in as many lanes as there are processors.
//
// A step that fails does not hold up the others; in the end it fails the run. The very last lines are findings: fresh worlds and
// histories that failed, and the command that plays each of them again. They do not fail the run.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { seedSource } from '@tidemark/testing';
import { clock, progressLine, secondsLeft } from './progress.ts';
import type { StepResult } from './run-step.ts';
import { runStep } from './run-step.ts';
import { steps } from './steps.ts';

const progressMs = 30_000;
/** More at once, and those that look at a clock or at memory would disturb each other. */
const lanesMax = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h', default: false } },
});
const unknown = positionals.filter((name) => steps[name] === undefined);

if (values.help) process.stdout.write(help());
else if (unknown.length > 0) {
  process.stderr.write(`There is no step called ${unknown.join(' or ')}.\n\n${help()}`);
  process.exitCode = 2;
} else await prove(positionals.length > 0 ? [...new Set(positionals)] : Object.keys(steps));

async function prove(names: readonly string[]): Promise<void> {
  const waiting = names.toSorted((a, b) => (steps[b]?.minutes ?? 0) - (steps[a]?.minutes ?? 0));
  const lanes = Math.min(lanesMax, availableParallelism(), names.length);
  const startedMs = performance.now();
  const elapsedSeconds = (): number => (performance.now() - startedMs) / 1000;
  const results = new Map<string, StepResult>();
  const running = new Map<string, number>();
  const progress = () => ({
    lanes,
    elapsedSeconds: elapsedSeconds(),
    done: new Map([...results].map(([name, { seconds }]) => [name, seconds])),
    running: new Map([...running].map(([name, since]) => [name, elapsedSeconds() - since])),
    waiting,
  });

  const { text, meaning } = seedSource();
  say(`fresh seeds are drawn from ${meaning}; the same again: PROOF_SEED=${text} npm run proof`);
  say(`${names.length} steps, about ${Math.ceil(secondsLeft(progress(), steps) / 60)} min`);
  const timer = setInterval(() => say(progressLine(progress(), steps)), progressMs);
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const step = steps[name];
        if (step === undefined) continue;
        running.set(name, elapsedSeconds());
        const result = await runStep(name, step);
        running.delete(name);
        results.set(name, result);
        tell(name, result);
        if (running.size > 0) say(progressLine(progress(), steps));
      }
    }),
  );
  clearInterval(timer);
  // The ids that `npm test` does not show: of all steps together, so they are judged only when all have run.
  if (Object.keys(steps).every((name) => results.has(name))) {
    const result = await runStep('ids', { meaning: '', minutes: 0, program: ['scripts/check-ids.mjs', '--proof'] });
    results.set('ids', result);
    tell('ids', result);
  }
  summarize([...results.keys()], results, elapsedSeconds());
}

function tell(name: string, { hasPassed, skipped, seconds, lastWords, logPath }: StepResult): void {
  if (skipped !== undefined) {
    say(`── ${name}: skipped: ${skipped}`);
    return;
  }
  if (hasPassed) {
    say(`── ${name}: passed in ${clock(seconds)}`);
    return;
  }
  say(`── ${name}: FAILED after ${clock(seconds)}; the last of what it said (all of it: ${logPath})\n${lastWords}\n──`);
  say(`the same again: PROOF_SEED=${seedSource().text} npm run proof -- ${name}`);
}

function summarize(names: readonly string[], results: ReadonlyMap<string, StepResult>, seconds: number): void {
  say('');
  for (const name of names) {
    const { hasPassed = false, skipped, seconds: taken = 0, findings = [] } = results.get(name) ?? {};
    const outcome = skipped === undefined ? (hasPassed ? 'passed' : 'FAILED') : 'skipped';
    const found = findings.length === 0 ? '' : `, ${findings.length} findings`;
    say(`${name.padEnd(16)} ${outcome.padEnd(7)} ${clock(taken).padStart(6)}${found}`);
  }
  const failed = names.filter((name) => results.get(name)?.hasPassed !== true).length;
  say(`\nall of it: ${clock(seconds)}\n${names.length - failed} passed, ${failed} failed`);
  for (const { findings } of results.values()) for (const finding of findings) say(finding);
  process.exitCode = failed === 0 ? 0 : 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function help(): string {
  const lines = Object.entries(steps).map(
    ([name, { meaning, minutes }]) => `  ${name.padEnd(16)} ${meaning} (${minutes} min)\n`,
  );
  return [
    'npm run proof [-- NAME …]: what is proven at length, all of it or by name.\n\n',
    ...lines,
    '\nFresh parts draw their seeds from the commit. PROOF_SEED=TEXT takes its place, and plays a run again.\n',
  ].join('');
}
