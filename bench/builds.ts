// `npm run bench:builds -- --before FOLDER`: what a change does to writes, this checkout beside another one.
//
// On a machine that others use too the same build is half as fast again from one minute to the next, and so are two processes of it. So
// builds take turns of less than two seconds, each in a process of its own, over several pairs of processes; what counts is the median of
// the ratios of neighbouring turns. Below a twentieth it still says nothing.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BuildProcess } from './builds/process.ts';
import type { BuildTurn, TurnFigures, Work } from './builds/turn.ts';
import { median } from './common/drive.ts';
import { showProgress } from './common/progress.ts';
import { machineFacts, Report } from './common/report.ts';

const usage = `npm run bench:builds -- --before FOLDER [--quick] [--folder PATH]
  --before  another checkout of this project, with what it is compared to; it is built first
  --quick   under a minute: one pair of processes, few turns
  --folder  where to work (default: data/bench-builds, removed at the end)`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    quick: { type: 'boolean', default: false },
    folder: { type: 'string', default: join(root, 'data/bench-builds') },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || values.before === undefined) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}
const before = resolve(values.before);
const { quick: isQuick, folder } = values;
const pairs = isQuick ? 1 : 4;
const turns = isQuick ? 4 : 12;
const turnMs = 500;
/** The index gathers for a second before it begins a transaction; turns begin all over that second, as those of bench:engine do. */
const gatherMs = 1_000;
const phaseShare = 0.618;

const works: readonly { readonly name: string; readonly work: Work }[] = [
  { name: 'upserts, 64 in flight', work: { kind: 'upserts', writers: 64 } },
  { name: 'batches of 100 upserts, 64 in flight, documents', work: { kind: 'batches', writers: 64 } },
];

const startedMs = performance.now();
build(before);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const report = new Report();
for (const { name, work } of works) {
  report.section(name);
  addFigures(work, await measure(name, work));
}
rmSync(folder, { recursive: true, force: true });
showProgress('');
console.log(report.table());
const seconds = Math.round((performance.now() - startedMs) / 1_000);
console.log(`\n${seconds} s in all. The figures are medians; each ratio is the median of those of neighbouring turns.`);
console.log(report.json({ ...machineFacts('builds'), before, isQuick, seconds }));

/** One after the other, the same turns; who comes first changes. */
async function measure(name: string, work: Work): Promise<{ before: TurnFigures; after: TurnFigures }[]> {
  const rounds: { before: TurnFigures; after: TurnFigures }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    showProgress(`${name}: pair ${pair + 1} of ${pairs}, loading`);
    const older = await BuildProcess.start(before, join(folder, `before-${work.kind}-${pair}`), work);
    const newer = await BuildProcess.start(root, join(folder, `after-${work.kind}-${pair}`), work);
    for (let i = 0; i < turns; i += 1) {
      showProgress(`${name}: pair ${pair + 1} of ${pairs}, turn ${i + 1} of ${turns}`);
      const turn: BuildTurn = { turnMs, rampMs: gatherMs * (0.3 + ((i * phaseShare) % 1)) };
      const first = await (i % 2 === 0 ? older : newer).turn(turn);
      const second = await (i % 2 === 0 ? newer : older).turn(turn);
      rounds.push(i % 2 === 0 ? { before: first, after: second } : { before: second, after: first });
    }
    await older.close();
    await newer.close();
  }
  return rounds;
}

function addFigures({ kind }: Work, rounds: readonly { before: TurnFigures; after: TurnFigures }[]): void {
  const add = (figure: keyof TurnFigures, label: string, unit: string): void => {
    report.add({
      id: `${kind}-${figure}`,
      label,
      figure: median(rounds.map(({ after }) => after[figure])),
      unit,
      against: { name: 'before', figure: median(rounds.map((round) => round.before[figure])) },
      ratio: median(rounds.map((round) => round.after[figure] / round.before[figure])),
    });
  };
  add('perSecond', 'rate', '/s');
  add('processorMicros', 'processor time of one', 'µs');
  if (process.platform === 'linux') add('mainMicros', 'of the event loop, with what follows upon the turn', 'µs');
}

/** As `npm run bench:engine` does before it runs. */
function build(checkout: string): void {
  if (!existsSync(join(checkout, 'bench/engine/subject.ts'))) {
    console.error(`${checkout} is not a checkout of this project.`);
    process.exit(1);
  }
  showProgress(`building ${checkout}`);
  for (const args of [['scripts/prepare.mjs'], ['node_modules/typescript/bin/tsc', '-b', 'bench']]) {
    const { status } = spawnSync(process.execPath, args, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status === 0) continue;
    console.error(`${checkout} cannot be built.`);
    process.exit(1);
  }
}
