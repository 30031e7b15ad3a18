// npm run reliability -- NAME [--minutes N] [--kills N] [--steps N] [--seed S] [--report FILE]
//
// Progress goes to stderr; the last line, on stdout, is the outcome as JSON. It ends with 1 when something did not hold.

import { parseArgs } from 'node:util';
import type { Run } from './run-table.ts';
import { runs } from './run-table.ts';

const flagMeanings = {
  minutes: 'how long; without it as short as in npm test',
  kills: 'how many kills',
  steps: 'how many steps',
  report: 'writes a report: FILE.md and FILE.svg',
} as const;

const problemsShown = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    seed: { type: 'string', default: String(Date.now()) },
    minutes: { type: 'string' },
    kills: { type: 'string' },
    steps: { type: 'string' },
    report: { type: 'string' },
  },
});
const [name] = positionals;
const run = name === undefined ? undefined : runs[name];

if (values.help || name === undefined) {
  process.stdout.write(help());
} else if (run === undefined || positionals.length > 1) {
  process.stderr.write(`There is no run called ${positionals.join(' ')}.\n\n${help()}`);
  process.exitCode = 2;
} else {
  await perform(name, run);
}

async function perform(called: string, { load, flags }: Run): Promise<void> {
  for (const flag of Object.keys(flagMeanings) as (keyof typeof flagMeanings)[]) {
    if (values[flag] === undefined || flags.includes(flag)) continue;
    process.stderr.write(`${called} knows no --${flag}.\n`);
    process.exitCode = 2;
    return;
  }
  const { seed, report } = values;
  const [minutes, kills, steps] = [numberOf('minutes'), numberOf('kills'), numberOf('steps')];
  const sinceMs = performance.now();
  process.stderr.write(`${called}, seed ${seed}\n`);
  const start = await load();
  const { problems, figures } = await start({ seed, minutes, kills, steps, report, onProgress: show });
  const seconds = Math.round((performance.now() - sinceMs) / 1000);
  process.stdout.write(
    `${JSON.stringify({ run: called, seed, holds: problems.length === 0, seconds, ...figures, problems: problems.slice(0, problemsShown), problemsInAll: problems.length })}\n`,
  );
  process.exit(problems.length === 0 ? 0 : 1);
}

function show(text: string): void {
  process.stderr.write(`… ${text}\n`);
}

function numberOf(flag: 'minutes' | 'kills' | 'steps'): number | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (number > 0) return number;
  process.stderr.write(`--${flag} takes a number above 0, not '${text}'.\n`);
  process.exit(2);
}

function help(): string {
  const lines = Object.entries(runs).map(([each, { meaning, flags }]) => {
    const known = ['seed', ...flags].map((flag) => `--${flag}`).join(', ');
    return `  ${each.padEnd(14)} ${meaning}\n  ${' '.repeat(14)} ${known}\n`;
  });
  const meanings = Object.entries(flagMeanings).map(([flag, meaning]) => `  --${flag.padEnd(12)} ${meaning}\n`);
  return [
    'npm run reliability -- NAME [flags]: breaks something on purpose and says what held.\n\n',
    ...lines,
    '\n',
    `  --${'seed'.padEnd(12)} what chance is drawn from; by default the time\n`,
    ...meanings,
  ].join('');
}
