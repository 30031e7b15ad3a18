// `npm run bench:scale`: whether an operation costs the same however large the database is.
//
// Ten steps. In each a process opens the folder, loads a tenth of the documents, measures, and is killed with writes in
// flight; the next one opens what it left. Costs are told beside those of a small database, measured in turns with them: on a
// machine that others use too, only ratios mean anything. The last line is JSON with everything in it.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineChart } from './common/chart.ts';
import { showProgress } from './common/progress.ts';
import { machineFacts, Report } from './common/report.ts';
import { scaleChart } from './scale/chart.ts';
import { addCosts, addMemory, addStarts, addUpdates } from './scale/goals.ts';
import { readScaleOptions, usage } from './scale/options.ts';
import { ScaleRun } from './scale/run.ts';
import { stepTable } from './scale/table.ts';
import { ServerProcess } from './server/process.ts';

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
const root = fileURLToPath(new URL('../../', import.meta.url));
const options = readScaleOptions(args, {
  folder: join(root, 'data', 'scale'),
  chart: join(root, 'docs', 'charts', 'scale.svg'),
});
const startedMs = performance.now();
rmSync(options.folder, { recursive: true, force: true });
mkdirSync(options.folder, { recursive: true });

// Whoever interrupts it gets what has been measured so far.
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const run = new ScaleRun(options, stop.signal);
await run.load();
const readyMs = run.steps.length === 0 ? undefined : await readyMsOf(run.folder);
const updated = options.updates === 0 || stop.signal.aborted ? undefined : await run.update();
showProgress('');
rmSync(options.folder, { recursive: true, force: true });

const report = new Report();
addCosts(report, run.steps);
addStarts(report, run.steps, run.lost, readyMs);
addMemory(report, run.steps);
if (updated !== undefined) addUpdates(report, updated);
const seconds = Math.round((performance.now() - startedMs) / 1_000);
const facts = machineFacts('scale');
const { documents, documentBytes, isQuick } = options;
if (options.chart !== undefined) {
  const what = `${documents} documents of ${documentBytes} bytes over 8 ranges, every write flushed`;
  const where = `${facts.cores} cores, ${facts.memoryGiB} GiB, Node ${facts.node}`;
  mkdirSync(dirname(options.chart), { recursive: true });
  writeFileSync(options.chart, lineChart(scaleChart(run.steps, updated, `${what}; ${where}`)));
}
console.log(`${stepTable(run.steps)}\n`);
console.log(report.table());
const caution = isQuick ? ' So small a run shows that it works, and judges nothing.' : '';
console.log(
  `\nGoals missed: ${report.failures}.${caution} ${seconds} s in all; load ${facts.load} on ${facts.cores} cores.`,
);
console.log(report.json({ ...facts, documents, documentBytes, isQuick, seconds, steps: run.steps, updated }));

async function readyMsOf(folder: string): Promise<number> {
  showProgress('server');
  await using server = await ServerProcess.start(['--data', folder]);
  return server.readyMs;
}
